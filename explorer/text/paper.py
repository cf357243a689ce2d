"""What a text is written on: how wide it is, which characters it can show, and whether it has colour."""

from __future__ import annotations

import textwrap
import unicodedata
from dataclasses import dataclass
from typing import Final

from observability.figures import shown

LEAST: Final = 80
"""Columns that a table may count on."""
CUT: Final = "…"
MARKS: Final = {"reported": "●", "measured": "◐", "estimated": "○", "unknown": "–"}
"""Where a number comes from, as on the pages."""
LEGEND: Final = ", ".join(f"{mark} {word}" for word, mark in MARKS.items())
PLAIN: Final = dict(zip("●◐○–−…×±·→“”█▉▊▋▌▍▎▏", '*~o--.x~.>""####=...', strict=True))
"""For each sign of ours, one that every terminal has; of the same width, so that columns stand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Paper:
    """A terminal, or a file in the place of one."""

    width: int = 100
    encoding: str = "utf-8"
    colour: bool = False

    @property
    def columns(self) -> int:
        """How wide a line may be."""
        return max(self.width, LEAST)

    def strong(self, line: str) -> str:
        """A heading."""
        return f"\x1b[1m{line}\x1b[0m" if self.colour else line

    def faint(self, line: str) -> str:
        """What is said beside the figures."""
        return f"\x1b[2m{line}\x1b[0m" if self.colour else line

    def wrapped(self, text: str, *, indent: str = "") -> list[str]:
        """A sentence, or several, in lines that fit."""
        return textwrap.wrap(text, self.columns, subsequent_indent=indent, break_on_hyphens=False)

    def printable(self, text: str) -> str:
        """The text in characters that the terminal can show, each as wide as the one it stands for."""
        return text if _fits(text, self.encoding) else "".join(self._printable(char) for char in text)

    def _printable(self, char: str) -> str:
        return char if _fits(char, self.encoding) else PLAIN.get(char, "?" * width_of(char))


def clean(text: object) -> str:
    """Text of a log as one line without anything that a terminal would obey."""
    return " ".join(shown(" ".join(str(text).split())).split())


def width_of(text: str) -> int:
    """How many columns a text takes: characters of East Asia and emoji take two, combining ones none."""
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, width: int) -> str:
    """A text in at most so many columns, cut in its middle: names often differ in their ends."""
    if width_of(text) <= width:
        return text
    tail = _within(text[::-1], (width - 1) // 2)[::-1]
    return _within(text, width - 1 - width_of(tail)) + CUT + tail


def ended(text: str, width: int) -> str:
    """A text in at most so many columns, cut at its end: words are read from their beginning."""
    return text if width_of(text) <= width else _within(text, width - 1) + CUT


def _within(text: str, width: int) -> str:
    kept, used = "", 0
    for char in text:
        used += width_of(char)
        if used > width:
            break
        kept += char
    return kept


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
