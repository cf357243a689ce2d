"""What holding schemas back comes to, as the page shows it: four figures, a sentence, and columns of the deferred tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from explorer.page.tool_tables import Server, Tools
from explorer.queries.holding import HeldBack, HeldTool, Write
from explorer.queries.tool_sizes import SizedTool
from harness.accounting import Account, holding
from harness.accounting.holding import Bucket, Held
from harness.usage import rate_of
from observability.figures import counted, money, number
from observability.models import Run

LIFETIMES: Final[dict[Bucket, str]] = {
    "write_1h": "written at 1 h",
    "write_5m": "written at 5 min",
    "write_other": "written at a lifetime not known",
    "uncached": "paid in full",
    "read": "read",
}
NAMED: Final = 3
"""Requests that a sentence names; more are counted."""
PER_MILLION: Final = 10**6


@dataclass(frozen=True, kw_only=True, slots=True)
class FormulaLine:
    """Tokens at one price: what was done with them, dollars per million, and the product."""

    words: str
    tokens: int
    million_pusd: int | None
    pusd: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What a schema, or several, would have cost over the run, with its formula. Money is None where unpriced."""

    requests: int
    tokens: int
    pusd: int | None
    unpriced: int
    lines: list[FormulaLine]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolRow:
    """A deferred tool of this request. `cost` is None where its schema is in no log."""

    sized: SizedTool
    cost: Cost | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerRow:
    """A server with the tools that are shown; its cost is that of all of them."""

    server: Server
    cost: Cost | None
    shown: list[ToolRow]


@dataclass(frozen=True, kw_only=True, slots=True)
class Holding:
    """All that the page says of holding back. `elsewhere` are tools that were deferred at other requests only."""

    back: HeldBack
    servers: list[ServerRow]
    elsewhere: list[HeldTool]
    elsewhere_cost: Cost | None
    total: Cost | None
    note: str
    saved_here: int | None
    share_here: Decimal | None
    schemas_here: int
    lines_here: int

    @property
    def provenance(self) -> str:
        """How the schemas were counted: measured, or estimated where a text was not kept."""
        schemas = (each.schema for row in self.servers for each in row.server.tools)
        return "estimated" if any(each and each.provenance == "estimated" for each in schemas) else "measured"

    @property
    def known(self) -> bool:
        """Whether the run deferred a tool whose schema is known."""
        return self.total is not None

    @property
    def unpriced(self) -> str:
        """What to say where requests have no price; empty where all have one."""
        if not self.back.unpriced or self.back.unpriced == self.back.requests:
            return ""
        some = f"{number(self.back.unpriced)} of {counted(self.back.requests, 'request')}"
        return f"{some} {'has' if self.back.unpriced == 1 else 'have'} no price, and so no money here."

    @property
    def writes(self) -> str:
        """How often a schema would have been written, or the like: 2 writes."""
        full = sum(write.bucket == "uncached" for write in self.back.writes)
        written = counted(len(self.back.writes) - full, "write")
        return f"{written}, {number(full)} paid in full" if full else written

    @property
    def turns(self) -> str:
        """What the cost of searching is made of, in a few words."""
        searching = self.back.searching
        if not searching.searches:
            return "nothing was searched"
        return f"{counted(len(searching.turns), 'request')} that only searched" if searching.turns else "carried texts"

    @property
    def turns_cost_pusd(self) -> int | None:
        """What the turns that only searched cost in all, as far as they have a price; None where none has."""
        known = [turn.cost_pusd for turn in self.back.searching.turns if turn.pusd is not None]
        return sum(cost for cost in known if cost is not None) if known else None

    @property
    def passed_on_pusd(self) -> int | None:
        """How much of that the next requests would have paid; None where there is no such turn with a price."""
        known = [turn.passed_on_pusd for turn in self.back.searching.turns if turn.pusd is not None]
        return -sum(cost for cost in known if cost is not None) if known else None

    @property
    def carried(self) -> Cost:
        """The texts of searches and their results, in later requests."""
        return _cost(self.back.searching.carried)

    @property
    def unsaved(self) -> Cost:
        """What the total counts as saved at the turns that only searched."""
        return _cost(self.back.searching.unsaved)

    @property
    def net(self) -> str:
        """The net with its sign: +$0.29."""
        return signed_money(self.back.net_pusd)

    @property
    def net_note(self) -> str:
        """What most of the saving would have been."""
        net = self.back.net_pusd
        if net is None:
            return "no price for this model"
        if net < 0:
            return "searching cost more than it saved"
        written = sum(line.pusd or 0 for line in self.back.total.lines if line.rate.bucket != "read")
        most = "its writes" if 2 * written > (self.back.saved_pusd or 0) else "reading it"
        return f"most of a schema's cost is {most}"


