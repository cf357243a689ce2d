"""The tool read: a part of a text file, in constant memory however long the file or a line is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from harness.builtin.paths import in_words, inside, regular
from harness.catalogue import shown
from harness.loop.toolbox import Arguments, Context, ToolFault, ToolOutput

LINES: Final = 2000
"""Lines of an answer, where the call names no number."""
LONGEST_LINE: Final = 2000
"""Characters shown of a line."""
LARGEST_ANSWER: Final = 256 * 1024
"""Characters of an answer; what is left is another part."""
COUNTED: Final = 32 * 1024 * 1024
"""Bytes up to which lines are counted behind the part."""

_CHUNK: Final = 64 * 1024
_SIGNATURES: Final = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "compressed with gzip",
    b"\x7fELF": "a program",
    b"SQLite format 3": "an SQLite database",
}


class _Part(msgspec.Struct):
    shown: list[str] = []
    size: int = 0
    last: int = 0
    """Number of the last line that was seen."""
    full: bool = False
    whole: bool = True
    """Whether the lines were counted to the end."""

    def take(self, number: int, raw: bytes, length: int) -> None:
        line = f"{number:>6}\t{_line(raw, length)}"
        self.full = bool(self.shown) and self.size + len(line) > LARGEST_ANSWER
        if not self.full:
            self.shown.append(line)
            self.size += len(line) + 1


def read(arguments: Arguments, context: Context) -> ToolOutput:
    """The lines asked for, numbered, and where the next part begins."""
    path = inside(context.folder, arguments["path"])
    name = in_words(context.folder, path)
    size = regular(context.folder, path).st_size
    first = int(arguments.get("offset", 1))
    most = int(arguments.get("limit", LINES))
    with path.open("rb") as file:
        refuse_binary(file.read(8192), name, size)
        file.seek(0)
        part = _part(file, first, most)
    if not part.shown:
        if first == 1:
            return ToolOutput(text=f"{name} is empty.")
        raise ToolFault(f"offset: {name} has {part.last:,} lines; line {first:,} is past its end")
    return ToolOutput(text="\n".join([*part.shown, *_rest(part, first)]))


def refuse_binary(start: bytes, name: str, size: int) -> None:
    """Raises ToolFault where a file that begins so is no text."""
    if b"\0" in start or any(start.startswith(each) for each in _SIGNATURES):
        kind = next((words for each, words in _SIGNATURES.items() if start.startswith(each)), "no text")
        raise ToolFault(f"path: {shown(name, 200)} is {kind} ({size:,} bytes); only text files can be read")


def text_of(folder: Path, path: Path, largest: int) -> str:
    """The whole of a text file that is to be changed, line ends as they are. Raises ToolFault."""
    name = shown(in_words(folder, path), 200)
    size = regular(folder, path).st_size
    if size > largest:
        raise ToolFault(f"path: {name} has {size:,} bytes; files over {largest:,} bytes cannot be edited")
    raw = path.read_bytes()
    refuse_binary(raw[:8192], name, size)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ToolFault(f"path: {name} is not in UTF-8 (byte {error.start:,}); it cannot be edited safely") from error


def _part(file: BinaryIO, first: int, most: int) -> _Part:
    part = _Part()
    behind = 0
    for number, (raw, length) in enumerate(_lines(file), 1):
        if number >= first and not part.full and len(part.shown) < most:
            part.take(number, raw, length)
        elif number > first:
            behind += length
        part.last = number
        if behind > COUNTED:
            part.whole = False
            break
    return part


def _lines(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Each line, as far as it can be shown, with its length in bytes."""
    while start := file.readline(4 * LONGEST_LINE + 2):
        length, piece = len(start), start
        while piece and not piece.endswith(b"\n"):
            piece = file.readline(_CHUNK)
            length += len(piece)
        yield start, length


def _line(raw: bytes, length: int) -> str:
    text = raw.decode("utf-8", "replace").rstrip("\r\n")
    if len(text) <= LONGEST_LINE:
        return text
    return f"{text[:LONGEST_LINE]} [… line of {length:,} bytes, cut]"


def _rest(part: _Part, first: int) -> list[str]:
    """A last line that says what is left, where something is."""
    end = first + len(part.shown) - 1
    if part.whole and end == part.last and first == 1:
        return []
    total = f"{part.last:,} lines" if part.whole else f"more than {part.last:,} lines"
    following = "" if end == part.last else f"; go on with offset {end + 1}"
    return [f"[lines {first:,} to {end:,} of {total}{following}]"]
