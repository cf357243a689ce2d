"""What the picture shows, in tokens: bands, cuts, turns, zones. Both drawings are made from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from explorer.queries.composition import Composition
from explorer.queries.pieces import FIRST, Part
from explorer.queries.tool_sizes import SizedTool
from explorer.ribbon.marks import Mark, marks, would_stand
from harness.accounting import shape_of
from observability.figures import counted, number, signed
from observability.models import Request

ROLES: Final = {
    "builtin_tool": "tools",
    "mcp_tool": "tools",
    "system": "system",
    "index": "index",
    "context_file": "files",
    "skill_listing": "skills",
    "startup": "startup",
    "loaded_tool": "loaded",
    "skill": "skills",
    "user": "user",
    "assistant": "assistant",
    "thinking": "thinking",
    "tool_call": "calls",
    "tool_result": "results",
    "reminder": "reminder",
    "media": "results",
    "summary": "user",
}
"""The fill of each kind."""
ZONES: Final = {"tools": "Tools", "system": "System", "index": "Index", "files": "Files", "skills": "Skills"}
FINEST: Final = 800
"""Conversation items thinner than this part of the whole are drawn together, as one of their kinds."""
CACHE: Final = (("read", "read"), ("write", "written"), ("uncached", "uncached"))


@dataclass(frozen=True, slots=True)
class Band:
    """Something drawn at its size. `ref` names an item to read, `anchor` a row of the tables."""

    role: str
    start: int
    size: int
    title: str
    ref: str = ""
    anchor: str = ""

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + self.size


@dataclass(frozen=True, slots=True)
class Load:
    """Schemas that were loaded together."""

    at: int
    number: int
    trigger: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """The schemas behind the index: cells by server, in tokens, and what was loaded out of them, by position."""

    size: int
    names: int
    unknown: int
    index: int
    index_start: int
    cells: list[tuple[str, list[int]]]
    loads: list[Load]
    loaded: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A request to scale. `whole` is the length drawn: the provider's total, or the parts where they exceed it."""

    whole: int
    total: int | None
    bands: list[Band]
    residual: Band | None
    residual_first: bool
    prefix: Band
    conversation: Band
    items: int
    cuts: list[int]
    turns: list[tuple[int, int]]
    cache: list[Band] = field(default_factory=list)
    held: Held | None = None
    title: str = ""
    rebuilt: int = 0
    marks: list[Mark] = field(default_factory=list)
    would: list[Mark] = field(default_factory=list)
    """Where markers would stand, were they the harness's; only where the log names none. Nothing is counted by them."""

    @property
    def ticks(self) -> list[Mark]:
        """Markers to draw: those that can be placed, in their order."""
        return [mark for mark in (*self.marks, *self.would) if mark.at is not None and mark.at <= self.whole]

    @property
    def zones(self) -> list[Band]:
        """Neighbouring bands of one role before the conversation, as one."""
        first = [band for band in self.bands if band.end <= self.prefix.end and band.role in ZONES]
        found = []
        for role, bands in groupby(first, lambda band: band.role):
            members = list(bands)
            start, end = members[0].start, members[-1].end
            found.append(Band(role, start, end - start, ZONES[role]))
        return found


def plan(now: Composition, *, turns_before: int = 0, before: Request | None = None) -> Plan:
    """Plan the picture of a request."""
    account = now.account
    residual = account.residual or 0
    first = residual > 0 and not now.has_snapshot
    offset = residual if first else 0
    bands, cuts = _bands(now.parts, offset, max(account.parts.tokens, account.total or 0))
    end = offset + account.parts.tokens
    turns, split = _turns(now.parts, offset, turns_before)
    return Plan(
        whole=max(account.parts.tokens, account.total or 0, 1),
        total=account.total,
        bands=bands,
        residual=_residual(residual, 0 if first else end),
        residual_first=first,
        prefix=Band("", offset, split - offset, "Prefix"),
        conversation=Band("", split, end - split, "Conversation"),
        items=sum(part.seq != FIRST for part in now.parts),
        cuts=cuts,
        turns=turns,
        cache=_cache(now),
        held=_held(now, bands, offset),
        title=_title(now),
        rebuilt=now.request.rebuilt or 0,
        marks=marks(now, before),
        would=would_stand(now, before),
    )


def _residual(residual: int, start: int) -> Band | None:
    if residual <= 0:
        return None
    return Band("residual", start, residual, f"Residual: {signed(residual)} tokens that no part explains")


