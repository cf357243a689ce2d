"""From an address to the page: read, take apart, draw, say."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from explorer import ribbon
from explorer.page import held_whole, parts_table, strip, tool_tables, words
from explorer.page import holding as held
from explorer.page.headline import HeadlineView, headline_view
from explorer.page.tool_bar import ToolBar, tool_bar
from explorer.queries import composition, moment
from explorer.queries.holding import beside, held_back
from explorer.queries.items import earlier_turns
from explorer.queries.moment import Moment
from explorer.ribbon.plan import ROLES
from observability.enums import BreakReason, Flag
from observability.models import Conversation, Request


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPage:
    """Everything that the page of one request shows."""

    at: Moment
    now: composition.Composition
    strip: strip.Strip
    answer: words.Say
    warning: words.Say | None
    notice: words.Say | None
    shrink: words.Say | None
    plan: ribbon.Plan
    wide: ribbon.Wide
    tall: ribbon.Tall
    turn: int
    earlier_turns: int
    """The user's turns before the conversation was rewritten last."""
    groups: list[parts_table.Group]
    tools: tool_tables.Tools | None
    tool_bar: ToolBar | None
    holding: held.Holding | None
    whole: held_whole.Whole | None
    """What holding back came to in all runs, where another run than this one held something back; None if not summed."""
    summed: bool
    """Whether all runs were looked at for that."""
    headline: HeadlineView
    residual_note: str

    @property
    def query(self) -> str:
        """The query that leads to this request; it goes behind a question mark."""
        return moment.address(self.at)

    @property
    def run_query(self) -> str:
        """The part of a query that leads to this run."""
        return moment.run_address(self.at)

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The parts that this request has, as fills and titles."""
        kinds = [
            (ROLES[each.shape.kind], each.shape.title) for each in self.now.account.categories if each.count.tokens
        ]
        found: dict[str, str] = {}
        for role, title in kinds:
            found.setdefault(role, title)
        if self.plan.residual:
            found["residual"] = "Residual"
        return list(found.items())

    @property
    def lifetime(self) -> str:
        """The lifetime of what was written, where there is one only."""
        found = [name for name, size in self._writes() if size]
        return f", {found[0]}" if len(found) == 1 and found[0] else ""

    @property
    def mixed_lifetimes(self) -> bool:
        """Whether tokens were written for more than one lifetime."""
        return sum(size > 0 for _, size in self._writes()) > 1

    def _writes(self) -> list[tuple[str, int]]:
        request = self.request
        return [("5 min", request.write_5m), ("1 h", request.write_1h), ("", request.write_other)]

    @property
    def residual_provenance(self) -> str:
        """What the residual rests on: it is as sure as the parts."""
        account = self.now.account
        return "unknown" if account.residual is None or not account.categories else account.parts.provenance

    @property
    def residual_share(self) -> Decimal | None:
        """The residual as a share of the total."""
        account = self.now.account
        return None if account.residual is None else account.share(account.residual)

    @property
    def parts_share(self) -> Decimal | None:
        """The parts as a share of the total."""
        return self.now.account.share(self.now.account.parts.tokens)

    @property
    def conversation(self) -> Conversation:
        """The conversation."""
        return self.at.conversation

    @property
    def request(self) -> Request:
        """The request."""
        return self.at.request

    @property
    def run_name(self) -> str:
        """The run in a word."""
        return words.run_name(self.at.run)

    @property
    def runs(self) -> list[tuple[str, str]]:
        """All runs by uid and name, for choosing one."""
        return [(run.uid, words.run_name(run)) for run in self.at.runs]

    @property
    def written(self) -> int:
        """Tokens written to the cache, at any lifetime."""
        return self.request.write_5m + self.request.write_1h + self.request.write_other

    @property
    def billed(self) -> int:
        """Prompt tokens that are billed: more than the context where the request had several iterations."""
        return self.request.uncached + self.request.read + self.written

    @property
    def output_pusd(self) -> int | None:
        """What the output cost."""
        if self.request.cost_pusd is None or self.request.prompt_pusd is None:
            return None
        return self.request.cost_pusd - self.request.prompt_pusd

    @property
    def flags(self) -> list[Flag]:
        """What must be known of the reported counts."""
        return Flag.among(self.request.flags)

    @property
    def break_reason(self) -> str:
        """Why it is a break, in words; empty where it is none."""
        return dict(BreakReason.choices).get(self.request.break_reason, self.request.break_reason)


def context_page(at: Moment, *, server: str = "", totals: bool = False) -> ContextPage:
    """The page of a request. `server` is one whose deferred tools are all shown.

    With `totals`, what holding back came to is summed over any number of runs; else where they are few.
    """
    now = composition.compose(at.run, at.request)
    tools = tool_tables.tools(now, server) if now.tools else None
    back = held_back(at.run) if tools else None
    summed = totals or len(at.runs) <= held_whole.FEW
    shrink = moment.last_shrink(at)
    earlier = earlier_turns(at.run, now.standing.epoch)
    plan = ribbon.plan(now, turns_before=earlier, before=at.before)
    return ContextPage(
        at=at,
        now=now,
        strip=strip.draw(moment.strip(at), at.ordinal, at.requests),
        answer=words.answer(at, now),
        warning=words.warning(now.account),
        notice=words.snapshot_notice(now, shrunk=shrink is not None),
        shrink=words.shrink_notice(shrink),
        plan=plan,
        wide=ribbon.wide(plan),
        tall=ribbon.tall(plan),
        turn=earlier + len(plan.turns),
        earlier_turns=earlier,
        groups=parts_table.groups(now.account),
        tools=tools,
        tool_bar=tool_bar(tools) if tools else None,
        holding=held.holding_of(back, tools, now.account) if back and tools else None,
        whole=held_whole.whole(back, beside(back, at.runs)) if back and summed else None,
        summed=summed,
        headline=headline_view(at, now, back),
        residual_note=words.residual_note(now),
    )
