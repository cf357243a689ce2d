"""What a log format has to offer: bytes in, run-log events out.

A source is pure: it reads no file, no clock and no database. One reader serves one file. It
is given the file's lines in order and keeps what it must remember between them in a small
state that can be saved, so that reading can go on where it stopped.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Protocol

from harness.runlog import AnyEvent


@dataclass(frozen=True)
class Place:
    """Where lines come from: the file's path and, beside it, the text of its side files (name → text)."""

    path: PurePath
    side_files: dict[str, str] = field(default_factory=dict)


@dataclass
class Gathered:
    """What a reader found since it was last emptied."""

    events: list[AnyEvent] = field(default_factory=list)
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(kind, name) → times seen; kind is "record", "attachment" or "key"."""
    flags: list[tuple[int, str]] = field(default_factory=list)
    """(line number, what was odd about a line that was read all the same)."""
    request_lines: int = 0
    """Lines that carry the usage of a request."""


class Reader(Protocol):
    """Reads one file of a format."""

    found: Gathered

    def feed(self, line: bytes, number: int) -> None:
        """Read one line. `number` counts from 1. Adds to `found`; raises BadLine where it cannot be read."""

    def state(self) -> bytes:
        """What a later reader of the same file needs to go on from here."""


class Source(Protocol):
    """A log format."""

    name: str
    """Short and stable: it is stored."""
    title: str
    """As shown to people."""

    def recognises(self, path: PurePath, head: bytes) -> bool:
        """Whether a file with this path and these first bytes is of this format."""

    def side_files(self, path: PurePath) -> list[str]:
        """Names of small files beside `path` that the reader wants to see."""

    def reader(self, place: Place, state: bytes) -> Reader:
        """A reader for a file; `state` is empty for a file that was never read."""
