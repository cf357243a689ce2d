"""What it costs to load a tool, by strategy: tokens times multiples of the base price of input.

`activation_cost` is the one request that carries a newly loaded schema. `run_cost` follows a
whole run, with what a strategy adds elsewhere. Both are the documented rules of the prefix
cache and nothing else; a test holds them against the simulator. The default of a provider is
whatever its rules make cheapest for `USUAL`.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final

import msgspec

from harness.request.strategies import STRATEGIES, Strategy, support_of
from harness.simulator.rules import rules_for


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """A request in tokens, before a tool is loaded; `schema` is that of what is loaded."""

    resident: int
    system: int
    history: int
    schema: int


class Prices(msgspec.Struct, frozen=True, kw_only=True):
    """Multiples of the base price of input.

    `prefix` is paid for tools and system that are written again, `history` for messages that
    are, `tail` for what is new. `tools_found`: the residents are read though what follows them changed.
    """

    read: Decimal
    prefix: Decimal
    history: Decimal
    tail: Decimal
    tools_found: bool = True


class Extra(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens that a strategy needs beside the schema: in every request, once for each load, once for each call."""

    resident: int = 0
    load: int = 0
    call: int = 0


EXTRAS: Final[Mapping[Strategy, Extra]] = {
    "reference": Extra(load=12),
    "inline": Extra(load=24),
    "bridge": Extra(resident=150, load=20, call=16),
    "append": Extra(),
}
"""Estimates: the blocks that refer or hold a definition, and for the bridge its envelope, as counted for recent models."""


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """A run: its requests, what each adds to the history, after which of them a schema is loaded, and how often it is called."""

    sizes: Sizes
    requests: int = 40
    growth: int = 1_500
    loads: tuple[int, ...] = ()
    calls: int = 3
    """Calls of each loaded tool."""


USUAL: Final = Course(sizes=Sizes(resident=5_000, system=6_000, history=2_000, schema=300), loads=(2, 6, 12, 20, 30))


def prices_for(provider: str, model: str) -> Prices:
    """What the rules of a provider make a token cost in each place."""
    rules = rules_for(provider, model)
    rates = rules.rates_for(model)
    if not rules.bills_writes:
        return Prices(read=rates.read, prefix=rates.uncached, history=rates.uncached, tail=rates.uncached)
    if rules.marks_the_end:
        # The request's end is its only marker, so a change in front leaves nothing to find.
        other = rates.write_other
        return Prices(read=rates.read, prefix=other, history=other, tail=other, tools_found=False)
    return Prices(read=rates.read, prefix=rates.write_1h, history=rates.write_5m, tail=rates.write_5m)


def activation_cost(strategy: Strategy, sizes: Sizes, prices: Prices) -> Decimal:
    """The request that first carries a loaded schema, in tokens of input at the base price."""
    if strategy != "append":
        return (sizes.resident + sizes.system + sizes.history) * prices.read + sizes.schema * prices.tail
    found = sizes.resident * (prices.read if prices.tools_found else prices.prefix)
    return found + (sizes.schema + sizes.system) * prices.prefix + sizes.history * prices.history


def run_cost(strategy: Strategy, course: Course, prices: Prices) -> Decimal:
    """All requests of a run, the first of them with an empty cache."""
    extra, sizes = EXTRAS[strategy], course.sizes
    prefix, history = sizes.resident + sizes.system + extra.resident, sizes.history
    cost = prefix * prices.prefix + history * prices.history
    for number in range(1, course.requests):
        loads = course.loads.count(number)
        now = Sizes(
            resident=sizes.resident + extra.resident,
            system=prefix - sizes.resident - extra.resident,
            history=history,
            schema=0,
        )
        new = course.growth + loads * (extra.load + course.calls * extra.call)
        if strategy == "append" and loads:
            now = msgspec.structs.replace(now, schema=loads * sizes.schema)
            prefix += loads * sizes.schema
        elif strategy != "append":
            new += loads * sizes.schema
        cost += activation_cost(strategy if loads else "reference", now, prices) + new * prices.tail
        history += new
    return cost


CLOSE: Final = Decimal("1.01")
"""Costs within this factor of the least are equal to it."""


@lru_cache(maxsize=256)
def default_strategy(provider: str, model: str) -> Strategy:
    """The cheapest strategy that the provider takes for this model; of equal ones the first in `STRATEGIES`."""
    prices = prices_for(provider, model)
    costs = {each: run_cost(each, USUAL, prices) for each in support_of(provider, model).strategies}
    return next(each for each in STRATEGIES if each in costs and costs[each] <= min(costs.values()) * CLOSE)
