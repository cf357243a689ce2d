"""Definitions of tools: one of a kind in a project, with the time it was first seen there."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Min

from observability.models import SurfaceEntry, ToolDefinition
from observability.services.store import bulk
from observability.services.store.batch import Batch
from observability.services.store.bulk import db_time
from observability.services.store.drafts import earliest

TABLE = bulk.Table(
    ToolDefinition,
    ("project_id", "hash", "name", "server", "chars", "first_at"),
    ("project_id", "hash"),
    replace=True,
)
Key = tuple[int, bytes]


def store(batch: Batch) -> None:
    """Store the batch's definitions; of those that are there already, the earlier time stands."""
    if not batch.definitions:
        return
    said: dict[Key, tuple[str, str, int, datetime | None]] = {}
    for draft in batch.definitions.values():
        key = (draft.conversation.project_id, draft.hash)
        _, server, _, first = said.get(key, ("", "", 0, draft.first))
        said[key] = (draft.name, max(server, draft.server), draft.chars, earliest(first, draft.first))
    held = _held(said)
    rows = []
    for key, (name, server, chars, first) in said.items():
        old_server, old_first = held.get(key, ("", None))
        now = (max(server, old_server), earliest(first, old_first))
        if key not in held or now != (old_server, old_first):
            rows.append((*key, name, now[0], chars, db_time(now[1])))
    bulk.write(TABLE, rows)


def _held(keys: Iterable[Key]) -> dict[Key, tuple[str, datetime | None]]:
    found: dict[Key, tuple[str, datetime | None]] = {}
    for chunk in bulk.chunks(keys):
        rows = ToolDefinition.objects.filter(hash__in=[hash_ for _, hash_ in chunk])
        for project, hash_, server, first in rows.values_list("project_id", "hash", "server", "first_at"):
            found[(project, bytes(hash_))] = (server, first)
    return found


def move(conversation: int, *, old: int, new: int) -> None:
    """After a conversation's surface moved: its definitions are in the new project, and in the old one if still used."""
    mine = SurfaceEntry.objects.filter(conversation=conversation, definition__isnull=False)
    hashes = [bytes(hash_) for hash_ in mine.values_list("definition", flat=True).distinct() if hash_]
    for chunk in bulk.chunks(hashes):
        known = {bytes(row.hash): row for row in ToolDefinition.objects.filter(project=old, hash__in=chunk)}
        first = _first(new, chunk)
        rows = [
            (new, hash_, row.name, row.server, row.chars, db_time(first.get(hash_))) for hash_, row in known.items()
        ]
        bulk.write(TABLE, rows)
        still = _first(old, chunk)
        gone = [row.id for hash_, row in known.items() if hash_ not in still]
        ToolDefinition.objects.filter(id__in=gone).delete()
        for hash_, at in still.items():
            ToolDefinition.objects.filter(project=old, hash=hash_).update(first_at=at)


def _first(project: int, hashes: list[bytes]) -> dict[bytes, datetime | None]:
    rows = SurfaceEntry.objects.filter(project=project, definition__in=hashes).values_list("definition")
    return {bytes(hash_): at for hash_, at in rows.annotate(at=Min("at")) if hash_}
