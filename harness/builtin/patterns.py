"""Patterns of paths, such as src/**/*.{py,pyi}: `**` stands for any folders, the rest for part of one name."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from typing import Final

from harness.loop.toolbox import ToolFault

LONGEST: Final = 1000
MOST_ALTERNATIVES: Final = 100

_BRACES = re.compile(r"\{([^{}]*)\}")


class Pattern:
    """A pattern. One without a slash fits the name of a file in any folder, where `anywhere` says so."""

    def __init__(self, text: str, field: str, *, anywhere: bool = False) -> None:
        if not text.strip("/") or len(text) > LONGEST:
            raise ToolFault(f"{field}: a pattern has 1 to {LONGEST} characters")
        if text.startswith("/"):
            raise ToolFault(f"{field}: a pattern begins with a name, not with '/'; it is relative to the folder")
        texts = list(_alternatives(text.removeprefix("./"), field))
        if any(".." in each.split("/") for each in texts):
            raise ToolFault(f"{field}: '..' cannot be in a pattern; give the folder as path")
        texts = [f"**/{each}" if anywhere and "/" not in each else each for each in texts]
        self._alternatives = [_compiled(each) for each in texts]

    def fits(self, path: str) -> bool:
        """Whether a path, relative and with forward slashes, fits."""
        parts = path.split("/")
        return any(_fits(parts, each) for each in self._alternatives)


_Segments = list[re.Pattern[str] | None]


def _alternatives(text: str, field: str) -> Iterator[str]:
    """The patterns without braces that a pattern with braces stands for."""
    waiting, found = [text], 0
    while waiting:
        each = waiting.pop(0)
        if braces := _BRACES.search(each):
            waiting += [f"{each[: braces.start()]}{word}{each[braces.end() :]}" for word in braces[1].split(",")]
        else:
            found += 1
            yield each
        if len(waiting) + found > MOST_ALTERNATIVES:
            raise ToolFault(f"{field}: the braces stand for more than {MOST_ALTERNATIVES} patterns")


def _compiled(text: str) -> _Segments:
    """A regular expression for each name on the way; None stands for any folders."""
    segments: _Segments = []
    for each in text.strip("/").split("/"):
        if each != "**":
            segments.append(re.compile(fnmatch.translate(each)))
        elif not segments or segments[-1] is not None:
            segments.append(None)
    return [*segments, re.compile("")] if segments[-1] is None else segments


def _fits(parts: list[str], segments: _Segments) -> bool:
    """Whether names fit segments: position by position, so that no pattern takes more than parts times segments."""
    reached = {0}
    for segment in segments:
        if segment is None:
            reached = set(range(min(reached), len(parts) + 1)) if reached else reached
        else:
            last = segment.pattern == ""
            reached = {at + 1 for at in reached if at < len(parts) and (last or segment.match(parts[at]))}
    return len(parts) in reached
