"""What the address of a conversation's page asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from observability.queries.run_requests import SORTS, Sort

MOST: Final = 10**7
"""No run has more requests, and no list more pages."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """The run shown, the part of it in the picture, and the page and order of its table.

    `run` is a run's uid, empty for the main run. `start` and `end` are ordinals; 0 means from the first, to the last.
    """

    run: str = ""
    start: int = 0
    end: int = 0
    page: int = 1
    sort: Sort = "request"
    descending: bool = True
    events: int = 1
    """The page of the list of what happened."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Wanted:
        """Read from a query string. A value that makes no sense counts as not given."""
        asked = query.get("sort", "")
        return cls(
            run=query.get("run", ""),
            start=_count(query.get("from", "")),
            end=_count(query.get("to", "")),
            page=max(1, _count(query.get("page", ""))),
            sort=next((sort for sort in SORTS if sort == asked), "request"),
            descending=query.get("dir") != "asc",
            events=max(1, _count(query.get("events", ""))),
        )

    def sorted_by(self, sort: Sort) -> str:
        """The query that sorts by a column, largest first, or turns its order."""
        return self._query(sort=sort, descending=not self.descending if sort == self.sort else True)

    def at_page(self, page: int) -> str:
        """The query of another page of the table."""
        return self._query(sort=self.sort, descending=self.descending, page=page)

    def at_events(self, page: int) -> str:
        """The query of another page of what happened."""
        return "?" + urlencode([*self._run(), ("events", page)])

    def part(self, start: int, end: int) -> str:
        """The query that shows a part of the run in the picture."""
        return "?" + urlencode([*self._run(), ("from", start), ("to", end)])

    @property
    def whole(self) -> str:
        """The query that shows the whole run."""
        return "?" + urlencode(self._run())

    def _query(self, *, sort: Sort, descending: bool, page: int = 1) -> str:
        order = [("sort", sort), ("dir", "desc" if descending else "asc")]
        window = [(name, value) for name, value in (("from", self.start), ("to", self.end)) if value]
        return "?" + urlencode([*self._run(), *window, *order, *([("page", page)] if page > 1 else [])])

    def _run(self) -> list[tuple[str, str]]:
        return [("run", self.run)] if self.run else []


def _count(text: str) -> int:
    return min(int(text), MOST) if text.isascii() and text.isdigit() and len(text) < 12 else 0
