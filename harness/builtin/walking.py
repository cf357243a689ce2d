"""The files below a folder, without following links out of it, and without what no one searches."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SKIPPED: Final = frozenset((".git", ".hg", ".svn", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".venv")) | {
    "__pycache__",
    "node_modules",
}
"""Folders that are not looked into, unless the search begins in one."""
LONGEST: Final = 15.0
"""Seconds that a walk may take."""


class Walk:
    """Iterating gives each file's path, relative to the working folder, folder by folder and sorted by name.

    After it, `skipped` are names of folders that were not looked into, and `cut` says whether
    time ran out. Links to folders are not followed; a link to a file counts where it stays inside.
    """

    def __init__(self, folder: Path, start: Path, seconds: float = LONGEST) -> None:
        self.skipped: set[str] = set()
        self.cut = False
        self._folder = folder
        self._start = start
        self._end = time.monotonic() + seconds

    def __iter__(self) -> Iterator[str]:
        waiting = [self._start]
        while waiting:
            if time.monotonic() > self._end:
                self.cut = True
                return
            here = waiting.pop()
            entries = _entries(here)
            folders = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
            self.skipped.update(name for name in folders if name in SKIPPED)
            waiting += [here / name for name in reversed(folders) if name not in SKIPPED]
            yield from (self._named(each) for each in entries if self._is_file(each))

    def _named(self, found: os.DirEntry[str]) -> str:
        return Path(found.path).relative_to(self._folder).as_posix()

    def _is_file(self, found: os.DirEntry[str]) -> bool:
        try:
            if not found.is_file():
                return False
        except OSError:
            return False
        return not found.is_symlink() or Path(os.path.realpath(found.path)).is_relative_to(self._folder)

    def notes(self) -> list[str]:
        """What a reader of the result must know of the walk."""
        found = [f"[not looked into: {', '.join(sorted(self.skipped))}]"] if self.skipped else []
        return [*found, "[cut: the folder is too large; name a folder in it]"] if self.cut else found


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda each: each.name)
    except OSError:
        return []
