"""The client's own sums for a session beside what was counted: a cross-check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from observability.queries.conversation import Overall, Sums, add

FIELDS = {
    "uncached": "inputTokens",
    "read": "cacheReadInputTokens",
    "written": "cacheCreationInputTokens",
    "output": "outputTokens",
}
"""Our bucket, and Claude Code's name for it in a `cost-state` record."""
MOST = 10**15
"""A larger count is no count."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientTotal:
    """One model: what the client reported (None where it says nothing readable), and what was counted."""

    model: str
    uncached: int | None
    read: int | None
    written: int | None
    output: int | None
    cost_pusd: int | None
    counted: Sums

    @property
    def differs(self) -> bool:
        """Whether any reported count of prompt tokens is not the counted one."""
        pairs = (
            (self.uncached, self.counted.uncached),
            (self.read, self.counted.read),
            (self.written, self.counted.written),
        )
        return any(reported is not None and reported != counted for reported, counted in pairs)


def client_totals(whole: Overall) -> list[ClientTotal]:
    """By model, from the runs whose log holds such a record. Nothing in it is trusted to have a type."""
    counted: dict[str, list[Sums]] = {}
    for group in whole.groups:
        counted.setdefault(_plain(group.model), []).append(group.sums)
    return [
        _total(model, usage, add(counted.get(_plain(model), ())))
        for totals in _records(whole)
        for model, usage in totals.items()
        if isinstance(usage, dict)
    ]


def _records(whole: Overall) -> Iterable[Mapping[str, Any]]:
    return (run.totals for run in whole.runs if isinstance(run.totals, dict))


def _total(model: str, usage: Mapping[str, Any], counted: Sums) -> ClientTotal:
    counts = {field: _count(usage.get(name)) for field, name in FIELDS.items()}
    return ClientTotal(model=model, counted=counted, cost_pusd=_pusd(usage.get("costUSD")), **counts)


def _plain(model: str) -> str:
    """A model's name without the note on its window, which only some records carry."""
    return model.split("[", 1)[0]


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST else None


def _pusd(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        pusd = int(Decimal(str(value)) * 10**12)
    except (InvalidOperation, ValueError, OverflowError):
        return None
    return pusd if 0 <= pusd < MOST * 10**6 else None
