"""Traps of the tools of one run: found, nearly found, and quiet where the log says nothing."""

from __future__ import annotations

import pytest

from explorer.traps.facts import Facts, KnownTool
from explorer.traps.tools import declared_again, deferral_off, found_never_called, half_bridge, unused_resident

SEARCH = KnownTool(name="ToolSearch", state="resident", schema=200, calls=1)
READ = KnownTool(name="Read", state="resident", schema=300, calls=4)
PLAN = KnownTool(name="Plan", state="resident", schema=120)
FETCH = KnownTool(name="Fetch", state="deferred", schema=400, index=4)


def run(*tools: KnownTool, **more: object) -> Facts:
    facts: dict[str, object] = {"tools": tools, "requests": 10, "resident_known": True, "query": "request=10"} | more
    return Facts(**facts)  # type: ignore[arg-type]


def test_resident_tools_that_were_never_called_are_named_with_their_size() -> None:
    found = unused_resident(run(READ, PLAN, KnownTool(name="Stop", state="resident", schema=30)))
    assert found is not None
    assert (found.title, found.tokens) == ("2 resident tools were never called", 150)
    assert found.why == "Plan, Stop, in each of 10 requests"
    assert found.link == "?request=10#resident"


@pytest.mark.parametrize(
    "facts",
    [
        run(READ),
        run(READ, PLAN, requests=4),
        run(PLAN),
        run(READ, KnownTool(name="ToolSearch", state="resident", schema=200)),
        run(READ, KnownTool(name="Plan", state="deferred", schema=120)),
        run(READ, KnownTool(name="Plan", state="resident")),
        Facts(),
    ],
    ids=["all called", "too short", "no call at all", "the search", "deferred", "no schema", "no evidence"],
)
def test_no_resident_tool_is_called_unused_without_grounds(facts: Facts) -> None:
    assert unused_resident(facts) is None


def test_an_index_that_nothing_searches_is_half_a_bridge() -> None:
    found = half_bridge(run(READ, FETCH, index=14))
    assert found is not None
    assert (found.title, found.tokens, found.bad) == ("Nothing can search the deferred tools", 14, True)


def test_the_index_counts_by_its_lines_where_its_text_is_not_in_the_log() -> None:
    found = half_bridge(run(READ, FETCH))
    assert found is not None
    assert found.tokens == 4


def test_a_search_with_no_deferred_tool_is_half_a_bridge() -> None:
    found = half_bridge(run(SEARCH, READ))
    assert found is not None
    assert (found.title, found.tokens) == ("A search tool with nothing to search", 200)


def test_a_bridge_that_needs_two_halves_and_has_one_is_told() -> None:
    search = KnownTool(name="tool_search", state="resident", schema=210)
    found = half_bridge(run(search, FETCH, agent="Qwen-Code"))
    assert found is not None
    assert (found.title, found.tokens) == ("Half of the bridge is missing", 210)
    assert "tool_call is not" in found.why


@pytest.mark.parametrize(
    "facts",
    [
        run(SEARCH, FETCH),
        run(READ, FETCH, searches=1),
        run(SEARCH, READ, index=90),
        run(KnownTool(name="tool_search", state="resident"), FETCH, agent="other"),
        run(READ),
        run(READ, FETCH, resident_known=False),
        Facts(),
    ],
    ids=["whole", "searched", "an index in text", "another client", "no deferral", "residents unknown", "no evidence"],
)
def test_a_bridge_is_not_called_half_without_grounds(facts: Facts) -> None:
    assert half_bridge(facts) is None


SERVERS = [KnownTool(name=f"mcp__{n}__t", state="resident", server=f"s{n % 2}", schema=6_000) for n in range(2)]


def test_many_server_schemas_without_an_index_mean_that_deferral_is_off() -> None:
    found = deferral_off(run(READ, *SERVERS))
    assert found is not None
    assert found.tokens == 12_000
    assert ("s0", "6,000") in found.rows


@pytest.mark.parametrize(
    "facts",
    [
        run(*SERVERS, FETCH),
        run(*SERVERS, index=50),
        run(*SERVERS, deferral=False),
        run(*SERVERS, deferred_in_main=frozenset({"Fetch"})),
        run(SERVERS[0]),
        run(*SERVERS, resident_known=False),
        Facts(),
    ],
    ids=[
        "deferred tools",
        "an index",
        "switched off",
        "the main run defers",
        "below the threshold",
        "residents unknown",
        "no evidence",
    ],
)
def test_deferral_is_not_called_off_without_grounds(facts: Facts) -> None:
    assert deferral_off(facts) is None


def loaded(**more: object) -> KnownTool:
    fields: dict[str, object] = {
        "name": "Fetch",
        "state": "loaded",
        "schema": 400,
        "trigger": "search",
        "query": "fetch a page",
        "since": 4,
        **more,
    }
    return KnownTool(**fields)  # type: ignore[arg-type]


def test_a_tool_that_was_found_and_never_called_is_named_with_its_search() -> None:
    found = found_never_called(run(SEARCH, loaded()))
    assert found is not None
    assert (found.title, found.tokens) == ("1 tool was found and never called", 400)
    assert "“fetch a page”" in found.why
    assert found.link.endswith("#h-load")


@pytest.mark.parametrize(
    "tool",
    [loaded(calls=1), loaded(trigger="direct_call"), loaded(since=10), loaded(since=None), FETCH],
    ids=["called", "not by a search", "no request since", "no request known", "only deferred"],
)
def test_a_tool_is_not_called_found_in_vain_without_grounds(tool: KnownTool) -> None:
    assert found_never_called(run(SEARCH, tool)) is None


def test_a_found_tool_without_a_known_schema_is_counted_and_not_sized() -> None:
    found = found_never_called(run(SEARCH, loaded(schema=None)))
    assert found is not None
    assert (found.figure, found.tokens) == ("1 tool", None)


def test_tools_that_resuming_loads_again_are_told() -> None:
    found = declared_again(run(loaded(trigger="resume")))
    assert found is not None
    assert (found.title, found.tokens) == ("Resuming declared 1 deferred tool again", 400)


def test_tools_that_were_deferred_before_a_resume_and_are_resident_after_it_are_told() -> None:
    found = declared_again(run(READ, resumed=True, deferred_before=frozenset({"Read", "Other"})))
    assert found is not None
    assert (found.tokens, found.link) == (300, "?request=10#resident")


@pytest.mark.parametrize(
    "facts",
    [
        run(READ, deferred_before=frozenset({"Read"})),
        run(READ, resumed=True, deferred_before=frozenset({"Fetch"})),
        run(loaded()),
        Facts(),
    ],
    ids=["not resumed", "another tool", "loaded by a search", "no evidence"],
)
def test_nothing_is_called_declared_again_without_grounds(facts: Facts) -> None:
    assert declared_again(facts) is None
