"""The calls of one reply: which tool is meant, whether it may run, and what it answers.

In this order: the envelope is opened; the tool must be on the surface; a sub-agent's profile may
refuse it; a deferred tool is loaded, and runs in the same step; the arguments must fit its
schema; the call must be approved. Whatever is refused gets an answer that says why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from harness.catalogue.own import SEARCH_TOOLS
from harness.errors import AssemblyError, NotOnSurfaceError
from harness.loop import arguments as fitting
from harness.loop.output import result_of, shortened
from harness.loop.running import answer_of
from harness.loop.toolbox import Arguments, Context, Handler, ToolFault, ToolOutput
from harness.request import unwrap
from harness.runlog import Match, ToolActivated, ToolCalled, ToolSearched, Trigger
from harness.search import Found
from harness.tools import ToolSpec

if TYPE_CHECKING:
    from harness.loop.agent import Agent

SPAWN = "spawn_agent"


class Asked(msgspec.Struct, kw_only=True):
    """One call on its way. `output` is there as soon as it is settled, by a refusal or by the tool."""

    call: str
    name: str
    arguments: Arguments
    began: datetime
    request: str
    tool: ToolSpec | None = None
    output: ToolOutput | None = None
    child_run: str | None = None
    told: bool = False
    """Whether the log has its result."""

    def refuse(self, reason: str) -> None:
        """Settle it without running it."""
        self.output = ToolOutput(text=reason, failed=True)


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """The run's result was handed over."""

    tool: str
    arguments: Arguments


