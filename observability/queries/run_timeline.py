"""What happened in a run, in order: its start, sub-agents, searches, loaded tools, breaks, rewrites, servers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final, Literal

from observability.queries.breaks import Break
from observability.queries.conversation import COMPACTION, RunRow, Sums, add
from observability.queries.happenings import Happenings, LoadEvent, RewriteEvent, SearchEvent, ServerEvent
from observability.queries.run_requests import Columns

Kind = Literal["start", "sub_agents", "search", "load", "break", "rewrite", "servers"]
SEQ_BITS: Final = 21
"""A run's order counts in milliseconds, shifted by this many bits (see `harness.runlog.Event.seq`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SubAgents:
    """Sub-agents of one profile that were started by the same request."""

    profile: str
    runs: list[RunRow]
    sums: Sums
    first: int
    """The request of the parent run that started them."""
    last: int
    """The request of the parent run by which they had ended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A line of the timeline. `request` is the ordinal of the request that it belongs to, 0 where there is none."""

    kind: Kind
    at: datetime | None
    seq: int
    request: int
    detail: RunRow | SubAgents | SearchEvent | LoadEvent | Break | RewriteEvent | ServerEvent
    loaded: tuple[str, ...] = ()
    """Tools that a search loaded."""


def sub_agents(shown: RunRow, runs: Iterable[RunRow], requests: Columns) -> list[SubAgents]:
    """The sub-agents that a run started, grouped by profile and request. Runs that compact are none."""
    started = [run for run in runs if run.kind != COMPACTION and run.id != shown.id and _is_child(run, shown)]
    placed = sorted((_request_at(run.started_at, requests), run.profile, index) for index, run in enumerate(started))
    return [
        _group(profile, first, [started[index] for _, _, index in members], requests)
        for (first, profile), members in groupby(placed, key=lambda item: item[:2])
    ]


def run_timeline(
    shown: RunRow, *, requests: Columns, happened: Happenings, broken: Iterable[Break], agents: Iterable[SubAgents]
) -> list[Entry]:
    """All entries in order."""
    entries = [
        *_start(shown),
        *(_agents_entry(group) for group in agents),
        *_searches_and_loads(happened, requests),
        *(Entry(kind="break", at=item.at, seq=item.seq, request=item.ordinal, detail=item) for item in broken),
        *(
            Entry(kind="rewrite", at=item.at, seq=item.seq, request=requests.after(item.seq), detail=item)
            for item in happened.rewrites
        ),
        *(
            Entry(kind="servers", at=item.at, seq=item.seq, request=requests.after(item.seq), detail=item)
            for item in happened.servers
        ),
    ]
    return sorted(entries, key=lambda entry: entry.seq)


def _is_child(run: RunRow, shown: RunRow) -> bool:
    return run.parent_uid == shown.uid or (shown.is_main and run.depth == 1)


def _request_at(at: datetime | None, requests: Columns) -> int:
    return requests.at(_seq_of(at)) if at else 1


def _seq_of(at: datetime) -> int:
    return int(at.timestamp() * 1000) << SEQ_BITS


def _group(profile: str, first: int, runs: list[RunRow], requests: Columns) -> SubAgents:
    ends = [requests.at(_seq_of(run.last_at)) for run in runs if run.last_at]
    return SubAgents(
        profile=profile, runs=runs, sums=add(run.sums for run in runs), first=first, last=max([first, *ends])
    )


def _start(shown: RunRow) -> Iterator[Entry]:
    if shown.started_at or shown.sums.requests:
        yield Entry(kind="start", at=shown.started_at, seq=-1, request=min(1, shown.sums.requests), detail=shown)


def _agents_entry(group: SubAgents) -> Entry:
    times = [run.started_at for run in group.runs if run.started_at]
    at = min(times) if times else None
    return Entry(kind="sub_agents", at=at, seq=_seq_of(at) if at else 0, request=group.first, detail=group)


def _searches_and_loads(happened: Happenings, requests: Columns) -> Iterator[Entry]:
    """Each search with what it loaded; what was loaded for another reason stands alone."""
    searched = {search.key for search in happened.searches}
    loaded: dict[int, list[str]] = {}
    for load in happened.loads:
        if load.search in searched and load.search is not None:
            loaded.setdefault(load.search, []).extend(load.tools)
        else:
            yield Entry(kind="load", at=load.at, seq=load.seq, request=requests.at(load.seq), detail=load)
    for search in happened.searches:
        names = tuple(loaded.get(search.key, ()))
        yield Entry(
            kind="search", at=search.at, seq=search.seq, request=requests.at(search.seq), detail=search, loaded=names
        )
