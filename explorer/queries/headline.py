"""The headline of a conversation: what it costs before any work, when it outweighs that, and tools it never called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import Max, QuerySet

from explorer.queries.composition import Composition, compose
from explorer.queries.holding import HeldBack
from explorer.queries.moment import Moment
from explorer.queries.unused import Unused, unused
from harness.accounting import Category
from harness.accounting.holding import Held, add
from observability.models import ContextItem, Request, Run
from observability.queries.conversation import MAIN
from observability.queries.idle import own_tokens

OWN: Final = ("user",)
"""What the user wrote: `own` stands for it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outweighed:
    """The first request at which messages outweigh the prefix, and the user turn that it belongs to."""

    turn: int
    request: int
    messages: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Headline:
    """Of a conversation's main run. `raw` is the prompt of its first request, `own` the user's text in it, estimated.

    `prefix` is what messages are compared with: the idle cost; of a resumed conversation what its log
    has of the prefix, None where that is not whole. `most` is the most that messages came to.
    """

    run: Run
    raw: int
    own: int
    resumed: bool
    parts: list[Category]
    other: int
    """Tokens of the first request's other parts that are not the user's."""
    prefix: int | None
    outweighed: Outweighed | None
    most: int | None
    unused: Unused

    @property
    def idle(self) -> int:
        """The first prompt less the user's own text."""
        return max(0, self.raw - self.own)

    @property
    def idle_exact(self) -> int:
        """The same, signed: the sum of its parts and the residual. Negative where the estimate is larger than the prompt."""
        return self.raw - self.own

    @property
    def minus_own(self) -> int:
        """The user's text, taken off."""
        return -self.own

    @property
    def minus_prefix(self) -> int:
        """The prefix, taken off a prompt."""
        return -(self.prefix or 0)

    @property
    def largest(self) -> int:
        """The largest prompt."""
        return (self.most or 0) + (self.prefix or 0)

    @property
    def outweighed_prompt(self) -> int:
        """The prompt at which messages outweigh the prefix."""
        return self.outweighed.messages + (self.prefix or 0) if self.outweighed else 0

    @property
    def known(self) -> int:
        """Tokens of the prefix that the log has."""
        return sum(each.count.tokens for each in self.parts)

    @property
    def residual(self) -> int:
        """The idle cost less all parts that the log has, signed."""
        return self.raw - self.own - self.known - self.other

    @property
    def unused_tokens(self) -> int:
        """Tokens of the unused tools in one request."""
        return sum(each.schema for each in self.unused.tools)

    @property
    def unused_held(self) -> Held:
        """Their tokens in all requests that carried them, and what these paid."""
        return add(each.held for each in self.unused.tools)


def headline(at: Moment, now: Composition, back: HeldBack | None = None) -> Headline | None:
    """The headline of a request's conversation; None where the log has no first request of a main run.

    `back` is what holding back came to in the run that is shown, where it is known already.
    """
    main = next((run for run in at.runs if run.kind == MAIN), None)
    raw = at.conversation.idle_raw
    if main is None or not raw:
        return None
    requests = Request.objects.filter(conversation=at.conversation, run=main)
    first = requests.filter(ordinal=1).first()
    if first is None:
        return None
    here = now if now.request.pk == first.pk else compose(main, first, now)
    own = own_tokens(at.conversation.idle_user_chars, at.conversation.model)
    prefix = _prefix(here, max(0, raw - own), resumed=at.conversation.resumed)
    return Headline(
        run=main,
        raw=raw,
        own=own,
        resumed=at.conversation.resumed,
        parts=[each for each in here.account.categories if each.shape.prefix and each.count.tokens],
        other=sum(
            each.count.tokens
            for each in here.account.categories
            if not each.shape.prefix and each.shape.kind not in OWN
        ),
        prefix=prefix,
        outweighed=_outweighed(main, requests, prefix) if prefix else None,
        most=_most(requests, prefix) if prefix else None,
        unused=unused(main, back),
    )


def _prefix(first: Composition, idle: int, *, resumed: bool) -> int | None:
    if not resumed:
        return idle or None
    whole = first.surface.resident_known and first.account.category("system") is not None
    return first.account.prefix if whole else None


def _outweighed(run: Run, requests: QuerySet[Request], prefix: int) -> Outweighed | None:
    """All that a prompt holds beyond the prefix counts as messages."""
    row = requests.filter(context_tokens__gt=2 * prefix).order_by("seq").first()
    if row is None:
        return None
    turns = ContextItem.objects.filter(run=run, seq__lt=row.seq, kind="user").count()
    return Outweighed(turn=turns, request=row.ordinal, messages=row.context_tokens - prefix)


def _most(requests: QuerySet[Request], prefix: int) -> int | None:
    largest: int | None = requests.aggregate(most=Max("context_tokens"))["most"]
    return None if not largest else max(0, largest - prefix)
