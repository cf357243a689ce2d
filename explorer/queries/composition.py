"""A request, taken apart: one account, its tools, and its parts in the order sent."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.queries.items import Standing, standing
from explorer.queries.pieces import Part, parts_of, pieces_of
from explorer.queries.surface import History, Surface, history
from explorer.queries.tool_sizes import SizedTool, sized_tools
from harness.accounting import Account, account_of
from observability.models import Request, Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Composition:
    """What a request was made of."""

    request: Request
    account: Account
    history: History
    """What its surface was made from: it has those of the run's other requests too."""
    surface: Surface
    standing: Standing
    tools: dict[str, SizedTool]
    parts: list[Part]

    @property
    def has_snapshot(self) -> bool:
        """Whether the log holds the resident tools or the system prompt of the request."""
        return self.surface.resident_known or self.account.category("system") is not None

    def of(self, *states: str) -> list[SizedTool]:
        """The tools in some states."""
        return [sized for sized in self.tools.values() if sized.tool.state in states]


def compose(run: Run, request: Request, known: Composition | None = None) -> Composition:
    """Take a request apart, from what its run's log holds. A total of 0 is one that was not reported.

    `known` is another request that was taken apart already: one of the same run saves reading its surfaces again.
    """
    log = known.history if known and known.history.run.pk == run.pk else history(run)
    here = log.at(request.seq)
    tools = sized_tools(run, here, request.model)
    now = standing(run, request.seq)
    pieces = pieces_of(now.items, tools)
    return Composition(
        request=request,
        account=account_of(pieces, total=request.context_tokens or None, model=request.model),
        history=log,
        surface=here,
        standing=now,
        tools=tools,
        parts=parts_of(now.items, tools, request.model),
    )
