"""The tools list_folder and glob."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from harness.builtin.paths import directory, in_words, inside
from harness.builtin.patterns import Pattern
from harness.builtin.walking import SKIPPED, Walk
from harness.catalogue import shown
from harness.loop.toolbox import Arguments, Context, ToolOutput

ENTRIES: Final = 1000
"""Most entries of a folder listing."""
FOUND: Final = 200
"""Most paths that a glob shows."""


def list_folder(arguments: Arguments, context: Context) -> ToolOutput:
    """What is in a folder, a line an entry: folders end with a slash, files have their size."""
    given = arguments.get("path", ".")
    start = inside(context.folder, given)
    directory(context.folder, start)
    lines: list[str] = []
    for line in _entries(start, int(arguments.get("depth", 1)), ""):
        if len(lines) == ENTRIES:
            lines.append(f"[cut after {ENTRIES:,} entries; name a folder in it, or a smaller depth]")
            break
        lines.append(line)
    return ToolOutput(text="\n".join(lines) or f"{in_words(context.folder, start)} is an empty folder.")


def glob(arguments: Arguments, context: Context) -> ToolOutput:
    """The files whose paths fit a pattern, the newest first."""
    pattern = Pattern(arguments["pattern"], "pattern")
    start = inside(context.folder, arguments.get("path", "."))
    directory(context.folder, start)
    walk = Walk(context.folder, start)
    above = "" if start == context.folder else f"{in_words(context.folder, start)}/"
    found = [path for path in walk if pattern.fits(path.removeprefix(above))]
    found.sort(key=lambda path: (-_changed(context.folder / path), path))
    lines = found[:FOUND]
    if len(found) > FOUND:
        lines.append(f"[{len(found) - FOUND:,} more; use a narrower pattern]")
    if not found:
        lines.append(f"No file fits {shown(arguments['pattern'])}.")
    return ToolOutput(text="\n".join([*lines, *walk.notes()]))


def _entries(folder: Path, depth: int, indent: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda each: each.name)
    for each in found:
        if each.is_symlink():
            yield f"{indent}{shown(each.name, 255)} (link)"
        elif each.is_dir():
            left = "  (not listed)" if depth > 1 and each.name in SKIPPED else ""
            yield f"{indent}{shown(each.name, 255)}/{left}"
            if depth > 1 and not left:
                yield from _below(Path(each.path), depth - 1, f"{indent}  ")
        else:
            yield f"{indent}{shown(each.name, 255)}  {each.stat(follow_symlinks=False).st_size:,}"


def _below(folder: Path, depth: int, indent: str) -> Iterator[str]:
    try:
        yield from _entries(folder, depth, indent)
    except OSError as error:
        yield f"{indent}({error.strerror})"


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
