"""Which calls of a batch can have loaded a tool: of the calls of a long run nearly none can.

A call loads a deferred tool that is not loaded already. So a run whose batch holds calls only
needs its tools derived anew where one of them is of a deferred tool and no loading that still
stands came before it, or where a call turned out to have failed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable

from observability import models
from observability.services.store.batch import Batch
from observability.services.store.drafts import CallDraft

Tools = dict[tuple[int, str], list[int]]
"""Run and tool → places in the order."""


def unsettled(batch: Batch, runs: set[int]) -> set[int]:
    """Of runs of which the batch holds calls only, those whose tools must be derived anew. Call after its calls are stored."""
    if not runs:
        return set()
    calls = [(place, draft) for place, draft in batch.calls.items() if place[0] in runs and draft.ok is not None]
    found = _with_failed_searches(runs, calls)
    deferred = models.SurfaceEntry.objects.filter(run__in=runs, state="deferred").values_list("run_id", "tool")
    tools = set(deferred.distinct())
    loaded, ended = _loaded(runs), _ended(runs)
    for (run, _), draft in calls:
        if (run, draft.tool) in tools and not _settled(draft, loaded[(run, draft.tool)], ended, run):
            found.add(run)
    return found


def _with_failed_searches(runs: set[int], calls: list[tuple[tuple[int, int], CallDraft]]) -> set[int]:
    """Runs in which the call of a search failed: its outcome is then an error."""
    failed = {place for place, draft in calls if not draft.ok}
    if not failed:
        return set()
    searches = models.Search.objects.filter(run__in=runs, matches=None).values_list("run_id", "call_key")
    return {run for run, key in searches if (run, key) in failed}


def _loaded(runs: set[int]) -> Tools:
    found: Tools = defaultdict(list)
    for run, tool, seq in models.Activation.objects.filter(run__in=runs).values_list("run_id", "tool", "seq"):
        found[(run, tool)].append(seq)
    return found


def _ended(runs: set[int]) -> Tools:
    """Where tools were unloaded: a tool's removal, or (for all, under an empty name) a rewrite that says what stays."""
    found: Tools = defaultdict(list)
    removed = models.SurfaceEntry.objects.filter(run__in=runs, state="removed").values_list("run_id", "tool", "seq")
    for run, tool, seq in removed:
        found[(run, tool)].append(seq)
    for run, seq in models.Rewrite.objects.filter(run__in=runs, kept_tools__isnull=False).values_list("run_id", "seq"):
        found[(run, "")].append(seq)
    return found


def _settled(draft: CallDraft, loaded: list[int], ended: Tools, run: int) -> bool:
    if not draft.ok:
        return draft.seq not in loaded
    last = max((seq for seq in loaded if seq <= draft.seq), default=None)
    ends = (*ended[(run, draft.tool)], *ended[(run, "")])
    return last is not None and not any(last <= seq <= draft.seq for seq in ends)


def first_in_each(calls: Iterable[tuple[int, str]], others: list[int]) -> list[tuple[int, str]]:
    """Of calls (place, tool) the first of each tool between any two other steps: the ones after it change nothing.

    `others` are the places of the other steps, sorted.
    """
    first: dict[tuple[str, int], int] = {}
    for seq, tool in calls:
        place = (tool, bisect_right(others, seq))
        if seq < first.get(place, seq + 1):
            first[place] = seq
    return [(seq, tool) for (tool, _), seq in first.items()]