def signed_money(pusd: int | None) -> str:
    """An amount with its sign: +$0.29."""
    return f"+{money(pusd)}" if pusd is not None and pusd > 0 else money(pusd)


def holding_of(back: HeldBack, tools: Tools, account: Account) -> Holding:
    """What to show of holding back, beside the deferred tools of a request."""
    here = {each.tool.name for server in tools.deferred for each in server.tools}
    elsewhere = [tool for name, tool in back.tools.items() if name not in here and tool.requests]
    held = [each for server in tools.deferred for each in server.tools if each.tool.state == "deferred"]
    known = [(each.schema.tokens, each.index.tokens) for each in held if each.schema]
    whole = account.parts.tokens if account.total is None else account.total
    return Holding(
        back=back,
        servers=[_server(server, back) for server in tools.deferred],
        elsewhere=elsewhere,
        elsewhere_cost=_sum(elsewhere),
        total=_sum(list(back.tools.values())),
        note=note(back.run, back.writes, back.reads),
        saved_here=tools.saved,
        share_here=None if tools.saved is None else rate_of(read=tools.saved, prompt=whole + tools.saved),
        schemas_here=sum(schema for schema, _ in known),
        lines_here=sum(line for _, line in known),
    )


def _server(server: Server, back: HeldBack) -> ServerRow:
    return ServerRow(
        server=server,
        cost=_sum([back.tools[each.tool.name] for each in server.tools if each.tool.name in back.tools]),
        shown=[ToolRow(sized=each, cost=_tool_cost(back.tools.get(each.tool.name))) for each in server.shown],
    )


def _tool_cost(tool: HeldTool | None) -> Cost | None:
    return None if tool is None or tool.held is None else _cost(tool.held, count=True)


def _sum(tools: Sequence[HeldTool]) -> Cost | None:
    known = [tool.held for tool in tools if tool.held is not None]
    return _cost(holding.add(known)) if known else None


def _cost(held: Held, *, count: bool = False) -> Cost:
    """`count` says how many requests each line stands for; in a sum over schemas that would say little."""
    return Cost(
        requests=held.requests,
        tokens=held.tokens,
        pusd=held.pusd,
        unpriced=held.unpriced,
        lines=[
            FormulaLine(
                words=f"{LIFETIMES[line.rate.bucket]}{f', {number(line.requests)} ×' if count else ''}",
                tokens=line.tokens,
                million_pusd=None if line.rate.pusd is None else line.rate.pusd * PER_MILLION,
                pusd=line.pusd,
            )
            for line in sorted(held.lines, key=lambda line: (line.rate.bucket == "read", line.rate.bucket))
        ],
    )


def note(run: Run, writes: Sequence[Write], reads: int) -> str:
    """How a schema would have been charged: written at 1 h on request 1 and again at the break of request 24, …"""
    where = "the main run" if run.kind == "main" else "this run"
    parts = []
    for bucket, words in LIFETIMES.items():
        some = [write for write in writes if write.bucket == bucket]
        if some:
            parts.append(f"{words} {_at(some)}")
    if reads:
        parts.append(f"read on {counted(reads, 'other')}" if parts else f"read on {_all(reads)}")
    return f"Were it resident in {where}: {', '.join(parts) or 'no request reports a prompt'}."


def _all(requests: int) -> str:
    return "its only request" if requests == 1 else f"all {number(requests)} requests, the first one too"


def _at(writes: Sequence[Write]) -> str:
    """On request 1 and again at the break of request 24."""
    others = [str(write.ordinal) for write in writes if not write.broke]
    breaks = [str(write.ordinal) for write in writes if write.broke]
    parts = [f"on {_named('request', others)}"] if others else []
    if breaks:
        ordinals = f"at {number(len(breaks))} breaks" if len(breaks) > NAMED else _breaks(breaks)
        parts.append(f"again {ordinals}" if others else ordinals)
    return " and ".join(parts)


def _breaks(ordinals: Sequence[str]) -> str:
    return f"at the break{'s' if len(ordinals) > 1 else ''} of {_named('request', ordinals)}"


def _named(noun: str, ordinals: Sequence[str]) -> str:
    if len(ordinals) > NAMED:
        return f"{number(len(ordinals))} {noun}s"
    if len(ordinals) == 1:
        return f"{noun} {ordinals[0]}"
    return f"{noun}s {', '.join(ordinals[:-1])} and {ordinals[-1]}"
