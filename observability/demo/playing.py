"""A story played: the harness runs it by the script, and its run log is what the demo consists of.

Nothing is sent and nothing is touched: the provider follows the script, the tools answer what it
says, and time passes in no time at all. What the cache did is the simulator's to say.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, cast

from harness.catalogue import OWN
from harness.catalogue.own import BRIDGE, DISCOVERY
from harness.loop.clock import Clock, run_virtual
from harness.loop.conversation import Permissions, converse
from harness.loop.history import read_history
from harness.loop.settings import Limits, Settings
from harness.loop.sinks import ListSink
from harness.loop.toolbox import Arguments, Context, Handler, ServerState, ToolBox, ToolOutput, Toolset
from harness.providers import Scripted
from harness.request import default_strategy
from harness.runlog import AnyEvent
from harness.surface import Surface, resolve
from observability.demo import catalogue
from observability.demo.story import Answer, Part, Story

FOLDER: Final = Path("/home/demo/lantern")
PROJECT: Final = "demo: lantern"
AGENT_MODEL: Final = "claude-haiku-5-5"
NO_ANSWER: Final = "no answer within 30 s"
THINKING: Final = {"thinking": {"type": "adaptive"}}


def play(story: Story, now: datetime) -> list[AnyEvent]:
    """The run log of a story, told as if it had begun so long before `now`. The same each time."""
    begin = (now - timedelta(seconds=story.ago)).replace(microsecond=0)
    sink = ListSink()

    async def main(clock: Clock) -> None:
        provider = Scripted(story.script(), name=story.provider, clock=clock)
        for part in story.parts:
            await asyncio.sleep(part.after)
            await _part(story, part, provider, sink, clock)

    run_virtual(begin, main)
    return _events(sink)


async def _part(story: Story, part: Part, provider: Scripted, sink: ListSink, clock: Clock) -> None:
    toolset = _toolset(story, part)
    try:
        async with asyncio.timeout(story.stopped):
            await converse(
                part.says,
                settings=_settings(story),
                surface=_surface(story, part, toolset),
                toolset=toolset,
                provider=provider,
                sink=sink,
                permissions=Permissions(everything=True),
                clock=clock,
                history=read_history(_events(sink)) if sink.events else None,
                name=story.name,
            )
    except TimeoutError:
        if story.stopped is None:
            raise


def _events(sink: ListSink) -> list[AnyEvent]:
    return cast("list[AnyEvent]", sink.events)


def _settings(story: Story) -> Settings:
    return Settings(
        folder=FOLDER,
        model=story.model,
        agent_model=AGENT_MODEL if story.agents else None,
        limits=Limits(compact_from=story.compact_from),
        parameters=THINKING if story.thinking else {},
        project=PROJECT,
        demo=True,
    )


def _surface(story: Story, part: Part, toolset: Toolset) -> Surface:
    bridge = default_strategy(story.provider, story.model) == "bridge"
    return resolve(
        toolset.catalogue,
        deferral=story.deferral,
        pinned=part.pinned,
        discovery=BRIDGE if bridge else DISCOVERY,
    )


def _toolset(story: Story, part: Part) -> Toolset:
    tools = OWN | catalogue.office(part.missing) if story.deferral else OWN
    handler = Handler(run=_Answering(story.answers).run, together=True)
    return Toolset(
        catalogue=tools,
        box=ToolBox(dict.fromkeys(tools, handler)),
        failed=tuple(ServerState(name=name, error=NO_ANSWER) for name in part.missing),
    )


class _Answering:
    """Answers calls as the story has it."""

    def __init__(self, answers: dict[str, Answer]) -> None:
        self._answers = answers

    async def run(self, arguments: Arguments, context: Context) -> ToolOutput:
        answer = self._answers[context.call]
        await asyncio.sleep(answer.seconds)
        return ToolOutput(text=answer.text, failed=answer.failed)
