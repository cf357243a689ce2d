"""What happened in one run beside its requests: searches, loaded tools, rewrites, servers without tools."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from observability.enums import SearchOutcome, ServerState
from observability.models import Activation, Rewrite, Search, ServerReport

MOST: Final = 500
"""Rows of each kind that are read at most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchEvent:
    """A search for tools: what was asked, what was found, what was missing, what it loaded."""

    key: int
    at: datetime | None
    seq: int
    query: str
    outcome: str
    found: list[str]
    missing: list[str]
    searchable: int | None
    servers: list[str]
    """Servers that were still connecting or had failed when the search ran."""
    error: str

    @property
    def outcome_label(self) -> str:
        """The outcome in words."""
        return dict(SearchOutcome.choices).get(self.outcome, self.outcome)

    @property
    def failed(self) -> bool:
        """Whether it returned nothing that can be loaded, or an error."""
        return self.outcome in (SearchOutcome.MISS, SearchOutcome.ERROR)


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadEvent:
    """Deferred tools that were loaded at one point, for one reason."""

    at: datetime | None
    seq: int
    trigger: str
    tools: list[str]
    search: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RewriteEvent:
    """The conversation part of the context was replaced."""

    at: datetime | None
    seq: int
    kind: str
    trigger: str
    before: int | None
    after: int | None
    kept: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerEvent:
    """Servers without tools at one point, for one reason."""

    at: datetime | None
    seq: int
    state: str
    servers: list[str]
    error: str

    @property
    def state_label(self) -> str:
        """The state in words."""
        return dict(ServerState.choices).get(self.state, self.state)


@dataclass(frozen=True, kw_only=True, slots=True)
class Happenings:
    """What happened in a run, by kind, each in order."""

    searches: list[SearchEvent]
    loads: list[LoadEvent]
    rewrites: list[RewriteEvent]
    servers: list[ServerEvent]


def happenings(conversation: int, run: int) -> Happenings:
    """What happened in a run: the first MOST rows of each kind."""
    return Happenings(
        searches=_searches(conversation, run),
        loads=_loads(conversation, run),
        rewrites=_rewrites(conversation, run),
        servers=_servers(run),
    )


def loaded_tools(conversation: int) -> int:
    """How many different deferred tools were loaded in a conversation."""
    return Activation.objects.filter(conversation_id=conversation).values("tool").distinct().count()


def _searches(conversation: int, run: int) -> list[SearchEvent]:
    rows = Search.objects.filter(conversation_id=conversation, run_id=run).order_by("seq", "id")
    names = (
        "call_key",
        "at",
        "seq",
        "query",
        "outcome",
        "matches",
        "missing",
        "searchable",
        "pending",
        "failed",
        "error",
    )
    return [
        SearchEvent(
            key=key,
            at=at,
            seq=seq,
            query=query,
            outcome=outcome,
            found=_names(matches),
            missing=_names(missing),
            searchable=searchable,
            servers=[*_names(pending), *_names(failed)],
            error=error,
        )
        for key, at, seq, query, outcome, matches, missing, searchable, pending, failed, error in rows.values_list(
            *names
        )[:MOST]
    ]


def _names(stored: object) -> list[str]:
    """Names from a stored list, whose entries are names or objects that hold one."""
    if not isinstance(stored, list):
        return []
    found = [entry.get("tool", entry.get("name")) if isinstance(entry, dict) else entry for entry in stored]
    return [name for name in found if isinstance(name, str)]


def _loads(conversation: int, run: int) -> list[LoadEvent]:
    rows = Activation.objects.filter(conversation_id=conversation, run_id=run).order_by("seq", "tool")
    events: dict[tuple[int, str, int | None], LoadEvent] = {}
    for at, seq, trigger, tool, search in rows.values_list("at", "seq", "trigger", "tool", "search_key")[:MOST]:
        event = events.setdefault(
            (seq, trigger, search), LoadEvent(at=at, seq=seq, trigger=trigger, tools=[], search=search)
        )
        event.tools.append(tool)
    return list(events.values())


def _rewrites(conversation: int, run: int) -> list[RewriteEvent]:
    rows = Rewrite.objects.filter(conversation_id=conversation, run_id=run).order_by("seq", "id")
    fields = ("at", "seq", "kind", "trigger", "tokens_before", "tokens_after", "kept_tools")
    return [
        RewriteEvent(
            at=at,
            seq=seq,
            kind=kind,
            trigger=trigger,
            before=before,
            after=after,
            kept=len(kept) if isinstance(kept, list) else None,
        )
        for at, seq, kind, trigger, before, after, kept in rows.values_list(*fields)[:MOST]
    ]


def _servers(run: int) -> list[ServerEvent]:
    rows = ServerReport.objects.filter(run_id=run).order_by("seq", "server")
    events: dict[tuple[int, str, str], ServerEvent] = {}
    for at, seq, state, server, code, error in rows.values_list("at", "seq", "state", "server", "code", "error")[:MOST]:
        told = error or code
        event = events.setdefault((seq, state, told), ServerEvent(at=at, seq=seq, state=state, servers=[], error=told))
        event.servers.append(server)
    return list(events.values())
