"""Breaks of a period: by reason, and those that cost most, where the same break in many conversations is one row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Count, F, Max, Min, Q, QuerySet, Sum
from django.urls import reverse

from observability import figures
from observability.enums import BreakReason, Evidence
from observability.models import Conversation, Request
from observability.queries.scope import Scope

WORST: Final = 10
_SUMS: Final = {"times": Count("id"), "again": Sum("rebuilt"), "pusd": Sum("rebuilt_pusd")}
_DEAREST: Final = (F("pusd").desc(nulls_last=True), F("again").desc())


@dataclass(frozen=True, kw_only=True)
class ByReason:
    """The breaks of one reason. `share` is its part of what was paid again by the reason that cost most of it."""

    reason: str
    label: str
    evidence: str
    breaks: int
    conversations: int
    rebuilt: int
    pusd: int | None
    share: Decimal
    url: str

    @property
    def width(self) -> str:
        """The length of its bar."""
        return f"{self.share * 100:.2f}%"


@dataclass(frozen=True, kw_only=True)
class Worst:
    """One break, or the same break many times. `detail` and `sure` are those of the dearest one."""

    reason: str
    where: str
    when: str
    subject: str
    detail: str
    sure: str
    breaks: int
    rebuilt: int
    pusd: int | None
    url: str


def by_reason(scope: Scope) -> list[ByReason]:
    """The reasons of a period, the dearest first."""
    rows = list(_by_reason_rows(scope))
    most = max((row["again"] or 0 for row in rows), default=0)
    return [_by_reason(row, most, scope) for row in rows]


def worst(scope: Scope, reason: str) -> list[Worst]:
    """What cost most; of one reason only where one is asked for."""
    breaks = _breaks(scope).filter(break_reason=reason) if reason else _breaks(scope)
    alike = _grouped(breaks.exclude(break_subject=""), "break_reason", "break_subject")
    single = _grouped(breaks.filter(break_subject=""), "break_reason", "conversation_id")
    rows = sorted([*alike, *single], key=lambda row: (-(row["pusd"] or 0), -(row["again"] or 0)))[:WORST]
    found = _dearest(breaks, rows)
    names = _names(row["one"] for row in rows)
    return [_worst(row, found, names, scope) for row in rows]


def _by_reason_rows(scope: Scope) -> Iterable[Mapping[str, Any]]:
    rests = {"rests": Min("break_evidence"), "most": Max("break_evidence")}
    rows = (
        _breaks(scope).values("break_reason").annotate(**_SUMS, **rests, places=Count("conversation_id", distinct=True))
    )
    return rows.order_by(*_DEAREST, "break_reason")


def label(reason: str) -> str:
    """A reason in words; one that is not known here as it stands."""
    return str(dict(BreakReason.choices).get(reason, figures.shown(reason or "Unexplained")))


def _breaks(scope: Scope) -> QuerySet[Request]:
    return Request.objects.filter(scope.of_project(), scope.within("started_at"), scope.kept(), lost__isnull=False)


def _grouped(breaks: QuerySet[Request], *by: str) -> list[dict[str, Any]]:
    rows = breaks.values(*by).annotate(
        **_SUMS,
        places=Count("conversation_id", distinct=True),
        one=Min("conversation_id"),
        first=Min("started_at"),
        last=Max("started_at"),
        dearest=Max("rebuilt"),
    )
    return [dict(row) for row in rows.order_by(*_DEAREST, *by)[:WORST]]


def _dearest(breaks: QuerySet[Request], rows: Iterable[Mapping[str, Any]]) -> dict[tuple[Any, ...], Mapping[str, Any]]:
    """Of each row the break that was paid most for, by reason, subject and, where it has no subject, conversation."""
    wanted = Q(pk__in=[])
    for row in rows:
        mine = {"break_reason": row["break_reason"], "rebuilt": row["dearest"]}
        mine |= {"break_subject": row["break_subject"]} if row.get("break_subject") else {"conversation_id": row["one"]}
        wanted |= Q(**mine)
    columns = ("break_reason", "break_subject", "conversation_id", "break_detail", "break_confidence", "ordinal")
    found: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for each in breaks.filter(wanted).order_by("-id").values(*columns):
        found[_place(each, each["conversation_id"])] = each
    return found


def _place(row: Mapping[str, Any], conversation: int) -> tuple[Any, ...]:
    subject = row.get("break_subject") or ""
    return (row["break_reason"], subject, None if subject else conversation)


def _names(ids: Iterable[int]) -> dict[int, tuple[str, str]]:
    rows = Conversation.objects.filter(id__in=list(ids)).values_list("id", "uid", "title")
    return {number: (uid, figures.shown(title or uid)) for number, uid, title in rows}


def _by_reason(row: Mapping[str, Any], most: int, scope: Scope) -> ByReason:
    known = dict(Evidence.choices)
    rests = dict.fromkeys(str(known.get(name, name)) for name in (row["rests"], row["most"]) if name)
    return ByReason(
        reason=row["break_reason"],
        label=label(row["break_reason"]),
        evidence=" or ".join(rests),
        breaks=row["times"],
        conversations=row["places"],
        rebuilt=row["again"] or 0,
        pusd=row["pusd"],
        share=Decimal(row["again"] or 0) / most if most else Decimal(0),
        url=f"?{_query(scope, reason=row['break_reason'])}#worst",
    )


def _worst(
    row: Mapping[str, Any],
    found: Mapping[tuple[Any, ...], Mapping[str, Any]],
    names: Mapping[int, tuple[str, str]],
    scope: Scope,
) -> Worst:
    uid, title = names.get(row["one"], ("", ""))
    alone = row["places"] == 1
    dearest = found.get(_place(row, row["one"]), {})
    many = f"{reverse('conversations')}?{_query(scope, reason=row['break_reason'], sort='-rebuilt')}"
    return Worst(
        reason=label(row["break_reason"]),
        where=title if alone else f"{figures.counted(row['places'], 'conversation')}, one finding",
        when=_when(row, dearest, alone=alone),
        subject=figures.shown(row.get("break_subject") or ""),
        detail=figures.shown(dearest.get("break_detail", "")),
        sure=dearest.get("break_confidence", ""),
        breaks=row["times"],
        rebuilt=row["again"] or 0,
        pusd=row["pusd"],
        url=reverse("conversation", args=[uid]) if alone and uid else many,
    )


def _when(row: Mapping[str, Any], dearest: Mapping[str, Any], *, alone: bool) -> str:
    if alone and row["times"] == 1:
        return f"request {figures.number(dearest.get('ordinal'))}, {figures.moment(row['first'])}"
    times = figures.counted(row["times"], "break")
    return f"{times}, the first {figures.moment(row['first'])}" if row["first"] else times


def _query(scope: Scope, **more: str) -> str:
    return urlencode({"window": scope.window, **({"project": scope.project} if scope.project else {}), **more})
