"""How far each file was read, which lines were set aside, what was not understood."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

from observability.enums import FileState
from observability.models import Conversation, ImportedFile, QuarantinedLine, UnknownRecord
from observability.services.imports.discovery import Found
from observability.services.imports.reading import Odd, Progress, now
from observability.services.store import bulk, cleaning
from observability.services.store.batch import SEQ_BITS, NewItem
from observability.services.store.writing import Written

if TYPE_CHECKING:
    from observability.services.imports.importing import Counts

__all__ = ["Written", "advance", "note"]
UNKNOWN = bulk.Table(
    UnknownRecord,
    ("file_id", "source", "kind", "name", "seen", "first_at", "last_at"),
    ("file_id", "kind", "name"),
    replace=True,
)
FILES = bulk.Table(ImportedFile, tuple(f.attname for f in ImportedFile._meta.concrete_fields), ("id",), replace=True)


def advance(parts: list[Progress], counts: Counts) -> None:
    """Store the new place of files, with what was odd in them. Call in the transaction that stores their events.

    A file that another import moved on meanwhile is left as that one left it: the events are
    the same, and counting its lines again would be wrong.
    """
    latest: dict[int, Progress] = {}
    others = _moved_by_others(parts)
    for part in parts:
        if part.row.id in others:
            continue
        if part.restarted:
            QuarantinedLine.objects.filter(file=part.row.id).delete()
            UnknownRecord.objects.filter(file=part.row.id).delete()
        _set_aside(part)
        _not_understood(part)
        counts.lines += part.lines
        if part.lines:
            counts.seen.add(part.row.id)
        counts.bytes += part.bytes
        counts.quarantined += sum(not odd.kept for odd in part.odd)
        counts.flagged += sum(odd.kept for odd in part.odd)
        counts.unknown_records += sum(part.unknown.values())
        latest[part.row.id] = part
    _move_on(list(latest.values()))


def flag_repeats(parts: list[Progress], repeats: list[NewItem]) -> None:
    """Note ids that were used again for other content, where they stand."""
    by_file = {part.row.id: part for part in parts}
    for item in repeats:
        if item.file in by_file:
            said = f"an id that was used before for other content: {item.event.rpartition(':')[2]}"
            line = item.seq & ((1 << SEQ_BITS) - 1)
            by_file[item.file].odd.append(Odd(line, 0, said, "", kept=True))


def _moved_by_others(parts: list[Progress]) -> set[int]:
    starts: dict[int, int] = {}
    for part in parts:
        starts.setdefault(part.row.id, part.start)
    stored = ImportedFile.objects.filter(id__in=starts).values_list("id", "offset")
    return {file for file, offset in stored if offset != starts[file]}


def _move_on(parts: list[Progress]) -> None:
    projects = dict(
        Conversation.objects.filter(id__in={p.row.conversation_id for p in parts}).values_list("id", "project_id")
    )
    for part in parts:
        row, found = part.row, part.found
        row.size, row.mtime_ns, row.inode = found.size, found.mtime_ns, found.inode
        row.state = FileState.READ if row.offset >= found.size else FileState.READING
        row.error, row.read_at = "", now()
        row.project_id = projects.get(row.conversation_id or 0)
    bulk.write(FILES, [_file_row(part.row) for part in parts])


def _file_row(row: ImportedFile) -> bulk.Row:
    return tuple(
        bulk.db_time(value) if isinstance(value, datetime) else value
        for value in (getattr(row, name) for name in FILES.columns)
    )


def _set_aside(part: Progress) -> None:
    if not part.odd:
        return
    QuarantinedLine.objects.bulk_create(
        [
            QuarantinedLine(
                file_id=part.row.id,
                line=odd.line,
                offset=odd.offset,
                reason=cleaning.text(odd.reason, 500),
                preview=odd.preview,
                kept=odd.kept,
                at=now(),
            )
            for odd in part.odd
        ],
        ignore_conflicts=True,
    )


def _not_understood(part: Progress) -> None:
    if not part.unknown:
        return
    seen: Counter[tuple[str, str]] = Counter()
    for (kind, name), times in part.unknown.items():
        seen[(kind, cleaning.name(name))] += times
    held = {(row.kind, row.name): row for row in UnknownRecord.objects.filter(file=part.row.id)}
    rows = []
    for (kind, name), times in seen.items():
        old = held.get((kind, name))
        first, last = (part.first_at, None) if old is None else (old.first_at, old.last_at)
        times += 0 if old is None else old.seen
        at = (bulk.db_time(first), bulk.db_time(part.last_at or last))
        rows.append((part.row.id, part.row.source, kind, name, times, *at))
    bulk.write(UNKNOWN, rows)


def note(file: Found, row: ImportedFile, state: FileState, error: str) -> None:
    """Store that a file cannot be read, and why. How far it was read stays as it is stored."""
    said = {"state": state, "error": cleaning.text(error, 300), "read_at": now()}
    said |= {"size": file.size, "mtime_ns": file.mtime_ns, "inode": file.inode}
    ImportedFile.objects.update_or_create(id=row.id, defaults=said, create_defaults={**said, "path": row.path})
