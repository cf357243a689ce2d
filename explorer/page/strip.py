"""The strip of a run's requests, drawn: one column a request, or a few together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from explorer.queries.moment import Column
from observability.figures import number

TALL: Final = 40
"""Pixels of the highest column."""
TOP: Final = 4
LEAST: Final = 0.5
"""Pixels from which uncached tokens are drawn: a handful is in every request."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """A column's bucket: where it stands, in pixels from the top."""

    role: str
    y: str
    height: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawn:
    """A column. `current` holds the request that is shown."""

    ordinal: int
    x: str
    width: str
    middle: str
    title: str
    bars: list[Bar]
    broken: bool
    current: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Tick:
    """A number under the strip."""

    x: str
    ordinal: int
    current: bool
    end: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Strip:
    """The strip."""

    columns: list[Drawn]
    ticks: list[Tick]
    grouped: int
    """How many requests a column stands for."""


def draw(columns: Sequence[Column], ordinal: int, count: int) -> Strip:
    """Draw the columns of a run; `ordinal` is the request that is shown."""
    highest = max((column.mean_prompt for column in columns), default=0) or 1
    wide = 100 / max(1, len(columns))
    return Strip(
        columns=[_column(column, place, wide, highest, ordinal) for place, column in enumerate(columns)],
        ticks=_ticks(ordinal, count, columns),
        grouped=columns[0].requests if columns else 1,
    )


def _column(column: Column, place: int, wide: float, highest: int, ordinal: int) -> Drawn:
    current = column.first <= ordinal <= column.last
    gap = 0.18 if wide > 1 else 0.04
    return Drawn(
        ordinal=column.first,
        x=f"{place * wide:.3f}%",
        width=f"{wide * (1 - gap):.3f}%",
        middle=f"{(place + 0.5 - gap / 2) * wide:.3f}%",
        title=_title(column),
        bars=_bars(column, highest),
        broken=column.breaks > 0,
        current=current,
    )


def _bars(column: Column, highest: int) -> list[Bar]:
    bars, base = [], TOP + TALL
    below = 0.0
    for role, size in (("read", column.read), ("write", column.written), ("uncached", column.uncached)):
        height = size * TALL / column.requests / highest
        if size and (role != "uncached" or height >= LEAST):
            shown = max(1.0, height)
            bars.append(Bar(role=role, y=f"{base - below - shown:.1f}", height=f"{shown:.1f}"))
        below += height
    return bars


def _title(column: Column) -> str:
    buckets = f"{number(column.read)} read, {number(column.written)} written, {number(column.uncached)} uncached"
    broken = ", cache break" if column.breaks else ""
    if column.requests == 1:
        return f"Request {column.first}: {number(column.mean_prompt)} tokens, {buckets}{broken}"
    return (
        f"Requests {column.first} to {column.last}: {number(column.mean_prompt)} tokens each on average, "
        f"{buckets} together{broken}"
    )


def _ticks(ordinal: int, count: int, columns: Sequence[Column]) -> list[Tick]:
    """Numbers below: the first, the last, the one shown, and round ones that keep their distance from it."""
    if not columns:
        return []
    step = next(size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10**6) if size * 8 >= count)
    rounds = [number for number in range(step, count, step) if min(abs(number - ordinal), count - number) * 12 > count]
    shown = sorted({1, count, ordinal, *(number for number in rounds if number * 20 > count)})
    shown = [number for number in shown if number == ordinal or abs(number - ordinal) * 28 > count]
    return [
        Tick(
            x=f"{(each - 0.5) * 100 / count:.3f}%",
            ordinal=each,
            current=each == ordinal,
            end=each == count and count > 20,
        )
        for each in shown
    ]
