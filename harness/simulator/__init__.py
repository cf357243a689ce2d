"""A prefix-cache simulator: what a request would read, write and pay, by the rules of its provider.

    simulator = Simulator(ANTHROPIC)
    outcome = simulator.send(body, at=start, first_event_at=began)
    outcome.read, outcome.write_5m, outcome.write_1h, outcome.uncached, outcome.explain()

`docs/simulator.md` tells how it was checked against what providers reported.
"""

from __future__ import annotations

from harness.simulator.cache import CacheState, Entry
from harness.simulator.outcome import Difference, Hit, MarkerOutcome, Missed, Outcome
from harness.simulator.prefix import Block, Prefix, prefix_of
from harness.simulator.rules import ANTHROPIC, OPENAI, OPENAI_IMPLICIT, Rates, Rules, rules_for
from harness.simulator.simulator import Simulator
from harness.simulator.sizes import Counter, measured

__all__ = [
    "ANTHROPIC",
    "OPENAI",
    "OPENAI_IMPLICIT",
    "Block",
    "CacheState",
    "Counter",
    "Difference",
    "Entry",
    "Hit",
    "MarkerOutcome",
    "Missed",
    "Outcome",
    "Prefix",
    "Rates",
    "Rules",
    "Simulator",
    "measured",
    "prefix_of",
    "rules_for",
]
