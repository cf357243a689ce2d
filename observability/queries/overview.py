"""The Overview: is the cache working, what does an idle session cost, what needs attention."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.db.models import Count, F, Sum

from observability import figures
from observability.charts.rates import axis_start, rate_figure
from observability.charts.spread import Spread, spread
from observability.enums import BreakReason
from observability.models import Conversation, Request
from observability.queries.attention import FailedSearch, Finding, failed_searches, findings
from observability.queries.bill import Bill, bill
from observability.queries.conversation import Sums
from observability.queries.idle import Idle, idle
from observability.queries.rollups import added, parted, slices
from observability.queries.scope import BEFORE, Choice, Scope, project_choices, window_choices
from observability.queries.timeline import Timeline, period_words, timeline

LOST_SHOWN: Final = 5
FALL: Final = Decimal("0.01")
"""A change of the rate below one point is no news."""
DIP: Final = Decimal("0.03")


@dataclass(frozen=True, kw_only=True)
class Active:
    """Counts over the conversations that were active in the period."""

    conversations: int
    searches: int
    misses: int

    @property
    def hit_rate(self) -> Decimal | None:
        """The part of the searches that did not fail."""
        return Decimal(self.searches - self.misses) / self.searches if self.searches else None


@dataclass(frozen=True, kw_only=True)
class Lost:
    """A conversation that lost tokens to breaks."""

    uid: str
    title: str
    project: str
    reasons: str
    breaks: int
    rate_ppm: int | None
    rebuilt: int
    pusd: int | None


@dataclass(frozen=True, kw_only=True)
class Overview:
    """Everything that the page shows."""

    scope: Scope
    windows: list[Choice]
    projects: list[Choice]
    now: Sums
    before: Sums | None
    active: Active
    idle: Idle
    searches: list[FailedSearch]
    findings: list[Finding]
    timeline: Timeline
    bill: Bill
    lost: list[Lost]

    @property
    def demo(self) -> bool:
        """Whether all of this is demo data."""
        return self.scope.demo

    @property
    def period(self) -> str:
        """The period in words."""
        return period_words(self.scope, self.timeline)

    @property
    def before_title(self) -> str:
        """What the changes are measured against."""
        return BEFORE[self.scope.window]

    @property
    def change(self) -> Decimal | None:
        """The change of the cache rate against the period before, as a share."""
        now, before = self.now.rate, self.before.rate if self.before else None
        return None if now is None or before is None else now - before

    @property
    def change_words(self) -> str:
        """The change with its direction: "▼ 1.4 pt"."""
        if self.change is None:
            return ""
        return f"{_arrow(self.change)} {figures.points(self.change)}"

    @property
    def worse(self) -> bool:
        """Whether the rate fell by more than a rounding."""
        return self.change is not None and self.change <= -FALL / 10

    @property
    def idle_words(self) -> str:
        """The change of the idle cost with its direction."""
        change = self.idle.change
        return "" if change is None else f"{_arrow(Decimal(change))} {figures.number(abs(change))}"

    @property
    def verdict(self) -> str:
        """The answer in words."""
        rate = self.now.rate
        if rate is None:
            return "Unknown: no prompt tokens in this period."
        word = "Yes" if rate >= Decimal("0.8") else "In part" if rate >= Decimal("0.5") else "Hardly"
        if self.change is None or abs(self.change) < FALL:
            return f"{word}."
        return f"{word}, {'but less' if self.change < 0 else 'and better'} than {self.before_title}."

    @property
    def because(self) -> str:
        """What stands behind the answer: the lowest step of time and what breaks cost."""
        said = []
        low = self.timeline.lowest()
        if low and self.now.rate is not None and low.sums.rate is not None and self.now.rate - low.sums.rate >= DIP:
            said.append(f"Lowest: {low.name}, {figures.percent(low.sums.rate)}.")
        if self.now.breaks:
            paid = "" if self.now.rebuilt_pusd is None else f", for {figures.money(self.now.rebuilt_pusd)}"
            broke = figures.counted(self.now.breaks, "break")
            said.append(f"{broke} made {figures.compact(self.now.rebuilt)} tokens be written again{paid}.")
        elif self.now.requests:
            said.append("No cache break in this period.")
        return " ".join(said)

    @property
    def axis_start(self) -> Decimal:
        """Where the axis of the chart starts."""
        return axis_start(self.timeline.points())

    @property
    def figure(self) -> dict[str, Any]:
        """The chart."""
        return rate_figure(self.timeline.points(), unit=self.timeline.unit, before=self.before_title)

    @property
    def figure_words(self) -> str:
        """The chart as a sentence."""
        low = self.timeline.lowest()
        if low is None:
            return "Cache rate: no prompt tokens in this period"
        rates = [step.sums.rate for step in self.timeline.steps if step.sums.rate is not None]
        reach = f"{figures.percent(min(rates))} to {figures.percent(max(rates))}"
        return f"Cache rate by {self.timeline.unit}, {reach}, lowest on {low.name}"

    @property
    def idle_spread(self) -> Spread | None:
        """The spread of the idle cost as a picture."""
        return spread(self.idle.spread) if self.idle.spread else None


def overview(scope: Scope) -> Overview:
    """Read the page."""
    parts = slices(scope)
    now, before = parted(scope, parts)
    searches = failed_searches(scope)
    return Overview(
        scope=scope,
        windows=window_choices(scope),
        projects=project_choices(scope.project, demo=scope.demo),
        now=added(each.sums for each in now),
        before=before,
        active=_active(scope),
        idle=idle(scope),
        searches=searches,
        findings=findings(scope, searches),
        timeline=timeline(scope, parts),
        bill=bill(now),
        lost=_lost(scope),
    )


def _active(scope: Scope) -> Active:
    sums = Conversation.objects.filter(scope.conversations()).aggregate(
        conversations=Count("id"), searches=Sum("searches"), misses=Sum("misses")
    )
    return Active(conversations=sums["conversations"], searches=sums["searches"] or 0, misses=sums["misses"] or 0)


def _lost(scope: Scope) -> list[Lost]:
    """The dearest, found by their ids first, so that the database sorts little."""
    worst = Conversation.objects.filter(scope.conversations(), breaks__gt=0).order_by("-rebuilt", "id")
    found = list(
        Conversation.objects.filter(id__in=list(worst.values_list("id", flat=True)[:LOST_SHOWN]))
        .order_by("-rebuilt", "id")
        .values("id", "uid", "title", "breaks", "rate_ppm", "rebuilt", "rebuilt_pusd", name=F("project__name"))
    )
    reasons = _reasons([row["id"] for row in found])
    return [
        Lost(
            uid=row["uid"],
            title=figures.shown(row["title"] or row["uid"]),
            project=figures.shown(row["name"] or ""),
            reasons=reasons.get(row["id"], figures.NOTHING),
            breaks=row["breaks"],
            rate_ppm=row["rate_ppm"],
            rebuilt=row["rebuilt"],
            pusd=row["rebuilt_pusd"],
        )
        for row in found
    ]


def _reasons(conversations: list[int]) -> dict[int, str]:
    """The reasons of the breaks of some conversations, in words, the most frequent first."""
    rows = (
        Request.objects.filter(conversation_id__in=conversations, lost__isnull=False)
        .values_list("conversation_id", "break_reason")
        .annotate(times=Count("id"))
        .order_by("conversation_id", "-times", "break_reason")
    )
    labels: dict[int, list[str]] = {}
    known = dict(BreakReason.choices)
    for conversation, reason, _ in rows:
        labels.setdefault(conversation, []).append(str(known.get(reason, figures.shown(reason or "Unexplained"))))
    return {conversation: ", ".join(words).capitalize() for conversation, words in labels.items()}


def _arrow(change: Decimal) -> str:
    return "▼" if change < 0 else "▲" if change > 0 else "="
