"""Sums of requests by hour or day and model, read from the hourly rollups in one query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from django.db.models import F, Func, Q, Sum, TextField

from observability.models import HourlyRollup
from observability.queries.conversation import Sums
from observability.queries.scope import EPOCH, Scope

SUMMED = tuple(field.name for field in fields(Sums) if field.name != "prompt_pusd")
"""What both the rollups and Sums hold."""


class TimeKey(Func):
    """The first characters of a time in UTC: "2026-11-27 17" for an hour, "2026-11-27" for a day.

    SQLite keeps times as such text, so that grouping by it needs no function written in Python.
    """

    function = "substr"
    output_field = TextField()

    def __init__(self, expression: str, length: int) -> None:
        super().__init__(F(expression))
        self.length = length

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, tuple[Any, ...]]:
        """SQLite: a slice of the text."""
        sql, params = compiler.compile(self.source_expressions[0])
        return f"substr({sql}, 1, {self.length})", tuple(params)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, tuple[Any, ...]]:
        """PostgreSQL: the same slice of the time's text in UTC."""
        sql, params = compiler.compile(self.source_expressions[0])
        return f"substr(to_char({sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24'), 1, {self.length})", tuple(params)


@dataclass(frozen=True)
class Slice:
    """Sums of an hour or a day, for one model. `at` is its start; None for requests without a time."""

    at: datetime | None
    model: str
    sums: Sums


def slices(scope: Scope) -> list[Slice]:
    """The period and the one before it, by hour for 24 h and by day else, in order of time."""
    length = 13 if scope.window == "24h" else 10
    rows = (
        HourlyRollup.objects.filter(scope.of_project(), _reach(scope), demo=scope.demo)
        .annotate(key=TimeKey("hour", length))
        .values("key", "model")
        .annotate(**{f"sum_{name}": Sum(name) for name in SUMMED})
        .order_by("key", "model")
    )
    return [Slice(_time(row["key"]), row["model"], _sums(row)) for row in rows]


def parted(scope: Scope, parts: Iterable[Slice]) -> tuple[list[Slice], Sums | None]:
    """The slices of the period, and the sums of the one before it; None where nothing was asked in that."""
    parts, start = list(parts), scope.start
    if start is None:
        return parts, None
    before = added(each.sums for each in parts if each.at is not None and each.at < start)
    return [each for each in parts if each.at is not None and each.at >= start], before if before.requests else None


def added(parts: Iterable[Sums]) -> Sums:
    """Sums over sums."""
    parts = list(parts)
    totals = {name: [v for part in parts if (v := getattr(part, name)) is not None] for name in SUMMED}
    return Sums(**{name: sum(values) for name, values in totals.items() if values})


def _reach(scope: Scope) -> Q:
    return Q() if scope.start_before is None else Q(hour__gte=scope.start_before, hour__lt=scope.end)


def _sums(row: Mapping[str, Any]) -> Sums:
    values = {name: row[f"sum_{name}"] for name in SUMMED}
    if values["requests"] == values["unpriced"]:
        values |= {"cost_pusd": None, "rebuilt_pusd": None}
    return Sums(**values)


def _time(key: str) -> datetime | None:
    at = datetime.fromisoformat(key).replace(tzinfo=UTC)
    return at if at >= EPOCH else None
