"""The epochs of a run: the stretches between two rewrites of its context."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Max, Min

from explorer.queries.moment import Moment
from harness.tokens import Provenance
from observability.models import Request, Rewrite


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """What ended an epoch. `won` are the tokens that it took out, None where nothing says so."""

    kind: str
    trigger: str
    won: int | None
    provenance: Provenance


@dataclass(frozen=True, kw_only=True, slots=True)
class Epoch:
    """Requests `first` to `last` of a run. `ended` is None for the last epoch."""

    number: int
    first: int
    last: int
    tokens: int
    """The provider's total for its last request, 0 where it reported none."""
    ended: Ending | None

    @property
    def requests(self) -> int:
        """How many requests it has."""
        return self.last - self.first + 1


def epochs(at: Moment) -> list[Epoch]:
    """The epochs of a run that made a request, in order. One without a rewrite has one."""
    requests = Request.objects.filter(conversation_id=at.conversation.pk, run=at.run, ordinal__gt=0)
    spans = list(requests.values_list("chain").annotate(first=Min("ordinal"), last=Max("ordinal")).order_by("chain"))
    edges = {ordinal for _, first, last in spans for ordinal in (first, last)}
    rows = requests.filter(ordinal__in=edges).values_list("ordinal", "seq", "context_tokens")
    sizes = {ordinal: (seq, tokens) for ordinal, seq, tokens in rows}
    cuts = list(Rewrite.objects.filter(run=at.run).order_by("seq", "id"))
    found = []
    for place, (_, first, last) in enumerate(spans):
        after = spans[place + 1][1] if place + 1 < len(spans) else None
        ended = _ending(cuts, sizes[last], sizes[after]) if after else None
        found.append(Epoch(number=place + 1, first=first, last=last, tokens=sizes[last][1], ended=ended))
    return found


def _ending(cuts: Sequence[Rewrite], last: tuple[int, int], after: tuple[int, int]) -> Ending:
    """The last rewrite between two requests, and what it won back: as it says, or else as the next request shows."""
    cut = cuts[bisect_left(cuts, after[0], key=lambda each: each.seq) - 1]
    won: int | None = None
    if cut.tokens_before is not None and cut.tokens_after is not None:
        won = cut.tokens_before - cut.tokens_after
    elif last[1] and after[1]:
        won = last[1] - after[1]
    return Ending(kind=cut.kind, trigger=cut.trigger, won=won, provenance="reported" if won is not None else "unknown")
