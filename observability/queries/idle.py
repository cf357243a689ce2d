"""What a session costs before any work: the prompt of its first request, less the user's own text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median_low
from typing import Final

from harness.tokens import estimated, factor
from observability import figures
from observability.models import Conversation
from observability.pricing import unit_prices
from observability.queries.scope import Scope

FEWEST: Final = 4
"""Below so many conversations a spread says nothing."""


@dataclass(frozen=True)
class Session:
    """The first request of a conversation's main run: its prompt, and about how much of it the user wrote."""

    started_at: datetime | None
    model: str
    raw: int
    own: int

    @property
    def idle(self) -> int:
        """The prompt less the user's own text."""
        return max(self.raw - self.own, 0)


@dataclass(frozen=True, kw_only=True)
class Idle:
    """The median over conversations that were not resumed; `own` (the user's text) is estimated.

    The costs are those of this many tokens, written to the cache and read from it, at the price of
    the median conversation's model; None where unpriced.
    """

    conversations: int
    tokens: int | None
    raw: int | None
    own: int | None
    before: int | None
    spread: tuple[int, int, int, int, int] | None
    """Least, lower quartile, median, upper quartile, most."""
    cold_pusd: int | None
    warm_pusd: int | None
    model: str

    @property
    def raw_words(self) -> str:
        """The raw figure beside it."""
        if self.raw is None:
            return ""
        return (
            f"{figures.number(self.raw)} with the user’s own text."
            if self.own
            else "None of it is the user’s own text."
        )

    @property
    def change(self) -> int | None:
        """Against the period before."""
        return None if self.tokens is None or self.before is None else self.tokens - self.before


def idle(scope: Scope) -> Idle:
    """The idle cost of the conversations that started in the period."""
    sessions = _sessions(scope)
    now = [each for each in sessions if scope.start is None or _since(each, scope.start)]
    before = [each for each in sessions if scope.start is not None and not _since(each, scope.start)]
    middle = _middle(now)
    cold, warm = _costs(middle) if middle else (None, None)
    return Idle(
        conversations=len(now),
        tokens=middle.idle if middle else None,
        raw=middle.raw if middle else None,
        own=middle.own if middle else None,
        before=middle_before.idle if (middle_before := _middle(before)) else None,
        spread=_spread([each.idle for each in now]),
        cold_pusd=cold,
        warm_pusd=warm,
        model=middle.model if middle else "",
    )


def _sessions(scope: Scope) -> list[Session]:
    known = Conversation.objects.filter(scope.of_project(), demo=scope.demo, resumed=False, idle_raw__isnull=False)
    if scope.start_before is not None:
        known = known.filter(started_at__gte=scope.start_before, started_at__lt=scope.end)
    rows = known.values_list("started_at", "model", "idle_raw", "idle_user_chars")
    return [Session(at, model, raw, own_tokens(chars, model)) for at, model, raw, chars in rows]


def own_tokens(chars: int, model: str) -> int:
    """About how many tokens a text of the user is."""
    return estimated(chars, factor(model, "text"), "text").tokens


def _since(session: Session, start: datetime) -> bool:
    return session.started_at is not None and session.started_at >= start


def _middle(sessions: Sequence[Session]) -> Session | None:
    """The session at the median."""
    ordered = sorted(sessions, key=lambda each: (each.idle, each.raw, each.model))
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def _spread(values: list[int]) -> tuple[int, int, int, int, int] | None:
    if len(values) < FEWEST:
        return None
    values = sorted(values)
    half = len(values) // 2
    return values[0], median_low(values[: half or 1]), median_low(values), median_low(values[half:]), values[-1]


def _costs(session: Session) -> tuple[int | None, int | None]:
    prices = unit_prices(session.model, "", session.started_at, session.idle)
    if prices is None:
        return None, None
    write, read = prices.write_5m, prices.read
    return (
        None if write is None else int(session.idle * write * 10**6),
        None if read is None else int(session.idle * read * 10**6),
    )
