"""From the bytes of one line to its object and its time."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from observability.errors import BadLine

BOM: Final = b"\xef\xbb\xbf"
LATEST_MS: Final = 4_102_444_800_000
"""The year 2100: later times are no times of a log (and would not fit into `seq`)."""

SURROGATES_REPLACED: Final = "held half of a surrogate pair; it was replaced by U+FFFD"
NO_OFFSET: Final = "timestamp has no offset from UTC; it was read as UTC"

_decode = msgspec.json.Decoder().decode
_escaped_surrogate = re.compile(rb"\\u[dD][89abABcCdDeEfF]")
_lone_surrogate = re.compile("[\ud800-\udfff]")


def decode(line: bytes) -> tuple[dict[str, Any], str | None]:
    """The object of a line, and what was odd about it. Raises BadLine."""
    odd = None
    try:
        record = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        record, odd = _decode_again(line, error)
    if record.__class__ is not dict:
        raise BadLine("not an object: the line is other JSON")
    return record, odd


def _decode_again(line: bytes, error: Exception) -> tuple[Any, str | None]:
    """Two things that other writers let through: a byte order mark and lone surrogates."""
    if line.startswith(BOM):
        return decode(line[len(BOM) :])
    if _escaped_surrogate.search(line) is None:
        raise BadLine(f"not JSON: {error}") from error
    try:
        loose = json.dumps(json.loads(line), ensure_ascii=False, allow_nan=False)
        return _decode(_lone_surrogate.sub("\ufffd", loose)), SURROGATES_REPLACED
    except ValueError as second:
        raise BadLine(f"not JSON: {second}") from second


def moment(text: str) -> tuple[datetime, int, str | None]:
    """A timestamp in UTC, in milliseconds since 1970, and what was odd about it. Raises BadLine."""
    try:
        at = datetime.fromisoformat(text)
        odd = None
        if at.tzinfo is None:
            at, odd = at.replace(tzinfo=UTC), NO_OFFSET
        elif at.tzinfo is not UTC:
            at = at.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadLine(f"timestamp cannot be read: {text[:40]!r}") from error
    ms = round(at.timestamp() * 1000)
    if not 0 <= ms <= LATEST_MS:
        raise BadLine(f"timestamp is no time of a log: {text[:40]!r}")
    return at, ms, odd
