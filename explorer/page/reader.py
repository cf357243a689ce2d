"""What is open for reading on the page of a request: an item, the list of a category, or what a search found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from explorer.page.difference import Stretch, difference
from explorer.queries.composition import Composition
from explorer.queries.finding import Find, Found, Within, find
from explorer.queries.listing import Listing, listing
from explorer.queries.moment import Moment
from explorer.queries.reading import Reading, pretty, reading
from explorer.queries.versions import Change
from harness.accounting import Row
from observability.queries import blocks

SCOPES: Final[dict[Within, str]] = {
    "request": "this request",
    "run": "the whole run",
    "conversation": "all runs",
}
ROWS: Final = 60
"""Rows of a category that are named above its list."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What an address asks to read. `label` and `owner` are None where a list is not narrowed by them."""

    item: str = ""
    kind: str = ""
    label: str | None = None
    owner: str | None = None
    page: int = 1
    query: str = ""
    within: Within = "request"
    skip: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """What is open. `difference` is None where nothing changed, or where the two texts are too long to compare."""

    asked: Asked
    reading: Reading | None = None
    difference: list[Stretch] | None = None
    listing: Listing | None = None
    found: Found | None = None

    @property
    def scopes(self) -> list[tuple[str, str, bool]]:
        """Where can be searched: value, words, whether it is chosen."""
        return [(value, words, value == self.asked.within) for value, words in SCOPES.items()]

    @property
    def scope(self) -> str:
        """Where was searched, in words."""
        return SCOPES[self.asked.within]

    @property
    def rows(self) -> list[Row]:
        """The rows of the listed category, the largest first, where it has several and all are listed."""
        if self.listing is None or self.listing.label is not None or len(self.listing.category.rows) < 2:
            return []
        return sorted(self.listing.category.rows, key=lambda row: -row.count.tokens)[:ROWS]

    @property
    def list_query(self) -> str:
        """What leads to a page of the list, behind the query of the request."""
        return row_query(self.asked.kind, self.asked.label, self.asked.owner)

    @property
    def next_query(self) -> str:
        """What goes on with the search, behind the query of the request."""
        skip = self.found.next if self.found else 0
        return urlencode({"q": self.asked.query, "within": self.asked.within, "skip": skip})


def read(at: Moment, now: Composition, asked: Asked, turns: int = 0) -> Reader:
    """Open what is asked for. A list of one piece opens that piece. `turns` is how many of the user's lie before all."""
    listed = (
        listing(now, asked.kind, label=asked.label, owner=asked.owner, page=asked.page, turns=turns)
        if asked.kind
        else None
    )
    ref = asked.item or (listed.entries[0].part.ref if listed and listed.number == 1 else "")
    opened = reading(at.run, now, ref) if ref else None
    return Reader(
        asked=asked,
        reading=opened,
        difference=_difference(opened.change) if opened and opened.change else None,
        listing=None if opened and listed and listed.number == 1 else listed,
        found=find(at, now, asked.query, within=asked.within, skip=asked.skip) if asked.query else None,
    )


def _difference(change: Change) -> list[Stretch] | None:
    texts = blocks.texts([change.before, change.after])
    old, new = (texts.get(hash_) for hash_ in (change.before, change.after))
    if old is None or new is None or old.text is None or new.text is None:
        return None
    return difference(pretty(old.text), pretty(new.text))


def row_query(kind: str, label: str | None = None, owner: str | None = None) -> str:
    """What leads to the list of a category or of one of its rows, behind the query of the request."""
    asked = {"kind": kind, "label": label, "owner": owner}
    return urlencode({key: value for key, value in asked.items() if value is not None})


def find_query(found: Find) -> str:
    """The query that leads to where something was found; it goes behind a question mark.

    What no request carried is read at the last request of its run.
    """
    run = {} if found.run.kind == "main" else {"run": found.run.uid}
    request = {"request": found.ordinal} if found.ordinal else {}
    return urlencode({**run, **request, "item": found.ref})
