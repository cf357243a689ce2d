"""The list of conversations: filtered, sorted and paged, all of it from the URL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Case, Count, F, Q, QuerySet, Sum, When
from django.db.models.expressions import OrderBy

from harness.usage import rate_of
from observability import figures
from observability.enums import BreakReason, ServerState
from observability.models import Conversation, Project, Request, Search, ServerReport
from observability.queries.attention import FAILED
from observability.queries.scope import TITLES, Choice, Scope, project_choices, scope_of

PER_PAGE: Final = 50
LONGEST: Final = 200
"""A longer value of a filter is cut."""
SORTS: Final = {
    "title": "title",
    "started": "started_at",
    "requests": "requests",
    "prompt": "prompt",
    "rate": "rate_ppm",
    "breaks": "breaks",
    "rebuilt": "rebuilt",
    "misses": "misses",
    "idle": "idle_raw",
    "cost": "cost_pusd",
}
NEWEST: Final = "-started"
WITH: Final = {
    "": "anything",
    "break": "a break",
    "miss": "a failed search",
    "agents": "sub-agents",
    "unpriced": "an unknown price",
}
_WITH: Final = {
    "break": Q(breaks__gt=0),
    "miss": Q(misses__gt=0),
    "agents": Q(sub_agents__gt=0),
    "unpriced": Q(unpriced__gt=0),
}
COLUMNS: Final = (
    ("title", "Conversation", ""),
    ("started", "Started", "n opt"),
    ("requests", "Requests", "n opt"),
    ("prompt", "Prompt", "n opt"),
    ("rate", "Rate", "n"),
    ("", "Read, written, uncached", "opt"),
    ("breaks", "Breaks", "n"),
    ("misses", "Misses", "n opt"),
    ("idle", "First prompt", "n opt"),
    ("cost", "Cost", "n"),
)
"""Sort key, title and class of each column."""
CHIPS: Final = ("reason", "missed", "server")
"""Filters that links to evidence set; the form has no field for them."""
NAMES: Final = {
    "q": "the text",
    "project": "the project",
    "agent": "the agent",
    "model": "the model",
    "with": "the condition",
    "window": "the period",
    "reason": "the reason",
    "missed": "the search",
    "server": "the server",
}
FILTERS: Final = tuple(NAMES)
# "q", "project", "agent", "model", "with", "window", "reason", "missed", "server")


@dataclass(frozen=True)
class Asked:
    """What the URL asks for. Unknown values are dropped, so that every link gives a page."""

    values: dict[str, str]
    sort: str = NEWEST
    page: int = 1

    def get(self, name: str) -> str:
        """A filter's value, empty where it is not set."""
        return self.values.get(name, "")

    def url(self, **changed: str) -> str:
        """The same list with something changed; empty values are left out. A change goes back to page 1."""
        query = {**self.values, "sort": self.sort, **changed}
        kept = {name: value for name, value in query.items() if value and (name, value) not in DEFAULTS}
        return f"?{urlencode(kept)}"


DEFAULTS: Final = {("sort", NEWEST), ("page", "1"), ("window", "all")}


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column's head. `order` is "ascending", "descending" or ""; `url` sorts by it, or turns the order."""

    title: str
    kind: str
    url: str
    order: str


