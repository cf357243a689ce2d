"""Reads one file for an import: its lines go through the source's reader, odd ones into quarantine."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath
from typing import BinaryIO

from django.conf import settings

from harness.runlog import AnyEvent
from observability import identity
from observability.errors import BadLine
from observability.models import ImportedFile
from observability.services.imports import lines
from observability.services.imports.discovery import Found
from observability.services.store import cleaning
from observability.services.store.drafts import earliest, latest
from observability.sources.base import Place, Reader, Source

logger = logging.getLogger(__name__)
PREVIEW = 160
CLOCKS_DIFFER = timedelta(hours=26)
"""A time further ahead than that is in no time zone."""
SIDE_FILE_MOST = 64 * 1024
FOREIGN = (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError, OverflowError)
"""What a record of a shape that nobody foresaw can raise in a reader. The line is set aside, by name."""


@dataclass(frozen=True, slots=True)
class Odd:
    """A line that was set aside, or read with a flag."""

    line: int
    offset: int
    reason: str
    preview: str
    kept: bool


@dataclass
class Progress:
    """What one file brought since it was last stored."""

    row: ImportedFile
    found: Found
    events: list[AnyEvent] = field(default_factory=list)
    odd: list[Odd] = field(default_factory=list)
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)
    first_at: datetime | None = None
    last_at: datetime | None = None
    lines: int = 0
    bytes: int = 0
    start: int = 0
    """The offset from which this part was read."""
    restarted: bool = False


class FileReading:
    """One file that is being read. Use as a context manager; iterate `parts()`."""

    def __init__(self, row: ImportedFile, found: Found, source: Source) -> None:
        self.row, self.found = row, found
        self.soon = now() + CLOCKS_DIFFER
        self.file: BinaryIO = open(found.path, "rb")  # noqa: SIM115 - closed by __exit__
        self.progress = Progress(row, found, start=row.offset)
        self.progress.restarted = self._restart_if_replaced()
        self.reader: Reader = source.reader(_place(source, found.path), bytes(row.reader_state))

    def __enter__(self) -> FileReading:
        return self

    def __exit__(self, *exc: object) -> None:
        self.file.close()

    def _restart_if_replaced(self) -> bool:
        row = self.row
        if not row.offset:
            return False
        same = self.found.size >= row.offset
        if same and lines.fingerprints(self.file, row.offset) == (bytes(row.head), bytes(row.tail)):
            return False
        row.offset = row.lines = row.request_lines = row.duplicate_lines = 0
        row.reader_state, row.first_at, row.last_at = b"", None, None
        return True

    def parts(self, part_bytes: int) -> Iterator[Progress]:
        """What was read, in parts of about so many bytes; the last one stands at the end of the file."""
        for line in lines.read(self.file, self.row.offset):
            if not self._line(line):
                break
            self.row.offset = line.end
            if self.progress.bytes >= part_bytes:
                yield self._part()
        yield self._part()

    def _part(self) -> Progress:
        done, row = self.progress, self.row
        position = self.file.tell()
        row.head, row.tail = lines.fingerprints(self.file, row.offset)
        self.file.seek(position)
        row.reader_state = self.reader.state()
        row.first_at, row.last_at = earliest(row.first_at, done.first_at), latest(row.last_at, done.last_at)
        if done.events:
            row.conversation_id = identity.conversation_id(cleaning.name(done.events[-1].conversation))
        self.progress = Progress(row, self.found, start=row.offset)
        return done

    def _line(self, line: lines.Line) -> bool:
        """Read a line. False where it is the beginning of one that is still being written."""
        number = self.row.lines + 1
        data = line.data
        if data is None:
            self._aside(line, number, f"line of {line.end - line.start:,} bytes; at most {lines.LONGEST:,} are read")
        elif data.strip():
            try:
                self._feed(data, number)
            except BadLine as error:
                if not line.ended:
                    return False
                self._aside(line, number, str(error))
        elif not line.ended:
            return False
        self.row.lines = number
        self.progress.lines += 1
        self.progress.bytes += line.end - line.start
        return True

    def _feed(self, data: bytes, number: int) -> None:
        found = self.reader.found
        had = len(found.events)
        try:
            self.reader.feed(data, number)
        except BadLine:
            del found.events[had:]
            raise
        except FOREIGN as error:
            del found.events[had:]
            logger.warning("%s:%d has a shape that the reader does not know: %r", self.found.path, number, error)
            raise BadLine(f"a shape that the reader does not know: {type(error).__name__}: {error}") from error
        self._collect(data, number)

    def _collect(self, data: bytes, number: int) -> None:
        found, done = self.reader.found, self.progress
        if found.events and (at := found.events[0].at) is not None:
            done.first_at, done.last_at = earliest(done.first_at, at), latest(done.last_at, at)
            if at > self.soon:
                said = f"timestamp lies in the future: {at:%Y-%m-%d %H:%M} UTC"
                done.odd.append(Odd(number, self.row.offset, said, _preview(data), kept=True))
        done.events += found.events
        if found.unknown:
            done.unknown += found.unknown
        done.odd += [Odd(at, self.row.offset, said, _preview(data), kept=True) for at, said in found.flags]
        self.row.request_lines += found.request_lines
        found.events.clear()
        found.unknown.clear()
        found.flags.clear()
        found.request_lines = 0

    def _aside(self, line: lines.Line, number: int, reason: str) -> None:
        preview = _preview(line.data or b"")
        self.progress.odd.append(Odd(number, line.start, cleaning.text(reason, 500), preview, kept=False))


def _preview(data: bytes) -> str:
    if settings.STORE_TEXT == "none":
        return ""
    return cleaning.text(data[: PREVIEW * 2].decode("utf-8", "replace").strip(), PREVIEW)


def _place(source: Source, path: str) -> Place:
    place = Path(path)
    texts = {}
    for name in source.side_files(PurePath(path)):
        side = place.parent / PurePath(name).name
        try:
            if side.is_file() and side.stat().st_size <= SIDE_FILE_MOST:
                texts[name] = side.read_text("utf-8", "replace")
        except OSError as error:
            logger.info("%s cannot be read: %s", side, error)
    return Place(PurePath(path), texts)


def now() -> datetime:
    """The present, in UTC."""
    return datetime.now(UTC)
