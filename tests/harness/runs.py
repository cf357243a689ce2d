"""Runs for tests: tools that answer at once, a script, and what the run log has in the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from harness.catalogue import OWN, Catalogue
from harness.loop.approval import Person
from harness.loop.clock import Clock, real, run_virtual
from harness.loop.conversation import Held, Permissions, converse, surface_of
from harness.loop.history import History
from harness.loop.settings import Settings
from harness.loop.sinks import ListSink
from harness.loop.toolbox import Arguments, Context, Handler, ToolBox, ToolOutput, Toolset
from harness.loop.watching import Watcher
from harness.providers import Provider, ProviderEvent, Scripted, Turn
from harness.providers.faults import Retrying
from harness.providers.script import Call, Script
from harness.request import Request
from harness.runlog import Event
from harness.tools import ToolSpec

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
MODEL = "claude-opus-5-5"
EventKind = TypeVar("EventKind", bound=Event)


def tool(name: str, description: str = "", **properties: str) -> ToolSpec:
    """A tool of a server, whose arguments are all required."""
    schema = {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}}
    return ToolSpec(
        name=name,
        description=description or name.replace("_", " "),
        input_schema={**schema, "required": list(properties), "additionalProperties": False},
        server="tracker",
    )


TICKETS = Catalogue(
    [
        tool("assign_ticket", "Assign a ticket to a person", ticket="integer", person="string"),
        tool("close_ticket", "Close a ticket", ticket="integer"),
        tool("list_sprints", "List the sprints of a project", project="string"),
    ]
)


def call(name: str, /, **arguments: Any) -> Call:
    """A call in a script."""
    return Call(tool=name, arguments=arguments)


def calls(*each: Call, **more: Any) -> Turn:
    """A turn that is calls."""
    return Turn(calls=each, **more)


async def echo(arguments: Arguments, context: Context) -> ToolOutput:
    """Answer with what it was given."""
    return ToolOutput(text=f"{context.call}: {arguments}")


class Keeping:
    """A provider that keeps the requests that go to another one."""

    def __init__(self, provider: Provider, requests: list[Request] | None = None) -> None:
        self.provider, self.name = provider, provider.name
        self.requests: list[Request] = [] if requests is None else requests

    def child(self, profile: str, task: str) -> Keeping:
        return Keeping(self.provider.child(profile, task), self.requests)

    def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        self.requests.append(request)
        return self.provider.stream(request)

    async def close(self) -> None:
        await self.provider.close()


class Run:
    """A run that is yet to be made, and afterwards what came of it."""

    def __init__(
        self, tmp_path: Path, *, catalogue: Catalogue = TICKETS, handlers: Mapping[str, Any] | None = None
    ) -> None:
        self.settings = Settings(folder=tmp_path, model=MODEL, retrying=Retrying(first=0.01), max_tokens=1000)
        whole = OWN | catalogue
        box = ToolBox({name: Handler(run=echo, together=True) for name in whole})
        given = ToolBox({name: Handler(run=run) for name, run in (handlers or {}).items()})
        self.toolset = Toolset(catalogue=whole, box=given | box)
        self.sink = ListSink()
        self.permissions = Permissions(everything=True)
        self.deferral = True
        self.person: Person | None = None
        self.history: History | None = None
        self.watcher: Watcher | None = None
        self.requests: list[Request] = []

    def set(self, **changes: Any) -> Run:
        """Change settings."""
        self.settings = msgspec.structs.replace(self.settings, **changes)
        return self

    def scripted(
        self, *turns: Turn, agents: Mapping[str, tuple[Turn, ...]] | None = None, name: str = "anthropic"
    ) -> Held:
        """Make it in virtual time, by a script."""
        script = Script(turns=turns, agents=agents or {})

        async def main(clock: Clock) -> Held:
            provider = Keeping(Scripted(script, name=name, clock=clock), self.requests)
            return await self.held(provider, clock)

        return run_virtual(START, main)

    def over(self, provider: Callable[[], Provider]) -> Held:
        """Make it in real time, with a provider over the network."""

        async def main() -> Held:
            made = provider()
            try:
                return await self.held(made, real)
            finally:
                await made.close()

        return asyncio.run(main())

    async def held(self, provider: Provider, clock: Clock) -> Held:
        """Make it."""
        surface = surface_of(
            self.settings, self.toolset, provider.name, deferral=self.deferral, denied=self.permissions.denied
        )
        return await converse(
            "Do it.",
            settings=self.settings,
            surface=surface,
            toolset=self.toolset,
            provider=provider,
            sink=self.sink,
            person=self.person,
            permissions=self.permissions,
            watcher=self.watcher,
            clock=clock,
            history=self.history,
            name="c1",
        )

    def events(self, kind: type[EventKind], run: str | None = "c1") -> list[EventKind]:
        """The events of one kind, of one run or of all."""
        return [each for each in self.sink.events if isinstance(each, kind) and run in (None, each.run)]


def texts(blocks: Iterable[Mapping[str, Any]]) -> str:
    """All texts of a message's blocks."""
    found = []
    for block in blocks:
        content = block.get("content", block.get("text", ""))
        found.append(content if isinstance(content, str) else texts(content))
    return "\n".join(found)
