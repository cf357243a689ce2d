"""The arithmetic of fan-outs and of loading a tool, by running it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from harness.simulator import ANTHROPIC
from tests.harness.simulator.building import (
    FIVE,
    HOUR,
    MODEL,
    after,
    assistant,
    body,
    simulator,
    text,
    tool,
    user,
)

RATES = ANTHROPIC.rates_for(MODEL)
PREFIX = 10_000


def fan_out(children: int, marker: dict[str, str], *, gated: bool) -> Decimal:
    """What the prefix of all children costs, in prefixes. The first event comes after 3 s; a gate waits for it."""
    sim, cost = simulator(), Decimal(0)
    request = body(user(text("task", 0)), system=[text("prompt", PREFIX, marker)])
    for child in range(children):
        start = 3 if gated and child else 0
        cost += sim.send(request, at=after(start), first_event_at=after(start + 3)).cost(RATES)
    return cost / PREFIX


@pytest.mark.parametrize(
    ("marker", "ungated", "gated"),
    [(FIVE, Decimal("10.0"), Decimal("1.95")), (HOUR, Decimal("16.0"), Decimal("2.70"))],
)
def test_a_gate_before_eight_children_saves_most_of_the_writes(
    marker: dict[str, str], ungated: Decimal, gated: Decimal
) -> None:
    assert fan_out(8, marker, gated=False) == ungated
    assert fan_out(8, marker, gated=True) == gated


@pytest.mark.parametrize("children", [1, 2, 5, 40])
def test_a_gate_follows_its_formula(children: int) -> None:
    write = RATES.write_5m
    assert fan_out(children, FIVE, gated=False) == children * write
    assert fan_out(children, FIVE, gated=True) == write + (children - 1) * RATES.read


RESIDENT = [tool("read", 2500), tool("write", 2500, cache_control=HOUR)]
SYSTEM = [text("prompt", 6000, HOUR)]
HISTORY = (user(text("task", 30_000)), assistant(text("answer", 30_000)))
CALL = user(text("found", 0))


def loading(tools: list[dict[str, Any]], *tail: dict[str, Any]) -> Decimal:
    """What the request after a search costs, the one before it having written everything."""
    sim = simulator()
    marked = (HISTORY[0], assistant(text("answer", 30_000, FIVE)))
    sim.send(body(*marked, tools=RESIDENT, system=SYSTEM), at=after(0), first_event_at=after(2))
    outcome = sim.send(body(*marked, *tail, tools=tools, system=SYSTEM), at=after(9), first_event_at=after(11))
    return outcome.cost(RATES)


def test_a_schema_at_the_tail_costs_7475() -> None:
    """By value in a message, or as the result of a bridge."""
    assert loading(RESIDENT, user(text("schema", 300, FIVE))) == Decimal(7475)


def test_a_reference_costs_7475() -> None:
    """The definition is sent, deferred, with every request and stands where the result refers to it."""
    result = {
        "type": "tool_result",
        "tool_use_id": "t",
        "content": [{"type": "tool_reference", "tool_name": "rare"}],
        "text": "result/0",
        "cache_control": FIVE,
    }
    assert loading([*RESIDENT, tool("rare", 300, defer_loading=True)], user(result)) == Decimal(7475)


def test_a_schema_appended_to_the_tools_costs_88100() -> None:
    """The entry of the resident tools is all that is left."""
    assert loading([*RESIDENT, tool("rare", 300)]) == Decimal(88_100)


@pytest.mark.parametrize(
    ("model", "read"),
    [
        ("claude-opus-4-8", "0.1"),
        ("claude-opus-5", "0.1"),
        ("claude-opus-5-5", "0.05"),
        ("claude-sonnet-5-5", "0.05"),
        ("claude-fable-5", "0.1"),
        ("claude-fable-5-1", "0.025"),
        ("claude-mythos-5-2", "0.025"),
    ],
)
def test_reads_have_the_price_of_their_model(model: str, read: str) -> None:
    assert ANTHROPIC.rates_for(model).read == Decimal(read)
