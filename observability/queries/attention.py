"""What needs attention in a period: breaks, searches that failed, servers that failed, lines not read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Count, F, Max, Min, Q, Sum
from django.urls import reverse

from observability import figures
from observability.enums import BreakReason, SearchOutcome, ServerState
from observability.models import Conversation, QuarantinedLine, Request, Search, ServerReport, UnknownRecord
from observability.queries.scope import Scope

FAILED: Final = (SearchOutcome.MISS, SearchOutcome.PARTIAL, SearchOutcome.ERROR)
"""Outcomes of a search that did not give what was asked for."""
SHOWN: Final = 5
EACH: Final = 2
"""Findings of one kind."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something to look at, with the page that shows its evidence."""

    glyph: str
    bad: bool
    title: str
    cost: str
    why: str
    url: str


@dataclass(frozen=True, kw_only=True)
class FailedSearch:
    """A query that failed, with how often and in how many conversations."""

    query: str
    outcome: str
    times: int
    conversations: int
    url: str


def evidence(**query: str) -> str:
    """The list of conversations that show something."""
    return f"{reverse('conversations')}?{urlencode(query)}"


def findings(scope: Scope, searches: list[FailedSearch]) -> list[Finding]:
    """The few things that matter most, dearest first within each kind."""
    found = [*_breaks(scope), *_searches(searches[:EACH]), *_servers(scope)]
    return [*found[: SHOWN - 1], *_not_read()][:SHOWN]


def failed_searches(scope: Scope) -> list[FailedSearch]:
    """Queries that failed most often."""
    rows = (
        Search.objects.filter(scope.of_project(), scope.within("at"), scope.kept(), outcome__in=FAILED)
        .values("query", "outcome")
        .annotate(times=Count("id"), places=Count("conversation_id", distinct=True), one=Min("conversation_id"))
        .order_by("-times", "query")[:SHOWN]
    )
    return [_failed(row) for row in _with_uids(rows)]


def _failed(row: dict[str, Any]) -> FailedSearch:
    url = conversation_url(row["one"]) if row["places"] == 1 else evidence(window="all", missed=row["query"])
    return FailedSearch(
        query=figures.shown(row["query"]) or "(no text)",
        outcome=row["outcome"],
        times=row["times"],
        conversations=row["places"],
        url=url,
    )


def conversation_url(uid: str) -> str:
    """A conversation's page."""
    return reverse("conversation", args=[uid])


def _breaks(scope: Scope) -> list[Finding]:
    rows = (
        Request.objects.filter(scope.of_project(), scope.within("started_at"), scope.kept(), lost__isnull=False)
        .values("break_reason")
        .annotate(
            times=Count("id"),
            again=Sum("rebuilt"),
            pusd=Sum("rebuilt_pusd"),
            places=Count("conversation_id", distinct=True),
            one=Min("conversation_id"),
            last=Max("started_at"),
        )
        .order_by(F("pusd").desc(nulls_last=True), "-again", "break_reason")[:EACH]
    )
    return [_broken(row) for row in _with_uids(rows)]


def _broken(row: dict[str, Any]) -> Finding:
    reason = row["break_reason"]
    label = BreakReason(reason).label if reason in BreakReason.values else figures.shown(reason or "Unexplained")
    many = evidence(window="all", reason=reason, sort="-rebuilt")
    return Finding(
        glyph="cross",
        bad=True,
        title=f"{label} in {figures.counted(row['places'], 'conversation')}",
        cost=figures.money(row["pusd"]),
        why=f"{figures.counted(row['times'], 'break')}, {figures.compact(row['again'] or 0)} tokens written again"
        + (f" · last on {figures.day(row['last'])}" if row["last"] else ""),
        url=conversation_url(row["one"]) if row["places"] == 1 else many,
    )


def _searches(searches: list[FailedSearch]) -> list[Finding]:
    return [
        Finding(
            glyph="barred",
            bad=True,
            title=f"“{_short(each.query)}” {'is found in part' if each.outcome == SearchOutcome.PARTIAL else 'is not found'}",
            cost=figures.counted(each.times, "search"),
            why=f"in {figures.counted(each.conversations, 'conversation')}",
            url=each.url,
        )
        for each in searches
    ]


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def _servers(scope: Scope) -> list[Finding]:
    states = (ServerState.FAILED, ServerState.NEEDS_AUTH)
    rows = (
        ServerReport.objects.filter(scope.of_project(), scope.within("at"), scope.kept(), state__in=states)
        .values("server", "state")
        .annotate(places=Count("conversation_id", distinct=True), one=Min("conversation_id"))
        .order_by("-places", "server")[:EACH]
    )
    return [_server(row) for row in _with_uids(rows)]


def _with_uids(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows that name a conversation by its number, with its uid in place of it."""
    found = list(rows)
    uids = dict(Conversation.objects.filter(id__in=[row["one"] for row in found]).values_list("id", "uid"))
    return [{**row, "one": uids.get(row["one"], "")} for row in found]


def _server(row: dict[str, Any]) -> Finding:
    verb = "needs sign-in" if row["state"] == ServerState.NEEDS_AUTH else "failed to start"
    many = evidence(window="all", server=row["server"])
    return Finding(
        glyph="triangle",
        bad=False,
        title=f"Server {_short(figures.shown(row['server']))} {verb}",
        cost=figures.counted(row["places"], "conversation"),
        why="its tools could not be found there",
        url=conversation_url(row["one"]) if row["places"] == 1 else many,
    )


def _not_read() -> list[Finding]:
    aside = QuarantinedLine.objects.filter(kept=False).count()
    unknown = UnknownRecord.objects.filter(~Q(seen=0)).aggregate(seen=Sum("seen"), kinds=Count("name", distinct=True))
    found = []
    if aside:
        found.append(_line("Lines were set aside", figures.counted(aside, "line"), "not in any figure", "#quarantined"))
    if unknown["seen"]:
        cost = figures.counted(unknown["seen"], "record")
        why = f"{figures.counted(unknown['kinds'], 'kind')} of record or key"
        found.append(_line("Some records are not understood", cost, why, "#unknown"))
    return found


def _line(title: str, cost: str, why: str, anchor: str) -> Finding:
    return Finding(glyph="triangle", bad=False, title=title, cost=cost, why=why, url=reverse("sources") + anchor)
