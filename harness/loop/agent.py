"""One run: requests and tool calls by turns, until its result is handed over or a limit ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, Literal

import msgspec

from harness.errors import HarnessError
from harness.loop import items, prompts
from harness.loop.approval import Approval
from harness.loop.calls import Calls, Ended
from harness.loop.clock import Clock
from harness.loop.compaction import Compaction
from harness.loop.fanout import Gate, Shape
from harness.loop.history import History
from harness.loop.late import Late, Newcomers, split
from harness.loop.recording import Recorder
from harness.loop.requesting import Requesting
from harness.loop.searching import Searching
from harness.loop.settings import Settings
from harness.loop.sinks import Sink
from harness.loop.spawning import Spawning
from harness.loop.tally import Tally
from harness.loop.toolbox import Arguments, ToolBox, ToolOutput
from harness.loop.watching import Watcher
from harness.profiles import Profile
from harness.providers.base import Provider, Reply
from harness.request import Assembly, Request, default_strategy
from harness.runlog import (
    ContextAppended,
    ContextRewritten,
    Item,
    Outcome,
    RunFinished,
    RunStarted,
    ServerFailure,
    SurfaceChanged,
    SurfaceDeclared,
    ToolActivated,
)
from harness.surface import Surface, SurfaceTool, grown, late_text
from harness.tools import ToolSpec

AGENT: Final = "ccweb harness"
VERSION: Final = "1"


class Shared:
    """What all runs of a conversation have in common.

    `surface` grows by tools that come late; `base` is what it was at first, and so the prefix of
    every run, sub-agents' that start later too.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        surface: Surface,
        tools: ToolBox,
        approval: Approval,
        sink: Sink,
        clock: Clock,
        watcher: Watcher | None = None,
        failed_servers: tuple[ServerFailure, ...] = (),
        pending_servers: tuple[str, ...] = (),
        problems: tuple[str, ...] = (),
        late: Late | None = None,
    ) -> None:
        self.settings, self.base, self.surface, self.tools = settings, surface, surface, tools
        self.approval, self.sink, self.clock = approval, sink, clock
        self.watcher = watcher or Watcher()
        self.failed_servers, self.pending_servers, self.problems = failed_servers, pending_servers, problems
        self.searching = self._searching()
        self._late = late or Late()
        self.gate = Gate(wait=settings.limits.gate_seconds) if settings.gate else None
        self.tally = Tally()

    @property
    def joined(self) -> list[ToolSpec]:
        """The deferred tools that have come since the conversation began."""
        return [spec for spec in self.surface.deferred if spec.name not in self.base.by_name]

    def join(self) -> Newcomers | None:
        """Take in what has come since; None where nothing has. Only while no sub-agent runs: each keeps its tools."""
        new = self._late.newcomers(self.surface, self.failed_servers, self.pending_servers)
        if new is not None:
            self.surface, self.tools = grown(self.surface, new.tools), self.tools | new.box
            self.failed_servers, self.pending_servers = new.failed, new.pending
            self.searching = self._searching()
        return new

    def _searching(self) -> Searching:
        failed = [each.name for each in self.failed_servers]
        return Searching(self.surface, failed=failed, pending=self.pending_servers)


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended. `text` is its last words, `handed_over` what it gave to the mode's exit tool, if it did."""

    outcome: Literal["completed", "failed"]
    text: str = ""
    handed_over: Arguments | None = None
    reason: str | None = None


class Parent(msgspec.Struct, frozen=True, kw_only=True):
    """The run that started this one, and the call by which it did."""

    run: str
    call: str


