"""What is stored of tools in a period, read in sums: lists of tools with the requests that carried them, calls, loadings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from django.db import connection
from django.db.models import Aggregate, Count, Max, OuterRef, Q, QuerySet, Subquery, Sum, TextField

from observability.enums import SearchOutcome
from observability.models import Activation, ListedTool, Search, SurfaceUse, ToolUse
from observability.queries.scope import Scope

Side = Literal["surface", "loaded"]
TRIGGERS: Final = ("search", "direct_call", "preload", "resume", "unknown")
CHUNK: Final = 500


class Member(NamedTuple):
    """A tool of a list."""

    tool: str
    state: str
    definition: bytes | None
    server: str
    group: str
    listing: str


class Use(NamedTuple):
    """Requests of one model that carried one list. `pusd`: what a token at the start of their prompts cost together."""

    list: int
    model: str
    requests: int
    unpriced: int
    pusd: int
    last: datetime


class Calls(NamedTuple):
    """Calls of a tool, those that failed, the runs with any, and the hour of the last."""

    calls: int = 0
    failed: int = 0
    runs: int = 0
    last: datetime | None = None


@dataclass(frozen=True)
class Wanted:
    """Which rows count. `agent` is empty for all."""

    scope: Scope
    agent: str = ""

    def sums(self) -> Q:
        """Rows of the kept sums."""
        wanted = Q(demo=self.scope.demo) & self.scope.of_project() & self.scope.within("hour")
        return wanted & Q(agent=self.agent) if self.agent else wanted

    def events(self) -> Q:
        """Rows that stand at a moment of a conversation."""
        wanted = Q(conversation__demo=self.scope.demo) & self.scope.of_project() & self.scope.within("at")
        return wanted & Q(conversation__agent=self.agent) if self.agent else wanted


class Joined(Aggregate):
    """The different values of a column as one text."""

    function = "GROUP_CONCAT"
    output_field = TextField()
    template = "%(function)s(DISTINCT %(expressions)s)"

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """PostgreSQL names it otherwise, and joins texts only; it sorts what is different."""
        template = "STRING_AGG(DISTINCT CAST(%(expressions)s AS text), ',')"
        return self.as_sql(compiler, connection, template=template, **extra)


def uses(wanted: Wanted, side: Side) -> list[Use]:
    """Requests by list and model."""
    rows = SurfaceUse.objects.filter(wanted.sums()).exclude(**{side: 0}).order_by()
    sums = rows.values_list(f"{side}_id", "model").annotate(
        n=Sum("requests"), u=Sum("unpriced"), p=Sum("start_pusd"), at=Max("hour")
    )
    return [Use(*row[:2], *map(int, row[2:5]), row[5]) for row in sums]


def runs(wanted: Wanted, side: Side) -> Counter[frozenset[int]]:
    """How many runs had which lists."""
    rows = SurfaceUse.objects.filter(wanted.sums()).exclude(**{side: 0}).order_by()
    inner, values = rows.values("run").annotate(lists=Joined(f"{side}_id")).values("lists").query.sql_with_params()
    found = Counter[frozenset[int]]()
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT lists, COUNT(*) FROM ({inner}) AS runs GROUP BY lists", values)  # noqa: S608
        for lists, number in cursor.fetchall():
            found[frozenset(map(int, lists.split(",")))] += number
    return found


def members(lists: Iterable[int]) -> dict[int, list[Member]]:
    """The tools of lists."""
    found: dict[int, list[Member]] = defaultdict(list)
    columns = ("list_id", "tool", "state", "definition", "server", "group", "listing")
    for some in _chunks(lists):
        for number, tool, state, address, *rest in ListedTool.objects.filter(list__in=some).values_list(*columns):
            found[number].append(Member(tool, state, bytes(address) if address else None, *rest))
    return found


def calls(wanted: Wanted) -> dict[str, Calls]:
    """Calls by tool."""
    rows = ToolUse.objects.filter(wanted.sums()).order_by().values_list("tool")
    sums = rows.annotate(n=Sum("calls"), bad=Sum("failed"), r=Count("run", distinct=True), at=Max("hour"))
    return {tool: Calls(int(n), int(bad), number, at) for tool, n, bad, number, at in sums}


def loads(wanted: Wanted) -> dict[str, Counter[str]]:
    """Loadings by tool and trigger."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    rows = Activation.objects.filter(wanted.events()).order_by().values_list("tool", "trigger")
    for tool, trigger, number in rows.annotate(n=Count("id")):
        found[tool][trigger if trigger in TRIGGERS else "unknown"] += number
    return found


def missed(wanted: Wanted) -> Counter[str]:
    """How often searches missed a tool: it was asked for by name and not given, or was the next that was loaded.

    A search that found nothing and asked for no name counts for the tool that the run loaded next.
    """
    next_loaded = Activation.objects.filter(run=OuterRef("run"), seq__gt=OuterRef("seq")).order_by("seq", "tool")
    found = Counter[str]()
    named = failed_searches(wanted).exclude(missing=[])
    for names in named.values_list("missing", flat=True):
        found.update({str(name) for name in names})
    blind = failed_searches(wanted).filter(missing=[], outcome=SearchOutcome.MISS)
    for tool in blind.annotate(then=Subquery(next_loaded.values("tool")[:1])).values_list("then", flat=True):
        if tool:
            found[tool] += 1
    return found


def failed_searches(wanted: Wanted) -> QuerySet[Search]:
    """Searches that did not give all that was asked for."""
    return Search.objects.filter(wanted.events(), outcome__in=(SearchOutcome.MISS, SearchOutcome.PARTIAL))


def tools_in(combinations: Counter[frozenset[int]], of: dict[int, list[Member]]) -> Counter[tuple[str, str]]:
    """In how many runs each tool was in each state."""
    found = Counter[tuple[str, str]]()
    for lists, number in combinations.items():
        for place in {(each.tool, each.state) for name in lists for each in of.get(name, ())}:
            found[place] += number
    return found


def _chunks(values: Iterable[int]) -> Iterator[list[int]]:
    rest = iter(dict.fromkeys(values))
    take: Callable[[], list[int]] = lambda: list(islice(rest, CHUNK))  # noqa: E731
    yield from iter(take, [])
