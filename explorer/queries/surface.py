"""The tools of a run at one of its requests: which were resident, deferred, loaded, withheld, denied or removed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

from django.db.models import Count, Max

from harness.tools import server_of
from observability.models import Activation, Request, Rewrite, Run, Search, SurfaceEntry, ToolCall

State = Literal["resident", "deferred", "loaded", "unsure", "withheld", "denied", "removed"]
"""As in the run log, and: loaded, a deferred tool whose schema is in the context; unsure, one that was
loaded before a rewrite of the context that does not say what stayed."""


class Entry(NamedTuple):
    """A row of the surface over time."""

    seq: int
    tool: str
    state: str
    definition: bytes | None
    group: str
    server: str
    reason: str
    listing: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Loading:
    """How a deferred tool was loaded. `request` is the ordinal of the first request that carried it."""

    trigger: str
    seq: int
    request: int
    query: str = ""
    derived: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A tool at a request."""

    name: str
    state: State
    server: str = ""
    group: str = ""
    reason: str = ""
    listing: str = ""
    definition: bytes | None = None
    removed_at: int | None = None
    """Where it left the surface last; it may be back since."""
    loading: Loading | None = None
    calls: int = 0
    last_used: int | None = None
    """The ordinal of the request that called it last, in the whole run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Surface:
    """The tools at a request, by name. `resident_known`: the log holds a list of the resident tools."""

    tools: dict[str, Tool] = field(default_factory=dict)
    resident_known: bool = False

    def of(self, *states: State) -> list[Tool]:
        """The tools in some states, in the order that they were declared."""
        return [tool for tool in self.tools.values() if tool.state in states]


class Loaded(NamedTuple):
    """A row of what was loaded over time."""

    tool: str
    trigger: str
    seq: int
    search_key: int | None
    derived: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """All that a run's log says of its tools, read once for any number of its requests."""

    run: Run
    entries: list[Entry]
    loaded: list[Loaded]
    rewrites: list[tuple[int, str, object]]
    queries: dict[int | None, str]
    """The queries of the searches that something was loaded by, by the searches' keys."""
    requests: list[int]
    """Where its requests stand; empty where nothing was loaded, nor the context rewritten."""
    calls: dict[str, tuple[int, int | None]]
    """How often a tool was called, and by which request last."""

    def at(self, seq: int) -> Surface:
        """The surface for the request at `seq`."""
        tools = fold(self.entries, seq)
        for name, (loading, state) in self._loadings(seq).items():
            known = tools.get(name) or Tool(name=name, state="deferred", server=server_of(name))
            if known.state == "deferred" and loading.seq > (known.removed_at or -1):
                tools[name] = replace(known, state=state, loading=loading)
        for name, (number, last) in self.calls.items():
            if name in tools:
                tools[name] = replace(tools[name], calls=number, last_used=last)
        listed = any(entry.state == "resident" and entry.tool for entry in self.entries)
        return Surface(tools=tools, resident_known=listed)

    def _loadings(self, seq: int) -> dict[str, tuple[Loading, State]]:
        rewrites = [row for row in self.rewrites if row[0] < seq]
        found = {
            row.tool: Loading(
                trigger=row.trigger,
                seq=row.seq,
                request=bisect_left(self.requests, row.seq + 1) + 1,
                query=self.queries.get(row.search_key, ""),
                derived=row.derived,
            )
            for row in self.loaded
            if row.seq < seq
        }
        for at, _kind, kept in rewrites:
            for tool in kept if isinstance(kept, list) else ():
                if isinstance(tool, str) and tool not in found:
                    found[tool] = Loading(trigger="unknown", seq=at, request=bisect_left(self.requests, at) + 1)
        states = {tool: state_after(tool, loading.seq, rewrites) for tool, loading in found.items()}
        return {tool: (loading, state) for tool, loading in found.items() if (state := states[tool]) is not None}


def surface(run: Run, seq: int) -> Surface:
    """The surface of a run for the request at `seq`."""
    return history(run).at(seq)


def history(run: Run) -> History:
    """The surfaces of a run for all its requests."""
    loaded = Activation.objects.filter(run=run).order_by("seq").values_list(*Loaded._fields)
    rows = [Loaded(*row) for row in loaded]
    rewrites = list(Rewrite.objects.filter(run=run).order_by("seq").values_list("seq", "kind", "kept_tools"))
    return History(
        run=run,
        entries=entries_of(run),
        loaded=rows,
        rewrites=rewrites,
        queries=_queries(run, [row.search_key for row in rows if row.search_key is not None]),
        requests=_request_seqs(run) if rows or rewrites else [],
        calls=_calls(run),
    )