def _bands(parts: Sequence[Part], offset: int, whole: int) -> tuple[list[Band], list[int]]:
    """The bands in order, and where tools are cut into schemas. Tools are one band a category."""
    bands: list[Band] = []
    cuts: list[int] = []
    at = offset
    for kind, members in groupby(parts, lambda part: part.kind if part.kind in ("builtin_tool", "mcp_tool") else ""):
        some = list(members)
        if kind:
            size = sum(part.tokens for part in some)
            shape = shape_of(kind)
            title = f"{shape.title if shape else kind}: {counted(len(some), 'schema')}, {number(size)} tokens"
            bands.append(Band(ROLES[kind], at, size, title, anchor=kind))
            cuts += _ends(at, some)
            at += size
        else:
            bands += _merged(some, at, max(1, whole // FINEST))
            at += sum(part.tokens for part in some)
    return [band for band in bands if band.size], cuts


def _ends(at: int, parts: Iterable[Part]) -> list[int]:
    ends = []
    for part in parts:
        at += part.tokens
        ends.append(at)
    return ends[:-1]


def _merged(parts: Iterable[Part], at: int, least: int) -> list[Band]:
    """Bands of parts, the thin ones drawn together, each kind as often as is its share of them all."""
    done: list[Band] = []
    thin: list[Part] = []
    owed: Owed = {}
    size = 0
    for part in parts:
        if part.tokens >= least and thin:
            done.append(_together(thin, at - size, size, owed))
            thin, size = [], 0
        if part.tokens >= least:
            done.append(_band(part, at))
        elif part.tokens:
            thin.append(part)
            size += part.tokens
        at += part.tokens
        if size >= least:
            done.append(_together(thin, at - size, size, owed))
            thin, size = [], 0
    return [*done, _together(thin, at - size, size, owed)] if thin else done


def _band(part: Part, at: int) -> Band:
    shape = shape_of(part.kind)
    label = f": {part.label}" if part.label else ""
    title = f"{shape.title if shape else part.kind}{label}, {number(part.tokens)} tokens"
    return Band(ROLES[part.kind], at, part.tokens, title, ref=part.ref, anchor=part.kind)


Owed = dict[str, int]
"""Tokens of each kind that were drawn as another so far; less than 0 where more was drawn than there is."""


def _together(thin: list[Part], at: int, size: int, owed: Owed) -> Band:
    """Thin parts as one band, of that kind among them of which most is owed: over many bands the colours come out right."""
    if len(thin) == 1:
        return _band(thin[0], at)
    for part in thin:
        owed[part.kind] = owed.get(part.kind, 0) + part.tokens
    kind = max((part.kind for part in thin), key=owed.__getitem__)
    owed[kind] -= size
    return Band(ROLES[kind], at, size, f"{len(thin)} items, {number(size)} tokens", anchor=kind)


def _turns(parts: Sequence[Part], offset: int, before: int) -> tuple[list[tuple[int, int]], int]:
    """Where each user turn begins, and where the conversation does."""
    at, split = offset, None
    turns: list[tuple[int, int]] = []
    for part in parts:
        if part.seq != FIRST and split is None:
            split = at
        if part.kind == "user" and part.seq != FIRST:
            turns.append((before + len(turns) + 1, at))
        at += part.tokens
    return turns, at if split is None else split


def _cache(now: Composition) -> list[Band]:
    """What the cache did, laid under the tokens it concerns; nothing where the bill is for more than this prompt."""
    request = now.request
    sizes = (request.read, request.write_5m + request.write_1h + request.write_other, request.uncached)
    if now.account.total != sum(sizes):
        return []
    bands, at = [], 0
    for (role, word), size in zip(CACHE, sizes, strict=True):
        bands.append(Band(role, at, size, f"{number(size)} tokens {word}"))
        at += size
    return [band for band in bands if band.size]


def _held(now: Composition, bands: Sequence[Band], offset: int) -> Held | None:
    """The block of schemas that the index stands for; None where no schema is known."""
    listed = now.of("deferred", "loaded", "unsure")
    sized = [each for each in listed if each.schema]
    if not sized:
        return None
    index = [band for band in bands if band.role == "index"]
    return Held(
        size=sum(each.schema.tokens for each in sized if each.schema),
        names=len(listed),
        unknown=len(listed) - len(sized),
        index=sum(band.size for band in index),
        index_start=index[0].start if index else offset,
        cells=_cells(sized),
        loads=_loads(now, offset),
        loaded=len(now.of("loaded")),
    )


def _cells(sized: Sequence[SizedTool]) -> list[tuple[str, list[int]]]:
    """Servers by size, the largest first, each with its schemas."""
    servers: dict[str, list[int]] = {}
    for each in sized:
        servers.setdefault(each.tool.server or "built in", []).append(each.schema.tokens if each.schema else 0)
    return sorted(servers.items(), key=lambda cell: -sum(cell[1]))


TRIGGERS: Final = {
    "search": "search",
    "direct_call": "a direct call",
    "preload": "preloading",
    "resume": "resuming",
    "unknown": "an unknown trigger",
}


def _loads(now: Composition, offset: int) -> list[Load]:
    """Where loaded schemas stand, those that came together as one, in order."""
    found: dict[tuple[int, str], list[int]] = {}
    at = offset
    for part in now.parts:
        loading = now.tools[part.label].tool.loading if part.kind == "loaded_tool" and not part.item else None
        if loading:
            found.setdefault((loading.seq, loading.trigger), []).append(at)
        at += part.tokens
    loads = [Load(places[0], len(places), TRIGGERS.get(why, why)) for (_, why), places in found.items()]
    return sorted(loads, key=lambda load: load.at)


def _title(now: Composition) -> str:
    request = now.request
    written = request.write_5m + request.write_1h + request.write_other
    if now.account.total is None:
        return f"Request {request.ordinal} as it was sent. The provider reported no total."
    return (
        f"Request {request.ordinal} as it was sent: {number(now.account.total)} tokens. {number(request.read)} were read "
        f"from the cache, {number(written)} written, {number(request.uncached)} uncached."
    )
