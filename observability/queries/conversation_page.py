"""Everything that the page of a conversation shows, in a fixed number of queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from observability.queries.bill import Bill, bill
from observability.queries.breaks import Break, breaks, cold_starts
from observability.queries.client_totals import ClientTotal, client_totals
from observability.queries.conversation import Overall, RunRow, overall
from observability.queries.happenings import Happenings, happenings, loaded_tools
from observability.queries.idle import own_tokens
from observability.queries.rollups import Slice
from observability.queries.run_requests import Columns, RequestPage, Sort, columns, request_page
from observability.queries.run_timeline import Entry, SubAgents, run_timeline, sub_agents

SHOWN: Final = 25
"""Breaks that the page lists at most."""
EVENTS: Final = 30
"""Entries of a page of what happened."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationPage:
    """The conversation, and the run of it that is shown. `broken` holds the breaks of all runs.

    `own` estimates the tokens of the user's text in the first request; None where there is no first request.
    """

    overall: Overall
    bill: Bill
    own: int | None
    totals: list[ClientTotal]
    shown: RunRow | None
    columns: Columns
    cold: list[int]
    broken: list[Break]
    happened: Happenings
    agents: list[SubAgents]
    timeline: list[Entry]
    events: int
    """The page of the timeline."""
    requests: RequestPage
    loaded_tools: int

    @property
    def dearest(self) -> list[tuple[Break, RunRow]]:
        """The breaks that cost most, at most SHOWN, in the order of their time, each with its run."""
        runs = {run.id: run for run in self.overall.runs}
        least = sorted((item.rebuilt for item in self.broken), reverse=True)[:SHOWN][-1:]
        shown = [(item, runs[item.run]) for item in self.broken if item.run in runs and item.rebuilt >= least[0]]
        return shown[:SHOWN]

    @property
    def resident_known(self) -> bool:
        """Whether the log says of any run which tools it began with."""
        return any(run.resident is not None for run in self.overall.runs)

    @property
    def entries(self) -> list[Entry]:
        """The part of the timeline that is listed."""
        return self.timeline[(self.events - 1) * EVENTS : self.events * EVENTS]

    @property
    def event_pages(self) -> int:
        """Pages of the timeline."""
        return max(1, -(-len(self.timeline) // EVENTS))

    @property
    def broken_here(self) -> list[Break]:
        """The breaks of the run that is shown."""
        return [item for item in self.broken if self.shown and item.run == self.shown.id]

    @property
    def idle(self) -> int | None:
        """The prompt of the first request less the user's own text."""
        raw = self.overall.conversation.idle_raw
        return None if raw is None or self.own is None else max(0, raw - self.own)


def conversation_page(
    uid: str, *, run: str = "", number: int = 1, sort: Sort = "request", descending: bool = True, events: int = 1
) -> ConversationPage:
    """The page of a conversation. Raises Conversation.DoesNotExist and Run.DoesNotExist."""
    whole = overall(uid)
    conversation = whole.conversation
    shown = whole.run(run) if run or whole.runs else None
    here = shown.id if shown else 0
    broken, requests = breaks(conversation.id), columns(conversation.id, here)
    happened = happenings(conversation.id, here)
    agents = sub_agents(shown, whole.runs, requests) if shown else []
    broken_here = [item for item in broken if item.run == here]
    happened_here = (
        run_timeline(shown, requests=requests, happened=happened, broken=broken_here, agents=agents) if shown else []
    )
    return ConversationPage(
        overall=whole,
        bill=bill([Slice(group.at, group.model, group.sums) for group in whole.groups]),
        own=None if conversation.idle_raw is None else own_tokens(conversation.idle_user_chars, conversation.model),
        totals=client_totals(whole),
        shown=shown,
        columns=requests,
        cold=cold_starts(conversation.id, here),
        broken=broken,
        happened=happened,
        agents=agents,
        timeline=happened_here,
        events=min(events, max(1, -(-len(happened_here) // EVENTS))),
        requests=request_page(
            conversation.id, here, total=len(requests), number=number, sort=sort, descending=descending
        ),
        loaded_tools=loaded_tools(conversation.id),
    )
