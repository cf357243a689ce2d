"""The invariants of a request, for whatever a run may do: random texts, calls, searches, loads, trims and rewrites."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import wire
from harness.errors import NotOnSurfaceError
from harness.request import STRATEGIES, Assembly, Request, Strategy, Trimming, prefix_hash
from harness.simulator import ANTHROPIC, Simulator
from tests.harness.request.building import (
    DENIED,
    NAMES,
    answers,
    asks,
    assembly,
    blocks,
    calls,
    markers,
    surface,
    text_of,
    unmarked,
)

DEFERRED = tuple(tool.name for tool in surface().deferred)
START = datetime(2026, 11, 2, 9, tzinfo=UTC)
EAGER = Trimming(keep_turns=1, least_won=1, least_result=1, patience=Decimal(0))

texts = st.text(max_size=12)
blocks_of_answers = st.lists(
    st.one_of(
        texts.map(lambda text: {"type": "text", "text": text}),
        texts.map(lambda text: {"type": "thinking", "thinking": text, "signature": "s"}),
    ),
    max_size=4,
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), texts),
        st.tuples(st.just("answer"), blocks_of_answers),
        st.tuples(st.just("search"), st.lists(st.sampled_from([*NAMES, DENIED]), max_size=3)),
        st.tuples(st.just("call"), st.sampled_from([*NAMES, DENIED, "no_such_tool"])),
        st.tuples(st.just("many"), st.integers(min_value=1, max_value=12)),
        st.tuples(st.just("trim"), st.integers(min_value=0, max_value=1_000)),
        st.tuples(st.just("rewrite"), texts),
    ),
    max_size=8,
)
strategies = st.sampled_from(STRATEGIES)


class Script:
    """Plays steps through an assembly. `fresh` are the requests that began anew."""

    def __init__(self, strategy: Strategy) -> None:
        self.run: Assembly = assembly(strategy)
        self.requests: list[Request] = []
        self.fresh: set[int] = set()
        self.number = 0
        self.run.append(asks())
        self.build()

    def build(self) -> None:
        self.requests.append(self.run.build())

    def play(self, kind: str, given: Any) -> None:
        self.number += 1
        getattr(self, kind)(given, f"{kind}-{self.number}")
        self.build()

    def ask(self, text: str, _: str) -> None:
        self.run.append(asks(text))

    def answer(self, content: list[dict[str, Any]], _: str) -> None:
        if content:
            self.run.append({"role": "assistant", "content": content})
        self.run.append(asks("Go on."))

    def search(self, names: list[str], call: str) -> None:
        self.run.append(calls("search_tools", call, query="x"))
        self.load(names, "search", call)
        self.run.append(answers(call, "Found."))

    def call(self, name: str, call: str) -> None:
        self.run.append(calls(name, call))
        self.load([name], "direct_call", None)
        self.run.append(answers(call, "done " * 40))

    def many(self, count: int, call: str) -> None:
        uses = [calls("read", f"{call}-{at}")["content"][0] for at in range(count)]
        self.run.append({"role": "assistant", "content": uses})
        self.run.append({"role": "user", "content": [answers(use["id"], "done " * 40)["content"][0] for use in uses]})

    def trim(self, reads: int, _: str) -> None:
        if self.run.trim(reads, EAGER) is not None:
            self.fresh.add(len(self.requests))

    def rewrite(self, text: str, _: str) -> None:
        self.run.rewrite([asks(f"So far: {text}")])
        self.fresh.add(len(self.requests))

    def load(self, names: list[str], trigger: Any, search: str | None) -> None:
        try:
            self.run.load(names, trigger, search=search)
        except NotOnSurfaceError as error:
            assert error.name not in NAMES


def played(strategy: Strategy, given: list[tuple[str, Any]]) -> Script:
    script = Script(strategy)
    for kind, what in given:
        script.play(kind, what)
    return script


@given(strategies, steps)
def test_the_bytes_are_those_of_the_body(strategy: Strategy, given: list[tuple[str, Any]]) -> None:
    for request in played(strategy, given).requests:
        assert request.bytes() == wire.dumps(request.body)


@given(strategies, steps)
def test_c8_every_request_continues_the_bytes_of_the_one_before(
    strategy: Strategy, given: list[tuple[str, Any]]
) -> None:
    script = played(strategy, given)
    for at, (before, after) in enumerate(zip(script.requests, script.requests[1:], strict=False), 1):
        count = before.resident_count
        tools = [wire.dumps(unmarked(request.body["tools"][:count])) for request in (before, after)]
        assert tools[0] == tools[1] and after.resident_count == count
        assert after.body["tools"][: len(before.body["tools"])] == before.body["tools"]
        if at not in script.fresh:
            sent, sends = (wire.dumps(unmarked(request.body["messages"]))[:-1] for request in (before, after))
            assert sends.startswith(sent)


@given(st.sampled_from(["reference", "inline", "bridge"]), steps)
def test_c8_without_append_the_whole_request_continues(strategy: Strategy, given: list[tuple[str, Any]]) -> None:
    script = played(strategy, given)
    assert len({prefix_hash(request) for request in script.requests}) == 1
    for at, (before, after) in enumerate(zip(script.requests, script.requests[1:], strict=False), 1):
        if at not in script.fresh:
            assert wire.dumps(unmarked(after.body)).startswith(wire.dumps(unmarked(before.body))[:-2])


@given(strategies, steps)
def test_c10_markers_follow_the_rules(strategy: Strategy, given: list[tuple[str, Any]]) -> None:
    for request in played(strategy, given).requests:
        lifetimes = markers(request.body)
        assert len(lifetimes) <= 4 and lifetimes == sorted(lifetimes)
        assert lifetimes == [each.lifetime for each in request.markers]
        assert len(lifetimes) == wire.dumps(request.body).count(b'"cache_control"')
        marked = [block for block in blocks(request.body) if "cache_control" in block]
        for block in marked:
            assert "defer_loading" not in block and block.get("type") not in ("thinking", "redacted_thinking")
            assert block.get("type") != "text" or block["text"].strip()


@given(strategies, steps)
def test_c10_a_marker_stands_where_it_says(strategy: Strategy, given: list[tuple[str, Any]]) -> None:
    for request in played(strategy, given).requests:
        prefix = [block for block in blocks(request.body) if "defer_loading" not in block]
        for marker in request.markers:
            block: Any = request.body
            for key in marker.path:
                block = block["content"][key] if isinstance(block, dict) and "role" in block else block[key]
            assert block["cache_control"]["ttl"] == marker.lifetime
            assert prefix[marker.position] is block


@given(strategies, steps)
def test_c10_the_third_marker_is_the_exact_previous_tail(strategy: Strategy, given: list[tuple[str, Any]]) -> None:
    script = played(strategy, given)
    for at, (before, after) in enumerate(zip(script.requests, script.requests[1:], strict=False), 1):
        if after is before:
            continue
        places = {marker.place: marker.path for marker in after.markers}
        tail = {marker.place: marker.path for marker in before.markers}.get("end of this turn")
        if at in script.fresh:
            assert "end of the previous turn" not in places
        elif places["end of this turn"] != tail:
            assert places["end of the previous turn"] == tail


@given(strategies, steps)
def test_c6_a_denied_name_is_nowhere(strategy: Strategy, given: list[tuple[str, Any]]) -> None:
    given = [each for each in given if each != ("call", DENIED)]
    script = played(strategy, given)
    assert DENIED not in script.run.ledger
    assert all(DENIED not in text_of(request.body) for request in script.requests)


@given(strategies, steps)
def test_c1_a_deferred_name_is_in_the_index_and_its_schema_only_where_the_strategy_says(
    strategy: Strategy, given: list[tuple[str, Any]]
) -> None:
    for request in played(strategy, given).requests:
        index = request.body["system"][-1]["text"].split()
        assert set(DEFERRED) <= set(index)
        offered = [tool["name"] for tool in request.body["tools"] if "defer_loading" not in tool]
        held_back = [tool["name"] for tool in request.body["tools"] if "defer_loading" in tool]
        assert held_back == (list(DEFERRED) if strategy == "reference" else [])
        assert offered[request.resident_count :] == (list(request.loaded) if strategy == "append" else [])
        assert not set(offered[: request.resident_count]) & set(DEFERRED)


@given(strategies, steps)
def test_c12_the_ledger_only_grows_and_every_request_says_what_was_loaded(
    strategy: Strategy, given: list[tuple[str, Any]]
) -> None:
    script = played(strategy, given)
    for before, after in zip(script.requests, script.requests[1:], strict=False):
        assert after.loaded[: len(before.loaded)] == before.loaded
    for activation in script.run.ledger:
        first = next(request for request in script.requests if activation.name in request.loaded)
        assert activation.request == first.ordinal


@given(strategies, steps)
def test_the_same_steps_give_the_same_bytes(strategy: Strategy, given: list[tuple[str, Any]]) -> None:
    one, two = played(strategy, given), played(strategy, given)
    assert [request.bytes() for request in one.requests] == [request.bytes() for request in two.requests]


@given(st.sampled_from(["reference", "inline", "bridge"]), steps)
def test_a_provider_reads_all_that_the_request_before_wrote(strategy: Strategy, given: list[tuple[str, Any]]) -> None:
    script = played(strategy, given)
    simulator = Simulator(ANTHROPIC, count=lambda block, model: 1_000)
    written = 0
    for at, request in enumerate(dict.fromkeys(map(id, script.requests))):
        body = next(each for each in script.requests if id(each) == request).body
        outcome = simulator.send(body, at=START + timedelta(seconds=at))
        if not script.fresh:
            assert outcome.read == written
        written = outcome.read + outcome.written


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_more_blocks_in_a_turn_than_a_lookup_reaches_lose_nothing(strategy: Strategy) -> None:
    script = played(strategy, [("many", 30), ("many", 30)])
    simulator = Simulator(ANTHROPIC, count=lambda block, model: 1_000)
    first, second, third = (
        simulator.send(request.body, at=START + timedelta(seconds=at)) for at, request in enumerate(script.requests)
    )
    assert second.read == first.written and third.read == second.read + second.written
