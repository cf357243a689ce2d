"""What a request was sent with that the one before it was not."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.queries.composition import Composition
from explorer.queries.pieces import FIRST
from harness.accounting import CATEGORIES
from harness.accounting.categories import Shape
from observability.models import Request


@dataclass(frozen=True, kw_only=True, slots=True)
class Added:
    """Parts of one category that are new."""

    shape: Shape
    number: int
    tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Growth:
    """The step from one request to the next. `reported` is the provider's difference, None without both totals.

    `replaced` names the kinds of which new items took the place of older ones. With `rewritten` the
    conversation itself was replaced, and the added parts are all of what stands now.
    """

    added: list[Added]
    reported: int | None
    replaced: list[str]
    rewritten: bool

    @property
    def tokens(self) -> int:
        """Tokens of what was added."""
        return sum(each.tokens for each in self.added)

    @property
    def unexplained(self) -> int | None:
        """The reported growth less what was added; None where something was taken away too."""
        return None if self.reported is None or self.rewritten or self.replaced else self.reported - self.tokens


def growth(now: Composition, before: Request) -> Growth:
    """The step from the request before to this one."""
    since = {item.id for item in now.standing.items if before.seq <= item.seq < now.request.seq}
    sums: dict[str, list[int]] = {}
    for part in now.parts:
        if part.item in since or (not part.item and part.seq != FIRST and part.seq >= before.seq):
            sums.setdefault(part.kind, []).append(part.tokens)
    titles = {shape.kind: shape.title for shape in CATEGORIES}
    return Growth(
        added=[
            Added(shape=shape, number=len(sums[shape.kind]), tokens=sum(sums[shape.kind]))
            for shape in CATEGORIES
            if shape.kind in sums
        ],
        reported=_difference(now.request.context_tokens, before.context_tokens),
        replaced=[
            titles.get(kind, kind)  # type: ignore[call-overload]
            for kind in now.standing.replaced
            if now.standing.replaced_at[kind] >= before.seq
        ],
        rewritten=before.chain != now.request.chain,
    )


def _difference(now: int, before: int) -> int | None:
    return now - before if now and before else None
