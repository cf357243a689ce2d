"""The log format as a source."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any, Final

from observability.errors import BadLine
from observability.sources.base import Place
from observability.sources.claude_code import decoding, known, side
from observability.sources.claude_code.reader import ClaudeCodeReader

MOST_LINES: Final = 50
"""Lines of the head that are looked at."""
_KINDS: Final = frozenset(known.TOP) | known.RECORDS_WITHOUT_KEYS
_OWN_KEYS: Final = ("sessionId", "parentUuid", "leafUuid", "isSnapshotUpdate", "isSidechain")
_own_type = re.compile(rb'"type"\s*:\s*"(?:' + "|".join(sorted(_KINDS)).encode() + rb')"')
_own_key = re.compile(rb'"(?:' + "|".join(_OWN_KEYS).encode() + rb')"\s*:')


class ClaudeCode:
    """Session transcripts of Claude Code."""

    name = "claude_code"
    title = "Claude Code"

    def recognises(self, path: PurePath, head: bytes) -> bool:
        """A .jsonl file in the client's own folder, or one that holds a record of its shape."""
        if path.suffix != ".jsonl":
            return False
        if _in_own_folder(path):
            return True
        lines = head.split(b"\n")[:MOST_LINES]
        return any(_is_own(line, whole=index < len(lines) - 1) for index, line in enumerate(lines))

    def side_files(self, path: PurePath) -> list[str]:
        """A sub-agent's transcript has a small file that describes it."""
        name = side.name_for(path)
        return [name] if name else []

    def reader(self, place: Place, state: bytes) -> ClaudeCodeReader:
        """A reader for one file."""
        return ClaudeCodeReader(place, state)


def _in_own_folder(path: PurePath) -> bool:
    parts = path.parts
    return any(parts[i : i + 2] == (".claude", "projects") for i in range(len(parts) - 1))


def _is_own(line: bytes, *, whole: bool) -> bool:
    try:
        record, _odd = decoding.decode(line)
    except (BadLine, RecursionError):
        return not whole and _looks_own(line)
    return _has_own_shape(record)


def _has_own_shape(record: dict[str, Any]) -> bool:
    """Qwen Code writes records of a like envelope, but its messages have parts."""
    message = record.get("message")
    if isinstance(message, dict) and "parts" in message:
        return False
    kind = record.get("type")
    return isinstance(kind, str) and kind in _KINDS and any(key in record for key in _OWN_KEYS)


def _looks_own(line: bytes) -> bool:
    """A line that the head cuts off: by the names in it."""
    return bool(_own_type.search(line) and _own_key.search(line)) and b'"parts"' not in line
