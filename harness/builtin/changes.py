"""What a run has changed in files: what each was before, and the tool that shows the difference.

Tools that change files say so before they do. A command in the shell does not say what it will
change, so the folder is looked over once before the first one: small text files are kept, of the
others only size and time.
"""

from __future__ import annotations

import difflib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import msgspec

from harness.builtin.paths import in_words, inside
from harness.builtin.walking import SKIPPED, Walk
from harness.loop.toolbox import Arguments, Context, ToolOutput

LARGEST_FILE: Final = 256 * 1024
"""Bytes of a file whose content is kept."""
LARGEST: Final = 48 * 1024 * 1024
"""Bytes kept in all."""
LARGEST_ANSWER: Final = 200_000
LONGEST: Final = 8.0
"""Seconds in which differences are worked out; changed files after that are only named."""


class Before(msgspec.Struct, frozen=True):
    """What a file was. `content` is None where it was not kept."""

    state: Literal["absent", "kept", "unkept"]
    content: bytes | None = None
    stamp: tuple[int, int] = (0, 0)


_ABSENT: Final = Before("absent")


class Baseline:
    """What the files of one folder were before the run changed them. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before: dict[str, Before] = {}
        self._size = 0
        self._looked_over = False
        self._complete = False
        self._lock = threading.Lock()

    def note(self, path: Path) -> None:
        """Keep what a file, or all files in a folder, are: they are about to be changed."""
        with self._lock:
            below = Walk(self.folder, path) if path.is_dir() and not path.is_symlink() else None
            for name in [in_words(self.folder, path)] if below is None else below:
                self._keep(name)

    def note_move(self, source: Path, target: Path) -> None:
        """Keep that a file, or all files of a folder, are not yet where they are about to be moved."""
        with self._lock:
            names = [in_words(self.folder, source)] if not source.is_dir() else list(Walk(self.folder, source))
            for name in names:
                moved = target / (self.folder / name).relative_to(source)
                self._before.setdefault(in_words(self.folder, moved), _ABSENT)

    def look_over(self) -> None:
        """Keep what all files are, once: something is about to change any of them."""
        with self._lock:
            if self._looked_over:
                return
            walk = Walk(self.folder, self.folder, seconds=5.0)
            for name in walk:
                self._keep(name)
            self._looked_over, self._complete = True, not walk.cut

    def changed(self, within: Path) -> Iterator[tuple[str, Before, Path]]:
        """The files that are not as they were, sorted by path."""
        with self._lock:
            names = set(self._before)
            if self._complete:
                names.update(Walk(self.folder, self.folder))
            known = {name: self._before.get(name, _ABSENT) for name in names}
        for name in sorted(known):
            path = self.folder / name
            if path.is_relative_to(within) and _differs(path, known[name]):
                yield name, known[name], path

    def _keep(self, name: str) -> None:
        if name in self._before:
            return
        if self._complete and not SKIPPED.intersection(name.split("/")):
            self._before[name] = _ABSENT
            return
        found = _as_it_is(self.folder / name, room=self._size < LARGEST)
        self._size += len(found.content or b"")
        self._before[name] = found


class Changes:
    """The tool, and the baselines that it compares with, one a folder."""

    def __init__(self) -> None:
        self._baselines: dict[Path, Baseline] = {}

    def of(self, folder: Path) -> Baseline:
        """The baseline of a folder, which begins when it is first asked for."""
        return self._baselines.setdefault(folder, Baseline(folder))

    def changes(self, arguments: Arguments, context: Context) -> ToolOutput:
        """The difference to what was there at first, as a unified diff."""
        within = inside(context.folder, arguments.get("path", "."))
        parts: list[str] = []
        unshown: list[str] = []
        size, end = 0, time.monotonic() + LONGEST
        for name, before, path in self.of(context.folder).changed(within):
            diff = _diff(name, before, path) if size < LARGEST_ANSWER and time.monotonic() < end else ""
            if not diff or size + len(diff) > LARGEST_ANSWER:
                unshown.append(name)
                continue
            parts.append(diff)
            size += len(diff)
        if unshown:
            more = f" and {len(unshown) - 200:,} more" if len(unshown) > 200 else ""
            parts.append(f"[changed too, not shown for their length: {', '.join(unshown[:200])}{more}]")
        return ToolOutput(text="\n".join(parts) or "Nothing has been changed so far.")


def _as_it_is(path: Path, *, room: bool) -> Before:
    try:
        state = path.stat()
        stamp = (state.st_mtime_ns, state.st_size)
        if not room or state.st_size > LARGEST_FILE or not path.is_file():
            return Before("unkept", None, stamp)
        return Before("kept", path.read_bytes(), stamp)
    except (FileNotFoundError, NotADirectoryError):
        return _ABSENT
    except OSError:
        return Before("unkept")


def _differs(path: Path, before: Before) -> bool:
    now = _as_it_is(path, room=before.state == "kept")
    if before.state == "kept" and now.state == "kept":
        return now.content != before.content
    return now.state != before.state or now.stamp != before.stamp


def _diff(name: str, before: Before, path: Path) -> str:
    """One file's difference, or a line that says what became of it."""
    now = _as_it_is(path, room=True)
    old, new = _text(before), _text(now)
    became = {"absent": "is new"}.get(before.state, "was deleted" if now.state == "absent" else "was changed")
    if old is None or new is None:
        return f"[{name} {became}; it is no text, or too large to be shown]"
    left = "/dev/null" if before.state == "absent" else f"a/{name}"
    right = "/dev/null" if now.state == "absent" else f"b/{name}"
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), left, right, lineterm="")
    return "\n".join(lines) or f"[{name} {became}; no line of it differs]"


def _text(state: Before) -> str | None:
    if state.state == "absent":
        return ""
    if state.content is None or b"\0" in state.content[:8192]:
        return None
    return state.content.decode("utf-8", "replace")