class Agent:
    """One run, the main one or, where it has a parent, a sub-agent's."""

    def __init__(
        self,
        shared: Shared,
        provider: Provider,
        log: Recorder,
        *,
        history: History | None = None,
        profile: Profile | None = None,
        parent: Parent | None = None,
        title: str | None = None,
    ) -> None:
        settings = shared.settings
        self.shared, self.log, self.profile, self.parent = shared, log, profile, parent
        self.provider, self._title = provider, title
        self.model = settings.agent_model or settings.model if parent else settings.model
        self.system = prompts.system_of(settings.mode, sub_agent=parent is not None)
        self._history = history
        # A strategy that the user chose is for the main model; a provider may not take it for another.
        chosen = settings.strategy if self.model == settings.model else None
        strategy = chosen or default_strategy(provider.name, self.model)
        self.assembly = Assembly(
            shared.base,
            model=self.model,
            provider=provider.name,
            system=self.system,
            strategy=strategy,
            max_tokens=settings.max_tokens,
            parameters=settings.parameters,
            history=history.messages(strategy) if history else (),
            recorded=history.loaded if history else (),
        )
        self.assembly.join(shared.joined)
        self._requesting = Requesting(
            provider,
            log,
            shared.watcher,
            settings.retrying,
            gate=shared.gate if parent else None,
            shape=Shape(f"{settings.mode.name} sub-agent", provider.name, self.model),
            failed=shared.tally.add,
        )
        self._calls = Calls(self)
        self._spawning = Spawning(self)
        self._compaction = Compaction(self)
        self.names: dict[str, str] = dict(history.calls) if history else {}
        self._turns = 0
        self._prompt = 0

    @property
    def who(self) -> str:
        """The run, for a question to the user."""
        if self.parent is None:
            return "The agent"
        return f"The sub-agent {self._title!r}" if self._title else "A sub-agent"

    async def run(self, task: str) -> Result:
        """Do a task. The run log has its end, whatever ends it."""
        outcome: Outcome = "failed"
        reason: str | None = "an error of the harness itself"
        try:
            self._start(task)
            result = await self._go()
            outcome, reason = result.outcome, result.reason
        except HarnessError as error:
            reason = str(error)
            result = Result(outcome="failed", reason=reason)
        except asyncio.CancelledError:
            outcome, reason = "cancelled", "the run was stopped"
            raise
        finally:
            self.log.write(RunFinished(**self.log.head(), outcome=outcome, reason=reason))
        return result

    def child(self, log: Recorder, *, profile: Profile, call: str, title: str | None, task: str) -> Agent:
        """A sub-agent of this run."""
        return Agent(
            self.shared,
            self.provider.child(profile.name, task),
            log,
            profile=profile,
            parent=Parent(run=self.log.run, call=call),
            title=title,
        )

    async def spawn(self, arguments: Arguments, call: str) -> tuple[ToolOutput, str | None]:
        """Run a sub-agent for a call of this run."""
        return await self._spawning.spawn(arguments, call)

    # Begin ---------------------------------------------------------------------

    def _start(self, task: str) -> None:
        started = self.log.clock()
        self._declare(task, started)
        opening = prompts.opening_of(str(self.shared.settings.folder), self.profile)
        new = [] if self._history else [{"type": "text", "text": opening}]
        late = [{"type": "text", "text": text}] if (text := late_text(self.shared.joined)) else []
        open_calls = self._history.interrupted if self._history else []
        if names := self.assembly.ledger.names:
            self.log.write(ToolActivated(**self.log.head(), names=list(names), trigger="resume"))
        content: list[dict[str, Any]] = [*open_calls, *new, *late, {"type": "text", "text": task}]
        self.assembly.append({"role": "user", "content": content})
        said = items.user_items(content, self.names)
        if new:
            said[0].kind = "startup"
        self._append(said)

    def _declare(self, task: str, at: datetime) -> None:
        shared, settings = self.shared, self.shared.settings
        self.log.write(
            RunStarted(
                **self.log.head(at=at),
                kind="sub_agent" if self.parent else "main",
                parent_run=self.parent.run if self.parent else None,
                parent_call=self.parent.call if self.parent else None,
                agent=AGENT,
                agent_version=VERSION,
                profile=self.profile.name if self.profile else None,
                mode=settings.mode.name,
                provider=self.provider.name,
                model=self.model,
                # A resumed run keeps the name that it has.
                title=None if self._history else self._title or _title(task),
                cwd=str(settings.folder),
                deferral=shared.surface.deferral,
                demo=settings.demo,
                reports_activations=True,
            )
        )
        self.log.write(
            SurfaceDeclared(
                **self.log.head(at=at),
                tools=items.tools_of(shared.surface),
                complete=True,
                states=["resident", "deferred", "withheld", "denied"],
                problems=list(shared.problems) if self.parent is None else [],
            )
        )
        if (shared.failed_servers or shared.pending_servers) and self.parent is None:
            self._servers(at)
        prefix = items.prefix_items(self.system, shared.base)
        self.log.write(ContextAppended(**self.log.head(at=at), items=prefix, replaces=["system", "index"]))

    def _servers(self, at: datetime, tools: Iterable[SurfaceTool] = ()) -> None:
        """Write down tools that have come, and how servers stand."""
        failed, needs_auth = split(self.shared.failed_servers)
        self.log.write(
            SurfaceChanged(
                **self.log.head(at=at),
                tools=items.entries(tools),
                pending_servers=list(self.shared.pending_servers),
                failed_servers=failed,
                needs_auth_servers=needs_auth,
            )
        )

    def _join(self) -> None:
        """Take in tools whose server has come since the last request. A sub-agent keeps those that it began with."""
        if self.parent is not None or (new := self.shared.join()) is None:
            return
        self._servers(self.log.clock(), new.tools)
        if new.problems:
            self.log.write(SurfaceDeclared(**self.log.head(), problems=list(new.problems)))
        joined = [each.spec for each in new.tools if each.state == "deferred"]
        self.assembly.join(joined)
        if text := late_text(joined):
            self._give([{"type": "text", "text": text}])
        failed = tuple(f"{each.name}: {each.error}" for each in new.lost)
        self.shared.watcher.joined(self.log.run, tuple(each.name for each in joined), failed)

    # Go on ---------------------------------------------------------------------

    async def _go(self) -> Result:
        most = self.shared.settings.limits.turns
        while self._turns < most:
            self._turns += 1
            self._join()
            if await self._compaction.compact(self._prompt):
                self._prompt = 0
            self._trim()
            reply, request = await self._requesting.send(self._build())
            self._prompt = self.shared.tally.add(reply.usage, reply.convention)
            content = self._take(reply, request)
            if (result := await self._answer(reply, content, request)) is not None:
                return result
        return Result(outcome="failed", reason=f"the run has reached its limit of {most} turns")

    async def ask(self, message: dict[str, Any]) -> tuple[Reply, ContextAppended]:
        """Ask something beside the conversation, on its prefix. What was asked is for the caller to write down, or not."""
        request = self._build(message)
        asked = ContextAppended(**self.log.head(), items=items.user_items(message["content"], self.names))
        reply, _ = await self._requesting.send(request)
        self.shared.tally.add(reply.usage, reply.convention)
        return reply, asked

    def _build(self, aside: dict[str, Any] | None = None) -> Request:
        """The next request. What it says of loaded tools is written down like all else that is sent."""
        before = len(self.assembly.messages)
        request = self.assembly.build() if aside is None else self.assembly.aside(aside)
        for message in self.assembly.messages[before:]:
            self._append(items.told_items(message))
        return request

    def _take(self, reply: Reply, request: str) -> Sequence[dict[str, Any]]:
        """Append a reply. Returns its blocks as the next request has them."""
        if not reply.content:
            return ()
        self.assembly.append({"role": "assistant", "content": reply.content})
        content: list[dict[str, Any]] = self.assembly.messages[-1]["content"]
        self.names.update((str(each["id"]), str(each["name"])) for each in content if each["type"] == "tool_use")
        self._append(items.assistant_items(content, request))
        return content

    async def _answer(self, reply: Reply, content: Sequence[dict[str, Any]], request: str) -> Result | None:
        """Run the calls of a reply; its text is the result where it has none."""
        text = "\n".join(str(block["text"]) for block in content if block["type"] == "text")
        if not any(block["type"] == "tool_use" for block in content):
            return self._last_words(reply, text)
        results, ended = await self._calls.answer(content, reply.unreadable, request)
        self._give(results)
        return None if ended is None else self._result(ended, text)

    def _last_words(self, reply: Reply, text: str) -> Result | None:
        if reply.stop_reason == "refusal":
            return Result(outcome="failed", text=text, reason="the model refused to go on")
        if reply.stop_reason in ("max_tokens", "max_output_tokens"):
            self._give([{"type": "text", "text": prompts.CUT.format(most=self.shared.settings.max_tokens)}])
            return None
        return Result(outcome="completed", text=text)

    def _result(self, ended: Ended, text: str) -> Result:
        said = ended.arguments.get("summary") or text
        return Result(outcome="completed", text=str(said), handed_over=ended.arguments)

    def _give(self, content: list[dict[str, Any]]) -> None:
        """Append what answers a reply, and write it down as it is sent."""
        self.assembly.append({"role": "user", "content": content})
        self._append(items.user_items(self.assembly.messages[-1]["content"], self.names))

    def _append(self, new: list[Item]) -> None:
        if new:
            self.log.write(ContextAppended(**self.log.head(), items=new))

    # Win back context ----------------------------------------------------------

    def _trim(self) -> None:
        """Cut stale output where that pays. As many requests are expected to come as there were."""
        settings = self.shared.settings
        if self._prompt < settings.limits.trim_from:
            return
        reads = min(self._turns, settings.limits.turns - self._turns + 1)
        trimmed = self.assembly.trim(reads, settings.trimming)
        if trimmed is None:
            return
        self.log.write(
            ContextRewritten(
                **self.log.head(),
                kind="trim",
                trigger="auto",
                tokens_before=trimmed.tokens_before,
                tokens_after=trimmed.tokens_after,
                kept_tools=list(self.assembly.ledger.names),
            )
        )
        kept = items.conversation_items(self.assembly.messages, self.names)
        self.log.write(ContextAppended(**self.log.head(), items=kept, replaces=list(items.CONVERSATION)))
        self.shared.watcher.trimmed(self.log.run, trimmed.won)


def _title(task: str) -> str:
    line = task.strip().partition("\n")[0]
    return line if len(line) <= 80 else f"{line[:79]}…"
