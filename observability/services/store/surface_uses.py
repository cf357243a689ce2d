"""Which tools each request carried, and the hourly sums of that, kept in step by the difference each change makes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import datetime
from operator import itemgetter

from observability import models, pricing
from observability.models.links import NO_LIST
from observability.services.store import bulk, request_rows, sums
from observability.services.store.batch import Batch
from observability.services.store.drafts import NO_TIME
from observability.services.store.heads import Known
from observability.services.store.request_rows import RequestRow
from observability.services.store.requests import Touched
from observability.services.store.tool_lists import (
    Entry,
    Listed,
    Lists,
    Loading,
    Members,
    Rewriting,
    RunTools,
    lists_at,
)

LISTS = bulk.Table(models.ToolList, ("id",), ("id",))
LISTED = bulk.Table(
    models.ListedTool,
    ("list_id", "tool", "state", "definition", "server", "group", "listing"),
    ("list_id", "tool"),
)
USES = sums.Sums(
    models.SurfaceUse,
    key=("run_id", "hour", "model", "surface_id", "loaded_id"),
    about=("project_id", "conversation_id", "agent", "demo"),
    counts=("requests", "unpriced", "start_pusd"),
)
Names = tuple[int, int]
"""The list of what was declared, and of what was loaded."""
Key = tuple[int, datetime, str, int, int]


def keep(batch: Batch, known: Known, touched: Touched) -> None:
    """Find the lists of the requests that changed or whose tools may have, and bring the sums up to date.

    The rows that the batch changed get theirs for the caller to write; others are updated here.
    """
    rows = dict(touched.changed)
    before = dict(touched.before)
    suspects = _suspects(batch, known, set(rows))
    runs = {row.run_id for row in rows.values()} | {run for _, run, _, _ in suspects}
    if not runs:
        return
    lists = Lists()
    names = _names(
        _of_runs(batch, known, runs), [(row.id, row.run_id, row.seq) for row in rows.values()], suspects, lists
    )
    different = [request for request, _, _, held in suspects if names[request] != held]
    for chunk in bulk.chunks(different):
        for row in request_rows.load(id__in=chunk):
            rows[row.id] = row
            before[row.id] = replace(row)
    left, taken = _put(rows, names, set(touched.changed))
    _store_lists({name: lists.members[name] for name in taken})
    _keep_sums(rows, before)
    forget(left)


Suspect = tuple[int, int, int, Names]
"""A stored request that the batch did not change, its run and place, and the lists that it has."""


def _suspects(batch: Batch, known: Known, changed: set[int]) -> list[Suspect]:
    """Stored requests behind a point from which on the batch may have changed the tools."""
    found: list[Suspect] = []
    runs = {draft.id: draft.conversation.id for draft in batch.runs.values()}
    for run, seq in _first_changes(batch).items():
        if run in known.runs:
            mine = models.Request.objects.filter(conversation=runs[run], run=run, seq__gte=seq)
            for request, at, *held in mine.values_list("id", "seq", "surface_id", "loaded_id"):
                if request not in changed:
                    found.append((request, run, at, (held[0], held[1])))
    return found


def _first_changes(batch: Batch) -> dict[int, int]:
    """Run → the place from which on its tools may differ. What is resident, and definitions, may hold from the start."""
    first = dict(batch.loads_from)
    told = [(run.id, row[4]) for run, row in batch.activations.values()]
    told += [(run, row[2]) for (run, _), (_, row) in batch.rewrites.items()]
    told += [(run, 0 if row[4] == "resident" or row[5] else row[2]) for (run, _), (_, row) in batch.surface.items()]
    for run, seq in told:
        first[run] = min(first.get(run, seq), seq)
    return first


def _names(
    tools: dict[int, RunTools], changed: list[tuple[int, int, int]], suspects: list[Suspect], lists: Lists
) -> dict[int, Names]:
    places: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for request, run, seq in changed:
        places[run].append((seq, request))
    for request, run, seq, _ in suspects:
        places[run].append((seq, request))
    found: dict[int, Names] = {}
    for run, mine in places.items():
        mine.sort()
        named = lists_at(tools[run], [seq for seq, _ in mine], lists)
        found.update(zip(map(itemgetter(1), mine), named, strict=True))
    return found


def _of_runs(batch: Batch, known: Known, runs: set[int]) -> dict[int, RunTools]:
    """What is stored of the tools of runs. Of a run that is new, its surface is all in the batch."""
    found = {run: RunTools() for run in runs}
    columns = ("run_id", "seq", "tool", "state", "definition", "server", "group", "listing")
    new = runs & (known.all_runs - known.runs)
    for (run, _), (_, row) in batch.surface.items():
        if run in new:
            _, _, seq, tool, state, address, group, server, _, listing = row
            found[run].entries.append(Entry(seq, Listed(tool, state, address, server, group, listing)))
    for chunk in bulk.chunks(runs - new):
        for run, seq, *listed in models.SurfaceEntry.objects.filter(run__in=chunk).values_list(*columns):
            listed[2] = bulk.db_bytes(listed[2])
            found[run].entries.append(Entry(seq, Listed(*listed)))
    for chunk in bulk.chunks(runs):
        for run, seq, tool in models.Activation.objects.filter(run__in=chunk).values_list("run_id", "seq", "tool"):
            found[run].loadings.append(Loading(seq, tool))
        rewrites = models.Rewrite.objects.filter(run__in=chunk).values_list("run_id", "seq", "kind", "kept_tools")
        for run, seq, kind, kept in rewrites:
            found[run].rewritings.append(Rewriting(seq, kind, None if kept is None else tuple(kept)))
    return found


def _put(rows: dict[int, RequestRow], names: dict[int, Names], unwritten: set[int]) -> tuple[set[int], set[int]]:
    """Give requests their lists; one that nothing was counted of has none. Gives the lists that were left, and taken."""
    moved, left, taken = [], set[int](), set[int]()
    for row in rows.values():
        now = names[row.id] if row.buckets.prompt else (NO_LIST, NO_LIST)
        held = (row.surface_id, row.loaded_id)
        if now != held:
            row.surface_id, row.loaded_id = now
            left.update(held)
            taken.update(now)
            if row.id not in unwritten:
                moved.append((*now, row.id))
    bulk.update(models.Request, ("surface_id", "loaded_id"), moved)
    return left - {NO_LIST}, taken - {NO_LIST}


def _store_lists(lists: dict[int, Members]) -> None:
    stored: set[int] = set()
    for chunk in bulk.chunks(lists):
        stored.update(models.ToolList.objects.filter(id__in=chunk).values_list("id", flat=True))
    new = {name: members for name, members in lists.items() if name not in stored}
    bulk.write(LISTS, [(name,) for name in new])
    rows = [
        (name, each.tool, each.state, each.definition, each.server, each.group, each.listing)
        for name, members in new.items()
        for each in members
    ]
    bulk.write(LISTED, rows)


def _keep_sums(rows: dict[int, RequestRow], before: dict[int, RequestRow]) -> None:
    runs = {row.run_id for row in (*rows.values(), *(before[number] for number in rows if number in before))}
    demo: dict[int, bool] = {}
    for chunk in bulk.chunks(runs):
        demo.update(models.Run.objects.filter(id__in=chunk).values_list("id", "conversation__demo"))
    difference = sums.Difference(USES)
    for number, row in rows.items():
        if number in before:
            _add(difference, before[number], demo, -1)
        _add(difference, row, demo, 1)
    difference.write()


def _add(difference: sums.Difference, row: RequestRow, demo: dict[int, bool], sign: int) -> None:
    if not row.surface_id and not row.loaded_id:
        return
    hour = (row.started_at or NO_TIME).replace(minute=0, second=0, microsecond=0)
    price = pricing.start_price(row.model, row.provider, row.started_at, row.buckets)
    key: Key = (row.run_id, hour, row.model, row.surface_id, row.loaded_id)
    about = (row.project_id, row.conversation_id, row.agent, demo[row.run_id])
    difference.add(key, about, (sign, sign * int(price is None), sign * (price or 0)))


def lists_of(conversations: list[int]) -> set[int]:
    """The lists that requests of conversations have."""
    mine = models.SurfaceUse.objects.filter(conversation__in=conversations)
    return {name for pair in mine.values_list("surface_id", "loaded_id").distinct() for name in pair} - {NO_LIST}


def forget(left: set[int]) -> int:
    """Drop those of some lists that no request has any more; gives how many rows that were."""
    dropped = 0
    for chunk in bulk.chunks(left):
        held: set[int] = set()
        for column in ("surface_id", "loaded_id"):
            held.update(models.SurfaceUse.objects.filter(**{f"{column}__in": chunk}).values_list(column, flat=True))
        gone = [name for name in chunk if name not in held]
        dropped += models.ListedTool.objects.filter(list__in=gone).delete()[0]
        dropped += models.ToolList.objects.filter(id__in=gone).delete()[0]
    return dropped
