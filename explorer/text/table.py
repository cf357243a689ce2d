"""Tables of text: columns of words to the left, of numbers to the right, within the width of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from explorer.text.paper import MARKS, Paper, cut, ended, width_of
from observability.figures import NOTHING, number, signed

GAP: Final = "  "
NARROWEST: Final = 12
"""What is left of the column of names, whatever stands beside it."""
LONGEST: Final = 28
"""Columns that words between the name and the last column may take."""
LEAST_WORDS: Final = 15
"""Columns that words in the last column may take before names are cut for them."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row: its name and how far it is indented, then its cells."""

    name: str
    cells: Sequence[str] = ()
    indent: int = 0
    strong: bool = False


@dataclass(slots=True)
class Table:
    """`head` names the columns; a title that begins with < is one of words. The first is the column of names."""

    head: Sequence[str]
    rows: list[Line] = field(default_factory=list)

    def lines(self, paper: Paper) -> list[str]:
        """The table on some paper."""
        head = Line(self.head[0], [title.removeprefix("<") for title in self.head[1:]], strong=True)
        every = [head, *self.rows]
        widths = [self._width(every, column) for column in range(len(self.head) - 1)]
        names = max(width_of(line.name) + 2 * line.indent for line in every)
        room = paper.columns - len(GAP) * len(widths) - sum(widths)
        if widths and self._is_words(len(widths) - 1):
            last = min(widths[-1], max(LEAST_WORDS, room + widths[-1] - names))
            room += widths[-1] - last
            widths[-1] = last
        room = min(names, max(NARROWEST, room))
        return [text for line in every for text in self._lines(line, room, widths, paper)]

    def _width(self, rows: Sequence[Line], column: int) -> int:
        widest = max((width_of(line.cells[column]) for line in rows if column < len(line.cells)), default=0)
        between = self._is_words(column) and column < len(self.head) - 2
        return min(widest, LONGEST) if between else widest

    def _is_words(self, column: int) -> bool:
        return self.head[column + 1].startswith("<")

    def _lines(self, line: Line, room: int, widths: Sequence[int], paper: Paper) -> list[str]:
        """A row. A name that is too long takes the blank before the first figure, or a line of its own."""
        name = "  " * line.indent + line.name
        cells = self._cells(line, widths)
        blank = room + len(cells) - len(cells.lstrip()) - len(GAP)
        if width_of(name) <= max(room, blank):
            text = [(_left(name, room) + cells[max(0, width_of(name) - room) :]).rstrip()]
        else:
            text = [cut(name, paper.columns), (" " * room + cells).rstrip()]
        return [paper.strong(each) for each in text] if line.strong else text

    def _cells(self, line: Line, widths: Sequence[int]) -> str:
        """What stands beside the name, each cell in its column."""
        found = ""
        for column, (cell, width) in enumerate(zip(line.cells, widths, strict=False)):
            found += GAP + (_left(ended(cell, width), width) if self._is_words(column) else _right(cell, width))
        return found


def figure(tokens: int | None, provenance: str = "", *, sign: bool = False) -> str:
    """A number with the mark of where it comes from; the place of the mark is kept where there is none."""
    if tokens is None or provenance == "unknown":
        return f"{NOTHING}  "
    return f"{signed(tokens) if sign else number(tokens)} {MARKS.get(provenance, ' ')}"


def bar(value: int, most: int, width: int = 16) -> str:
    """A bar in eighths of a column; what is not nothing can be seen."""
    if value <= 0 or most <= 0:
        return ""
    eighths = max(1, min(value, most) * width * 8 // most)
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]


def _left(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))


def _right(text: str, width: int) -> str:
    return " " * (width - width_of(text)) + text
