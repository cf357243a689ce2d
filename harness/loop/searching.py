"""`search_tools` in a run: rank the surface, load what was found, and say so; or say that nothing was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from harness.catalogue.own import BRIDGE, SEARCH_TOOLS
from harness.search.ranker import Hit, Ranker
from harness.surface import Surface

USUAL: Final = 5
"""Matches where the model names no limit."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a search gave: its matches, best first, and the text for the model."""

    query: str
    limit: int
    hits: tuple[Hit, ...]
    text: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the matches."""
        return tuple(hit.tool.name for hit in self.hits)


class Searching:
    """Searches over one surface. Denied and withheld tools are not on it."""

    def __init__(self, surface: Surface) -> None:
        finders = {tool.name for tool in BRIDGE}
        self._tools = [tool for tool in surface.offered if tool.name not in finders]
        self._ranker = Ranker(self._tools)

    @property
    def searchable(self) -> int:
        """How many tools a search looks at."""
        return len(self._tools)

    def search(self, arguments: dict[str, Any]) -> Found:
        """Rank them for a query."""
        query, limit = str(arguments["query"]), int(arguments.get("limit", USUAL))
        hits = tuple(self._ranker.search(query, limit))
        return Found(query=query, limit=limit, hits=hits, text=_text(query, hits))


def _text(query: str, hits: Sequence[Hit]) -> str:
    if not hits:
        return (
            f"No tool matches {query!r}. That does not mean that there is none: say it in other words, name the thing"
            f" that is acted on, or ask for less at once. The index of tools names them all; {SEARCH_TOOLS.name}"
            " takes a name, too."
        )
    lines = [f"- {hit.tool.name}: {hit.tool.description.partition(chr(10))[0][:200]}" for hit in hits]
    return "\n".join(["Loaded, and ready to be called:", *lines])