def fold(entries: Sequence[Entry], seq: int) -> dict[str, Tool]:
    """The tools that entries before `seq` leave on the surface; a definition may come later in the log.

    A list of resident tools is often written only after the first response. Where there is none
    before `seq`, the first later one holds.
    """
    tools: dict[str, Tool] = {}
    for entry in _in_force(entries, seq):
        if entry.tool:
            tools[entry.tool] = _merged(tools.get(entry.tool), entry)
        else:
            _restart(tools, entry.state, entry.seq)
    later = {entry.tool: entry.definition for entry in reversed(entries) if entry.seq >= seq and entry.definition}
    return {name: replace(tool, definition=tool.definition or later.get(name)) for name, tool in tools.items()}


def _in_force(entries: Sequence[Entry], seq: int) -> list[Entry]:
    earlier = [entry for entry in entries if entry.seq < seq]
    if any(entry.state == "resident" for entry in earlier):
        return earlier
    first = next((entry.seq for entry in entries if entry.state == "resident"), None)
    return [entry for entry in entries if entry.seq == first and entry.state == "resident"] + earlier


def _restart(tools: dict[str, Tool], state: str, seq: int) -> None:
    for name, tool in tools.items():
        if tool.state == state:
            tools[name] = replace(tool, state="removed", reason="", removed_at=seq)


_STATES: Final[dict[str, State]] = {
    "resident": "resident",
    "deferred": "deferred",
    "withheld": "withheld",
    "denied": "denied",
    "removed": "removed",
}


def _merged(known: Tool | None, entry: Entry) -> Tool:
    before = known or Tool(name=entry.tool, state="deferred")
    return replace(
        before,
        state=_STATES.get(entry.state, "removed"),
        server=entry.server or before.server or server_of(entry.tool),
        group=entry.group or before.group,
        reason=entry.reason,
        listing=entry.listing or before.listing,
        definition=entry.definition or before.definition,
        removed_at=entry.seq if entry.state == "removed" else before.removed_at,
    )


def entries_of(run: Run) -> list[Entry]:
    """The surface of a run over time, in order."""
    return entries_by_run([run.pk]).get(run.pk, [])


def entries_by_run(runs: Sequence[int]) -> dict[int, list[Entry]]:
    """The surfaces of some runs over time, in order, by the runs' ids."""
    rows = SurfaceEntry.objects.filter(run_id__in=runs).values_list(
        "run_id", "seq", "tool", "state", "definition", "group", "server", "reason", "listing"
    )
    found: dict[int, list[Entry]] = {}
    # One event's tools were stored in the order sent, which is that of their ids.
    for run, seq, tool, state, definition, *rest in rows.order_by("seq", "id"):
        entry = Entry(seq, tool, state, bytes(definition) if definition else None, *rest)
        found.setdefault(run, []).append(entry)
    return {run: sorted(some, key=lambda entry: (entry.seq, entry.tool != "")) for run, some in found.items()}


def state_after(tool: str, loaded: int, rewrites: Iterable[tuple[int, str, object]]) -> State | None:
    """Whether a tool that was loaded at a point is still loaded after the rewrites since; None if it is not."""
    state: State | None = "loaded"
    for at, kind, kept in rewrites:
        if at >= loaded and state is not None:
            state = after_rewrite(state, tool, kind, kept)
    return state


def after_rewrite(state: State, tool: str, kind: str, kept: object) -> State | None:
    """What a rewrite makes of a loaded tool; None where it is not loaded any more. `kept`: names that stay, if it says so."""
    if isinstance(kept, list):
        return "loaded" if tool in kept else None
    if kind == "clear":
        return None
    return "unsure" if kind == "compaction" else state


def _queries(run: Run, keys: Sequence[int]) -> dict[int | None, str]:
    rows = Search.objects.filter(run=run, call_key__in=set(keys)).values_list("call_key", "query")
    return dict(rows)


def _request_seqs(run: Run) -> list[int]:
    rows = Request.objects.filter(conversation_id=run.conversation_id, run=run)
    return list(rows.order_by("seq").values_list("seq", flat=True))


def _calls(run: Run) -> dict[str, tuple[int, int | None]]:
    rows = ToolCall.objects.filter(run=run).values("tool").annotate(number=Count("id"), last=Max("request__ordinal"))
    return {row["tool"]: (row["number"], row["last"]) for row in rows.order_by()}
