"""One tool server: its start, its tools, calls, and its end, each of which may go wrong."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import Iterator
from typing import Any, Final, Literal

import anyio
import httpx2
from mcp import MCPError
from mcp.client import ClientSession
from mcp_types import CONNECTION_CLOSED, METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION, CallToolResult, Implementation

from harness import __version__
from harness.catalogue import Catalogue, Problem, catalogue_of, shown
from harness.loop.toolbox import ServerState, ToolFault
from harness.mcp.config import Http, ServerConfig, Stdio
from harness.mcp.listing import Dispatcher, tools_of
from harness.mcp.transport import Signs, transport_to

CONNECT: Final = 30.0
"""Seconds that a server has from its start until its tools are listed."""

_LONGEST_FAULT: Final = 500
_CLIENT: Final = Implementation(name="ccweb-harness", version=__version__)
_EXPECTED: Final = (OSError, MCPError, ValueError, RuntimeError, LookupError, httpx2.HTTPError, httpx2.InvalidURL)

# What goes wrong is reported as a server's state. Without a handler, the SDK's own notes would go to standard error.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class Connection:
    """A server. `run` is its whole life, in one task; the rest may be used from any other.

    `state` goes from pending to ready or failed, and from ready to failed where it is lost.
    """

    def __init__(self, server: ServerConfig, *, seconds: float = CONNECT) -> None:
        self.server = server
        self.seconds = seconds
        self.state: Literal["pending", "ready", "failed"] = "pending"
        self.error = ""
        self.tools = Catalogue()
        self.settled = asyncio.Event()
        """Set once the server is no longer pending."""
        self._signs = Signs()
        self._stop = asyncio.Event()
        self._scope = anyio.CancelScope()
        self._session: ClientSession | None = None
        self._stage = "start"

    @property
    def name(self) -> str:
        """The server's name, as tools and reports have it."""
        return shown(self.server.name)

    def failure(self) -> ServerState:
        """Why the server is not there."""
        return ServerState(name=self.name, error=self.error, needs_auth=self._signs.needs_auth)

    def stop(self) -> None:
        """End the server; `run` then returns."""
        self._stop.set()
        if self.state != "ready":
            self._scope.cancel()

    async def run(self) -> None:
        """Start the server, list its tools, and hold it until `stop`."""
        late = asyncio.get_running_loop().call_later(self.seconds, self._late)
        try:
            with self._scope:
                await self._live()
        except ExceptionGroup as group:
            known, unknown = group.split(_EXPECTED)
            self._failed(_sentence(next(_leaves(known or group))))
            if unknown is not None:
                raise unknown from group
        except _EXPECTED as error:
            self._failed(_sentence(error))
        finally:
            late.cancel()
            self._session = None
            self._failed("it was stopped")

    async def call(self, tool: str, arguments: dict[str, Any], seconds: float | None = None) -> CallToolResult:
        """What the server answers. `tool` is what it calls the tool itself. Raises ToolFault."""
        if self._session is None:
            raise ToolFault(f"The server {self.name} is not there: {self.error or 'it is still starting'}.")
        try:
            return await self._session.call_tool(tool, arguments, read_timeout_seconds=seconds)
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                self._failed(f"it ended during the call of a tool{self._printed()}")
                raise ToolFault(f"The server {self.name} is gone: {self.error}.") from error
            raise ToolFault(f"The server {self.name} answered with an error: {_sentence(error)}") from error
        except (ValueError, RuntimeError) as error:
            raise ToolFault(f"The answer of the server {self.name} cannot be read: {_sentence(error)}") from error

    async def _live(self) -> None:
        async with contextlib.AsyncExitStack() as stack:
            streams = await stack.enter_async_context(transport_to(self.server, self._signs))
            dispatcher = Dispatcher(*streams)
            session = ClientSession(dispatcher=dispatcher, client_info=_CLIENT)
            await stack.enter_async_context(session)
            self._stage = "greeting"
            await _greet(session)
            self._stage = "list of tools"
            found, fault = await tools_of(session, dispatcher)
            self._ready(session, found, fault)
            await self._stop.wait()

    def _ready(self, session: ClientSession, found: list[object], fault: str) -> None:
        if self.state != "pending":
            return
        tools = catalogue_of(found, server=self.name)
        notes = [Problem(place=f"server {self.name}", reason=fault, kept=True)] if fault else []
        self.tools = Catalogue(tools.values(), problems=[*notes, *tools.problems])
        self._session, self.state, self._scope.deadline = session, "ready", math.inf
        self.settled.set()

    def _late(self) -> None:
        """The time to connect is over. What was begun is ended in the background."""
        if self.state == "pending":
            self._failed(f"no answer within {self.seconds:g} s ({self._stage}){self._printed()}")
            self._scope.cancel()

    def _failed(self, reason: str) -> None:
        """Keep the first reason for which the server is not there."""
        if self.state == "failed":
            return
        gone = self.state == "pending" and self._stage != "start" and reason == "Connection closed"
        self.error = f"it ended before it had listed its tools{self._printed()}" if gone else reason
        if self._signs.needs_auth:
            self.error = f"it asks for a sign-in ({self.error})"
        if reason.startswith("[Errno 2]") and isinstance(self.server, Stdio):
            self.error = f"there is no program {shown(self.server.command, 200)}, or its folder is missing"
        if isinstance(self.server, Http) and self._stage == "greeting" and not self._signs.answered:
            self.error = f"no connection to {shown(self.server.url, 200)}: {self.error}"
        self.state, self._session = "failed", None
        self.settled.set()

    def _printed(self) -> str:
        """The last that it printed on standard error, as the rest of a sentence."""
        lines = self._signs.printed.text().strip().splitlines()
        return f"; it printed: {shown(lines[-1], 300)}" if lines else ""


async def _greet(session: ClientSession) -> None:
    """Agree on a version: the handshake that every server knows, or else the newer way without one."""
    try:
        await session.initialize()
    except MCPError as error:
        if error.code not in (METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION):
            raise
        await session.discover()


def _leaves(group: BaseExceptionGroup[Exception]) -> Iterator[Exception]:
    for each in group.exceptions:
        if isinstance(each, BaseExceptionGroup):
            yield from _leaves(each)
        else:
            yield each


def _sentence(error: Exception) -> str:
    return shown(str(error) or type(error).__name__, _LONGEST_FAULT)
