"""The page of all tools: filtered, sorted and paged, all of it from the URL, with what stands out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from harness.tokens import Provenance
from harness.usage import rate_of
from observability import figures
from observability.models import Conversation
from observability.queries.scope import TITLES, Choice, Scope, project_choices, scope_of
from observability.queries.tools.asked import BUILT_IN, SHOWS, Asked
from observability.queries.tools.figures import SURENESS, ToolFigures, figures_of
from observability.queries.tools.uses import Wanted

PER_PAGE: Final = 50
TOP: Final = 6
"""Tools that are named beside the headline."""
NEAREST: Final = 3
"""Of tools that are loaded, but not in most runs."""
COLUMNS: Final = (
    ("name", "Tool", ""),
    ("schema", "Schema", "n opt"),
    ("resident", "Resident", "n opt"),
    ("deferred", "Deferred", "n opt"),
    ("loaded", "Loaded", "n opt"),
    ("calls", "Called", "n"),
    ("failed", "Failed", "n opt"),
    ("missed", "Missed", "n opt"),
    ("tokens", "Took", "n"),
    ("cost", "Cost", "n"),
    ("seen", "Last seen", "n opt"),
)
"""Sort key, title and class of each column."""
_KEYS: Final[dict[str, Callable[[ToolFigures], Any]]] = {
    "schema": lambda row: row.schema,
    "resident": lambda row: row.resident.requests,
    "deferred": lambda row: row.deferred.requests,
    "loaded": lambda row: row.loaded.runs,
    "calls": lambda row: row.called.calls,
    "failed": lambda row: row.called.failed,
    "missed": lambda row: row.missed,
    "tokens": lambda row: row.tokens,
    "cost": lambda row: row.pusd,
    "seen": lambda row: row.last,
}
_SHOWS: Final[dict[str, Callable[[ToolFigures], bool]]] = {
    "unused": lambda row: row.unused,
    "often": lambda row: row.often,
    "failed": lambda row: row.called.failed > 0,
    "missed": lambda row: row.missed > 0,
}


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column's head. `order` is "ascending", "descending" or ""; `url` sorts by it, or turns the order."""

    title: str
    kind: str
    url: str
    order: str


@dataclass(frozen=True, kw_only=True)
class Headline:
    """What stands out among all tools that were resident or deferred: tokens and picodollars are sums over requests."""

    resident: int
    unused: list[ToolFigures]
    often: list[ToolFigures]
    nearest: list[ToolFigures]
    """Where none is loaded often enough, those that are loaded most."""
    deferred: int
    resident_tokens: int
    unused_tokens: int
    unused_pusd: int | None
    unpriced: int
    """Requests without a price that carried one of them: at least so many."""
    known: bool
    """Whether any log tells which tools a request carried."""

    @property
    def unused_share(self) -> Decimal | None:
        """Of the tokens of resident schemas, those of tools that were never called."""
        return rate_of(read=self.unused_tokens, prompt=self.resident_tokens)

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        if not self.known:
            return "No log of this period says which tools its requests carried."
        if not self.resident:
            return "No log of this period lists the resident tools; only deferred ones are named."
        if not self.unused:
            return "Every resident tool was called at least once."
        were = "was" if len(self.unused) == 1 else "were"
        return f"{figures.number(len(self.unused))} of {figures.counted(self.resident, 'resident tool')} {were} never called."

    @property
    def other(self) -> str:
        """The answer for deferred tools."""
        if not self.deferred:
            return "No tool was deferred."
        if not self.often:
            return "No deferred tool is loaded in most runs."
        are = "is" if len(self.often) == 1 else "are"
        return f"{figures.counted(len(self.often), 'deferred tool')} {are} loaded in most runs."

    @property
    def provenance(self) -> Provenance:
        """How the tokens of unused tools are known: as well as the least sure of them."""
        known = [row.provenance for row in self.unused if row.provenance != "unknown"]
        return max(known, key=SURENESS.index, default="unknown")


@dataclass(frozen=True, kw_only=True)
class ToolsPage:
    """Everything that the page shows."""

    asked: Asked
    scope: Scope
    headline: Headline
    rows: list[ToolFigures]
    matching: int
    tools: int
    columns: list[Column]
    projects: list[Choice]
    agents: list[Choice]
    servers: list[Choice]
    shows: list[Choice]
    windows: list[tuple[Choice, str]]

    @property
    def filtered(self) -> bool:
        """Whether any filter is set."""
        return bool(self.asked.loosened)

    @property
    def top_unused(self) -> list[ToolFigures]:
        """The dearest of the resident tools that were never called."""
        return self.headline.unused[:TOP]

    @property
    def top_often(self) -> list[ToolFigures]:
        """The deferred tools that are loaded most, whether or not in most runs."""
        return self.headline.often[:TOP] or self.headline.nearest

    @property
    def unused_url(self) -> str:
        """All resident tools that were never called."""
        return self.asked.url(show="unused", sort="-tokens")

    @property
    def often_url(self) -> str:
        """All deferred tools that are mostly loaded."""
        return self.asked.url(show="often", sort="-loaded")

    @property
    def period(self) -> str:
        """The period in words, empty for all."""
        return "" if self.scope.start is None else self.scope.title

    @property
    def first(self) -> int:
        """Number of the first row on this page."""
        return (self.asked.page - 1) * PER_PAGE + 1

    @property
    def last(self) -> int:
        """Number of the last row on this page."""
        return self.first + len(self.rows) - 1

    @property
    def previous_url(self) -> str:
        """The page before, or empty."""
        return self.asked.url(page=str(self.asked.page - 1)) if self.asked.page > 1 else ""

    @property
    def next_url(self) -> str:
        """The page after, or empty."""
        return self.asked.url(page=str(self.asked.page + 1)) if self.last < self.matching else ""


