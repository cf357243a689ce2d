"""What is stored of tools in a period, read in sums: lists of tools with the requests that carried them, calls, loadings."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from django.db import connection
from django.db.models import Aggregate, Count, Max, OuterRef, Q, QuerySet, Subquery, Sum, TextField

from harness import tokens
from observability.enums import SearchOutcome
from observability.models import Activation, Search, SurfaceUse, ToolUse
from observability.queries.scope import Scope
from observability.queries.tools.lists import Member

Side = Literal["surface", "loaded"]
Combinations = Counter[frozenset[int]]
"""How many runs had which lists."""
TRIGGERS: Final = ("search", "direct_call", "preload", "resume", "unknown")


class Use(NamedTuple):
    """Requests of models of one family that carried one list; `model` is one of them. `pusd`: what a token at the start of their prompts cost together."""

    list: int
    family: str
    model: str
    requests: int
    unpriced: int
    pusd: int
    last: datetime

    def plus(self, other: Use) -> Use:
        """Both together."""
        sums = (self.requests + other.requests, self.unpriced + other.unpriced, self.pusd + other.pusd)
        return Use(self.list, self.family, min(self.model, other.model), *sums, max(self.last, other.last))


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

    @property
    def key(self) -> tuple[object, ...]:
        """What tells it apart. The end of a period that has no start decides nothing."""
        end = self.scope.end if self.scope.start else None
        return self.scope.demo, self.scope.project, self.scope.start, end, self.agent

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
    """Requests by list and family of models: those of a family count tokens alike."""
    rows = SurfaceUse.objects.filter(wanted.sums()).exclude(**{side: 0}).order_by()
    sums = rows.values_list(f"{side}_id", "model").annotate(
        n=Sum("requests"), u=Sum("unpriced"), p=Sum("start_pusd"), at=Max("hour")
    )
    found: dict[tuple[int, str], Use] = {}
    for number, model, requests, unpriced, pusd, last in sums:
        family = tokens.family(model)
        old = found.get((number, family))
        new = Use(number, family, model, int(requests), int(unpriced), int(pusd), last)
        found[(number, family)] = new if old is None else old.plus(new)
    return list(found.values())


def runs(wanted: Wanted, side: Side) -> Combinations:
    """How many runs had which lists."""
    rows = SurfaceUse.objects.filter(wanted.sums()).exclude(**{side: 0}).order_by()
    inner, values = rows.values("run").annotate(lists=Joined(f"{side}_id")).values("lists").query.sql_with_params()
    found = Combinations()
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT lists, COUNT(*) FROM ({inner}) AS runs GROUP BY lists", values)  # noqa: S608
        for lists, number in cursor.fetchall():
            found[frozenset(map(int, lists.split(",")))] += number
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


def tools_in(combinations: Combinations, of: dict[int, tuple[Member, ...]]) -> Counter[tuple[str, str]]:
    """In how many runs each tool was in each state."""
    found = Counter[tuple[str, str]]()
    for members, number in _by_members(combinations, of).items():
        for place in {(each.tool, each.state) for each in members}:
            found[place] += number
    return found


def _by_members(combinations: Combinations, of: dict[int, tuple[Member, ...]]) -> Counter[frozenset[Member]]:
    found = Counter[frozenset[Member]]()
    for lists, number in combinations.items():
        found[frozenset().union(*(of.get(name, ()) for name in lists))] += number
    return found
