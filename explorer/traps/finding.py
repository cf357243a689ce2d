"""All traps of a run at a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from explorer.traps.agents import denied_and_needed, sub_agents_received
from explorer.traps.facts import Facts, Trap
from explorer.traps.growth import output_dominates, shell_instead
from explorer.traps.tools import declared_again, deferral_off, found_never_called, half_bridge, unused_resident

RULES: Final[tuple[Callable[[Facts], Trap | None], ...]] = (
    sub_agents_received,
    half_bridge,
    deferral_off,
    found_never_called,
    denied_and_needed,
    shell_instead,
    declared_again,
    unused_resident,
    output_dominates,
)


def find(facts: Facts) -> list[Trap]:
    """The traps that there is evidence of, those of most tokens first; those that are no size stand at the end."""
    found = [trap for rule in RULES if (trap := rule(facts))]
    return sorted(found, key=lambda trap: -1 if trap.tokens is None else trap.tokens, reverse=True)
