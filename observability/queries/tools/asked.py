"""What an address of the tools page asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from observability.queries.scope import TITLES

LONGEST: Final = 200
"""A longer value of a filter is cut."""
DEAREST: Final = "-tokens"
SORTS: Final = (
    "name",
    "schema",
    "resident",
    "deferred",
    "loaded",
    "calls",
    "failed",
    "missed",
    "tokens",
    "cost",
    "seen",
)
SHOWS: Final = {
    "": "All tools",
    "unused": "Resident, never called",
    "often": "Deferred, mostly loaded",
    "failed": "With failed calls",
    "missed": "Missed by a search",
}
NAMES: Final = {
    "q": "the text",
    "project": "the project",
    "agent": "the agent",
    "server": "the server",
    "show": "the condition",
    "window": "the period",
}
BUILT_IN: Final = "built-in"
"""The value of the filter that stands for tools of no server."""
DEFAULTS: Final = {("sort", DEAREST), ("page", "1"), ("window", "all")}


@dataclass(frozen=True)
class Asked:
    """What the URL asks for. Unknown values are dropped, so that every link gives a page."""

    values: dict[str, str]
    sort: str = DEAREST
    page: int = 1

    def get(self, name: str) -> str:
        """A filter's value, empty where it is not set."""
        return self.values.get(name, "")

    def url(self, **changed: str) -> str:
        """The same list with something changed; empty values are left out. A change goes back to page 1."""
        query = {**self.values, "sort": self.sort, **changed}
        kept = {name: value for name, value in query.items() if value and (name, value) not in DEFAULTS}
        return f"?{urlencode(kept)}"

    @property
    def scope_url(self) -> str:
        """The period, project and agent alone: what a page of one tool has in common with this one."""
        kept = {n: self.get(n) for n in ("window", "project", "agent") if self.narrows(n)}
        return f"?{urlencode(kept)}" if kept else ""

    def narrows(self, name: str) -> bool:
        """Whether a filter is set."""
        value = self.get(name)
        return bool(value) and (name, value) not in DEFAULTS

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """What the form must carry along: the period and the order."""
        pairs = [("window", self.get("window")), ("sort", self.sort)]
        return [(name, value) for name, value in pairs if value and (name, value) not in DEFAULTS]

    @property
    def loosened(self) -> list[tuple[str, str]]:
        """Filters that are set, by name, with the list that leaves each of them out."""
        return [(title, self.url(**{name: ""})) for name, title in NAMES.items() if self.narrows(name)]


def asked_for(query: Mapping[str, str]) -> Asked:
    """Read a URL's query. NUL and over-long values are cut: databases and people have no use for them."""
    values = {name: query.get(name, "").replace("\x00", "")[:LONGEST].strip() for name in NAMES}
    values["window"] = values["window"] if values["window"] in TITLES else "all"
    values["show"] = values["show"] if values["show"] in SHOWS else ""
    values["project"] = values["project"] if values["project"].isdecimal() else ""
    sort, page = query.get("sort", DEAREST), query.get("page", "1")
    return Asked(
        {name: value for name, value in values.items() if value},
        sort if sort.removeprefix("-") in SORTS else DEAREST,
        int(page) if page.isdecimal() and 0 < int(page[:9]) < 10**6 else 1,
    )
