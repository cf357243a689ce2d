"""Finds log files below paths, newest first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

SUFFIXES = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it stands on disk, or why it cannot be read."""

    path: str
    size: int = 0
    mtime_ns: int = 0
    inode: str = ""
    error: str = ""


def find(paths: Iterable[str | Path]) -> list[Found]:
    """All log files that the paths are or hold, each once, newest first. Links to folders are not followed."""
    found = {one.path: one for path in paths for one in _below(Path(path).expanduser())}
    return sorted(found.values(), key=lambda one: (-one.mtime_ns, one.path))


def _below(path: Path) -> Iterator[Found]:
    if path.is_dir():
        yield from _walk(str(path.absolute()))
    else:
        yield _file(str(path.absolute()))


def _walk(folder: str) -> Iterator[Found]:
    try:
        with os.scandir(folder) as entries:
            listed = list(entries)
    except OSError as error:
        yield Found(folder, error=reason(error))
        return
    for entry in listed:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path)
        elif entry.name.endswith(SUFFIXES):
            yield _file(entry.path)


def _file(path: str) -> Found:
    try:
        stat = os.stat(path)
    except OSError as error:
        return Found(path, error=reason(error))
    if not S_ISREG(stat.st_mode):
        return Found(path, error="not a regular file")  # to open a pipe would wait for its writer
    return Found(path, stat.st_size, stat.st_mtime_ns, f"{stat.st_dev}:{stat.st_ino}")


def reason(error: OSError) -> str:
    """Why a file cannot be read, in words."""
    return (error.strerror or str(error)).lower()
