"""The report: requests, tokens by bucket, rate and cost, by one dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Final

from django.db.models import F, Func, QuerySet, Sum, TextField

from harness.usage import rate_of
from observability.models import Conversation, HourlyRollup
from observability.queries.scope import EPOCH, only_demo

PICO: Final = Decimal(10) ** 12
SUMS: Final = (
    *("requests", "uncached", "read", "write_5m", "write_1h", "write_other", "output", "output_not_recorded"),
    *("cost_pusd", "unpriced"),
)
NO_DAY: Final = "unknown"
"""The key of requests without a time."""


@dataclass(frozen=True)
class ReportRow:
    """One row. `cost_usd` is exact, in dollars, of the requests that are priced; null where none is."""

    key: str
    requests: int
    uncached: int
    cache_read: int
    cache_write_5m: int
    cache_write_1h: int
    cache_write_other: int
    output: int
    output_not_recorded: int
    prompt_tokens: int
    cache_rate: float | None
    cost_usd: str | None
    unpriced_requests: int

    def as_json(self) -> dict[str, Any]:
        """The row as a JSON object."""
        return asdict(self)


def report(by: str) -> list[ReportRow]:
    """The rows of the report by total, day, model, project, agent or conversation.

    Days are UTC days of a request's first fragment. Demo conversations count only where there is nothing else.
    """
    return sorted(DIMENSIONS[by](only_demo()), key=lambda row: row.key)


def _total(demo: bool) -> Iterable[ReportRow]:  # noqa: FBT001 - the one filter of every report
    sums = HourlyRollup.objects.filter(demo=demo).aggregate(**{f"sum_{name}": Sum(name) for name in SUMS})
    return [_row("total", {name: sums[f"sum_{name}"] or 0 for name in SUMS})]


def _grouped(rollups: QuerySet[HourlyRollup], key: str) -> Iterable[ReportRow]:
    rows = rollups.values(key).annotate(**{f"sum_{name}": Sum(name) for name in SUMS})
    return [_row(str(row[key]), {name: row[f"sum_{name}"] for name in SUMS}) for row in rows]


def _by(key: str) -> Callable[[bool], Iterable[ReportRow]]:
    return lambda demo: _grouped(HourlyRollup.objects.filter(demo=demo), key)


def _by_day(demo: bool) -> Iterable[ReportRow]:  # noqa: FBT001
    known = HourlyRollup.objects.filter(demo=demo, hour__gte=EPOCH).annotate(
        day=Func(F("hour"), function="DATE", output_field=TextField())
    )
    rows = list(_grouped(known, "day"))
    untimed = HourlyRollup.objects.filter(demo=demo, hour__lt=EPOCH)
    sums = untimed.aggregate(**{f"sum_{name}": Sum(name) for name in SUMS})
    if sums["sum_requests"]:
        rows.append(_row(NO_DAY, {name: sums[f"sum_{name}"] for name in SUMS}))
    return rows


def _by_conversation(demo: bool) -> Iterable[ReportRow]:  # noqa: FBT001
    for row in Conversation.objects.filter(demo=demo, requests__gt=0).values("uid", *SUMS).iterator():
        yield _row(row["uid"], {name: row[name] or 0 for name in SUMS})


def _row(key: str, sums: dict[str, int]) -> ReportRow:
    prompt = sum(sums[name] for name in ("uncached", "read", "write_5m", "write_1h", "write_other"))
    rate = rate_of(read=sums["read"], prompt=prompt)
    priced = not sums["requests"] or sums["requests"] > sums["unpriced"]
    return ReportRow(
        key=key,
        requests=sums["requests"],
        uncached=sums["uncached"],
        cache_read=sums["read"],
        cache_write_5m=sums["write_5m"],
        cache_write_1h=sums["write_1h"],
        cache_write_other=sums["write_other"],
        output=sums["output"],
        output_not_recorded=sums["output_not_recorded"],
        prompt_tokens=prompt,
        cache_rate=None if rate is None else float(rate),
        cost_usd=f"{Decimal(sums['cost_pusd']) / PICO:f}" if priced else None,
        unpriced_requests=sums["unpriced"],
    )


DIMENSIONS: Final[dict[str, Callable[[bool], Iterable[ReportRow]]]] = {
    "total": _total,
    "day": _by_day,
    "model": _by("model"),
    "project": _by("project__key"),
    "agent": _by("agent"),
    "conversation": _by_conversation,
}
