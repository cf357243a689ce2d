"""Sums of a period by model, agent, project, or main runs and sub-agents; and those of its steps of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Q, Sum
from django.urls import reverse

from observability import figures
from observability.models import HourlyRollup
from observability.queries.conversation import Sums
from observability.queries.rollups import SUMMED, Slice, TimeKey
from observability.queries.scope import Scope
from observability.queries.timeline import Step, timeline

BY: Final = {"model": "Model", "agent": "Agent", "project": "Project", "kind": "Main or sub-agent"}
"""What the page compares by, as the URL and as the page say it."""
FIELDS: Final = {"model": "model", "agent": "agent", "project": "project_id", "kind": "run_kind"}
NAMES: Final = {"project": "project__name"}
KINDS: Final = {"main": "main runs", "sub_agent": "sub-agents", "compaction": "compactions"}
LISTED: Final = 30
"""Groups of the table; further ones are counted."""
DRAWN: Final = 3
"""Groups with a line of their own in the chart: more cannot be told apart in ink."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """What the requests of one model, agent, project or kind of run add up to. `url` lists its conversations."""

    key: Any
    name: str
    sums: Sums
    hits: int
    url: str = ""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A group over time, step by step as the whole period is."""

    name: str
    steps: list[Step]


def groups(scope: Scope, by: str) -> list[Group]:
    """The groups of a period, the one with most prompt tokens first."""
    name = NAMES.get(by, FIELDS[by])
    rows = (
        HourlyRollup.objects.filter(scope.of_project(), scope.within("hour"), demo=scope.demo)
        .values(*dict.fromkeys([FIELDS[by], name]))
        .annotate(sum_hits=Sum("hits"), **{f"sum_{field}": Sum(field) for field in SUMMED})
    )
    found = [_group(row, by, name, scope) for row in rows]
    return sorted(found, key=lambda group: (-group.sums.prompt, group.name))


def hits_of(found: Sequence[Group]) -> int:
    """Requests that read anything."""
    return sum(group.hits for group in found)


def hits_before(scope: Scope) -> int | None:
    """The same in the period before; None where there is none."""
    if scope.start_before is None:
        return None
    before = Q(hour__gte=scope.start_before, hour__lt=scope.start)
    rows = HourlyRollup.objects.filter(scope.of_project(), before, demo=scope.demo)
    return int(rows.aggregate(hits=Sum("hits"))["hits"] or 0)


def drawn(scope: Scope, by: str, largest: Sequence[Group], whole: Sequence[Slice]) -> list[Drawn]:
    """The largest groups over the steps of the whole period."""
    some = largest[:DRAWN]
    if len(largest) < 2:
        return []
    length = 13 if scope.window == "24h" else 10
    rows = (
        HourlyRollup.objects.filter(scope.of_project(), scope.within("hour"), demo=scope.demo)
        .filter(**{f"{FIELDS[by]}__in": [group.key for group in some]})
        .annotate(key=TimeKey("hour", length))
        .values(FIELDS[by], "key")
        .annotate(**{f"sum_{field}": Sum(field) for field in SUMMED})
    )
    found: dict[Any, list[Slice]] = {group.key: [] for group in some}
    for row in rows:
        at = datetime.fromisoformat(row["key"]).replace(tzinfo=UTC)
        found[row[FIELDS[by]]].append(Slice(at, "", _sums(row)))
    # Empty slices of the whole period give each group the same steps.
    frame = [Slice(each.at, "", Sums()) for each in whole]
    return [Drawn(name=group.name, steps=timeline(scope, [*frame, *found[group.key]]).steps) for group in some]


def _group(row: Mapping[str, Any], by: str, name: str, scope: Scope) -> Group:
    sums, key = _sums(row), row[FIELDS[by]]
    return Group(key=key, name=_name(by, row[name]), sums=sums, hits=row["sum_hits"] or 0, url=_url(by, key, scope))


def _name(by: str, name: str | None) -> str:
    if by == "model":
        return figures.model_name(name or "") or "unknown"
    if by == "kind":
        return KINDS.get(name or "", name or "unknown")
    return figures.shown(name or "") or "unknown"


def _url(by: str, key: Any, scope: Scope) -> str:
    query = {"window": scope.window, **({"project": scope.project} if scope.project else {})}
    if by == "kind":
        query |= {"with": "agents"} if key == "sub_agent" else {}
    else:
        query[by] = key
    return f"{reverse('conversations')}?{urlencode(query)}"


def _sums(row: Mapping[str, Any]) -> Sums:
    values = {name: row[f"sum_{name}"] for name in SUMMED}
    if values["requests"] == values["unpriced"]:
        values |= {"cost_pusd": None, "rebuilt_pusd": None}
    return Sums(**values)


def share(part: int, whole: int) -> Decimal | None:
    """A part of a whole; None where there is no whole."""
    return Decimal(part) / whole if whole else None
