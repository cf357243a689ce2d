"""What holding schemas back saved over a run, and what it cost: tokens and money for each deferred tool, and searching.

The rule is in `harness.accounting.holding`. Here the store fills it: a fixed number of queries for any number of
requests, tools and runs; no text is read but those of definitions and searches that were never counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from explorer.queries.definitions import Definition
from explorer.queries.held_facts import Asked, Facts, facts_of
from explorer.queries.held_spans import spans
from explorer.queries.searching import Searches, Searching, searches_in, searching_of
from explorer.queries.tool_sizes import SizedTool
from harness.accounting import holding
from harness.accounting.holding import Bucket, Held, Ledger, Span
from observability.models import Run, SurfaceEntry


@dataclass(frozen=True, kw_only=True)
class HeldTool:
    """A tool that was deferred at some point of a run. Tokens are for the model of the run's last request.

    `schema` and `extra` (schema less index line) are None where no log or catalogue has its definition; then `held` is
    None too, and `requests` is all that is known. `held` is also None in a run none of whose requests reported a prompt.
    """

    name: str
    server: str
    index: int
    schema: int | None
    extra: int | None
    definition: Definition | None
    spans: tuple[Span, ...]
    requests: int
    """Requests that the schema was not in."""
    held: Held | None

    @property
    def tokens(self) -> int | None:
        """Tokens that these requests would have carried."""
        return None if self.held is None else self.held.tokens

    @property
    def pusd(self) -> int | None:
        """What they would have cost, in picodollars, at the requests that have a price."""
        return None if self.held is None else self.held.pusd


@dataclass(frozen=True, kw_only=True)
class Write:
    """A request at which resident tools were paid anew: its ordinal, at which bucket, and whether it is a break."""

    ordinal: int
    bucket: Bucket
    broke: bool


@dataclass(frozen=True, kw_only=True)
class HeldBack:
    """A run. `requests` are those that reported a prompt, `unpriced` how many of them have no price.

    `facts` and `ledger` are what it was worked out from, for others to go on with.
    """

    run: Run
    facts: Facts
    ledger: Ledger
    requests: int
    unpriced: int
    tools: dict[str, HeldTool]
    writes: list[Write] = field(default_factory=list)
    reads: int = 0
    searching: Searching

    @cached_property
    def total(self) -> Held:
        """All tools whose schema is known."""
        return holding.add(tool.held for tool in self.tools.values() if tool.held)

    @property
    def unknown(self) -> int:
        """Tools that were deferred and whose schema is nowhere."""
        return sum(tool.extra is None for tool in self.tools.values())

    @property
    def saved_pusd(self) -> int | None:
        """What holding back saved; None where no schema is known, or no request has a prompt or a price."""
        return self.total.pusd if self.requests and self.unknown < len(self.tools) else None

    @property
    def net_pusd(self) -> int | None:
        """Saved less what searching cost, signed; None where either is not known."""
        cost = self.searching.pusd
        return None if self.saved_pusd is None or cost is None else self.saved_pusd - cost


def held_back(run: Run) -> HeldBack:
    """What holding schemas back saved in a run, and what it cost."""
    return held_back_of([run])[0]


def held_back_of(runs: Sequence[Run]) -> list[HeldBack]:
    """The same for several runs of one conversation at once, in the order given."""
    searches = searches_in([run.pk for run in runs])
    return [_held_back(facts, searches.get(facts.run.pk, Searches())) for facts in facts_of(runs)]


def beside(back: HeldBack, runs: Sequence[Run]) -> list[HeldBack]:
    """The other runs of a conversation that held something back, in the order given. `runs` are all of its runs."""
    others = [run for run in runs if run.pk != back.run.pk]
    rows = SurfaceEntry.objects.filter(run_id__in=[run.pk for run in others], state="deferred")
    some = set(rows.order_by().values_list("run_id", flat=True).distinct()) if others else set()
    found = [run for run in others if run.pk in some]
    return [each for each in held_back_of(found) if each.tools] if found else []


def net_of(found: Sequence[HeldBack]) -> int | None:
    """The sum over runs, signed; None where that of a run that held anything back is not known."""
    nets = [each.net_pusd for each in found if each.tools]
    return None if not nets or None in nets else sum(net for net in nets if net is not None)


def _held_back(facts: Facts, searches: Searches) -> HeldBack:
    ledger = holding.of_tools([asked.paid for asked in facts.asked], facts.resident)
    found = spans(facts.seqs, facts.entries, facts.loadings, facts.rewrites)
    tools = {name: _tool(facts, name, stretches, ledger) for name, stretches in found.items()}
    searching = searching_of(searches, facts.asked, facts.rewrites, facts.models)
    return HeldBack(
        run=facts.run,
        facts=facts,
        ledger=ledger,
        requests=ledger.requests,
        unpriced=ledger.unpriced,
        tools=tools,
        writes=_writes(facts.asked, ledger),
        reads=ledger.charges.count("read"),
        searching=replace(searching, unsaved=_unsaved(facts, found, ledger, searching)),
    )


def _unsaved(facts: Facts, found: Mapping[str, Sequence[Span]], ledger: Ledger, searching: Searching) -> Held:
    """One read of the schemas held back, at each turn that only searched."""
    known = [(stretches, extra) for name, stretches in found.items() if (extra := _extra(facts, facts.tools[name]))]
    parts = []
    for turn in searching.turns:
        place = turn.ordinal - 1
        family = facts.asked[place].paid.family
        extras = [extra[family] for stretches, extra in known if _covers(stretches, place)]
        parts.append(ledger.again(place, {family: sum(extras)}) if extras else Held())
    return holding.add(parts)


def _covers(stretches: Sequence[Span], place: int) -> bool:
    return any(span.first <= place < span.end for span in stretches)


def _tool(facts: Facts, name: str, stretches: Sequence[Span], ledger: Ledger) -> HeldTool:
    sized = facts.tools[name]
    extra = _extra(facts, sized)
    return HeldTool(
        name=name,
        server=sized.tool.server,
        index=sized.index.tokens,
        schema=sized.schema.tokens if sized.schema else None,
        extra=sized.held_back,
        definition=sized.definition if sized.schema else None,
        spans=tuple(stretches),
        requests=sum(ledger.rates(stretches).values()),
        held=ledger.held(stretches, extra) if extra is not None and ledger.requests else None,
    )


def _extra(facts: Facts, sized: SizedTool) -> Mapping[str, int] | None:
    """Schema less index line for each tokenizer that the run's models have; None where the schema is unknown."""
    if sized.held_back is None:
        return None
    found = {family: sized.held_back_for(model) for family, model in facts.models.items()}
    return {family: extra for family, extra in found.items() if extra is not None}


def _writes(asked: Sequence[Asked], ledger: Ledger) -> list[Write]:
    return [
        Write(ordinal=place, bucket=charge, broke=request.paid.broke)
        for place, (request, charge) in enumerate(zip(asked, ledger.charges, strict=True), 1)
        if charge is not None and charge != "read"
    ]
