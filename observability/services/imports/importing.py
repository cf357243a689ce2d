"""An import: files found, read in parts, each part stored with the file's new place in one transaction."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from observability import identity
from observability.enums import FileState
from observability.models import ImportedFile
from observability.services.imports import discovery, ledger
from observability.services.imports.discovery import Found
from observability.services.imports.reading import FileReading, Progress
from observability.services.store import bulk
from observability.services.store.batch import Batch
from observability.services.store.writing import write, writer
from observability.sources.base import Source
from observability.sources.registry import SOURCES, recognise

PART_BYTES = 8 * 1024 * 1024
"""A part is stored at this size …"""
PART_SECONDS = 2.0
"""… or after this time, so that a page shows it soon."""
SNIFF = 64 * 1024
UNKNOWN_FORMAT = "not a log format that is known here"

Tell = Callable[[int], None]


@dataclass
class Counts:
    """What an import found that was new."""

    files: int = 0
    bytes: int = 0
    lines: int = 0
    requests: int = 0
    duplicate_lines: int = 0
    searches: int = 0
    search_misses: int = 0
    activations: int = 0
    quarantined: int = 0
    flagged: int = 0
    unknown_records: int = 0
    unreadable: int = 0
    unrecognised: int = 0
    seconds: float = 0.0
    seen: set[int] = field(default_factory=set)
    """Files that brought a line, by id: a large one comes in many parts."""

    def as_json(self) -> dict[str, int | float]:
        """The counts alone."""
        return {name: value for name, value in vars(self).items() if name != "seen"}


def import_paths(paths: Iterable[str | Path], *, tell: Tell | None = None) -> dict[str, int | float]:
    """Import files and folders; give what was new. `tell` is called with the bytes of each part read."""
    return refresh(discovery.find(paths), tell=tell).as_json()


def refresh(found: list[Found], *, tell: Tell | None = None) -> Counts:
    """Import what is new in files; those that did not change since are passed over by their size and time."""
    began = time.perf_counter()
    pending = Pending(tell)
    with _collector_at_parts():
        for file, row in _changed(found):
            _import_file(file, row, pending)
        pending.store()
    pending.counts.files = len(pending.counts.seen)
    pending.counts.seconds = round(time.perf_counter() - began, 3)
    return pending.counts


@contextmanager
def _collector_at_parts() -> Iterator[None]:
    """Hold the garbage collector back: a part makes many objects and hardly a cycle. `store` collects after each part."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _changed(found: list[Found]) -> Iterator[tuple[Found, ImportedFile]]:
    for chunk in bulk.chunks(found, 500):
        rows = ImportedFile.objects.in_bulk([identity.file_id(file.path) for file in chunk])
        for file in chunk:
            row = rows.get(identity.file_id(file.path))
            if row is None:
                yield file, ImportedFile(id=identity.file_id(file.path), path=file.path)
            elif _differs(row, file):
                yield file, row


def _differs(row: ImportedFile, file: Found) -> bool:
    if file.error:
        return row.error != file.error
    changed = (row.size, row.mtime_ns, row.inode) != (file.size, file.mtime_ns, file.inode)
    return changed or row.error not in ("", UNKNOWN_FORMAT)


def _import_file(file: Found, row: ImportedFile, pending: Pending) -> None:
    if file.error:
        pending.unreadable(file, row, file.error)
        return
    try:
        source = _source(file, row)
        if source is None:
            pending.unrecognised(file, row)
            return
        with FileReading(row, file, source) as reading:
            for progress in reading.parts(PART_BYTES):
                pending.add(progress, source)
    except OSError as error:
        pending.unreadable(file, row, discovery.reason(error))


def _source(file: Found, row: ImportedFile) -> Source | None:
    if row.source in SOURCES:
        return SOURCES[row.source]
    with open(file.path, "rb") as opened:
        return recognise(PurePath(file.path), opened.read(SNIFF))


class Pending:
    """Parts of files that were read and not yet stored: small files share a transaction."""

    def __init__(self, tell: Tell | None) -> None:
        self.counts = Counts()
        self.tell = tell
        self.parts: list[tuple[Progress, Source]] = []
        self.bytes = 0
        self.since = time.monotonic()

    def add(self, progress: Progress, source: Source) -> None:
        """Take a part; store when enough is at hand."""
        progress.row.source = source.name
        self.parts.append((progress, source))
        self.bytes += progress.bytes
        if self.tell:
            self.tell(progress.bytes)
        if self.bytes >= PART_BYTES or time.monotonic() - self.since > PART_SECONDS or len(self.parts) >= 200:
            self.store()

    def unreadable(self, file: Found, row: ImportedFile, error: str) -> None:
        """Note a file or folder that cannot be read."""
        self.counts.unreadable += 1
        self.store()  # what was read of it before stands
        gone = error.startswith("no such file") and row.offset > 0
        ledger.note(file, row, FileState.GONE if gone else FileState.UNREADABLE, error)

    def unrecognised(self, file: Found, row: ImportedFile) -> None:
        """Note a file of no known format. An empty one may become anything: it is looked at again."""
        if file.size:
            self.counts.unrecognised += 1
            ledger.note(file, row, FileState.UNREADABLE, UNKNOWN_FORMAT)

    def store(self) -> None:
        """Store what is at hand, in one transaction."""
        if self.parts:
            parts, self.parts = self.parts, []
            self._store(parts)
            parts.clear()  # what is done with need not be walked by the collector
            gc.collect(1)
        self.bytes, self.since = 0, time.monotonic()

    def _store(self, parts: list[tuple[Progress, Source]]) -> None:
        with writer():
            for source, mine in _by_source(parts).items():
                batch = Batch(source)
                for progress in mine:
                    batch.add_all(progress.events, origin=progress.row.id)
                written = write(batch)
                self._count(mine, written)
                ledger.flag_repeats(mine, written.repeats)
            ledger.advance([progress for progress, _ in parts], self.counts)

    def _count(self, parts: list[Progress], written: ledger.Written) -> None:
        counts = self.counts
        counts.requests += written.requests
        counts.duplicate_lines += written.duplicates
        counts.searches += written.searches
        counts.search_misses += written.search_misses
        counts.activations += written.activations
        if written.duplicates and len({part.row.id for part in parts}) == 1:
            parts[0].row.duplicate_lines += written.duplicates


def _by_source(parts: list[tuple[Progress, Source]]) -> dict[str, list[Progress]]:
    grouped: dict[str, list[Progress]] = {}
    for progress, source in parts:
        grouped.setdefault(source.name, []).append(progress)
    return grouped
