"""`search_tools` in a run: over its surface, knowing what it has loaded and which servers are missing."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from harness.loop.toolbox import Arguments
from harness.search import Found, Ranker, search_tools
from harness.search.tool import USUAL
from harness.surface import Surface


class Searching:
    """Searches over one surface. Denied and withheld tools are not on it. `failed` and `pending` are names of servers."""

    def __init__(self, surface: Surface, *, failed: Sequence[str] = (), pending: Sequence[str] = ()) -> None:
        self._ranker = Ranker(surface.offered)
        self._residents = {tool.name for tool in surface.resident}
        self._failed, self._pending = failed, pending

    def search(self, arguments: Arguments, loaded: Collection[str]) -> Found:
        """Rank the surface for a query. `loaded` are deferred tools whose schemas the model has by now."""
        return search_tools(
            self._ranker,
            str(arguments["query"]),
            limit=int(arguments.get("limit", USUAL)),
            loaded=self._residents.union(loaded),
            pending_servers=self._pending,
            failed_servers=self._failed,
        )
