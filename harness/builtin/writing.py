"""The tools that change files: write, edit, edit_many, move and delete."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from pathlib import Path
from typing import Any, Final

from harness.builtin.changes import Changes
from harness.builtin.paths import entry, in_words, inside
from harness.builtin.reading import text_of
from harness.catalogue import shown
from harness.loop.toolbox import Arguments, Context, ToolFault, ToolOutput

LARGEST_EDITED: Final = 8 * 1024 * 1024
"""Bytes of a file that can be edited."""


class Writing:
    """The tools. Two calls never change files at the same time, whichever runs they belong to."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._lock = threading.Lock()

    def write(self, arguments: Arguments, context: Context) -> ToolOutput:
        """Put a whole file in place, with the folders above it."""
        path = inside(context.folder, arguments["path"])
        content = _encoded(arguments["content"], "content")
        name = in_words(context.folder, path)
        with self._lock:
            _refuse_folder(path, name)
            new = not path.exists()
            _make_room(context.folder, path.parent)
            self._changes.of(context.folder).note(path)
            _put(path, content)
        return ToolOutput(text=f"{'Created' if new else 'Replaced'} {name}: {_amount(arguments['content'])}.")

    def edit(self, arguments: Arguments, context: Context) -> ToolOutput:
        """One replacement in a file."""
        return self._edited(arguments["path"], [arguments], context, "")

    def edit_many(self, arguments: Arguments, context: Context) -> ToolOutput:
        """Several replacements, in order; all of them or none."""
        if not arguments["edits"]:
            raise ToolFault("edits: there is none")
        return self._edited(arguments["path"], arguments["edits"], context, "edits")

    def move(self, arguments: Arguments, context: Context) -> ToolOutput:
        """Give a file or folder another path. What is there already is never replaced."""
        source = entry(context.folder, arguments["source"], "source")
        target = entry(context.folder, arguments["target"], "target")
        names = [in_words(context.folder, each) for each in (source, target)]
        with self._lock:
            if not os.path.lexists(source):
                raise ToolFault(f"source: there is no {names[0]}")
            if os.path.lexists(target):
                raise ToolFault(f"target: {names[1]} is there already, and would be lost")
            if target.is_relative_to(source):
                raise ToolFault(f"target: {names[1]} is inside {names[0]}")
            baseline = self._changes.of(context.folder)
            baseline.note(source)
            baseline.note_move(source, target)
            _make_room(context.folder, target.parent)
            os.rename(source, target)
        return ToolOutput(text=f"Moved {names[0]} to {names[1]}.")

    def delete(self, arguments: Arguments, context: Context) -> ToolOutput:
        """Delete a file, a link, or a folder; one that is not empty only where that is asked for."""
        path = entry(context.folder, arguments["path"])
        name = in_words(context.folder, path)
        with self._lock:
            if not os.path.lexists(path):
                raise ToolFault(f"path: there is no {name}")
            baseline = self._changes.of(context.folder)
            if path.is_symlink() or not path.is_dir():
                baseline.note(path)
                path.unlink()
                return ToolOutput(text=f"Deleted {name}.")
            count = sum(len(files) for _, _, files in os.walk(path))
            if not arguments.get("recursive") and any(path.iterdir()):
                raise ToolFault(
                    f"path: {name} is a folder that is not empty ({_files(count)}); set recursive to delete it"
                )
            baseline.note(path)
            shutil.rmtree(path)
        return ToolOutput(text=f"Deleted the folder {name} ({_files(count)}).")

    def _edited(self, given: str, edits: list[dict[str, Any]], context: Context, field: str) -> ToolOutput:
        path = inside(context.folder, given)
        with self._lock:
            before = text = text_of(context.folder, path, LARGEST_EDITED)
            places = []
            for index, each in enumerate(edits):
                text, place = _replaced(text, each, f"{field}[{index}]." if field else "")
                places.append(place)
            if text == before:
                raise ToolFault(f"{field or 'new'}: the file would stay as it is")
            self._changes.of(context.folder).note(path)
            _put(path, _encoded(text, "new"))
        return ToolOutput(text=f"Edited {in_words(context.folder, path)}: {'; '.join(places)}.")


def _replaced(text: str, edit: dict[str, Any], where: str) -> tuple[str, str]:
    """The text after one replacement, and where it was. Raises ToolFault that names the field."""
    old, new = edit["old"], edit["new"]
    if "\r\n" in text and "\r" not in old:
        old, new = old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
    if not old:
        raise ToolFault(f"{where}old: it is empty; write makes a new file, or replaces a whole one")
    count = text.count(old)
    if not count:
        raise ToolFault(f"{where}old: the file has no such text{_nearest(text, old)}")
    if count > 1 and not edit.get("all"):
        raise ToolFault(
            f"{where}old: it occurs {count:,} times, {_lines(text, old)}; give more of the text, or set all"
        )
    if count > 1:
        return text.replace(old, new), f"{count:,} replacements"
    return text.replace(old, new, 1), f"line {text.count(chr(10), 0, text.index(old)) + 1}"


def _lines(text: str, old: str) -> str:
    """The lines where a text occurs, the first few."""
    numbers: list[str] = []
    at = text.find(old)
    while at >= 0 and len(numbers) < 5:
        numbers.append(str(text.count("\n", 0, at) + 1))
        at = text.find(old, at + len(old))
    return f"on lines {', '.join(numbers)}" + (" and on" if at >= 0 else "")


def _nearest(text: str, old: str) -> str:
    """The place that was probably meant, as the rest of a sentence."""
    first = next((line.strip() for line in old.splitlines() if line.strip()), "")
    number = next((at for at, line in enumerate(text.splitlines(), 1) if first and first in line), None)
    if number is None:
        return "; read it first, and copy the text exactly"
    return f"; line {number:,} is like its beginning: spaces, or what follows, must differ"


def _encoded(text: str, field: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ToolFault(f"{field}: character {error.start:,} is half of a pair, which no file can hold") from error


def _refuse_folder(path: Path, name: str) -> None:
    if path.is_dir():
        raise ToolFault(f"path: {shown(name, 200)} is a folder")
    if path.exists() and not path.is_file():
        raise ToolFault(f"path: {shown(name, 200)} is no file but a device, pipe or socket")


def _make_room(folder: Path, parent: Path) -> None:
    """Make the folders above a file. Raises ToolFault where a file is in their place."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        name = shown(in_words(folder, parent), 200)
        raise ToolFault(f"path: {name} cannot be a folder: a file is in its place") from error


def _put(path: Path, content: bytes) -> None:
    """Write a file so that it is either as before or whole, with the rights that it had."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".write-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    """The mask of new files' rights. It can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _files(count: int) -> str:
    return f"{count:,} file{'s' * (count != 1)}"


def _amount(text: str) -> str:
    lines = len(text.splitlines())
    return f"{lines:,} line{'s' * (lines != 1)}, {len(text):,} characters"
