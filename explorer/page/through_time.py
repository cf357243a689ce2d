"""A request among those of its run: how to step on, what changed, epochs, what lies between the markers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from explorer.page.build import ContextPage
from explorer.page.since import Since, since
from explorer.page.strip import Strip
from explorer.queries.against import against, other_request
from explorer.queries.composition import Composition
from explorer.queries.epochs import Epoch, epochs
from explorer.queries.kin import Beside, Children, beside_parent, children
from explorer.queries.moment import Moment, address
from explorer.ribbon.plan import Plan
from explorer.ribbon.stretches import Stretch, stretches
from observability.figures import number, shown

NEAR: Final = 4
"""Epochs that are listed on either side of the one that is shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tick:
    """Where an epoch begins in the strip, in per cent of its width."""

    x: str
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ThroughTime:
    """What the page shows of a run over time. `kept` is the rest of the address, which a step leaves as it is."""

    at: Moment
    kept: Mapping[str, str]
    since: Since | None
    epochs: list[Epoch]
    ticks: list[Tick]
    stretches: list[Stretch]
    beside: Beside | None
    children: Children

    @property
    def kept_query(self) -> str:
        """What stands behind the request in an address; empty, or it begins with &."""
        return f"&{urlencode(self.kept)}" if self.kept else ""

    @property
    def previous_query(self) -> str:
        """The query that leads to the request before."""
        return address(self.at, self.at.previous) + self.kept_query

    @property
    def next_query(self) -> str:
        """The query that leads to the next request."""
        return address(self.at, self.at.next) + self.kept_query

    @property
    def last_break_query(self) -> str:
        """The query that leads to the break before this request."""
        return address(self.at, self.at.last_break) + self.kept_query

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The hidden fields of a form that leads to another request. Nothing that cannot be shown goes into one."""
        run = [] if self.at.run.kind == "main" else [("run", self.at.run.uid)]
        return [*run, *((name, value) for name, value in self.kept.items() if shown(value) == value)]

    @property
    def listed_epochs(self) -> list[Epoch]:
        """The epochs around that of the request, with the first and the last of the run."""
        here = self.epoch.number if self.epoch else 1
        ends = (1, len(self.epochs))
        return [each for each in self.epochs if abs(each.number - here) <= NEAR or each.number in ends]

    @property
    def epoch(self) -> Epoch | None:
        """The epoch that the request stands in."""
        return next((each for each in self.epochs if each.first <= self.at.ordinal <= each.last), None)


def through_time(
    at: Moment, now: Composition, plan: Plan, strip: Strip, *, asked: str, kept: Mapping[str, str]
) -> ThroughTime:
    """The request over time; `asked` is what it is compared with. Raises Request.DoesNotExist."""
    other = other_request(at, asked)
    found = epochs(at)
    return ThroughTime(
        at=at,
        kept=kept,
        since=since(against(at, now, other), detail=bool(asked)) if other else None,
        epochs=found,
        ticks=ticks(found, strip),
        stretches=stretches(plan.marks, plan.cache, plan.total),
        beside=beside_parent(at, now),
        children=children(at),
    )


def of_page(page: ContextPage) -> ThroughTime:
    """The request of a page over time, compared with the request before."""
    return through_time(page.at, page.now, page.plan, page.strip, asked="", kept={})


def ticks(found: Sequence[Epoch], strip: Strip) -> list[Tick]:
    """Where the second epoch and the later ones begin; those that begin in one column of the strip share a tick."""
    wide = 100 / max(1, len(strip.columns))
    starts: dict[int, list[Epoch]] = {}
    for epoch in found[1:]:
        starts.setdefault((epoch.first - 1) // strip.grouped, []).append(epoch)
    return [Tick(x=f"{column * wide:.3f}%", title=_begins(some)) for column, some in starts.items()]


def _begins(some: Sequence[Epoch]) -> str:
    if len(some) == 1:
        return f"Epoch {number(some[0].number)} begins at request {number(some[0].first)}"
    return f"Epochs {number(some[0].number)} to {number(some[-1].number)} begin here"
