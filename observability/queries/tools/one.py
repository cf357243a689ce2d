"""One tool: its figures, its definitions through time, where it was called, and the searches that missed it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec
from django.db.models import Max, OuterRef, Subquery, Sum

from observability import figures
from observability.identity import CATALOGUES
from observability.models import Activation, Conversation, ToolDefinition, ToolUse
from observability.queries import blocks
from observability.queries.scope import Scope, scope_of
from observability.queries.tools.asked import Asked
from observability.queries.tools.figures import ToolFigures, figures_of
from observability.queries.tools.uses import Wanted, failed_searches

MOST: Final = 20
"""Conversations, versions and searches that are listed."""


@dataclass(frozen=True, kw_only=True)
class Version:
    """A definition that some log or catalogue has. `tokens` is its count in o200k, without a factor."""

    hash: str
    first_at: datetime | None
    projects: int
    catalogue: bool
    chars: int
    tokens: int | None
    text: str | None


@dataclass(frozen=True, kw_only=True)
class CalledIn:
    """A conversation that called it."""

    uid: str
    title: str
    calls: int
    failed: int
    last: datetime


@dataclass(frozen=True, kw_only=True)
class MissedBy:
    """A search that missed it."""

    uid: str
    query: str
    at: datetime | None


@dataclass(frozen=True, kw_only=True)
class ToolPage:
    """Everything that the page of one tool shows."""

    asked: Asked
    scope: Scope
    tool: str
    row: ToolFigures
    versions: list[Version]
    called_in: list[CalledIn]
    missed_by: list[MissedBy]

    @property
    def title(self) -> str:
        """Its name for the eye."""
        return figures.shown(self.tool)

    @property
    def loads(self) -> list[tuple[str, int]]:
        """Loadings by what led to them, in words."""
        words = {"direct_call": "a direct call", "search": "a search", "preload": "ahead of any request"}
        words |= {"resume": "a resumed session", "unknown": "something the log does not say"}
        return [(words[trigger], number) for trigger, number in self.row.loads.most_common()]


def tool_page(tool: str, asked: Asked) -> ToolPage | None:
    """Read the page; None where neither a log nor a catalogue knows the tool."""
    scope = scope_of(window=asked.get("window"), project=asked.get("project"))
    wanted = Wanted(scope, asked.get("agent"))
    versions = versions_of(tool)
    row = next((row for row in figures_of(wanted) if row.tool == tool), None)
    if row is None and not versions and not ToolUse.objects.filter(tool=tool).exists():
        return None
    return ToolPage(
        asked=asked,
        scope=scope,
        tool=tool,
        row=row or ToolFigures(tool),
        versions=versions,
        called_in=_called_in(wanted, tool),
        missed_by=_missed_by(wanted, tool),
    )


def versions_of(tool: str) -> list[Version]:
    """Its definitions, the latest first."""
    seen: dict[bytes, list[tuple[int, datetime | None]]] = {}
    chars: dict[bytes, int] = {}
    rows = ToolDefinition.objects.filter(name=tool).values_list("hash", "project_id", "first_at", "chars")
    for address, project, first, length in rows:
        seen.setdefault(bytes(address), []).append((project, first))
        chars[bytes(address)] = length
    made = [(min(filter(None, (at for _, at in where)), default=None), address) for address, where in seen.items()]
    latest = sorted(made, key=lambda each: (each[0] is not None, each[0], each[1]), reverse=True)[:MOST]
    sizes = blocks.sizes(address for _, address in latest)
    texts = blocks.texts([address for _, address in latest[:1]])
    return [_version(address, first, seen[address], chars[address], sizes, texts) for first, address in latest]


def _version(
    address: bytes,
    first: datetime | None,
    where: list[tuple[int, datetime | None]],
    chars: int,
    sizes: dict[bytes, blocks.Size],
    texts: dict[bytes, blocks.StoredText],
) -> Version:
    kept = texts.get(address)
    return Version(
        hash=address.hex()[:12],
        first_at=first,
        projects=len({project for project, _ in where if project != CATALOGUES}),
        catalogue=any(project == CATALOGUES for project, _ in where),
        chars=chars,
        tokens=sizes[address].tokens if address in sizes else None,
        text=pretty(kept.text) if kept and kept.complete and kept.text else None,
    )


def pretty(text: str) -> str:
    """JSON with line breaks; text that is none as it stands."""
    try:
        value: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return figures.shown(text)
    return figures.shown(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def _called_in(wanted: Wanted, tool: str) -> list[CalledIn]:
    rows = ToolUse.objects.filter(wanted.sums(), tool=tool).order_by().values("conversation")
    sums = rows.annotate(n=Sum("calls"), bad=Sum("failed"), at=Max("hour")).order_by("-n", "conversation")[:MOST]
    found = list(sums)
    known = Conversation.objects.in_bulk([row["conversation"] for row in found])
    return [
        CalledIn(
            uid=known[row["conversation"]].uid,
            title=figures.shown(known[row["conversation"]]),
            calls=int(row["n"]),
            failed=int(row["bad"]),
            last=row["at"],
        )
        for row in found
        if row["conversation"] in known
    ]


def _missed_by(wanted: Wanted, tool: str) -> list[MissedBy]:
    next_loaded = Activation.objects.filter(run=OuterRef("run"), seq__gt=OuterRef("seq")).order_by("seq", "tool")
    rows = failed_searches(wanted).annotate(then=Subquery(next_loaded.values("tool")[:1]))
    said = rows.order_by("-at").values_list("missing", "outcome", "then", "conversation__uid", "query", "at")
    found = []
    for missing, outcome, then, uid, query, at in said:
        if tool in missing or (not missing and outcome == "miss" and then == tool):
            found.append(MissedBy(uid=uid, query=figures.shown(query), at=at))
    return found[:MOST]