def tools_page(asked: Asked) -> ToolsPage:
    """Read the page."""
    scope = scope_of(window=asked.get("window"), project=asked.get("project"))
    every = figures_of(Wanted(scope, asked.get("agent")))
    found = in_order(matching(every, asked), asked.sort)
    asked = Asked(asked.values, asked.sort, min(asked.page, max(1, -(-len(found) // PER_PAGE))))
    start = (asked.page - 1) * PER_PAGE
    return ToolsPage(
        asked=asked,
        scope=scope,
        headline=headline_of(of_server(every, asked.get("server"))),
        rows=found[start : start + PER_PAGE],
        matching=len(found),
        tools=len(every),
        columns=[_column(asked, *column) for column in COLUMNS],
        projects=project_choices(scope.project, demo=scope.demo),
        agents=_agents(asked.get("agent"), scope),
        servers=_servers(every, asked.get("server")),
        shows=[Choice(value, title, value == asked.get("show")) for value, title in SHOWS.items()],
        windows=[(Choice(v, title, v == scope.window), asked.url(window=v)) for v, title in TITLES.items()],
    )


def listed_tools(asked: Asked) -> list[ToolFigures]:
    """All rows that the filters leave, in order."""
    scope = scope_of(window=asked.get("window"), project=asked.get("project"))
    return in_order(matching(figures_of(Wanted(scope, asked.get("agent"))), asked), asked.sort)


def of_server(rows: Iterable[ToolFigures], server: str) -> list[ToolFigures]:
    """The tools of a server; of none with BUILT_IN; all with an empty one."""
    return [row for row in rows if not server or row.server == ("" if server == BUILT_IN else server)]


def matching(rows: Iterable[ToolFigures], asked: Asked) -> list[ToolFigures]:
    """The tools that the filters leave."""
    text, shown = asked.get("q").casefold(), _SHOWS.get(asked.get("show"))
    found = [row for row in of_server(rows, asked.get("server")) if shown is None or shown(row)]
    return [row for row in found if text in f"{row.tool}\n{row.server}\n{row.group}".casefold()]


def in_order(rows: Iterable[ToolFigures], sort: str) -> list[ToolFigures]:
    """Rows by a column; what is unknown comes last in any order, and equal ones by their names."""
    by_name = sorted(rows, key=lambda row: (row.tool.casefold(), row.tool))
    name, down = sort.removeprefix("-"), sort.startswith("-")
    if name == "name":
        return by_name[::-1] if down else by_name
    key = _KEYS[name]
    known = sorted((row for row in by_name if key(row) is not None), key=key, reverse=down)
    return [*known, *(row for row in by_name if key(row) is None)]


def headline_of(rows: Sequence[ToolFigures]) -> Headline:
    """What stands out."""
    resident = [row for row in rows if row.resident.requests]
    unused = sorted((row for row in resident if row.unused), key=lambda row: (-row.resident.tokens, row.tool))
    loaded = [row for row in rows if row.loaded_share]
    loaded.sort(key=lambda row: (-(row.loaded_share or 0), -row.loaded.runs, row.tool))
    often = [row for row in loaded if row.often]
    priced = [row.resident.cost for row in unused if row.resident.cost is not None]
    return Headline(
        resident=len(resident),
        unused=unused,
        often=often,
        nearest=[] if often else loaded[:NEAREST],
        deferred=sum(row.deferred.requests > 0 for row in rows),
        resident_tokens=sum(row.resident.tokens for row in resident),
        unused_tokens=sum(row.resident.tokens for row in unused),
        unused_pusd=sum(priced) if priced else None,
        unpriced=max((row.resident.unpriced for row in unused), default=0),
        known=any(row.carried for row in rows),
    )


def _agents(chosen: str, scope: Scope) -> list[Choice]:
    known = Conversation.objects.filter(demo=scope.demo).order_by().values_list("agent", flat=True).distinct()
    return [Choice(agent, figures.agent_name(agent), agent == chosen) for agent in sorted(known) if agent]


def _servers(rows: Iterable[ToolFigures], chosen: str) -> list[Choice]:
    names = sorted({row.server for row in rows if row.server} | ({chosen} - {"", BUILT_IN}))
    pairs = [(BUILT_IN, "Built in"), *((name, figures.shown(name)) for name in names if name != BUILT_IN)]
    return [Choice(value, title, value == chosen) for value, title in pairs]


def _column(asked: Asked, key: str, title: str, kind: str) -> Column:
    order = {key: "ascending", f"-{key}": "descending"}.get(asked.sort, "")
    first, second = (key, f"-{key}") if key == "name" else (f"-{key}", key)
    url = asked.url(sort=second if asked.sort == first else first)
    arrow = {"ascending": " ↑", "descending": " ↓", "": ""}[order]
    return Column(title=title + arrow, kind=kind, url=url, order=order)
