"""Captured bodies of any provider, measured by the code that measures our own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import tokens, wire
from harness.accounting import Account, account_of
from harness.accounting.bodies import pieces_of
from harness.accounting.captured import canonical
from harness.request.openai_form import to_openai_chat, to_openai_responses
from tests.harness.request.building import answers, asks, assembly, called, calls, searched

DATA = "A" * 40_000


def _account(body: Any, total: int | None = None, model: str = "gpt-5.6") -> Account:
    return account_of(pieces_of(canonical(body)), total=total, model=model)


def _told(account: Account) -> dict[str, tuple[int, int]]:
    return {each.shape.kind: (each.number, each.count.tokens) for each in account.categories}


def _run(strategy: Any) -> dict[str, Any]:
    """A body of ours: a call with its result, and a tool that was loaded."""
    run = assembly(strategy)
    run.append(asks())
    run.append(calls("read", "c1", path="a.txt"))
    run.append(answers("c1", "What it says."))
    searched(run, ["close_ticket"])
    return called(run, "open_ticket").body


@pytest.mark.parametrize("form", [to_openai_chat, to_openai_responses])
def test_a_body_counts_the_same_in_the_forms_of_openai(form: Any) -> None:
    body = _run("append")
    # These forms have no place for markers; without them, what was loaded stands with the residents.
    own = account_of(pieces_of(body, residents=len(body["tools"])), total=None, model="gpt-5.6")
    found = _told(_account(form(body)))
    assert found.pop("system")[1] + found.pop("index", (0, 0))[1] == pytest.approx(
        _told(own)["system"][1] + _told(own)["index"][1], abs=3
    )
    assert found == {kind: told for kind, told in _told(own).items() if kind not in ("system", "index")}


def test_tools_that_a_search_of_responses_returns_are_loaded_ones() -> None:
    own = account_of(pieces_of(_run("reference")), total=None, model="gpt-5.6")
    assert _told(_account(to_openai_responses(_run("reference"))))["loaded_tool"] == _told(own)["loaded_tool"]


def test_a_chat_s_system_message_calls_and_pictures_are_taken_apart() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
    body = {
        "messages": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "It is empty."},
        ],
        "tools": [{"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": {}}}],
    }
    assert _told(_account(body)) == {
        "builtin_tool": (
            1,
            tokens.count(wire.dumps({"description": "Reads.", "input_schema": {}, "name": "read"}).decode()),
        ),
        "system": (1, tokens.count("Be brief.")),
        "tool_call": (1, tokens.count('{"path":"a"}')),
        "tool_result": (1, tokens.count("It is empty.")),
        "media": (1, tokens.media(30_000).tokens),
    }


def test_bedrock_names_the_same_things_otherwise() -> None:
    body = {
        "inferenceConfig": {},
        "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
        "messages": [
            {"role": "user", "content": [{"text": "Hello."}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "read", "input": {}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": [{"text": "Done."}]}}]},
        ],
    }
    assert list(_told(_account(body))) == ["system", "user", "tool_call", "tool_result"]


def test_a_search_of_the_provider_s_own_loads_what_it_refers_to() -> None:
    found = {
        "type": "tool_search_tool_search_result",
        "tool_references": [{"type": "tool_reference", "tool_name": "close"}],
    }
    body = {
        "tools": [{"name": "close", "description": "Closes.", "input_schema": {}, "defer_loading": True}],
        "messages": [
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "server_tool_use",
                        "id": "s",
                        "name": "tool_search_tool_bm25",
                        "input": {"query": "close"},
                    },
                    {"type": "tool_search_tool_result", "tool_use_id": "s", "content": found},
                ],
            }
        ],
    }
    assert [(each.kind, each.label) for each in pieces_of(canonical(body))] == [
        ("tool_call", "tool_search_tool_bm25"),
        ("loaded_tool", "close"),
        ("tool_result", "tool_search_tool_bm25"),
    ]


def test_a_tool_names_its_server_itself() -> None:
    tools: list[Any] = [{"name": name, "description": "", "input_schema": {}} for name in ("Read", "mcp__docs__read")]
    assert [(each.kind, each.server) for each in pieces_of({"tools": tools})] == [
        ("builtin_tool", ""),
        ("mcp_tool", "docs"),
    ]


def test_data_is_never_tokenised_in_whatever_block_it_comes() -> None:
    block = {"type": "video", "source": {"type": "base64", "media_type": "video/mp4", "data": DATA}}
    assert [each.kind for each in pieces_of({"messages": [{"role": "user", "content": [block]}]})] == ["media"]


def _json() -> st.SearchStrategy[Any]:
    leaves = st.none() | st.integers(-9, 9) | st.text(max_size=8)
    names = st.sampled_from(
        ["type", "text", "content", "role", "name", "input", "tools", "function", "tool_calls", "url"]
    )
    values = st.sampled_from(
        ["message", "function_call", "reasoning", "namespace", "system", "user", "tool", "image_url"]
    )
    return st.recursive(
        leaves | values, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner), max_leaves=14
    )


fields = ("tools", "system", "messages", "input", "instructions", "inferenceConfig", "toolConfig")


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(fields, _json())))
def test_no_capture_is_too_odd(body: dict[str, Any]) -> None:
    account = _account(body, total=7)
    assert account.parts.tokens + (account.residual or 0) == 7
