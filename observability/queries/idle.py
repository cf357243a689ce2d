"""What a session costs before any work: the prompt of its first request, less the user's own text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from harness.tokens import Factor, estimated, factor
from observability import figures
from observability.models import Conversation
from observability.pricing import unit_prices
from observability.queries.scope import Scope

FEWEST: Final = 4
"""Below so many conversations a spread says nothing."""
MANY: Final = 10**6
HALF: Final = MANY // 2


class Session(NamedTuple):
    """A first request: its prompt (`raw`), and that less about how much of it the user wrote (`idle`)."""

    idle: int
    raw: int
    model: str


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
            else "No text of the user stands before it in the log: this is the whole first prompt."
        )

    @property
    def change(self) -> int | None:
        """Against the period before."""
        return None if self.tokens is None or self.before is None else self.tokens - self.before


def idle(scope: Scope) -> Idle:
    """The idle cost of the conversations that started in the period."""
    now = _sessions(scope, scope.start, scope.end)
    before = _sessions(scope, scope.start_before, scope.start) if scope.start else []
    middle, earlier = _middle(now), _middle(before)
    cold, warm = _costs(middle, scope) if middle else (None, None)
    return Idle(
        conversations=len(now),
        tokens=middle.idle if middle else None,
        raw=middle.raw if middle else None,
        own=middle.raw - middle.idle if middle else None,
        before=earlier.idle if earlier else None,
        spread=_spread([tokens for tokens, _, _ in now]),
        cold_pusd=cold,
        warm_pusd=warm,
        model=middle.model if middle else "",
    )


def _sessions(scope: Scope, start: datetime | None, end: datetime | None) -> list[tuple[int, int, str]]:
    """Idle cost, prompt and model of each, in order. Plain tuples: there may be many."""
    known = Conversation.objects.filter(scope.of_project(), demo=scope.demo, resumed=False, idle_raw__isnull=False)
    if start is not None:
        known = known.filter(started_at__gte=start, started_at__lt=end)
    rows = list(known.values_list("idle_raw", "idle_user_chars", "model"))
    shares = {model: _share(factor(model, "text")) for _, _, model in rows}
    return sorted((raw - (chars * shares[model] + HALF) // MANY, raw, model) for raw, chars, model in rows if raw)


def own_tokens(chars: int, model: str) -> int:
    """About how many tokens a text of the user is."""
    return (chars * _share(factor(model, "text")) + HALF) // MANY


@lru_cache(maxsize=64)
def _share(by: Factor) -> int:
    """About how many tokens MANY characters of text are."""
    return estimated(MANY, by, "text").tokens


def _middle(ordered: Sequence[tuple[int, int, str]]) -> Session | None:
    """The session at the median."""
    if not ordered:
        return None
    tokens, raw, model = ordered[(len(ordered) - 1) // 2]
    return Session(max(tokens, 0), raw, model)


def _spread(values: list[int]) -> tuple[int, int, int, int, int] | None:
    if len(values) < FEWEST:
        return None
    last = len(values) - 1
    return values[0], values[last // 4], values[last // 2], values[-(-last * 3 // 4)], values[-1]


def _costs(session: Session, scope: Scope) -> tuple[int | None, int | None]:
    prices = unit_prices(session.model, "", scope.latest, session.idle)
    if prices is None:
        return None, None
    write, read = prices.write_5m, prices.read
    return (
        None if write is None else int(session.idle * write * 10**6),
        None if read is None else int(session.idle * read * 10**6),
    )
