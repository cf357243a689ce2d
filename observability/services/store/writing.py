"""A batch into the database, within the caller's transaction."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import connection, transaction

from observability import models
from observability.enums import SearchOutcome
from observability.services.store import (
    bulk,
    calls,
    definitions,
    explaining,
    heads,
    request_rows,
    requests,
    summaries,
    surface_uses,
    texts,
    tool_uses,
    tools,
)
from observability.services.store.batch import Batch, ItemPlace, NewItem
from observability.services.store.bulk import Row
from observability.services.store.drafts import RunDraft

WRITER_LOCK = 0x63637765
"""PostgreSQL's advisory lock of the one writer."""

STATE = bulk.Table(models.StoreState, ("id", "written"), ("id",), replace=True)
LINKS = ("project_id", "conversation_id", "run_id")
EARLIEST = ("seq", "at")
"""Of two rows of one name, which differ in nothing else, the first stays."""
ITEMS = bulk.Table(
    models.ContextItem,
    (
        *LINKS,
        *("key", "variant", "at", "seq", "idx", "kind", "label", "owner", "text_hash", "chars", "hidden_chars"),
        *("media_bytes", "tokens", "call", "request_id", "replacing"),
    ),
    ("run_id", "key", "variant"),
    replace=True,
)
SURFACE = bulk.Table(
    models.SurfaceEntry,
    (*LINKS, "key", "at", "seq", "tool", "state", "definition", "group", "server", "reason", "listing"),
    ("run_id", "key"),
    earliest=EARLIEST,
)
REWRITES = bulk.Table(
    models.Rewrite,
    (*LINKS, "key", "at", "seq", "kind", "trigger", "tokens_before", "tokens_after", "kept_tools"),
    ("run_id", "key"),
    earliest=EARLIEST,
)
SERVERS = bulk.Table(
    models.ServerReport,
    (*LINKS, "key", "at", "seq", "server", "state", "code", "error"),
    ("run_id", "key"),
    earliest=EARLIEST,
)


@dataclass
class Written:
    """What a batch brought that was not there before."""

    requests: int = 0
    items: int = 0
    duplicates: int = 0
    searches: int = 0
    search_misses: int = 0
    activations: int = 0
    repeats: list[NewItem] = field(default_factory=list)
    """Items whose id was used before for other content: both are kept."""


@contextmanager
def writer() -> Iterator[None]:
    """A transaction of the one writer. What is in it is on disk when it ends, or not at all."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [WRITER_LOCK])
        bulk.write(STATE, [(models.StoreState.THE_ONE, secrets.randbits(62))])
        yield


def write(batch: Batch) -> Written:
    """Store a batch and bring all figures that follow from it up to date. Call within `writer()`."""
    written = Written()
    if not batch.runs:
        return written
    known = heads.store(batch)
    activations, misses = _told_of(known.runs)
    texts.store(batch.texts)
    definitions.store(batch)
    _store_items(batch, known.runs, written)
    for table, rows in (
        (SURFACE, batch.surface),
        (REWRITES, batch.rewrites),
        (SERVERS, batch.servers),
    ):
        bulk.write(table, [_linked(run, row) for run, row in rows.values()])
    tools.store_told(batch, known.runs)
    calls.store_calls(batch, known.runs)
    calls.store_searches(batch, known.runs)
    touched = requests.store(batch, known)
    written.requests = touched.new
    tools.derive(batch, written)
    surface_uses.keep(batch, known, touched)
    request_rows.write(touched.changed.values())
    explaining.explain(batch, known, touched)
    tool_uses.keep(batch, known, touched)
    now = _told_of(known.all_runs)
    written.activations, written.search_misses = now[0] - activations, now[1] - misses
    summaries.refresh(known.conversations | touched.conversations)
    return written


def _told_of(runs: set[int]) -> tuple[int, int]:
    """How many loadings and failed searches are stored of runs."""
    if not runs:
        return 0, 0
    misses = models.Search.objects.filter(run__in=runs, outcome=SearchOutcome.MISS)
    return models.Activation.objects.filter(run__in=runs).count(), misses.count()


def _linked(run: RunDraft, row: Row) -> Row:
    return (run.conversation.project_id, run.conversation.id, run.id, *row)


def _store_items(batch: Batch, old_runs: set[int], written: Written) -> None:
    held = _held_items(batch, old_runs)
    rows = [
        _linked(item.run, item.row)
        for place, item in batch.items.items()
        if place not in held or item.seq < held[place]
    ]
    bulk.write(ITEMS, rows)
    written.items = len(batch.items) - len(held)
    written.repeats = batch.repeats
    written.duplicates = batch.again + sum(1 for place in batch.item_lines if place in held)


def _held_items(batch: Batch, old_runs: set[int]) -> dict[ItemPlace, int]:
    """Of the batch's items those that are stored already, with their place in the order."""
    held: dict[ItemPlace, int] = {}
    stored: dict[tuple[int, int], int] = {}
    keys = list(dict.fromkeys(place[:2] for place in batch.items if place[0] in old_runs))
    for chunk in bulk.chunks(keys):
        found = models.ContextItem.objects.filter(run__in={run for run, _ in chunk}, key__in=[key for _, key in chunk])
        for run, key, variant, seq in found.values_list("run_id", "key", "variant", "seq"):
            stored[(run, key)] = variant
            if (run, key, variant) in batch.items:
                held[(run, key, variant)] = seq
    _note_repeats(batch, stored, held)
    return held


def _note_repeats(batch: Batch, stored: dict[tuple[int, int], int], held: dict[ItemPlace, int]) -> None:
    batch.repeats += [item for place, item in batch.items.items() if place[:2] in stored and place not in held]
