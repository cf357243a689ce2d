"""What a page is about: a period and perhaps one project, with the demo kept apart from real data.

A period ends with the newest event of what is shown, not with the clock: logs may be old, and
a page opens with an answer. Days are UTC days.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Final

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from observability import figures
from observability.models import Conversation, HourlyRollup, Project

LENGTHS: Final = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
TITLES: Final = {"24h": "24 h", "7d": "7 days", "30d": "30 days", "all": "All"}
BEFORE: Final = {"24h": "the 24 h before", "7d": "the week before", "30d": "the 30 days before", "all": ""}
DEFAULT: Final = "7d"
EPOCH: Final = datetime(1971, 1, 1, tzinfo=UTC)
"""Rollups before it stand for requests without a time."""


@dataclass(frozen=True)
class Scope:
    """A period of `window` that ends at `end` (excluded); `start` is None where it holds everything."""

    window: str
    project: int | None
    demo: bool
    latest: datetime | None
    now: datetime

    @cached_property
    def end(self) -> datetime:
        """The end of the hour (24 h) or of the day (else) of the newest event."""
        latest = self.latest or self.now
        if self.window == "24h":
            return latest.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
        return latest.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)

    @cached_property
    def start(self) -> datetime | None:
        """The first moment of the period."""
        return self.end - LENGTHS[self.window] if self.window in LENGTHS else None

    @cached_property
    def start_before(self) -> datetime | None:
        """The first moment of the period before, of the same length."""
        return self.start - LENGTHS[self.window] if self.start else None

    @property
    def old(self) -> bool:
        """Whether the newest event is older than the period is long, as seen from now."""
        return self.latest is not None and self.start is not None and self.latest < self.now - LENGTHS[self.window]

    @property
    def title(self) -> str:
        """The period in words: "23 to 29 Nov 2026"."""
        if self.start is None:
            return "All periods"
        last = figures.period(self.start, self.end - timedelta(seconds=1))
        return f"{last}, to {self.end - timedelta(minutes=1):%H:%M} UTC" if self.window == "24h" else last

    def within(self, field: str) -> Q:
        """Rows whose time `field` is in the period; everything where it has no start."""
        return Q() if self.start is None else Q(**{f"{field}__gte": self.start, f"{field}__lt": self.end})

    def of_project(self) -> Q:
        """Rows of the project, where one is chosen."""
        return Q() if self.project is None else Q(project_id=self.project)

    def kept(self) -> Q:
        """Rows of conversations that are not demo; where there is nothing else, every row."""
        return ~Q(conversation_id__in=self.left_out) if self.left_out else Q()

    @cached_property
    def left_out(self) -> list[int]:
        """Demo conversations that stand beside real ones: a handful."""
        return [] if self.demo else list(Conversation.objects.filter(demo=True).values_list("id", flat=True))

    def conversations(self) -> Q:
        """Conversations that were active in the period."""
        active = Q() if self.start is None else Q(last_at__gte=self.start, started_at__lt=self.end)
        return self.of_project() & active & Q(demo=self.demo)


@dataclass(frozen=True)
class Choice:
    """An option of a filter."""

    value: str
    title: str
    chosen: bool


def scope_of(*, window: str, project: str) -> Scope:
    """The scope that a URL asks for; what it does not know stands for the default."""
    demo, number = only_demo(), int(project) if project.isdecimal() and len(project) < 20 else None
    now = timezone.now()
    known = HourlyRollup.objects.filter(demo=demo, hour__gte=EPOCH, hour__lte=now)
    if number is not None:
        known = known.filter(project_id=number)
    latest = known.order_by("-hour").values_list("hour", flat=True).first()
    return Scope(window if window in TITLES else _usual(latest, now), number, demo, latest, now)


def _usual(latest: datetime | None, now: datetime) -> str:
    """The period shown where none is asked for: the last days where there is something new, else everything."""
    return DEFAULT if latest is not None and latest >= now - LENGTHS[DEFAULT] else "all"


def only_demo() -> bool:
    """Whether there is nothing but demo conversations. Then they are shown; else they stand in no sum."""
    return not Conversation.objects.filter(demo=False).exists()


def window_choices(scope: Scope) -> list[Choice]:
    """The periods that can be chosen."""
    return [Choice(value, title, value == scope.window) for value, title in TITLES.items()]


def project_choices(chosen: int | None, *, demo: bool | None = None) -> list[Choice]:
    """Projects by name, the chosen one marked: all, or those with conversations of the demo, or with others."""
    projects = Project.objects.order_by("name", "id")
    if demo is not None:
        projects = projects.filter(Exists(Conversation.objects.filter(project=OuterRef("pk"), demo=demo)))
    known = projects.values_list("id", "name")
    return [Choice(str(number), figures.shown(name), number == chosen) for number, name in known]