@dataclass(frozen=True)
class Chip:
    """A filter that has no field in the form, and the list without it."""

    text: str
    url: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """A conversation in the list. Money in picodollars, the rate in millionths."""

    uid: str
    title: str
    about: str
    demo: bool
    resumed: bool
    started_at: datetime | None
    requests: int
    prompt: int
    rate_ppm: int | None
    read: int
    written: int
    uncached: int
    breaks: int
    rebuilt: int
    misses: int
    idle_raw: int | None
    cost_pusd: int | None
    unpriced: int

    @property
    def cost(self) -> str:
        """What it cost; without a request there is nothing to price."""
        return figures.money(self.cost_pusd) if self.requests else figures.NOTHING


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Sums over all that match, demo left out where there is anything else. Money in picodollars."""

    matching: int
    read: int
    prompt: int
    cost_pusd: int | None
    unpriced: int

    @property
    def cost(self) -> str:
        """What they cost together, and how much of it has no price."""
        if self.cost_pusd is None:
            return figures.UNPRICED if self.unpriced else figures.NOTHING
        beside = f", {figures.counted(self.unpriced, 'request')} unpriced" if self.unpriced else ""
        return f"{figures.money(self.cost_pusd)}{beside}"

    @property
    def rate(self) -> Decimal | None:
        """The cache rate of these conversations together."""
        return rate_of(read=self.read, prompt=self.prompt)


@dataclass(frozen=True, kw_only=True)
class ConversationList:
    """Everything that the page shows."""

    asked: Asked
    scope: Scope
    rows: list[Row]
    totals: Totals
    columns: list[Column]
    projects: list[Choice]
    agents: list[Choice]
    models: list[Choice]
    withs: list[Choice]
    chips: list[Chip]
    only_demo: bool = False
    windows: list[tuple[Choice, str]] = field(default_factory=list)

    @property
    def filtered(self) -> bool:
        """Whether any filter is set."""
        return any(self._narrows(name) for name in NAMES)

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """What the form must carry along: filters without a field, the period and the order."""
        named = [(name, self.asked.get(name)) for name in ("window", *CHIPS)]
        return [
            (name, value)
            for name, value in [*named, ("sort", self.asked.sort)]
            if (name, value) not in DEFAULTS and value
        ]

    @property
    def loosened(self) -> list[tuple[str, str]]:
        """Filters that are set, by name, with the list that leaves each of them out."""
        return [(title, self.asked.url(**{name: ""})) for name, title in NAMES.items() if self._narrows(name)]

    def _narrows(self, name: str) -> bool:
        value = self.asked.get(name)
        return bool(value) and (name, value) not in DEFAULTS

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
        return self.asked.url(page=str(self.asked.page + 1)) if self.last < self.totals.matching else ""

    @cached_property
    def period(self) -> str:
        """The period in words."""
        return "" if self.scope.start is None else self.scope.title


def asked_for(query: Mapping[str, str]) -> Asked:
    """Read a URL's query. NUL and over-long values are cut: databases and people have no use for them."""
    values = {name: query.get(name, "").replace("\x00", "")[:LONGEST].strip() for name in FILTERS}
    values["window"] = values["window"] if values["window"] in TITLES else "all"
    values["with"] = values["with"] if values["with"] in WITH else ""
    values["project"] = values["project"] if values["project"].isdecimal() else ""
    sort, page = query.get("sort", NEWEST), query.get("page", "1")
    return Asked(
        {name: value for name, value in values.items() if value},
        sort if sort.removeprefix("-") in SORTS else NEWEST,
        int(page) if page.isdecimal() and 0 < int(page[:9]) < 10**6 else 1,
    )


