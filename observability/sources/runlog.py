"""Our own run log as a source: its lines are events already."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final, get_args

import msgspec

from harness.errors import HarnessError
from harness.runlog import AnyEvent, RequestFinished
from observability.errors import BadLine
from observability.received import received
from observability.sources.base import Gathered, Place

SUFFIXES: Final = (".jsonl", ".ndjson")
MOST_LINES: Final = 50
"""Lines of the head that are looked at."""
BOM: Final = b"\xef\xbb\xbf"

_TYPES: Final = tuple(sorted(str(kind.__struct_config__.tag) for kind in get_args(AnyEvent)))
_type = re.compile(rb'"type"\s*:\s*"(?:' + b"|".join(re.escape(name.encode()) for name in _TYPES) + rb')"')
_keys = tuple(re.compile(rb'"' + name + rb'"\s*:') for name in (b"v", b"id"))


class _Envelope(msgspec.Struct):
    """What makes a line one of ours, whether or not the rest of it can be read."""

    v: int
    type: str
    id: str
    conversation: str
    run: str


_decode = msgspec.json.Decoder(_Envelope).decode


class RunLogReader:
    """Hands lines on. It has nothing to remember between them."""

    def __init__(self) -> None:
        self.found = Gathered()

    def feed(self, line: bytes, number: int) -> None:
        """Read one line. Raises BadLine that names the field at fault."""
        try:
            event = received(line.removeprefix(BOM))
        except HarnessError as error:
            raise BadLine(f"no event of the run log: {error}") from error
        self.found.request_lines += isinstance(event, RequestFinished)
        self.found.events.append(event)

    def state(self) -> bytes:
        """Nothing."""
        return b""


class RunLog:
    """Files of the run log, as `python -m harness run --log FILE` writes them."""

    name = "ccweb"
    title = "ccweb run log"

    def recognises(self, path: PurePath, head: bytes) -> bool:
        """A .jsonl or .ndjson file whose head holds a line with the envelope of an event."""
        if path.suffix not in SUFFIXES:
            return False
        lines = head.split(b"\n")[:MOST_LINES]
        return any(_is_event(line, whole=index < len(lines) - 1) for index, line in enumerate(lines))

    def side_files(self, path: PurePath) -> list[str]:
        """None."""
        return []

    def reader(self, place: Place, state: bytes) -> RunLogReader:
        """A reader for one file."""
        return RunLogReader()


def _is_event(line: bytes, *, whole: bool) -> bool:
    try:
        return _decode(line.removeprefix(BOM)).type in _TYPES
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # The head may cut a long line off: then the names in it have to do.
        return not whole and bool(_type.search(line)) and all(key.search(line) for key in _keys)
