"""Calls of tools by run and hour, kept by the difference that each change of a call makes.

A resumed or forked log repeats the calls of the one it goes on from. They are counted where their request
is: the runs that hold requests of others are few, and are counted anew.
"""

from __future__ import annotations

from datetime import datetime

from observability import models
from observability.services.store import bulk, sums
from observability.services.store.batch import Batch
from observability.services.store.drafts import NO_TIME
from observability.services.store.heads import Known
from observability.services.store.requests import Touched

USES = sums.Sums(
    models.ToolUse,
    key=("run_id", "hour", "tool"),
    about=("project_id", "conversation_id", "agent", "demo"),
    counts=("calls", "failed"),
)
Call = tuple[str, datetime | None, bool | None]
"""Tool, time, and whether it ended well."""


def keep(batch: Batch, known: Known, touched: Touched) -> None:
    """Bring the sums up to date with the batch's calls."""
    anew = touched.sharing | _sharing_before(batch, known)
    difference = sums.Difference(USES)
    heads = _heads({run for run, _ in batch.calls} | anew)
    for place, draft in batch.calls.items():
        run = place[0]
        if run not in anew:
            if place in batch.calls_before:
                _add(difference, run, heads[run], batch.calls_before[place], -1)
            _add(difference, run, heads[run], (draft.tool, draft.at, draft.ok), 1)
    for chunk in bulk.chunks(anew):
        models.ToolUse.objects.filter(run__in=chunk).delete()
    for run in anew & heads.keys():
        for call in _own_calls(run):
            _add(difference, run, heads[run], call, 1)
    difference.write()


Head = tuple[int, int, str, bool]
"""Project, conversation, agent, demo."""


def _heads(runs: set[int]) -> dict[int, Head]:
    found: dict[int, Head] = {}
    for chunk in bulk.chunks(runs):
        rows = models.Run.objects.filter(id__in=chunk)
        names = ("project_id", "conversation_id", "conversation__agent", "conversation__demo")
        for run, *head in rows.values_list("id", *names):
            found[run] = (head[0], head[1], head[2], head[3])
    return found


def _sharing_before(batch: Batch, known: Known) -> set[int]:
    """Runs of the batch whose conversation held requests of others already."""
    found: set[int] = set()
    for chunk in bulk.chunks({run for run, _ in batch.calls} & known.runs):
        rows = models.Run.objects.filter(id__in=chunk, conversation__inherited__gt=0)
        found.update(rows.values_list("id", flat=True))
    return found


def _own_calls(run: int) -> list[Call]:
    """The calls of a run, without those of requests that were seen in it and belong to another."""
    others = models.Sighting.objects.filter(run=run).exclude(request__run=run).values_list("request_id", flat=True)
    left_out = set(others)
    calls = models.ToolCall.objects.filter(run=run).values_list("tool", "at", "ok", "request_id")
    return [(tool, at, ok) for tool, at, ok, request in calls if request not in left_out]


def _add(difference: sums.Difference, run: int, head: Head, call: Call, sign: int) -> None:
    tool, at, ok = call
    if tool:
        hour = (at or NO_TIME).replace(minute=0, second=0, microsecond=0)
        difference.add((run, hour, tool), head, (sign, sign * int(ok is False)))
