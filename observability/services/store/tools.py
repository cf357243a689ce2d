"""Outcomes of searches and activations, derived from a run's surface, searches and calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from django.db.models import Min, QuerySet

from observability import models
from observability.services.store import bulk, loading_calls
from observability.services.store.batch import Batch, telling
from observability.services.store.bulk import db_time
from observability.services.store.tool_replay import (
    CallStep,
    Loaded,
    LoadStep,
    Replay,
    RewriteStep,
    SearchStep,
    Step,
    SurfaceStep,
    replay,
)

if TYPE_CHECKING:
    from observability.services.store.writing import Written

ACTIVATIONS = bulk.Table(
    models.Activation,
    (*("project_id", "conversation_id", "run_id", "tool", "trigger", "search_key", "at", "seq", "derived"),),
    ("run_id", "tool", "seq"),
)
TOLD = replace(ACTIVATIONS, replace=True)
"""What the log tells stands over what was derived."""


def store_told(batch: Batch, old_runs: set[int]) -> None:
    """Store the loadings that the log tells of: one that was stored already stands at its earlier place."""
    told = dict(batch.activations)
    held = models.Activation.objects.filter(run__in={place[0] for place in told} & old_runs, derived=False)
    later = []
    for row in held:
        place = (row.run_id, row.tool, str(row.at or row.seq))
        if place not in told:
            continue
        if telling(told[place][1]) < (row.seq, row.trigger, row.search_key or 0):
            later.append(row.id)
        else:
            del told[place]
    models.Activation.objects.filter(id__in=later).delete()
    rows = [(run.conversation.project_id, run.conversation.id, run.id, *row) for run, row in told.values()]
    bulk.write(TOLD, rows)


def derive(batch: Batch, written: Written) -> None:
    """Derive anew for every run of the batch whose tools may have changed."""
    runs = {run for run, _ in (*batch.surface, *batch.searches)} | {place[0] for place in batch.activations}
    runs |= {draft.id for draft in batch.runs.values() if draft.reports_activations}
    runs |= {run for run, _ in batch.rewrites}
    runs |= loading_calls.unsettled(batch, {run for run, _ in batch.calls} - runs)
    facts = _facts(runs)
    for run in models.Run.objects.filter(id__in=[run for run in runs if facts[run].any()]):
        _derive_run(run, facts[run.id], batch, written)


@dataclass
class Facts:
    """What is stored of a run's tools."""

    surface: list[SurfaceStep] = field(default_factory=list)
    rewrites: list[RewriteStep] = field(default_factory=list)
    searches: dict[int, models.Search] = field(default_factory=dict)
    told: list[LoadStep] = field(default_factory=list)
    derived: list[models.Activation] = field(default_factory=list)

    def any(self) -> bool:
        """Whether anything can follow from it: rewrites alone load nothing that was not known, unless they name it."""
        kept = any(rewrite.kept for rewrite in self.rewrites)
        return bool(self.surface or self.searches or self.told or self.derived or kept)


def _facts(runs: set[int]) -> dict[int, Facts]:
    """The facts of runs, read together: most batches tell of many runs."""
    facts: dict[int, Facts] = {run: Facts() for run in runs}
    for chunk in bulk.chunks(runs):
        for run, seq, tool, state in _of(models.SurfaceEntry, chunk).values_list("run_id", "seq", "tool", "state"):
            facts[run].surface.append(SurfaceStep(seq, tool, state))
        for run, seq, kept, at in _of(models.Rewrite, chunk).values_list("run_id", "seq", "kept_tools", "at"):
            facts[run].rewrites.append(RewriteStep(seq, None if kept is None else tuple(kept), at))
        for search in models.Search.objects.filter(run__in=chunk):
            facts[search.run_id].searches[search.call_key] = search
        for loaded in models.Activation.objects.filter(run__in=chunk):
            if loaded.derived:
                facts[loaded.run_id].derived.append(loaded)
            else:
                facts[loaded.run_id].told.append(LoadStep(loaded.seq, loaded.tool))
    return facts


