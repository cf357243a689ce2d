"""Sums of a period as steps of time: hours, days, weeks or months, whichever gives a readable number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from observability import figures
from observability.charts.rates import Point
from observability.queries.conversation import Sums
from observability.queries.rollups import Slice, added
from observability.queries.scope import Scope

MOST_DAYS: Final = 92
MOST_WEEKS: Final = 104


@dataclass(frozen=True)
class Step:
    """A step of time with its sums; an empty one has no request."""

    at: datetime
    name: str
    sums: Sums
    before: Sums | None


@dataclass(frozen=True)
class Timeline:
    """Steps in order, without gaps. `unit` is "hour", "day", "week" or "month"."""

    unit: str
    start: datetime
    steps: list[Step]

    def points(self) -> list[Point]:
        """What a chart needs of it."""
        return [
            Point(
                at=step.at,
                name=step.name,
                rate=step.sums.rate,
                written=step.sums.written,
                uncached=step.sums.uncached,
                before=step.before.rate if step.before else None,
            )
            for step in self.steps
        ]

    def filled(self) -> list[Step]:
        """Steps in which there was a request."""
        return [step for step in self.steps if step.sums.requests]

    def lowest(self) -> Step | None:
        """The step with the lowest rate."""
        known = [step for step in self.steps if step.sums.rate is not None]
        return min(known, key=lambda step: step.sums.rate or 0, default=None)


def timeline(scope: Scope, slices: Iterable[Slice]) -> Timeline:
    """The steps of a scope."""
    dated = [(each.at, each.sums) for each in slices if each.at is not None and each.at < scope.end]
    start = scope.start or min((at for at, _ in dated), default=scope.end)
    unit = _unit(scope, start)
    grouped: dict[datetime, list[Sums]] = defaultdict(list)
    for at, sums in dated:
        grouped[_floor(at, unit)].append(sums)
    length = None if scope.start_before is None else start - scope.start_before
    return Timeline(
        unit,
        start,
        [
            Step(
                at=at,
                name=_name(at, unit),
                sums=added(grouped.get(at, ())),
                before=added(grouped[at - length]) if length and at - length in grouped else None,
            )
            for at in _range(_floor(start, unit), scope.end, unit)
        ],
    )


def period_words(scope: Scope, found: Timeline) -> str:
    """The period in words, from the first event where it holds everything."""
    if scope.start is not None or scope.latest is None:
        return scope.title
    return figures.period(found.start, scope.latest)


def _unit(scope: Scope, start: datetime) -> str:
    if scope.window == "24h":
        return "hour"
    days = (scope.end - start).days
    return "day" if days <= MOST_DAYS else "week" if days <= MOST_WEEKS * 7 else "month"


def _floor(at: datetime, unit: str) -> datetime:
    if unit == "hour":
        return at.replace(minute=0, second=0, microsecond=0)
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if unit == "month" else day


def _range(start: datetime, end: datetime, unit: str) -> Iterable[datetime]:
    at = start
    while at < end:
        yield at
        at = _next(at, unit)


def _next(at: datetime, unit: str) -> datetime:
    if unit == "month":
        return (at.replace(day=28) + timedelta(days=4)).replace(day=1)
    return at + {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}[unit]


def _name(at: datetime, unit: str) -> str:
    if unit == "hour":
        return f"{figures.weekday(at)}, {at:%H:%M}"
    return {"day": figures.weekday(at), "week": f"week of {figures.day(at)}", "month": f"{at:%b %Y}"}[unit]
