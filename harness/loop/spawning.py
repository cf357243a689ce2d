"""Sub-agents: each a run of its own on the same surface, the same cache and the same log."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from harness.loop.recording import Recorder
from harness.loop.toolbox import Arguments, ToolOutput
from harness.profiles import GENERAL, PROFILES

if TYPE_CHECKING:
    from harness.loop.agent import Agent, Result


class Spawning:
    """Starts the sub-agents of one run."""

    def __init__(self, parent: Agent) -> None:
        self._parent = parent
        self._count = 0
        self._places = asyncio.Semaphore(parent.shared.settings.limits.agents)

    async def spawn(self, arguments: Arguments, call: str) -> tuple[ToolOutput, str | None]:
        """Run one to its end. Returns its result, and the name of its run where there was one."""
        parent = self._parent
        if parent.parent is not None:
            return ToolOutput(text="A sub-agent starts no sub-agents: do it yourself.", failed=True), None
        name = arguments.get("profile", GENERAL.name)
        profile = PROFILES.get(name)
        if profile is None:
            return ToolOutput(
                text=f"`profile`: there is no {name!r}; there are {', '.join(PROFILES)}.", failed=True
            ), None
        self._count += 1
        part = f".{parent.log.part}" if parent.log.part > 1 else ""
        run = f"{parent.log.run}{part}.{self._count}"
        child = parent.child(
            Recorder(
                parent.shared.sink,
                conversation=parent.log.conversation,
                run=run,
                clock=parent.log.clock,
                project=parent.shared.settings.project,
            ),
            profile=profile,
            call=call,
            title=arguments.get("title"),
            task=arguments["task"],
        )
        async with self._places:
            return _output(await child.run(arguments["task"])), run


def _output(result: Result) -> ToolOutput:
    if result.outcome == "failed":
        said = f" Its last words: {result.text}" if result.text else ""
        return ToolOutput(text=f"The sub-agent failed: {result.reason}.{said}", failed=True)
    handed_over = result.handed_over or {}
    left = handed_over.get("open") or []
    more = "\n".join([f"Outcome: {handed_over['outcome']}"] if "outcome" in handed_over else [])
    rest = "\n".join(f"Left to do: {each}" for each in left)
    return ToolOutput(text="\n".join(filter(None, [result.text, more, rest])))
