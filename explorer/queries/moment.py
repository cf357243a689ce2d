"""Which request a page is about, and the requests around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Count, F, Max, Q, QuerySet, Sum, Window
from django.db.models.functions import Coalesce, Lag

from observability.models import Conversation, Request, Run

SHRINK: Final = 1_024
"""Tokens from which a request that is smaller than the one before is told of."""
COLUMNS: Final = 150
"""Columns of the strip at most: above that, neighbours share one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """A request of a run of a conversation. `before` is the request before it, None for the first."""

    conversation: Conversation
    run: Run
    runs: Sequence[Run]
    request: Request
    before: Request | None
    requests: int
    last_break: int | None
    """The ordinal of the nearest break before this request."""
    next_break: int | None

    @property
    def ordinal(self) -> int:
        """The number of the request in its run, from 1."""
        return self.request.ordinal

    @property
    def previous(self) -> int | None:
        """The ordinal of the request before, None for the first."""
        return self.before.ordinal if self.before else None

    @property
    def grown(self) -> int | None:
        """By how much the prompt grew since the request before, as reported."""
        return grown(self.request, self.before) if self.before else None

    @property
    def next(self) -> int | None:
        """The ordinal of the next request, None for the last."""
        return self.ordinal + 1 if self.ordinal < self.requests else None

    @property
    def idle_seconds(self) -> float | None:
        """How long nothing was asked before this request."""
        if self.before is None:
            return None
        ended = self.before.ended_at or self.before.started_at
        return _seconds(ended, self.request.started_at)

    @property
    def same_chain(self) -> bool:
        """Whether the context was not rewritten since the request before."""
        return self.before is not None and self.before.chain == self.request.chain


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A column of the strip: one request, or several side by side with their sums."""

    first: int
    last: int
    read: int
    written: int
    uncached: int
    breaks: int

    @property
    def requests(self) -> int:
        """How many requests it stands for."""
        return self.last - self.first + 1

    @property
    def mean_prompt(self) -> int:
        """Prompt tokens a request."""
        return (self.read + self.written + self.uncached) // self.requests


def conversation_of(uid: str) -> Conversation:
    """The conversation of that uid, the latest where several projects have one. Raises Conversation.DoesNotExist."""
    rows = (
        Conversation.objects.select_related("project").filter(uid=uid)
        if "\0" not in uid
        else Conversation.objects.none()
    )
    found = rows.order_by("-last_at", "id").first()
    if found is None:
        raise Conversation.DoesNotExist
    return found


def moment(uid: str, *, run_uid: str = "", ordinal: int | None = None) -> Moment | None:
    """A request by its run and number; without them, the last one of the main run. None where the run has none.

    Raises Conversation.DoesNotExist, Run.DoesNotExist or Request.DoesNotExist.
    """
    conversation = conversation_of(uid)
    runs = list(Run.objects.filter(conversation=conversation).order_by("started_at", "uid"))
    run = _run(runs, run_uid)
    requests = _requests(conversation, run)
    count = requests.aggregate(last=Coalesce(Max("ordinal"), 0))["last"]
    if not count and ordinal is None:
        return None
    request = requests.get(ordinal=count if ordinal is None else ordinal)
    return Moment(
        conversation=conversation,
        run=run,
        runs=runs,
        request=request,
        before=requests.filter(seq__lt=request.seq).order_by("-seq").first(),
        requests=count,
        last_break=_break(requests.filter(seq__lt=request.seq).order_by("-seq")),
        next_break=_break(requests.filter(seq__gt=request.seq).order_by("seq")),
    )


def grown(now: Request, before: Request) -> int | None:
    """The provider's total of a request less that of another, signed; None without both."""
    return now.context_tokens - before.context_tokens if now.context_tokens and before.context_tokens else None


def last_shrink(at: Moment) -> tuple[int, int] | None:
    """The last request of this chain up to this one that was smaller than the one before, and by how much."""
    sizes = _requests(at.conversation, at.run).filter(chain=at.request.chain, seq__lte=at.request.seq)
    steps = sizes.annotate(before=Window(Lag("context_tokens"), order_by=F("seq").asc()))
    shrunk = steps.filter(context_tokens__gt=0, before__gt=F("context_tokens") + SHRINK).order_by("-seq")
    row = shrunk.values_list("ordinal", "context_tokens", "before").first()
    return None if row is None else (row[0], row[2] - row[1])


def address(at: Moment, ordinal: int | None = None) -> str:
    """The query that leads to a request of the same run; to the same one without an ordinal."""
    return f"{run_address(at)}request={at.ordinal if ordinal is None else ordinal}"


def run_address(at: Moment) -> str:
    """The start of a query that names the run; empty for the main one."""
    return "" if at.run.kind == "main" else urlencode({"run": at.run.uid}) + "&"


def strip(at: Moment) -> list[Column]:
    """All requests of the run in order, in at most COLUMNS columns."""
    size = -(-at.requests // COLUMNS) or 1
    rows = (
        _requests(at.conversation, at.run)
        .annotate(column=(F("ordinal") - 1) / size)
        .values("column")
        .annotate(
            last=Max("ordinal"),
            all_read=Sum("read"),
            all_written=Sum(F("write_5m") + F("write_1h") + F("write_other")),
            all_uncached=Sum("uncached"),
            broken=Count("id", filter=~Q(break_reason="")),
        )
        .order_by("column")
    )
    return [_column(row, size) for row in rows]


def _column(row: Mapping[str, Any], size: int) -> Column:
    return Column(
        first=row["column"] * size + 1,
        last=row["last"],
        read=int(row["all_read"]),
        written=int(row["all_written"]),
        uncached=int(row["all_uncached"]),
        breaks=row["broken"],
    )


def _requests(conversation: Conversation, run: Run) -> QuerySet[Request]:
    return Request.objects.filter(conversation=conversation, run=run)


def _run(runs: Sequence[Run], uid: str) -> Run:
    if uid:
        found = next((run for run in runs if run.uid == uid), None)
    else:
        found = next((run for run in runs if run.kind == "main"), runs[0] if runs else None)
    if found is None:
        raise Run.DoesNotExist
    return found


def _break(requests: QuerySet[Request]) -> int | None:
    return requests.exclude(break_reason="").values_list("ordinal", flat=True).first()


def _seconds(before: datetime | None, after: datetime | None) -> float | None:
    return None if before is None or after is None else max(0.0, (after - before).total_seconds())
