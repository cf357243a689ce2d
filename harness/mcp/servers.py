"""The tool servers of a configuration, all at once: their tools, calls to them, and what is missing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from mcp_types import CallToolResult

from harness.catalogue import Catalogue
from harness.loop.toolbox import Arguments, Context, Handler, ServerState, ToolBox, ToolFault, ToolOutput, Toolset
from harness.mcp.answers import output_of
from harness.mcp.config import Config, read_config
from harness.mcp.connection import CONNECT, Connection
from harness.tiers import tier_of
from harness.tools import ToolSpec


class Servers:
    """Servers that were started, ready or not. Made by `connected`, which also ends them.

    A server that becomes ready later adds its tools behind those that are there: names that were
    given once stay what they are.
    """

    def __init__(self, config: Config, connections: Mapping[str, Connection]) -> None:
        self._config = config
        self._connections = connections
        self._taken: dict[str, Connection] = {}
        self._catalogue = Catalogue(problems=config.problems)

    @property
    def catalogue(self) -> Catalogue:
        """The tools of all servers that are ready by now, with what was wrong with any of them."""
        for name, connection in self._connections.items():
            if connection.state == "ready" and name not in self._taken:
                self._taken[name] = connection
                self._catalogue |= connection.tools
        return self._catalogue

    @property
    def failed(self) -> tuple[ServerState, ...]:
        """The servers that cannot be used, and why, in the order of the configuration."""
        unusable = [ServerState(name=name, error=reason) for name, reason in self._config.unusable.items()]
        lost = [each.failure() for each in self._connections.values() if each.state == "failed"]
        return (*unusable, *lost)

    @property
    def pending(self) -> tuple[str, ...]:
        """The servers that may still come."""
        return tuple(name for name, each in self._connections.items() if each.state == "pending")

    async def settled(self, seconds: float | None = None) -> None:
        """Wait until no server is pending any more, or for so many seconds."""
        waiting = [asyncio.create_task(each.settled.wait()) for each in self._connections.values()]
        if waiting:
            _, late = await asyncio.wait(waiting, timeout=seconds)
            for each in late:
                each.cancel()

    async def usable(self, patience: float, seconds: float) -> None:
        """Wait until no server is pending; after `patience` seconds, only until there is any tool; never longer than `seconds`."""
        await self.settled(min(patience, seconds))
        end = asyncio.get_running_loop().time() + seconds - patience
        while self.pending and not self.catalogue and (left := end - asyncio.get_running_loop().time()) > 0:
            waiting = [asyncio.create_task(self._connections[name].settled.wait()) for name in self.pending]
            _, late = await asyncio.wait(waiting, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            for each in late:
                each.cancel()

    async def call(self, tool: ToolSpec, arguments: dict[str, Any], seconds: float | None = None) -> CallToolResult:
        """What the tool's server answers, as the SDK has it. Raises ToolFault."""
        connection = self._connections.get(tool.server)
        if connection is None:
            raise ToolFault(f"There is no server {tool.server}.")
        return await connection.call(tool.original_name or tool.name, arguments, seconds)

    def toolset(self) -> Toolset:
        """All tools that are there by now. Its `more` gives those that come later."""
        return self._toolset(self.catalogue, frozenset())

    def _toolset(self, catalogue: Catalogue, known: frozenset[str], told: int = 0) -> Toolset:
        """The tools that are not known, and the problems after the first so many, which were told."""
        fresh = {name: self._handler(spec) for name, spec in catalogue.items() if name not in known}
        specs = [catalogue[name] for name in fresh]
        return Toolset(
            catalogue=Catalogue(specs, problems=catalogue.problems[told:]),
            box=ToolBox(fresh),
            failed=self.failed,
            pending=self.pending,
            more=_More(self, known | fresh.keys(), len(catalogue.problems)),
        )

    def _handler(self, spec: ToolSpec) -> Handler:
        async def run(arguments: Arguments, context: Context) -> ToolOutput:
            return output_of(await self.call(spec, arguments))

        return Handler(run=run, together=tier_of(spec) == "read")


class _More:
    """Gives, each time it is called, the tools that are new since the last time."""

    def __init__(self, servers: Servers, known: frozenset[str], told: int) -> None:
        self._servers, self._known, self._told = servers, known, told

    def __call__(self) -> Toolset:
        catalogue = self._servers.catalogue
        found = self._servers._toolset(catalogue, self._known, self._told)
        self._known, self._told = self._known | found.box.keys(), len(catalogue.problems)
        return found


@contextlib.asynccontextmanager
async def connected(config: Config, *, seconds: float = CONNECT) -> AsyncIterator[Servers]:
    """Start all servers at the same time, without waiting for any; they end with the block.

    `seconds` is the time that each has until its tools are listed.
    """
    connections: dict[str, Connection] = {}
    for server in config.servers:
        each = Connection(server, seconds=seconds)
        connections.setdefault(each.name, each)
    lives = [asyncio.create_task(each.run()) for each in connections.values()]
    try:
        yield Servers(config, connections)
    finally:
        for each in connections.values():
            each.stop()
        if lives:
            await asyncio.wait(lives)
        for life in lives:
            life.result()


@contextlib.asynccontextmanager
async def opened(config: Path, *, wait: float = CONNECT, patience: float | None = None) -> AsyncIterator[Toolset]:
    """The tools of all servers that a `.mcp.json` names, for a run. Raises CommandError where it cannot be read.

    It waits for all of them, but no longer than `wait` seconds, and where there is a `patience`, no
    longer than that once there is a tool: a run that has deferred tools can take in more of them. A
    server that is not there by then is pending, and `more` gives its tools later; one that failed is
    in `failed`. The others go on.
    """
    async with connected(read_config(config)) as servers:
        await servers.usable(wait if patience is None else patience, wait)
        yield servers.toolset()
