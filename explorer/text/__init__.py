"""A request as text, for people who live in a terminal: the figures of its page, in columns."""

from __future__ import annotations

from explorer.page import ContextPage
from explorer.text.detail import detail
from explorer.text.overview import overview
from explorer.text.paper import Paper

__all__ = ["Paper", "render"]


def render(page: ContextPage, paper: Paper, *, whole: bool = False) -> str:
    """What the page of a request shows. `whole` adds a row for each item: tools, files, blocks, skills, servers."""
    sections = overview(page, paper, rows=whole) + (detail(page, paper) if whole else [])
    text = "\n\n".join("\n".join(lines) for lines in sections if lines)
    return paper.printable(text)
