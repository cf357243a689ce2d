"""The frame of the request-by-request picture: which requests it shows, in which columns, on which scale."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

from observability import figures
from observability.queries.breaks import Break
from observability.queries.run_requests import Columns

MOST: Final = 160
"""Columns that are drawn at most; where there are more requests, a column stands for several."""
LEAST_SLOTS: Final = 24
"""Room for this many columns is kept, so that two requests do not become two slabs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One or several requests; the tokens are of one request, or the mean of several."""

    first: int
    last: int
    read: int
    written: int
    uncached: int

    @property
    def prompt(self) -> int:
        """All prompt tokens."""
        return self.read + self.written + self.uncached


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """The part of a run that is drawn: requests `start` to `end`, `step` of them in a column."""

    start: int
    end: int
    step: int
    slots: int
    """Requests that the width has room for."""
    top: int
    """Tokens at the upper edge of the scale."""
    ticks: tuple[int, ...]
    columns: tuple[Column, ...]

    def x(self, ordinal: float) -> float:
        """The middle of a request, in per cent of the width."""
        return (ordinal - self.start + 0.5) * 100 / self.slots

    def shows(self, ordinal: int) -> bool:
        """Whether a request is in this part of the run."""
        return self.start <= ordinal <= self.end

    def column_of(self, ordinal: int) -> Column:
        """The column in which a request is drawn."""
        return self.columns[(ordinal - self.start) // self.step]


def frame(requests: Columns, *, start: int = 0, end: int = 0) -> Frame | None:
    """The frame for a part of a run; None where there is nothing to draw. Bounds that make no sense are moved."""
    total = len(requests)
    start = min(max(1, start), total)
    end = min(end, total) if end >= start else total
    shown = end - start + 1
    if not total:
        return None
    step = ceil(shown / MOST)
    drawn = tuple(_column(requests, first, min(first + step - 1, end)) for first in range(start, end + 1, step))
    step_size, top = scale(max(column.prompt for column in drawn))
    return Frame(
        start=start,
        end=end,
        step=step,
        slots=max(shown, LEAST_SLOTS),
        top=top,
        ticks=tuple(range(step_size, top + 1, step_size)),
        columns=drawn,
    )


def _column(requests: Columns, first: int, last: int) -> Column:
    count = last - first + 1
    read, written, uncached = (
        round(sum(figure[first - 1 : last]) / count) for figure in (requests.read, requests.written, requests.uncached)
    )
    return Column(first=first, last=last, read=read, written=written, uncached=uncached)


def scale(most: int) -> tuple[int, int]:
    """The distance of grid lines and the top of a scale that holds `most`: three to five round steps from 0."""
    if most <= 4:
        return 1, 4
    rough = most / 4
    power = 10 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough)
    size = max(1, round(step))
    return size, size * ceil(most / size)


def numbers_below(shown: Frame, marked: Iterable[int]) -> list[int]:
    """Ordinals to write below the axis: the first and last one, breaks, and round ones, never closer than 4 %."""
    size, _ = scale(max(5, shown.slots))
    size = max(5, size // 2) if shown.slots > 10 else 1
    rounds = range(ceil(shown.start / size) * size, shown.end + 1, size)
    written: list[int] = []
    for ordinal in (shown.start, shown.end, *(item for item in marked if shown.shows(item)), *rounds):
        if all(abs(shown.x(ordinal) - shown.x(other)) >= 4 for other in written):
            written.append(ordinal)
    return sorted(written)


def break_words(item: Break) -> str:
    """A break in a few words: how long the pause was where that is the reason, and what it cost."""
    reason = item.reason_label.lower()
    if item.reason == "lifetime" and item.idle_seconds is not None:
        reason = f"{figures.duration(item.idle_seconds)} idle"
    paid = (
        figures.money(item.rebuilt_pusd) if item.rebuilt_pusd is not None else f"{figures.compact(item.rebuilt)} tokens"
    )
    return figures.shown(f"{reason}, {paid}")
