"""The lines of a file from an offset on, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import BinaryIO, Final

LONGEST: Final = 32 * 1024 * 1024
"""Bytes; a longer line is set aside without being held in memory."""
HEAD: Final = 4096
TAIL: Final = 256


@dataclass(slots=True)
class Line:
    """A whole line without its end, where it starts, and where the next one does.

    `data` is None for a line that is too long. `ended` is False for a last line without a line's end.
    """

    data: bytes | None
    start: int
    end: int
    ended: bool = True


def read(file: BinaryIO, offset: int) -> Iterator[Line]:
    """The lines from `offset` on. The last one may lack its end."""
    start = _past_old_end(file, offset)
    while True:
        data = file.readline(LONGEST)
        if not data:
            return
        if data.endswith(b"\n"):
            end = start + len(data)
            yield Line(data, start, end)
        elif len(data) < LONGEST:
            yield Line(data, start, start + len(data), ended=False)
            return
        else:
            end, ended = _skip(file, start + len(data))
            yield Line(None, start, end, ended)
        start = end


def _past_old_end(file: BinaryIO, offset: int) -> int:
    """A last line that was read before its end came: the end alone is no line."""
    if offset == 0:
        file.seek(0)
        return 0
    file.seek(offset - 1)
    if file.read(1) == b"\n":
        return offset
    rest = file.read(2)
    skip = 2 if rest == b"\r\n" else 1 if rest[:1] == b"\n" else 0
    file.seek(offset + skip)
    return offset + skip


def _skip(file: BinaryIO, position: int) -> tuple[int, bool]:
    """Past the rest of a line that is too long."""
    while True:
        data = file.readline(LONGEST)
        position += len(data)
        if data.endswith(b"\n"):
            return position, True
        if not data:
            return position, False


def fingerprints(file: BinaryIO, offset: int) -> tuple[bytes, bytes]:
    """Hashes of the first bytes and of the last ones before `offset`: tell a file that was replaced."""
    file.seek(0)
    head = blake2b(file.read(min(HEAD, offset)), digest_size=8).digest()
    begin = max(0, offset - TAIL)
    file.seek(begin)
    return head, blake2b(file.read(offset - begin), digest_size=8).digest()
