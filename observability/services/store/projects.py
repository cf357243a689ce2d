"""Which project a conversation belongs to, and what it is called."""

from __future__ import annotations

import re
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

UNKNOWN: Final = ""
_WORKTREES = re.compile(r"[\\/]\.(?:claude[\\/])?worktrees[\\/].*$")
"""A worktree below a repository belongs to that repository."""


def key_of(cwd: str) -> str:
    """The project's key for a working directory: the folder, or the repository of a worktree."""
    return _WORKTREES.sub("", cwd).rstrip("/\\") or cwd[:1]


def name_of(key: str) -> str:
    """What a project is called: the last part of its folder, or the name that its sender gave."""
    if not key:
        return "unknown"
    if "\\" in key and "/" not in key:
        return PureWindowsPath(key).name or key
    return PurePosixPath(key).name or key


def shorter(one: str, other: str) -> str:
    """Of two keys, of which either may be empty, the one to go by."""
    return better((2 if one else 0, one), (2 if other else 0, other))[1]


def better(one: tuple[int, str], other: tuple[int, str]) -> tuple[int, str]:
    """Of two (rank, key) the one to go by: the higher rank, then the shorter key, then the first in order."""
    return min(one, other, key=lambda known: (-known[0], len(known[1]), known[1]))
