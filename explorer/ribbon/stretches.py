"""What lies between the cache markers of a request, and what the cache did with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.ribbon.marks import Mark
from explorer.ribbon.plan import Band


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """The tokens from one place to the next. `start` and `end` are numbers of markers, 0 for the ends of the request."""

    start: int
    end: int
    tokens: int
    read: int
    written: int
    uncached: int


def stretches(marks: Sequence[Mark], cache: Sequence[Band], total: int | None) -> list[Stretch]:
    """The stretches between the markers whose place is known, and the ends of the request.

    Empty where the bill is for more than this prompt, so that nothing can be laid under it.
    """
    placed = sorted((mark.at, mark.number) for mark in marks if mark.at is not None)
    if not placed or not cache or total is None:
        return []
    ends = [(min(at, total), number) for at, number in placed] + [(total, 0)]
    starts = [(0, 0), *ends[:-1]]
    return [_stretch(start, end, cache) for start, end in zip(starts, ends, strict=True) if end[0] > start[0]]


def _stretch(start: tuple[int, int], end: tuple[int, int], cache: Sequence[Band]) -> Stretch:
    inside = {band.role: max(0, min(end[0], band.end) - max(start[0], band.start)) for band in cache}
    return Stretch(
        start=start[1],
        end=end[1],
        tokens=end[0] - start[0],
        read=inside.get("read", 0),
        written=inside.get("write", 0),
        uncached=inside.get("uncached", 0),
    )