class Calls:
    """Runs the calls of one run's replies."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def answer(
        self, blocks: Iterable[dict[str, Any]], unreadable: dict[str, str], request: str
    ) -> tuple[list[dict[str, Any]], Ended | None]:
        """Run the calls among the blocks of a reply. Returns the blocks that answer them, in their order."""
        asked = [self._asked(block, unreadable, request) for block in blocks if block["type"] == "tool_use"]
        ended: Ended | None = None
        try:
            for each in asked:
                await self._admit(each)
            for batch in _batches(asked, self._together):
                await self._run(batch)
            ended = self._ended(asked)
        finally:
            for each in asked:
                self._settle(each)
        most = self._agent.shared.settings.limits.output_chars
        return [result_of(each.call, each.output or _lost(), most) for each in asked], ended

    # May it run? ---------------------------------------------------------------

    def _asked(self, block: dict[str, Any], unreadable: dict[str, str], request: str) -> Asked:
        name, given = str(block["name"]), block["input"]
        asked = Asked(call=str(block["id"]), name=name, arguments=given, began=self._agent.log.clock(), request=request)
        if asked.call in unreadable:
            text = shortened(unreadable[asked.call], 200)
            asked.refuse(f"The arguments of {name} are no JSON object: {text}. Nothing was done; write them again.")
            return asked
        try:
            call = unwrap(name, given)
        except AssemblyError as error:
            asked.refuse(f"{error}.")
            return asked
        asked.name, asked.arguments = call.name, call.arguments
        return asked

    async def _admit(self, asked: Asked) -> None:
        """Settle the call where it may not run; otherwise find its tool, and load it where it is deferred."""
        agent = self._agent
        agent.log.write(
            ToolCalled(**agent.log.head(), call=asked.call, tool=asked.name[:1000] or "?", request=asked.request)
        )
        if asked.output is None:
            self._place(asked)
        if asked.output is None and asked.tool is not None:
            if (fault := fitting.fault_in(asked.tool, asked.arguments)) is not None:
                asked.refuse(fault)
            elif (refusal := await self._refused(asked.tool, asked.arguments)) is not None:
                asked.refuse(refusal)
        if asked.output is not None:
            self._settle(asked)

    async def _refused(self, tool: ToolSpec, arguments: Arguments) -> str | None:
        return await self._agent.shared.approval.refusal(tool, arguments, self._agent.who)

    def _place(self, asked: Asked) -> None:
        placed = self._agent.shared.surface.by_name.get(asked.name)
        if placed is None or placed.state == "denied":
            asked.refuse(str(NotOnSurfaceError(asked.name, "unknown" if placed is None else "denied")))
            return
        asked.tool = placed.spec
        profile = self._agent.profile
        if profile is not None and (refusal := profile.refusal(placed.spec)) is not None:
            asked.refuse(refusal)
            return
        if placed.state == "deferred":
            self._load([asked.name], "direct_call")

    def _load(self, names: Iterable[str], trigger: Trigger, search: str | None = None) -> None:
        agent = self._agent
        loaded = agent.assembly.load(names, trigger, search=search)
        if loaded.new:
            agent.log.write(ToolActivated(**agent.log.head(), names=list(loaded.new), trigger=trigger, search=search))
            agent.shared.tally.loaded[trigger] += len(loaded.new)
            agent.shared.watcher.loaded(agent.log.run, loaded.new, trigger)

    # Run it --------------------------------------------------------------------

    def _together(self, asked: Asked) -> bool:
        if asked.output is not None or asked.name == SPAWN:
            return True
        handler = self._agent.shared.tools.get(asked.name)
        return handler is not None and handler.together

    async def _run(self, batch: list[Asked]) -> None:
        """Run calls at the same time."""
        tasks = [asyncio.ensure_future(self._one(each)) for each in batch if each.output is None]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, asked: Asked) -> None:
        await self._dispatch(asked)
        self._settle(asked)

    async def _dispatch(self, asked: Asked) -> None:
        agent = self._agent
        agent.shared.watcher.calling(agent.log.run, asked.name, asked.arguments)
        asked.began = agent.log.clock()
        if asked.name == SEARCH_TOOLS.name:
            asked.output = self._search(asked)
        elif asked.name == agent.shared.settings.mode.exit:
            asked.output = ToolOutput(text="Handed over.")
        elif asked.name == SPAWN:
            asked.output, asked.child_run = await agent.spawn(asked.arguments, asked.call)
        elif (handler := agent.shared.tools.get(asked.name)) is not None:
            asked.output = await self._handled(handler, asked)
        else:
            asked.refuse(f"{asked.name} cannot be run here: nothing runs it.")

    async def _handled(self, handler: Handler, asked: Asked) -> ToolOutput:
        limits = self._agent.shared.settings.limits
        seconds = None if handler.own_limit else handler.seconds or limits.tool_seconds
        output, failure = await answer_of(handler.run(asked.arguments, self._context(asked.call)), seconds, asked.name)
        return failure or output or _lost()

    def _context(self, call: str) -> Context:
        agent = self._agent
        shared = agent.shared

        async def ask(question: str, options: tuple[str, ...]) -> str:
            answer = await shared.approval.ask(question, options)
            if answer is None:
                raise ToolFault("Nobody is there to answer. Decide yourself, and say in the result what you decided.")
            return answer

        return Context(
            conversation=agent.log.conversation,
            run=agent.log.run,
            call=call,
            folder=shared.settings.folder,
            mode=shared.settings.mode,
            ask=ask,
            say=lambda text: shared.watcher.say(agent.log.run, text),
        )

    def _search(self, asked: Asked) -> ToolOutput:
        """Search, load all matches, and record what was found: a miss is a failure of retrieval."""
        agent = self._agent
        found = agent.shared.searching.search(asked.arguments, agent.assembly.ledger.names)
        agent.log.write(self._searched(asked, found))
        agent.shared.tally.searched(missed=not found.matches)
        self._load(found.to_load, "search", asked.call)
        return ToolOutput(text=found.text)

    def _searched(self, asked: Asked, found: Found) -> ToolSearched:
        return ToolSearched(
            **self._agent.log.head(),
            call=asked.call,
            query=found.query,
            form=found.form,
            tool=SEARCH_TOOLS.name,
            limit=found.limit,
            matches=[Match(tool=match.name, score=match.score) for match in found.matches],
            searchable=found.tools_searched,
            pending_servers=list(found.pending_servers),
            failed_servers=list(self._agent.shared.failed_servers),
        )

    # What came of it -----------------------------------------------------------

    def _settle(self, asked: Asked) -> None:
        """Write the result down, once, as soon as it is there."""
        if asked.told:
            return
        asked.told, agent = True, self._agent
        output = asked.output or _lost()
        now = agent.log.clock()
        agent.log.write(
            ToolCalled(
                **agent.log.head(at=now),
                call=asked.call,
                tool=asked.name[:1000] or "?",
                ok=not output.failed,
                duration_ms=max(0, int((now - asked.began).total_seconds() * 1000)),
                result_chars=len(output.text),
                request=asked.request,
                error=shortened(output.text, 500) if output.failed else None,
                child_run=asked.child_run,
            )
        )
        agent.shared.watcher.called(agent.log.run, asked.name, output)

    def _ended(self, asked: list[Asked]) -> Ended | None:
        """The hand-over, where there was one and nothing refused it."""
        leave = self._agent.shared.settings.mode.exit
        for each in asked:
            if each.name == leave and each.output is not None and not each.output.failed:
                return Ended(tool=leave, arguments=each.arguments)
        return None


def _batches(asked: list[Asked], together: Any) -> Iterable[list[Asked]]:
    """Neighbours that may run at the same time stay together; every other call is alone."""
    batch: list[Asked] = []
    for each in asked:
        if batch and not (together(each) and together(batch[-1])):
            yield batch
            batch = []
        batch.append(each)
    if batch:
        yield batch


def _lost() -> ToolOutput:
    return ToolOutput(text="The run ended before this call did.", failed=True)