def _of(model: Any, runs: list[int]) -> QuerySet[Any]:
    return model.objects.filter(run__in=runs)  # type: ignore[no-any-return]


def _derive_run(run: models.Run, facts: Facts, batch: Batch, written: Written) -> None:
    deferred = {step.tool for step in facts.surface if step.state == "deferred"}
    others: list[Step] = [*facts.surface, *_search_steps(run, facts.searches), *facts.rewrites, *facts.told]
    result = replay([*others, *_call_steps(run, deferred, sorted({step.seq for step in others}))])
    _store_outcomes(facts.searches, result, batch, run, written)
    _store_activations(run, facts.derived, Replay() if run.reports_activations else result, batch)


def _search_steps(run: models.Run, searches: dict[int, models.Search]) -> Iterator[SearchStep]:
    """A search without a result whose call failed ended in an error: the two may stand in separate files."""
    unanswered = [key for key, search in searches.items() if search.matches is None and not search.error]
    failed = models.ToolCall.objects.filter(run=run, call_key__in=unanswered, ok=False)
    errors = dict(failed.values_list("call_key", "error")) if unanswered else {}
    for key, search in searches.items():
        found = None if search.matches is None else tuple(match["tool"] for match in search.matches)
        error = search.error or (errors[key] or "error" if key in errors else "")
        yield SearchStep(search.seq, key, search.query, search.form, found, error, search.at)


def _call_steps(run: models.Run, deferred: set[str], others: list[int]) -> Iterator[CallStep]:
    if deferred:
        calls = models.ToolCall.objects.filter(run=run, conversation=run.conversation_id, tool__in=deferred, ok=True)
        for seq, tool in loading_calls.first_in_each(calls.values_list("seq", "tool").iterator(), others):
            yield CallStep(seq, tool)


def _store_outcomes(
    searches: dict[int, models.Search], result: Replay, batch: Batch, run: models.Run, written: Written
) -> None:
    for key, search in searches.items():
        outcome, missing = result.outcomes[key]
        if (search.outcome, search.missing) != (outcome, missing):
            search.outcome, search.missing = outcome, missing
            search.save(update_fields=["outcome", "missing"])
        if (run.id, key) in batch.new_searches:
            written.searches += 1


def _store_activations(run: models.Run, derived: list[models.Activation], result: Replay, batch: Batch) -> None:
    wanted = {(loaded.tool, loaded.seq): loaded for loaded in _timed(run, result.loaded)}
    held = {(a.tool, a.seq): a for a in derived}
    gone = [a.id for place, a in held.items() if place not in wanted or _differs(a, wanted[place])]
    new = [loaded for place, loaded in wanted.items() if place not in held or _differs(held[place], loaded)]
    places = [a.seq for a in derived if a.id in gone] + [n.seq for n in new]
    if places:
        batch.loads_from[run.id] = min(places)
    if gone:
        models.Activation.objects.filter(id__in=gone).delete()
    links = (run.project_id, run.conversation_id, run.id)
    bulk.write(ACTIVATIONS, [(*links, n.tool, n.trigger, n.search_key, db_time(n.at), n.seq, True) for n in new])


def _timed(run: models.Run, loaded: list[Loaded]) -> list[Loaded]:
    """Direct calls with their time: there are few that load, and many calls."""
    direct = {one.seq for one in loaded if one.trigger == "direct_call"}
    if not direct:
        return loaded
    calls = models.ToolCall.objects.filter(run=run, conversation=run.conversation_id, ok=True, seq__in=direct)
    at = {(tool, seq): first for tool, seq, first in calls.values_list("tool", "seq").annotate(first=Min("at"))}
    return [replace(one, at=at.get((one.tool, one.seq))) if one.trigger == "direct_call" else one for one in loaded]


def _differs(held: models.Activation, loaded: Loaded) -> bool:
    return (held.trigger, held.search_key, held.at) != (loaded.trigger, loaded.search_key, loaded.at)
