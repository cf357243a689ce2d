"""A request body, taken apart: what counts, and what it counts as."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import tokens, wire
from harness.accounting import Account, Piece, account_of
from harness.accounting.bodies import OPENING, pieces_of
from harness.catalogue.own import SEARCH_TOOLS
from harness.loop import prompts
from harness.request import STRATEGIES, Assembly, Request, Strategy
from harness.simulator import ANTHROPIC, Simulator
from harness.surface import index_text
from tests.harness.request.building import MODEL, answers, asks, assembly, called, calls, definition, searched, surface

LOADED = ("close_ticket", "find_ticket", "open_ticket")


def _run(strategy: Strategy, **settings: Any) -> Request:
    """Two tools loaded by a search, and a third by a direct call."""
    run = assembly(strategy, **settings)
    run.append(asks())
    searched(run, LOADED[:2])
    return called(run, LOADED[2])


def _account(request: Request, total: int | None = None, **more: Any) -> Account:
    return account_of(pieces_of(request.body, **more), total=total, model=MODEL)


def _labels(account: Account, kind: str) -> list[str]:
    found = account.category(kind)
    return [row.label for row in found.rows] if found else []


def _of(pieces: list[Piece], kind: str) -> list[Piece]:
    return [piece for piece in pieces if piece.kind == kind]


def _tokens(*values: Any) -> int:
    return sum(tokens.count(wire.dumps(wire.canonical(each)).decode()) for each in values)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_loaded_tool_counts_once_however_it_is_sent(strategy: Strategy) -> None:
    found = _of(pieces_of(_run(strategy).body), "loaded_tool")
    assert {piece.label: piece.o200k for piece in found} == {name: _tokens(definition(name)) for name in LOADED}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_residents_count_as_built_in_and_the_deferred_by_name_only(strategy: Strategy) -> None:
    account = _account(_run(strategy))
    bridge = ["call_tool"] if strategy == "bridge" else []
    assert _labels(account, "builtin_tool") == [SEARCH_TOOLS.name, *bridge, "finish", "read"]
    assert "zip_files" not in {row.label for each in account.categories for row in each.rows}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_account_is_what_the_simulator_counts(strategy: Strategy) -> None:
    request = _run(strategy)
    prompt = Simulator(ANTHROPIC).send(request.body, at=datetime(2026, 11, 30, tzinfo=UTC)).prompt
    # Headings over definitions, and the wrapping of what is not text, are counted by the simulator alone.
    assert abs(_account(request, prompt).residual or 0) <= 60


def test_the_index_counts_its_names() -> None:
    index = next(iter(_of(pieces_of(_run("inline").body), "index")))
    assert (index.number, index.o200k) == (5, tokens.count(index_text(surface())))


def test_the_opening_of_a_run_is_no_word_of_the_user() -> None:
    assert prompts.opening_of("/somewhere", None).startswith(OPENING)
    body = {"messages": [{"role": "user", "content": [_text(f"{OPENING}/x."), _text(f"{OPENING}/y.")]}]}
    assert [piece.kind for piece in pieces_of(body)] == ["startup", "user"]


def test_tools_are_told_apart_by_their_servers() -> None:
    account = account_of(pieces_of(_run("append").body, servers={"read": "files"}), total=None, model=MODEL)
    servers = account.category("mcp_tool")
    assert servers is not None and [(row.label, row.number) for row in servers.rows] == [("files", 1)]


def test_without_a_marker_the_number_of_residents_tells_what_was_loaded() -> None:
    request = _run("append", provider="compatible")
    assert _labels(_account(request, residents=request.resident_count), "loaded_tool") == list(LOADED)


def test_calls_and_results_go_by_their_tool() -> None:
    run = assembly()
    run.append(asks())
    for number in (1, 2):
        run.append(calls("read", f"c{number}", path="a.txt"))
        run.append(answers(f"c{number}", "twelve words " * number))
    account = _account(run.build())
    assert (_labels(account, "tool_result"), account.category("tool_result").number) == (["read"], 2)  # type: ignore[union-attr]
    assert account.category("tool_call").number == 2  # type: ignore[union-attr]


def test_media_in_a_result_is_a_flat_charge() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 400_000}}
    answer = {"type": "tool_result", "tool_use_id": "c", "content": [_text("Here it is."), picture]}
    media = _of(pieces_of({"messages": [{"role": "user", "content": [answer]}]}), "media")
    assert [(piece.label, piece.media_bytes, piece.o200k) for piece in media] == [("image/png", 300_000, None)]


def test_thinking_counts_by_its_text_and_a_signature_alone_not_at_all() -> None:
    blocks = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "thinking", "signature": "x" * 90}]
    found = pieces_of({"messages": [{"role": "assistant", "content": blocks}]})
    assert [(piece.o200k, piece.hidden_chars) for piece in found] == [(tokens.count("Hm."), 0), (None, 90)]


def test_a_model_that_writes_a_definition_has_loaded_nothing() -> None:
    said = f"Loaded tools, one definition a line:\n{wire.dumps(definition('read')).decode()}"
    assert [piece.kind for piece in pieces_of({"messages": [{"role": "assistant", "content": said}]})] == ["assistant"]


def test_a_body_of_texts_is_taken_as_it_is() -> None:
    body = {"system": "You help.", "messages": [{"role": "user", "content": "Hello."}]}
    assert [(piece.kind, piece.o200k) for piece in pieces_of(body)] == [
        ("system", tokens.count("You help.")),
        ("user", tokens.count("Hello.")),
    ]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.text(min_size=1, max_size=60)),
        st.tuples(st.just("search"), st.sampled_from(LOADED)),
        st.tuples(st.just("call"), st.sampled_from(LOADED)),
    ),
    max_size=6,
)


def _walk(run: Assembly, step: tuple[str, str], number: int) -> Request:
    if step[0] == "search":
        return searched(run, [step[1]], f"s{number}")
    if step[0] == "call":
        return called(run, step[1], f"c{number}")
    run.append(asks(step[1]))
    return run.build()


@given(st.sampled_from(STRATEGIES), steps, st.none() | st.integers(0, 10**6))
def test_parts_and_residual_are_the_total_for_every_request(
    strategy: Strategy, taken: list[tuple[str, str]], total: int | None
) -> None:
    run, before = assembly(strategy), 0
    run.append(asks())
    for number, step in enumerate(taken):
        account = _account(_walk(run, step, number), total)
        assert account.residual is None or account.parts.tokens + account.residual == total
        assert account.parts.tokens >= before
        assert sorted(_labels(account, "loaded_tool")) == sorted(run.ledger.names)
        before = account.parts.tokens


def _json(depth: int = 3) -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8)
    names = st.sampled_from(["type", "text", "content", "role", "name", "input", "tool", "source", "data", "x"])
    values = st.sampled_from(["text", "tool_result", "tool_use", "tool_reference", "tool_addition", "image", "user"])
    return st.recursive(
        leaves | values, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner), max_leaves=12
    )


@given(st.fixed_dictionaries({}, optional={"tools": _json(), "system": _json(), "messages": _json()}))
def test_no_body_is_too_odd_to_be_taken_apart(body: dict[str, Any]) -> None:
    account_of(pieces_of(body), total=1, model=MODEL)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
