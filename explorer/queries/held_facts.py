"""What the store knows of runs that may have held schemas back: requests, surfaces, loadings and sizes, read for all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

import msgspec
from django.conf import settings
from django.db import connection

from explorer.queries.surface import Entry, Surface, entries_by_run, fold
from explorer.queries.tool_sizes import SizedTool, sized_on
from harness import tokens
from harness.accounting.holding import Paid, Rates
from observability.models import Activation, Request, Rewrite, Run
from observability.pricing import UnitPrices, per_token, unit_prices
from observability.queries.remembering import Remembered

END: Final = 2**63 - 1
"""Behind everything of a run."""
REMEMBERED: Final = 8
"""Readings of requests that are kept: some hundred bytes a request."""
_COLUMNS: Final = (
    *("run_id", "id", "seq", "cost_pusd", "break_reason", "model", "provider", "started_at"),
    *("read", "write_5m", "write_1h", "write_other", "uncached"),
)


class Asked(msgspec.Struct, frozen=True, gc=False):
    """A request of a run."""

    id: int
    seq: int
    model: str
    paid: Paid
    cost_pusd: int | None


@dataclass(frozen=True, kw_only=True)
class Facts:
    """A run. `resident` is the least that its resident schemas come to, as its last request had them."""

    run: Run
    asked: list[Asked]
    entries: list[Entry]
    loadings: list[tuple[str, int]]
    rewrites: list[tuple[int, str, object]]
    tools: dict[str, SizedTool]
    resident: int

    @cached_property
    def seqs(self) -> list[int]:
        """The places of its requests."""
        return [asked.seq for asked in self.asked]

    @property
    def model(self) -> str:
        """The model that its tools are sized for: that of its last request."""
        return _model(self.run, self.asked)

    @cached_property
    def models(self) -> dict[str, str]:
        """One of its models for each tokenizer."""
        return {asked.paid.family: asked.model for asked in self.asked}


def facts_of(runs: Sequence[Run]) -> list[Facts]:
    """The facts of runs of one conversation, in the order given."""
    ids = [run.pk for run in runs]
    asked = _asked(runs)
    entries = entries_by_run(ids)
    loadings = _loadings(ids)
    rewrites = _rewrites(ids)
    surfaces = [
        (run, Surface(tools=fold(entries.get(run.pk, ()), END)), _model(run, asked.get(run.pk, ()))) for run in runs
    ]
    return [
        Facts(
            run=run,
            asked=asked.get(run.pk, []),
            entries=entries.get(run.pk, []),
            loadings=loadings.get(run.pk, []),
            rewrites=rewrites.get(run.pk, []),
            tools=tools,
            resident=sum(each.schema.low for each in tools.values() if each.schema and each.tool.state == "resident"),
        )
        for run, tools in zip(runs, sized_on(surfaces), strict=True)
    ]


def _model(run: Run, asked: Sequence[Asked]) -> str:
    return asked[-1].model if asked else run.model


_requests: Final[Remembered[dict[int, list[Asked]]]] = Remembered(REMEMBERED)


def _asked(runs: Sequence[Run]) -> dict[int, list[Asked]]:
    """The requests of some runs, by run: the same ones whichever request of a run is looked at."""
    return _requests.of((settings.PRICES_FILE, *(run.pk for run in runs)), lambda: _read(runs))


def _read(runs: Sequence[Run]) -> dict[int, list[Asked]]:
    found: dict[int, list[Asked]] = {}
    rates = _Rates()
    for run, id_, seq, cost, broke, model, provider, at, read, five, hour, other, uncached in _rows(runs):
        paid = Paid(
            read=read,
            write_5m=five,
            write_1h=hour,
            write_other=other,
            uncached=uncached,
            broke=broke != "",
            family=tokens.family(model),
            rates=rates.of(unit_prices(model, provider, _time(at), read + five + hour + other + uncached)),
        )
        found.setdefault(run, []).append(Asked(id_, seq, model, paid, cost))
    return found


def _rows(runs: Sequence[Run]) -> list[tuple[Any, ...]]:
    """Rows past the ORM: a run may have thousands of requests, and their times are mostly not looked at."""
    conversations = sorted({run.conversation_id for run in runs})
    some = [", ".join(["%s"] * len(ids)) for ids in (conversations, runs)]
    table = connection.ops.quote_name(Request._meta.db_table)
    sql = (
        f"SELECT {', '.join(_COLUMNS)} FROM {table}"  # noqa: S608 - our own names; values are parameters
        f" WHERE conversation_id IN ({some[0]}) AND run_id IN ({some[1]}) ORDER BY run_id, seq"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [*conversations, *(run.pk for run in runs)])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


class _Rates:
    """Rates of unit prices, made once for each: thousands of requests share a few."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[UnitPrices, Rates]] = {}

    def of(self, prices: UnitPrices | None) -> Rates | None:
        """The rates of some prices; None where there are none."""
        if prices is None:
            return None
        made = self._made.get(id(prices))
        if made is None:
            # The prices are kept too, so that their id stays theirs.
            made = self._made[id(prices)] = prices, _rates(prices)
        return made[1]


def _time(at: datetime | None) -> datetime | None:
    """A time as the database gives it: past the ORM, SQLite's come without their zone, which is UTC."""
    return at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at


def _rates(prices: UnitPrices) -> Rates:
    return Rates(
        read=per_token(prices.read),
        write_5m=per_token(prices.write_5m),
        write_1h=per_token(prices.write_1h),
        write_other=per_token(prices.write_other),
        uncached=per_token(prices.uncached),
    )


def _loadings(ids: Sequence[int]) -> dict[int, list[tuple[str, int]]]:
    found: dict[int, list[tuple[str, int]]] = {}
    for run, tool, seq in (
        Activation.objects.filter(run_id__in=ids).order_by("seq").values_list("run_id", "tool", "seq")
    ):
        found.setdefault(run, []).append((tool, seq))
    return found


def _rewrites(ids: Sequence[int]) -> dict[int, list[tuple[int, str, Any]]]:
    found: dict[int, list[tuple[int, str, Any]]] = {}
    rows = Rewrite.objects.filter(run_id__in=ids).order_by("seq")
    for run, seq, kind, kept in rows.values_list("run_id", "seq", "kind", "kept_tools"):
        found.setdefault(run, []).append((seq, kind, kept))
    return found
