"""What a change leaves of the prefix, and what deferred tools and definitions in messages do to it."""

from __future__ import annotations

from typing import Any

import pytest

from harness.simulator import ANTHROPIC, Simulator
from tests.harness.simulator.building import (
    FIVE,
    HOUR,
    after,
    assistant,
    body,
    counts,
    send,
    simulator,
    text,
    tool,
    user,
)

HELLO = body(user(text("hello", 5000, FIVE)))
THREE_TIERS = body(
    user(text("question", 3000, FIVE)),
    tools=[tool("read", 2000, cache_control=HOUR)],
    system=[text("rules", 4000, HOUR)],
)
LOOKING = {"type": "image", "source": {"type": "base64", "data": "aGk="}, "text": "image/9"}


@pytest.mark.parametrize(
    ("change", "read", "settings"),
    [
        ({}, 9000, ()),
        ({"tools": [tool("read", 2001, cache_control=HOUR)]}, 0, ()),
        ({"system": [text("other rules", 4000, HOUR)]}, 2000, ()),
        ({"speed": "fast"}, 2000, ("speed",)),
        ({"tools": [*THREE_TIERS["tools"], {"type": "web_search_20250305", "name": "s"}]}, 2000, ("web_search",)),
        ({"tool_choice": {"type": "any"}}, 6000, ("tool_choice",)),
        ({"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}, 6000, ("tool_choice",)),
        ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, 6000, ("thinking",)),
        ({"output_config": {"effort": "low"}}, 6000, ("effort",)),
        ({"messages": [*THREE_TIERS["messages"], user(LOOKING)]}, 6000, ("images",)),
        ({"output_config": {"effort": "high"}}, 9000, ()),
        ({"tool_choice": {"type": "auto"}}, 9000, ()),
        ({"thinking": {"type": "disabled"}}, 9000, ()),
        ({"max_tokens": 7, "temperature": 0.5}, 9000, ()),
    ],
)
def test_a_change_loses_its_own_tier_and_those_after_it(
    change: dict[str, Any], read: int, settings: tuple[str, ...]
) -> None:
    sim = simulator()
    send(sim, THREE_TIERS)
    outcome = send(sim, {**THREE_TIERS, **change}, 2)
    assert outcome.read == read
    assert (outcome.difference.settings if outcome.difference else ()) == settings


def test_citations_lose_the_system_prompt() -> None:
    sim, document = simulator(), {"type": "document", "text": "d/9", "citations": {"enabled": True}}
    send(sim, THREE_TIERS)
    assert send(sim, {**THREE_TIERS, "messages": [user(document)]}, 2).read == 2000


def test_a_second_image_loses_nothing() -> None:
    sim = simulator()
    send(sim, body(user(LOOKING, text("a", 3000, FIVE))))
    assert send(sim, body(user(LOOKING, text("a", 3000), LOOKING, text("b", 5, FIVE))), 2).read == 3009


THOUGHT = {"type": "thinking", "thinking": "hm", "text": "thought/400"}
TURN = (user(text("a", 3000)), assistant(THOUGHT, text("b", 3000)))
THINKING = {"thinking": {"type": "enabled", "budget_tokens": 2000}}


@pytest.mark.parametrize(("model", "read"), [("claude-opus-4-8", 6405), ("claude-opus-4-1", 3000)])
def test_the_user_speaking_drops_earlier_thinking_with_older_models_only(model: str, read: int) -> None:
    sim = simulator()
    request = {**body(*TURN, **THINKING), "model": model}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "r/5", "cache_control": FIVE}
    asked = user(text("a", 3000, FIVE))
    send(sim, {**request, "messages": [asked, TURN[1], user(result)]})
    assert send(sim, {**request, "messages": [asked, TURN[1], user(result), user(text("c", 7, FIVE))]}, 2).read == read


def test_a_system_message_appended_to_the_messages_loses_nothing() -> None:
    sim = simulator()
    send(sim, HELLO)
    told = {"role": "system", "content": [text("note", 10, FIVE)]}
    assert counts(send(sim, body(user(text("hello", 5000)), told), 2)) == (0, 5000, 10, 0)


DEFERRED = tool("rare", 300, defer_loading=True)
SEARCHED = {
    "type": "tool_result",
    "tool_use_id": "t",
    "content": [{"type": "tool_reference", "tool_name": "rare"}],
    "description": "result/10",
}


def test_a_deferred_tool_is_outside_of_the_prefix() -> None:
    sim = simulator()
    send(sim, THREE_TIERS)
    assert counts(send(sim, {**THREE_TIERS, "tools": [*THREE_TIERS["tools"], DEFERRED]}, 2)) == (0, 9000, 0, 0)


def test_a_reference_costs_its_definition_where_it_stands_and_nothing_before() -> None:
    sim = simulator()
    request = {**THREE_TIERS, "tools": [*THREE_TIERS["tools"], DEFERRED]}
    send(sim, request)
    found = {**SEARCHED, "cache_control": FIVE}
    outcome = send(sim, {**request, "messages": [user(text("question", 3000)), user(found)]}, 2)
    assert counts(outcome) == (0, 9000, 310, 0)


def test_a_tool_that_is_added_by_reference_counts_too() -> None:
    added = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "rare"}, "description": "a/1"}
    request = body(user(text("hello", 5000, FIVE)), {"role": "system", "content": [added]})
    assert send(simulator(), {**request, "tools": [tool("read", 5), DEFERRED]}).uncached == 301


def by_value(**marker: Any) -> dict[str, Any]:
    """A tool that a message defines."""
    definition = {"type": "tool_definition", "definition": tool("rare", 30, **marker)}
    return {"type": "tool_addition", "tool": definition, "description": "d/30"}


def test_the_first_definition_by_value_misses_everything_where_there_was_no_tool() -> None:
    sim = simulator()
    send(sim, HELLO)
    request = body(user(text("hello", 5000, FIVE)), {"role": "system", "content": [by_value()]})
    assert send(sim, request, 2).read == 0


def test_a_marker_within_a_definition_by_value_counts() -> None:
    told = {"role": "system", "content": [by_value(cache_control=FIVE)]}
    request = body(user(text("hello", 5000)), told, tools=[tool("read", 5)])
    assert send(simulator(), request).write_5m == 5035


def test_a_definition_by_value_is_counted_as_a_schema() -> None:
    request = body({"role": "system", "content": [by_value()]})
    schema = body(user(text("hello", 1)), tools=[tool("rare", 30)])
    sizes = [Simulator(ANTHROPIC).send(each, at=after(0)).prompt for each in (request, schema)]
    assert sizes[0] == sizes[1] - Simulator(ANTHROPIC).send(body(user(text("hello", 1))), at=after(0)).prompt