def conversation_list(asked: Asked) -> ConversationList:
    """Read the page."""
    scope = scope_of(window=asked.get("window"), project=asked.get("project"))
    found = _matching(asked, scope)
    totals, known = _totals(found, demo=scope.demo), _known()
    page = min(asked.page, max(1, -(-totals.matching // PER_PAGE)))
    asked = Asked(asked.values, asked.sort, page)
    return ConversationList(
        asked=asked,
        scope=scope,
        rows=_rows(found, asked),
        totals=totals,
        columns=[_column(asked, *column) for column in COLUMNS],
        projects=project_choices(scope.project),
        agents=_choices((agent for agent, _ in known), figures.agent_name, asked.get("agent")),
        models=_choices((model for _, model in known), figures.model_name, asked.get("model")),
        withs=[Choice(value, title, value == asked.get("with")) for value, title in WITH.items()],
        chips=_chips(asked),
        only_demo=scope.demo,
        windows=[
            (Choice(value, title, value == scope.window), asked.url(window=value)) for value, title in TITLES.items()
        ],
    )


def _matching(asked: Asked, scope: Scope) -> QuerySet[Conversation]:
    found = Conversation.objects.filter(scope.of_project())
    if scope.start is not None:
        found = found.filter(last_at__gte=scope.start, started_at__lt=scope.end)
    if text := asked.get("q"):
        named = Project.objects.filter(name__icontains=text)
        found = found.filter(Q(title__icontains=text) | Q(uid__icontains=text) | Q(project__in=named))
    found = found.filter(**{name: asked.get(name) for name in ("agent", "model") if asked.get(name)})
    return found.filter(_WITH.get(asked.get("with"), Q()), _evidence(asked))


def _evidence(asked: Asked) -> Q:
    """Conversations that hold a break of a reason, a failed search of a query, or a failed server."""
    wanted = Q()
    if reason := asked.get("reason"):
        broken = Request.objects.filter(lost__isnull=False, break_reason=reason)
        wanted &= Q(id__in=broken.values("conversation"))
    if query := asked.get("missed"):
        wanted &= Q(id__in=Search.objects.filter(query=query, outcome__in=FAILED).values("conversation"))
    if server := asked.get("server"):
        states = (ServerState.FAILED, ServerState.NEEDS_AUTH)
        wanted &= Q(id__in=ServerReport.objects.filter(server=server, state__in=states).values("conversation"))
    return wanted


def _totals(found: QuerySet[Conversation], *, demo: bool) -> Totals:
    real = Q(demo=demo)
    sums = found.aggregate(
        matching=Count("id"),
        sum_read=Sum("read", filter=real),
        sum_prompt=Sum("prompt", filter=real),
        sum_cost=Sum("cost_pusd", filter=real),
        sum_unpriced=Sum("unpriced", filter=real),
    )
    return Totals(
        matching=sums["matching"],
        read=sums["sum_read"] or 0,
        prompt=sums["sum_prompt"] or 0,
        cost_pusd=sums["sum_cost"],
        unpriced=sums["sum_unpriced"] or 0,
    )


def _order(sort: str) -> list[OrderBy | str]:
    name = SORTS[sort.removeprefix("-")]
    down = sort.startswith("-")
    first = F(name).desc(nulls_last=True) if down else F(name).asc(nulls_last=True)
    if name == "title":
        named = Case(When(title="", then=F("uid")), default=F("title"))
        first = named.desc() if down else named.asc()
    return [first, "id"]


def _rows(found: QuerySet[Conversation], asked: Asked) -> list[Row]:
    """The rows of a page: their ids are sorted first, so that the database sorts little."""
    start = (asked.page - 1) * PER_PAGE
    ids = list(found.order_by(*_order(asked.sort)).values_list("id", flat=True)[start : start + PER_PAGE])
    rows = Conversation.objects.filter(id__in=ids).values(
        *("id", "uid", "title", "agent", "model", "demo", "resumed", "started_at", "requests", "sub_agents", "prompt"),
        *("rate_ppm", "read", "write_5m", "write_1h", "write_other", "uncached", "breaks", "rebuilt", "misses"),
        *("idle_raw", "cost_pusd", "unpriced"),
        project_name=F("project__name"),
    )
    by_id = {row["id"]: row for row in rows}
    return [_row(by_id[number]) for number in ids if number in by_id]


def _row(row: dict[str, Any]) -> Row:
    kept = ("uid", "demo", "resumed", "started_at", "requests", "prompt", "rate_ppm", "read", "uncached")
    more = ("breaks", "rebuilt", "misses", "idle_raw", "cost_pusd", "unpriced")
    return Row(
        **{name: row[name] for name in (*kept, *more)},
        title=figures.shown(row["title"] or row["uid"]),
        about=_about(row),
        written=row["write_5m"] + row["write_1h"] + row["write_other"],
    )


def _about(row: dict[str, Any]) -> str:
    said = [
        figures.shown(row["project_name"] or ""),
        figures.agent_name(row["agent"]),
        figures.model_name(row["model"]),
    ]
    if row["sub_agents"]:
        said.append(figures.counted(row["sub_agents"], "sub-agent"))
    return " · ".join(each for each in said if each)


def _column(asked: Asked, key: str, title: str, kind: str) -> Column:
    if not key:
        return Column(title=title, kind=kind, url="", order="")
    order = {key: "ascending", f"-{key}": "descending"}.get(asked.sort, "")
    first, second = (key, f"-{key}") if key == "title" else (f"-{key}", key)
    url = asked.url(sort=second if asked.sort == first else first)
    arrow = {"ascending": " ↑", "descending": " ↓", "": ""}[order]
    return Column(title=title + arrow, kind=kind, url=url, order=order)


def _known() -> list[tuple[str, str]]:
    return list(Conversation.objects.order_by().values_list("agent", "model").distinct())


def _choices(values: Iterable[str], words: Callable[[str], str], chosen: str) -> list[Choice]:
    return [Choice(value, words(value), value == chosen) for value in sorted(set(values)) if value]


def _chips(asked: Asked) -> list[Chip]:
    reason = asked.get("reason")
    words = {
        "reason": f"Break: {dict(BreakReason.choices).get(reason, figures.shown(reason))}",
        "missed": f"Searched without success: {figures.shown(asked.get('missed'))}",
        "server": f"Server failed: {figures.shown(asked.get('server'))}",
    }
    return [Chip(text, asked.url(**{name: ""})) for name, text in words.items() if asked.get(name)]
