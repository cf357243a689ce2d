"""Tokens up to the end of each block, held to what providers reported."""

from __future__ import annotations

from collections.abc import Sequence

from harness.simulator.prefix import Prefix
from harness.simulator.rules import plain


class Pins:
    """Totals that a report fixed, by model and key: a prefix that was sized once keeps its size."""

    def __init__(self) -> None:
        self._totals: dict[tuple[str, str], int] = {}

    def totals(self, prefix: Prefix, counts: Sequence[int], whole: int | None) -> list[int]:
        """Tokens up to the end of each block. `whole`: the reported total of all blocks.

        Blocks that no report has fixed share what is left of the total in proportion to their counts.
        """
        model = plain(prefix.model)
        known = [self._totals.get((model, block.key)) for block in prefix.blocks]
        totals = _sums(known, counts)
        if whole is None:
            return totals
        totals = _held_to(totals, known, whole)
        self._totals.update({(model, block.key): total for block, total in zip(prefix.blocks, totals, strict=True)})
        return totals

    def pin(self, model: str, key: str, total: int) -> None:
        """Fix the tokens up to one block."""
        self._totals[plain(model), key] = total


def _sums(known: Sequence[int | None], counts: Sequence[int]) -> list[int]:
    totals, total = list[int](), 0
    for fixed, count in zip(known, counts, strict=True):
        total = max(total, total + count if fixed is None else fixed)
        totals.append(total)
    return totals


def _held_to(totals: list[int], known: Sequence[int | None], whole: int) -> list[int]:
    first = next((index for index, fixed in enumerate(known) if fixed is None), len(totals))
    start = min(whole, totals[first - 1]) if first else 0
    counted = totals[-1] - (totals[first - 1] if first else 0) if totals else 0
    held = [min(whole, total) for total in totals[:first]]
    base = totals[first - 1] if first else 0
    for total in totals[first:]:
        share = total - base
        held.append(start + (share * (whole - start) // counted if counted else 0))
    if first < len(totals):
        held[-1] = whole
    return held
