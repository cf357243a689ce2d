"""Names and figures as the findings say them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from explorer.traps.facts import KnownTool
from observability.figures import GAP, number

NAMED: Final = 6
"""Names that a finding lists; the rest is a number."""
LINES: Final = 12
"""Rows of a formula; the rest is one row."""


def named(names: Iterable[str]) -> str:
    """Names in a row: A, B, C and 4 more."""
    every = list(names)
    rest = len(every) - NAMED
    if rest < 2:
        return ", ".join(every)
    return f"{', '.join(every[:NAMED])} and {number(rest)} more"


def sized(tokens: int) -> str:
    """A number of tokens with its unit."""
    return f"{number(tokens)}{GAP}tok"


def schemas(tools: Iterable[KnownTool]) -> int:
    """The tokens of the schemas that are known."""
    return sum(tool.schema or 0 for tool in tools)


def summed(lines: Sequence[tuple[str, int]], title: str) -> list[tuple[str, str]]:
    """Lines with their sum as the last one, the largest first."""
    ordered = sorted(lines, key=lambda line: (-line[1], line[0]))
    shown = [(name, number(value)) for name, value in ordered[:LINES]]
    rest = ordered[LINES:]
    if rest:
        shown.append((f"{number(len(rest))} more", number(sum(value for _, value in rest))))
    return [*shown, (title, number(sum(value for _, value in lines)))]


def sized_lines(tools: Iterable[KnownTool], title: str) -> list[tuple[str, str]]:
    """Tools with their schemas and the sum."""
    return summed([(tool.name, tool.schema or 0) for tool in tools], title)


def largest(tools: Iterable[KnownTool]) -> list[KnownTool]:
    """Tools by the size of their schemas."""
    return sorted(tools, key=lambda tool: (-(tool.schema or 0), tool.name))
