"""What the cache page shows."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from observability import figures
from observability.charts.rates_by import Line, rates_axis, rates_figure
from observability.enums import BreakReason
from observability.queries.bill import Bill, bill
from observability.queries.cache.broken import ByReason, Worst, by_reason, label, worst
from observability.queries.cache.groups import BY, LISTED, Drawn, Group, drawn, groups, hits_before, hits_of, share
from observability.queries.cache.prices import PriceRow, price_rows
from observability.queries.conversation import Sums
from observability.queries.rollups import added, parted, slices
from observability.queries.scope import BEFORE, Choice, Scope, project_choices, window_choices
from observability.queries.timeline import Timeline, period_words, timeline


@dataclass(frozen=True, kw_only=True)
class CachePage:
    """The page of a period, compared by something. `reason` narrows the list of the worst breaks."""

    scope: Scope
    by: str
    reason: str
    windows: list[Choice]
    projects: list[Choice]
    now: Sums
    before: Sums | None
    hits: int
    hits_before: int | None
    groups: list[Group]
    drawn: list[Drawn]
    timeline: Timeline
    bill: Bill
    prices: list[PriceRow]
    reasons: list[ByReason]
    worst: list[Worst]

    @property
    def demo(self) -> bool:
        """Whether all of this is demo data."""
        return self.scope.demo

    @property
    def period(self) -> str:
        """The period in words."""
        return period_words(self.scope, self.timeline)

    @property
    def by_title(self) -> str:
        """What is compared, in a word or two."""
        return BY[self.by]

    @property
    def choices(self) -> list[tuple[str, str, bool]]:
        """What can be compared: the query, the title, and whether it is chosen."""
        return [(f"?{self._query(by=value)}", title, value == self.by) for value, title in BY.items()]

    @property
    def kept_query(self) -> str:
        """What a change of the period keeps."""
        return self._query(window="")

    @property
    def all_reasons(self) -> str:
        """The query without the reason."""
        return f"?{self._query(reason='')}#worst"

    @property
    def reason_label(self) -> str:
        """The reason that was asked for, in words."""
        return label(self.reason) if self.reason else ""

    @property
    def listed(self) -> list[Group]:
        """The rows of the table."""
        return self.groups[:LISTED]

    @property
    def unlisted(self) -> int:
        """How many groups more there are."""
        return max(0, len(self.groups) - LISTED)

    @property
    def write_share(self) -> Decimal | None:
        """The part of the prompt tokens that was written."""
        return share(self.now.written, self.now.prompt)

    @property
    def write_share_before(self) -> Decimal | None:
        """The same in the period before."""
        return share(self.before.written, self.before.prompt) if self.before else None

    @property
    def reuse(self) -> Decimal | None:
        """Tokens read for each token written; None where nothing was written."""
        return share(self.now.read, self.now.written)

    @property
    def reuse_words(self) -> str:
        """With one decimal."""
        return figures.times(self.reuse)

    @property
    def reuse_before(self) -> str:
        """The same in the period before; empty where there is none."""
        reuse = share(self.before.read, self.before.written) if self.before else None
        return "" if reuse is None else figures.times(reuse)

    @property
    def hit_share(self) -> Decimal | None:
        """The part of the requests that read anything."""
        return share(self.hits, self.now.requests)

    @property
    def hit_share_before(self) -> Decimal | None:
        """The same in the period before."""
        return share(self.hits_before or 0, self.before.requests) if self.before else None

    @property
    def before_title(self) -> str:
        """What the changes are measured against."""
        return BEFORE[self.scope.window]

    @property
    def writes_pusd(self) -> int | None:
        """What the writes cost; None where the bill cannot be split."""
        costs = [row.pusd for row in self.bill.rows if row.role == "write"]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if known else None

    @property
    def writes_share(self) -> Decimal | None:
        """Their part of the bill."""
        cost = self.now.cost_pusd
        return share(self.writes_pusd, cost) if self.writes_pusd is not None and cost else None

    @property
    def broken(self) -> int:
        """Breaks of the period."""
        return sum(row.breaks for row in self.reasons)

    @property
    def broken_rebuilt(self) -> int:
        """Tokens paid again by them."""
        return sum(row.rebuilt for row in self.reasons)

    @property
    def broken_pusd(self) -> int | None:
        """What that cost; None where no break has a price."""
        known = [row.pusd for row in self.reasons if row.pusd is not None]
        return sum(known) if known else None

    @property
    def again_share(self) -> Decimal | None:
        """The part of all writes that was paid again."""
        return share(self.broken_rebuilt, self.now.written)

    @property
    def _lines(self) -> list[Line]:
        whole = Line(name="all", strong=True, steps=self.timeline.steps)
        return [*(Line(name=each.name, strong=False, steps=each.steps) for each in self.drawn), whole]

    @property
    def axis_start(self) -> Decimal:
        """Where the axis of the chart starts."""
        return rates_axis(self._lines)

    @property
    def figure(self) -> dict[str, Any]:
        """The chart."""
        return rates_figure(self._lines, unit=self.timeline.unit)

    @property
    def figure_words(self) -> str:
        """The chart as a sentence."""
        names = ", ".join(each.name for each in self.drawn)
        return f"Cache rate by {self.timeline.unit} of all requests{f' and of {names}' if names else ''}"

    @property
    def table(self) -> list[tuple[str, list[Decimal | None]]]:
        """The chart's figures: each step with a request, the rate of all and of each line."""
        columns = [self.timeline.steps, *(each.steps for each in self.drawn)]
        rows = zip(*columns, strict=True)
        return [(row[0].name, [step.sums.rate for step in row]) for row in rows if row[0].sums.requests]

    def _query(self, **changed: str) -> str:
        project = str(self.scope.project or "")
        query = {"window": self.scope.window, "project": project, "by": self.by, "reason": self.reason, **changed}
        return urlencode({name: value for name, value in query.items() if value})


def cache_page(scope: Scope, *, by: str, reason: str) -> CachePage:
    """Read the page. What is not known stands for the default."""
    by, reason = by if by in BY else "model", reason if reason in BreakReason.values else ""
    parts = slices(scope)
    now, before = parted(scope, parts)
    found = groups(scope, by)
    return CachePage(
        scope=scope,
        by=by,
        reason=reason,
        windows=window_choices(scope),
        projects=project_choices(scope.project, demo=scope.demo),
        now=added(each.sums for each in now),
        before=before,
        hits=hits_of(found),
        hits_before=hits_before(scope),
        groups=found,
        drawn=drawn(scope, by, found, parts),
        timeline=timeline(scope, parts),
        bill=bill(now),
        prices=price_rows(now),
        reasons=by_reason(scope),
        worst=worst(scope, reason),
    )
