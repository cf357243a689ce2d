"""Requests: fragments merged, the owner found, the chain walked, the sums kept in step."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from harness.runlog import Lifetime
from observability import models, pricing
from observability.enums import BreakReason, Evidence
from observability.services.store import breaks, bulk, request_rows, sightings
from observability.services.store.batch import Batch
from observability.services.store.heads import Known
from observability.services.store.merging import merge
from observability.services.store.request_rows import RequestRow
from observability.services.store.rollups import Difference


@dataclass
class Touched:
    """What storing requests changed beside them."""

    new: int = 0
    conversations: set[int] = field(default_factory=set)
    before: dict[int, RequestRow] = field(default_factory=dict)
    """Requests as they were, where they were stored before."""
    changed: dict[int, RequestRow] = field(default_factory=dict)
    """Those that are not as they were, or new."""
    sharing: set[int] = field(default_factory=set)
    """Runs that saw a request of the batch that another run saw too."""


@dataclass
class Setting:
    """What the walk and the sums need to know of a run."""

    conversation: int
    kind: str
    demo: bool
    rewrites: list[int]


def store(batch: Batch, known: Known) -> Touched:
    """Merge the batch's requests and walk the chains they stand in. The caller writes what changed."""
    if not batch.requests and not batch.rewrites:
        return Touched()
    stored = {row.id: row for chunk in bulk.chunks(batch.requests) for row in request_rows.load(id__in=chunk)}
    seen = sightings.store(batch, set(stored))
    rows = _merged(batch, stored, known, seen)
    first = _first_changes(batch, rows, stored)
    settings = _settings(set(first))
    before = dict(stored)
    changed = dict(rows)
    for run_id, seq in first.items():
        setting = settings[run_id]
        window = _Window(rows={})
        if run_id in known.runs or run_id not in known.all_runs:
            window = _window({"conversation": setting.conversation, "run": run_id}, seq, rows)
        _walk_run(run_id, setting, window, rows, before, changed)
    _keep_sums(changed, before, settings)
    owners = {row.conversation_id for row in (*rows.values(), *stored.values())}
    sharing = {sight.run_id for sights in seen.values() if len(sights) > 1 for sight in sights}
    return Touched(len(rows) - len(stored), owners, before, changed, sharing)


def _merged(
    batch: Batch, stored: dict[int, RequestRow], known: Known, seen: dict[int, list[sightings.Sight]]
) -> dict[int, RequestRow]:
    rows = {}
    for draft in batch.requests.values():
        owner = min(seen[draft.id], key=sightings.Sight.order)
        row = merge(draft, stored.get(draft.id))
        row.agent = known.agents.get(owner.conversation_id, row.agent)
        row.project_id, row.conversation_id, row.run_id = owner.project_id, owner.conversation_id, owner.run_id
        row.seq = owner.seq
        rows[row.id] = row
    return rows


def _first_changes(batch: Batch, rows: dict[int, RequestRow], stored: dict[int, RequestRow]) -> dict[int, int]:
    """Run → the `seq` from which on something changed."""
    first: dict[int, int] = {}
    for row in (*rows.values(), *stored.values()):
        first[row.run_id] = min(first.get(row.run_id, row.seq), row.seq)
    for (run_id, _), (_, rewrite) in batch.rewrites.items():
        first[run_id] = min(first.get(run_id, rewrite[2]), rewrite[2])
    return first


def _settings(run_ids: set[int]) -> dict[int, Setting]:
    rewrites: dict[int, list[int]] = defaultdict(list)
    for run_id, seq in models.Rewrite.objects.filter(run__in=run_ids).order_by("seq").values_list("run_id", "seq"):
        rewrites[run_id].append(seq)
    runs = models.Run.objects.filter(id__in=run_ids).values_list("id", "conversation_id", "kind", "conversation__demo")
    return {run_id: Setting(conversation, kind, demo, rewrites[run_id]) for run_id, conversation, kind, demo in runs}


@dataclass
class _Window:
    """The stored requests of a run from a point on, and what the walk has to know of those before."""

    rows: dict[int, RequestRow]
    before: breaks.Before = field(default_factory=breaks.Before)


def _window(mine: dict[str, int], seq: int, rows: dict[int, RequestRow]) -> _Window:
    stored = {row.id: row for row in request_rows.load(**mine, seq__gte=seq) if row.id not in rows}
    return _Window(stored, _before(mine, seq))


def _before(mine: dict[str, int], seq: int) -> breaks.Before:
    found = models.Request.objects.filter(**mine, seq__lt=seq).order_by("-seq", "-id")
    ordinal = found.values_list("ordinal", flat=True).first() or 0
    empty = {"uncached": 0, "read": 0, "write_5m": 0, "write_1h": 0, "write_other": 0}
    last = found.exclude(**empty).values_list("id", flat=True).first() if ordinal else None
    if last is None:
        return breaks.Before(ordinal=ordinal)
    link = request_rows.load(id=last)[0]
    return breaks.Before(ordinal=ordinal, chain=link.chain, link=link)


def _walk_run(
    run_id: int,
    setting: Setting,
    window: _Window,
    rows: dict[int, RequestRow],
    before: dict[int, RequestRow],
    changed: dict[int, RequestRow],
) -> None:
    """Place every request of a run in the window; add those that change to `changed`, as they were to `before`."""
    for row in window.rows.values():
        before[row.id] = replace(row)
    mine = [*window.rows.values(), *(row for row in rows.values() if row.run_id == run_id)]
    ordered = sorted(mine, key=lambda row: (row.seq, row.id))
    for row, place in zip(ordered, breaks.walk(ordered, setting.rewrites, window.before), strict=True):
        _put(row, place)
        if row != before.get(row.id):
            changed[row.id] = row


def _put(row: RequestRow, place: breaks.Place) -> None:
    row.ordinal, row.chain, row.cold = place.ordinal, place.chain, place.cold
    row.lost, row.rebuilt = place.lost, place.rebuilt
    _reason(row, place)
    row.rebuilt_pusd = None
    if place.rebuilt:
        lifetime: Lifetime = "1h" if row.write_1h > row.write_5m + row.write_other else "5m"
        row.rebuilt_pusd = pricing.rewrite_premium(
            row.model, row.provider, row.started_at, place.rebuilt, lifetime, prompt_tokens=row.buckets.prompt
        )


def _reason(row: RequestRow, place: breaks.Place) -> None:
    """A new break has no reason yet (`explaining` finds it once all is stored); one that was told stands till then."""
    if place.lost is None:
        row.break_reason = row.break_evidence = row.break_confidence = ""
        row.break_survived = row.break_subject = row.break_detail = ""
    elif not row.break_reason:
        row.break_reason, row.break_evidence = BreakReason.UNEXPLAINED.value, Evidence.NONE.value


def _keep_sums(changed: dict[int, RequestRow], before: dict[int, RequestRow], settings: dict[int, Setting]) -> None:
    difference = Difference()
    for row in changed.values():
        old = before.get(row.id)
        if old is not None:
            was = settings[old.run_id]
            difference.add(old, run_kind=was.kind, demo=was.demo, sign=-1)
        now = settings[row.run_id]
        difference.add(row, run_kind=now.kind, demo=now.demo)
    difference.write()
