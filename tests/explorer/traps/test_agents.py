"""Traps of sub-agents and background agents: found, nearly found, and quiet where the log says nothing."""

from __future__ import annotations

import pytest

from explorer.traps.agents import denied_and_needed, sub_agents_received
from explorer.traps.facts import Child, Facts, KnownTool

FETCH = KnownTool(name="Fetch", state="deferred", schema=400)
ASSIGN = KnownTool(name="Assign", state="deferred", schema=100)
BOTH = frozenset({"Fetch", "Assign"})


def child(uid: str, *received: str) -> Child:
    return Child(uid=uid, name="explore", received=frozenset(received))


def test_sub_agents_that_received_deferred_tools_are_counted_with_their_schemas() -> None:
    found = sub_agents_received(Facts(tools=[FETCH, ASSIGN], children=[child("a", *BOTH), child("b", *BOTH)]))
    assert found is not None
    assert (found.figure, found.tokens, found.bad) == ("2 × 500", 1_000, True)
    assert found.link == "?run=a&request=1#resident"


def test_a_sub_agent_that_received_some_of_them_counts_in_part() -> None:
    found = sub_agents_received(Facts(tools=[FETCH, ASSIGN], children=[child("a", *BOTH), child("b", "Assign")]))
    assert found is not None
    assert found.tokens == 600
    assert found.note


def test_schemas_that_are_in_no_log_are_not_counted_as_nothing() -> None:
    unknown = KnownTool(name="Fetch", state="deferred")
    found = sub_agents_received(Facts(tools=[unknown], children=[child("a", "Fetch")]))
    assert found is not None
    assert (found.figure, found.tokens) == ("1 sub-agent", None)
    assert found.rows[0] == ("Fetch", "–")


def test_the_address_of_a_sub_agent_is_escaped() -> None:
    found = sub_agents_received(Facts(tools=[FETCH], children=[child("a&b/c #1", "Fetch")]))
    assert found is not None
    assert found.link == "?run=a%26b%2Fc+%231&request=1#resident"


def test_a_sub_agent_s_own_page_tells_what_it_received() -> None:
    here = KnownTool(name="Fetch", state="resident", schema=400)
    found = sub_agents_received(Facts(main=False, tools=[here], deferred_in_main=BOTH))
    assert found is not None
    assert (found.title, found.tokens) == ("This run received 1 deferred tool", 400)


@pytest.mark.parametrize(
    "facts",
    [
        Facts(tools=[FETCH], children=[child("a")]),
        Facts(tools=[FETCH]),
        Facts(main=False, tools=[FETCH], deferred_in_main=BOTH),
        Facts(main=False, tools=[KnownTool(name="Read", state="resident")], deferred_in_main=BOTH),
        Facts(),
    ],
    ids=["received none", "no sub-agent", "deferred here too", "resident in both", "no evidence"],
)
def test_sub_agents_are_not_said_to_have_received_anything_without_grounds(facts: Facts) -> None:
    assert sub_agents_received(facts) is None


def denied(*names: str) -> list[KnownTool]:
    return [KnownTool(name=name, state="denied") for name in names]


def test_a_denied_tool_that_a_background_agent_of_the_client_needs_is_named() -> None:
    found = denied_and_needed(Facts(agent="Qwen Code", tools=denied("run_shell_command", "web_fetch")))
    assert found is not None
    assert found.title == "1 denied tool that a background agent needs"
    assert found.why == "project memory needs run_shell_command"
    assert found.tokens is None


def test_what_both_background_agents_need_is_named_for_both() -> None:
    found = denied_and_needed(Facts(agent="Qwen Code", tools=denied("edit")))
    assert found is not None
    assert found.why == "project memory needs edit; automatic extraction of memories needs edit"


def test_a_denied_tool_that_sub_agents_called_is_named_for_any_client() -> None:
    found = denied_and_needed(Facts(agent="x", tools=denied("bash"), refused=[("bash", 3)]))
    assert found is not None
    assert found.why == "sub-agents called bash 3 times"


@pytest.mark.parametrize(
    "facts",
    [
        Facts(agent="Qwen Code", tools=denied("web_fetch")),
        Facts(agent="Qwen Code", tools=[KnownTool(name="edit", state="withheld")]),
        Facts(agent="Claude Code", tools=denied("edit")),
        Facts(agent="x", tools=denied("bash"), refused=[("grep", 3)]),
        Facts(),
    ],
    ids=["not needed", "withheld", "another client", "another tool was called", "no evidence"],
)
def test_a_denied_tool_is_not_called_needed_without_grounds(facts: Facts) -> None:
    assert denied_and_needed(facts) is None
