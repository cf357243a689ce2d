"""Names and figures as the findings say them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from explorer.traps.facts import KnownTool
from observability.figures import GAP, counted, number

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


def figured(tools: Sequence[KnownTool]) -> tuple[str, int | None]:
    """What tools come to, in words and as a number. Where no log has any of their schemas, only how many they are."""
    if all(tool.schema is None for tool in tools):
        return counted(len(tools), "tool"), None
    return sized(schemas(tools)), schemas(tools)


def summed(lines: Sequence[tuple[str, int | None]], title: str) -> list[tuple[str, str]]:
    """Lines with their sum as the last one, the largest first. What is not known is a dash, and in no sum."""
    ordered = sorted(lines, key=lambda line: (-(line[1] or 0), line[0]))
    shown = [(name, number(value)) for name, value in ordered[:LINES]]
    rest = ordered[LINES:]
    if rest:
        shown.append((f"{number(len(rest))} more", number(_sum(rest))))
    return [*shown, (title, number(_sum(lines)))]


def _sum(lines: Sequence[tuple[str, int | None]]) -> int | None:
    known = [value for _, value in lines if value is not None]
    return sum(known) if known else None


def sized_lines(tools: Iterable[KnownTool], title: str) -> list[tuple[str, str]]:
    """Tools with their schemas and the sum."""
    return summed([(tool.name, tool.schema) for tool in tools], title)


def largest(tools: Iterable[KnownTool]) -> list[KnownTool]:
    """Tools by the size of their schemas."""
    return sorted(tools, key=lambda tool: (-(tool.schema or 0), tool.name))
