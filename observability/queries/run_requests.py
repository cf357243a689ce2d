"""The requests of one run of a conversation: as columns for a picture, and as pages of a table."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final, Literal

from django.db.models import Case, F, FloatField, OrderBy, Value, When
from django.db.models.functions import Cast

from harness.usage import rate_of
from observability.enums import BreakReason, Flag
from observability.models import Request
from observability.queries.conversation import PROMPT

Sort = Literal["request", "prompt", "read", "write_5m", "write_1h", "write_other", "uncached", "rate", "output", "cost"]
SORTS: Final[tuple[Sort, ...]] = (
    "request",
    "prompt",
    "read",
    "write_5m",
    "write_1h",
    "write_other",
    "uncached",
    "rate",
    "output",
    "cost",
)
PAGE: Final = 50
"""Rows of a page of the table."""

_COLUMNS = {"request": "seq", "prompt": "whole", "cost": "cost_pusd", "rate": "share"}
_SHARE = Case(
    When(whole__gt=0, then=Cast(F("read"), FloatField()) / F("whole")), default=Value(None), output_field=FloatField()
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Columns:
    """The requests of a run in their order, as one list for each figure. Request n stands at index n - 1."""

    seqs: list[int] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    uncached: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.seqs)

    def at(self, seq: int) -> int:
        """The ordinal of the request that stood when something happened: the last one not after it, or the first."""
        return min(len(self.seqs), max(1, bisect_right(self.seqs, seq)))

    def after(self, seq: int) -> int:
        """The ordinal of the first request that can show what happened at that point, or the last one."""
        return min(len(self.seqs), bisect_right(self.seqs, seq) + 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestRow:
    """A row of the table of requests. `cost_pusd` is None where unpriced."""

    ordinal: int
    started_at: datetime | None
    uncached: int
    read: int
    write_5m: int
    write_1h: int
    write_other: int
    output: int
    output_recorded: bool
    cost_pusd: int | None
    cold: bool
    break_reason: str
    flags: str
    prompt: int

    @property
    def written(self) -> int:
        """Tokens written to the cache, at any lifetime."""
        return self.write_5m + self.write_1h + self.write_other

    @property
    def rate(self) -> Decimal | None:
        """Its cache rate, None where it had no prompt."""
        return rate_of(read=self.read, prompt=self.prompt)

    @property
    def flagged(self) -> list[Flag]:
        """What must be known of its counts."""
        return Flag.among(self.flags)

    @property
    def reason_label(self) -> str:
        """Why it is a break, in words; empty where it is none."""
        return dict(BreakReason.choices).get(self.break_reason, self.break_reason)


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestPage:
    """A page of the table, and where it stands."""

    rows: list[RequestRow]
    number: int
    pages: int
    total: int

    @property
    def first(self) -> int:
        """The place of its first row, from 1; 0 where there are none."""
        return (self.number - 1) * PAGE + 1 if self.total else 0

    @property
    def flags(self) -> list[tuple[Flag, int]]:
        """The flags among its rows, and how many rows have each."""
        counts = Counter(flag for row in self.rows for flag in row.flagged)
        return [(flag, counts[flag]) for flag in Flag if counts[flag]]

    @property
    def last(self) -> int:
        """The place of its last row."""
        return (self.number - 1) * PAGE + len(self.rows)


def columns(conversation: int, run: int) -> Columns:
    """All requests of a run, in order. The writes are added up here: an expression would be converted row by row."""
    rows = Request.objects.filter(conversation_id=conversation, run_id=run).order_by("seq", "id")
    found = list(rows.values_list("seq", "read", "write_5m", "write_1h", "write_other", "uncached"))
    return Columns(
        seqs=[row[0] for row in found],
        read=[row[1] for row in found],
        written=[row[2] + row[3] + row[4] for row in found],
        uncached=[row[5] for row in found],
    )


def request_page(
    conversation: int, run: int, *, total: int, number: int = 1, sort: Sort = "request", descending: bool = True
) -> RequestPage:
    """A page of the requests of a run. A number beyond the last page gives the last page."""
    pages = max(1, -(-total // PAGE))
    number = min(max(1, number), pages)
    rows = (
        Request.objects.filter(conversation_id=conversation, run_id=run)
        .annotate(whole=PROMPT)
        .annotate(share=_SHARE)
        .order_by(_order(sort, descending), OrderBy(F("seq"), descending=descending))
    )
    fields = [*RequestRow.__slots__[:-1], "whole"]
    found = rows.values_list(*fields)[(number - 1) * PAGE : number * PAGE]
    shown = [RequestRow(**dict(zip(RequestRow.__slots__, row, strict=True))) for row in found]
    return RequestPage(rows=shown, number=number, pages=pages, total=total)


def _order(sort: Sort, descending: bool) -> OrderBy:  # noqa: FBT001 - passed on as it came
    return OrderBy(F(_COLUMNS.get(sort, sort)), descending=descending, nulls_last=True)
