"""The headline of a conversation and what was found in it, as the page says them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from explorer.queries.composition import Composition
from explorer.queries.headline import Headline, headline
from explorer.queries.holding import HeldBack
from explorer.queries.moment import Moment, address
from explorer.queries.trap_facts import trap_facts
from explorer.queries.unused import UnusedTool
from explorer.ribbon.plan import ROLES
from explorer.traps import Trap, find
from harness.accounting.holding import Held
from harness.accounting.holding import add as add_held
from harness.tokens import Provenance, add
from observability.charts.bars import Segment, segments
from observability.figures import counted, money, number
from observability.queries.conversation import MAIN

LISTED: Final = 12
"""Unused tools that the formula lists; the rest is one row."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Slice:
    """A part of the idle cost. `provenance` is that of its tokens."""

    title: str
    role: str
    tokens: int
    provenance: Provenance


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadlineView:
    """The headline, None where the log has no main run's first request; and the traps of the run that is shown."""

    figures: Headline | None
    slices: list[Slice]
    bar: list[Segment]
    traps: list[Trap]
    main: bool
    """Whether the run that is shown is the one of the headline."""

    @property
    def idle_provenance(self) -> Provenance:
        """What the idle cost rests on: the provider's figure, less an estimate where the user wrote something."""
        return "estimated" if self.figures and self.figures.own else "reported"

    @property
    def prefix_provenance(self) -> Provenance:
        """What the known prefix rests on."""
        return add(*(each.count for each in self.figures.parts)).provenance if self.figures else "unknown"

    @property
    def listed(self) -> list[UnusedTool]:
        """The unused tools that the formula lists."""
        return self.figures.unused.tools[:LISTED] if self.figures else []

    @property
    def more(self) -> list[UnusedTool]:
        """Those that it sums up."""
        return self.figures.unused.tools[LISTED:] if self.figures else []

    @property
    def more_held(self) -> Held:
        """The tokens and the cost of those that it sums up, in all requests."""
        return add_held(each.held for each in self.more)

    @property
    def bar_label(self) -> str:
        """The bar in words."""
        return "The idle cost by part: " + ", ".join(f"{each.title} {number(each.tokens)}" for each in self.slices)

    @property
    def unused_words(self) -> str:
        """What the unused tools cost, under their number."""
        found = self.figures
        if found is None or found.unused.resident is None:
            return "the resident tools are not in this log"
        if not found.unused.tools:
            return "each resident tool was called"
        held = found.unused_held
        words = f"{number(found.unused_tokens)} tokens a request, {money(held.pusd)} in all"
        return (
            f"{words}; {counted(held.unpriced, 'share')} unpriced" if held.pusd is not None and held.unpriced else words
        )

    @property
    def outweighed_words(self) -> str:
        """What stands under the turn that outweighs the prefix."""
        found = self.figures
        if found is None or found.prefix is None:
            return "resumed: the first prompt holds earlier messages"
        if found.outweighed:
            return (
                f"request {number(found.outweighed.request)}: {number(found.outweighed.messages)} "
                f"of messages against {number(found.prefix)}"
            )
        return f"{number(found.most)} of {number(found.prefix)} tokens"

    @property
    def first_words(self) -> str:
        """The headline in a line: what was sent before any work."""
        found = self.figures
        if found is None:
            return ""
        return f"{counted(found.raw if found.resumed else found.idle, 'token')}"


def headline_view(at: Moment, now: Composition, back: HeldBack | None = None) -> HeadlineView:
    """The headline of a request's conversation, and the traps of its run. `back` is of the same run, where it is known."""
    found = headline(at, now, back)
    slices = _slices(found) if found else []
    return HeadlineView(
        figures=found,
        slices=slices,
        bar=segments([(each.role, each.title, each.tokens) for each in slices]),
        traps=find(trap_facts(at, now, query=address(at))),
        main=at.run.kind == MAIN,
    )


def _slices(found: Headline) -> list[Slice]:
    """The parts of the idle cost, whose sum it is: what the log has of the prefix, other text, and the residual."""
    parts = [
        Slice(
            title=each.shape.title,
            role=ROLES[each.shape.kind],
            tokens=each.count.tokens,
            provenance=each.count.provenance,
        )
        for each in found.parts
    ]
    sure: Provenance = "estimated" if found.own else "measured"
    if found.other:
        parts.append(Slice(title="Other text", role="reminder", tokens=found.other, provenance=sure))
    if found.residual:
        parts.append(Slice(title="Residual", role="residual", tokens=found.residual, provenance=sure))
    return parts
