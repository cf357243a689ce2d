"""Runs of the harness by a script, in no time: their events, and the requests that were sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from harness.catalogue import OWN, Catalogue
from harness.loop.clock import Clock, run_virtual
from harness.loop.conversation import Permissions, converse, surface_of
from harness.loop.history import read_history
from harness.loop.settings import Settings
from harness.loop.sinks import FileSink, ListSink, Sinks
from harness.loop.toolbox import Arguments, Context, Handler, ServerState, ToolBox, ToolOutput, Toolset
from harness.modes import BUILD, Mode
from harness.providers import ProviderEvent, Scripted
from harness.providers.script import Call, Script, Turn
from harness.request import Request, Strategy
from harness.runlog import AnyEvent
from harness.tools import ToolSpec

START = datetime(2026, 11, 30, 9, tzinfo=UTC)
MODEL = "claude-opus-5-5"
TOOLS = {
    "assign_ticket": "Give a ticket to a person.",
    "close_ticket": "Close a ticket.",
    "get_page": "Read a page of the wiki.",
    "send_mail": "Send a message to someone by mail.",
}
FOREIGN = Catalogue(
    ToolSpec(
        name=name,
        description=text,
        input_schema={
            "type": "object",
            "properties": {"text": {"type": "string", "description": "What to do it with"}},
        },
        group="Office",
        server="office",
    )
    for name, text in TOOLS.items()
)
SERVERS = dict.fromkeys(FOREIGN, "office")


class Listening(Scripted):
    """A scripted provider that keeps what it is sent, with what its children are sent."""

    sent: list[Request]

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        self.sent.append(request)
        async for event in super().stream(request):
            yield event

    def child(self, profile: str, task: str) -> Scripted:
        child = super().child(profile, task)
        child.__class__ = Listening
        vars(child)["sent"] = self.sent
        return child


@dataclass(frozen=True)
class Played:
    """A run that was played."""

    events: list[AnyEvent]
    requests: list[Request] = field(default_factory=list)


async def _answer(arguments: Arguments, context: Context) -> ToolOutput:
    return ToolOutput(text=f"Done, with {sorted(arguments)}. " * 20)


def box() -> ToolBox:
    """Handlers that touch nothing."""
    return ToolBox({name: Handler(run=_answer, together=True) for name in (*OWN, *FOREIGN)})


def turn(*calls: str | Call, **more: Any) -> Turn:
    """One reply. A name alone is a call without arguments."""
    return Turn(calls=tuple(Call(tool=each) if isinstance(each, str) else each for each in calls), **more)


def search(query: str) -> Call:
    """A call of search_tools."""
    return Call(tool="search_tools", arguments={"query": query})


END = turn(Call(tool="finish", arguments={"summary": "It is done."}), text="That was all.")


def play(
    *turns: Turn,
    agents: Mapping[str, tuple[Turn, ...]] | None = None,
    strategy: Strategy | None = None,
    deferral: bool = True,
    mode: Mode = BUILD,
    provider: str = "anthropic",
    model: str = MODEL,
    log: Path | None = None,
    failed: tuple[ServerState, ...] = (),
    before: Sequence[AnyEvent] = (),
    **settings: Any,
) -> Played:
    """Play turns to their end, from the same time on each time; `before` are the events of the run that they go on with."""
    made = Settings(folder=Path("/srv/lantern"), model=model, strategy=strategy, mode=mode, **settings)
    toolset = Toolset(catalogue=OWN | FOREIGN, box=box(), failed=failed)
    surface = surface_of(made, toolset, provider, deferral=deferral)
    events = ListSink()

    async def main(clock: Clock) -> Listening:
        spoken = Listening(Script(turns=(*turns, END), agents=agents or {}), name=provider, clock=clock)
        spoken.sent = []
        sinks = Sinks([events, *([FileSink(log)] if log else [])])
        await converse(
            "Give ticket 7 to Ada, and say what came of it.",
            settings=made,
            surface=surface,
            toolset=toolset,
            provider=spoken,
            sink=sinks,
            permissions=Permissions(everything=True),
            clock=clock,
            history=read_history(before) if before else None,
            name="talk",
        )
        await sinks.close()
        return spoken

    start = max((each.at for each in before if each.at), default=START) + timedelta(minutes=1)
    return Played(events.events, run_virtual(start, main).sent)
