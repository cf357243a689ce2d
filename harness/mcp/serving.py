"""Runs the gateway over standard streams or over HTTP, until its client, or a signal, ends it."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import uvicorn
from mcp.server.stdio import stdio_server

from harness import __version__, builtin
from harness.catalogue import shown
from harness.errors import CommandError
from harness.mcp.config import Config, read_config
from harness.mcp.gateway import Gateway
from harness.mcp.servers import Servers, connected

HOST: Final = "127.0.0.1"
TOKEN: Final = "CCWEB_MCP_TOKEN"  # noqa: S105 - the name of a variable
"""Variable with the token that clients over HTTP must send, as `Authorization: Bearer …`."""

Application = Callable[[Any, Any, Any], Awaitable[None]]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to serve. `folder`: where the harness's own tools work; None where they are not enabled.

    `port`: that of HTTP, 0 for any that is free; None for standard streams. `connect_seconds` is
    the time that a server has to start, `call_seconds` the time that a call may take.
    """

    config: Path | None = None
    folder: Path | None = None
    port: int | None = None
    connect_seconds: float = 30.0
    call_seconds: float = 300.0


def serve(options: Options) -> int:
    """Serve, and return the exit code. Raises CommandError where it cannot begin."""
    if options.config is None and options.folder is None:
        raise CommandError("there is nothing to serve: give --mcp-config, or --builtin, or both")
    if options.port is not None and options.folder is not None and not os.environ.get(TOKEN):
        raise CommandError(f"own tools over HTTP run commands for whoever asks: set {TOKEN} to a token first")
    config = read_config(options.config) if options.config is not None else Config()
    return asyncio.run(_serve(options, config))


async def _serve(options: Options, config: Config) -> int:
    ended = _signalled()
    async with connected(config, seconds=options.connect_seconds) as servers, contextlib.AsyncExitStack() as stack:
        report = asyncio.create_task(_report(servers))
        folder = (options.folder or Path()).resolve()
        own = await stack.enter_async_context(builtin.opened(folder)) if options.folder is not None else None
        gateway = Gateway(servers, own=own, folder=folder, seconds=options.call_seconds)
        serving = asyncio.create_task(_stdio(gateway) if options.port is None else _http(gateway, options.port, ended))
        await asyncio.wait({serving, ended}, return_when=asyncio.FIRST_COMPLETED)
        report.cancel()
    if options.port is not None:
        await asyncio.wait({serving})
    elif not serving.done():
        # A thread still waits for the next line of standard input, and nothing but a line would end it.
        sys.stderr.flush()
        os._exit(0)
    ended.cancel()
    serving.result()
    return 0


async def _stdio(gateway: Gateway) -> None:
    server = gateway.server(__version__)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def _http(gateway: Gateway, port: int, ended: asyncio.Task[bool]) -> None:
    server = gateway.server(__version__)
    application = guarded(server.streamable_http_app(host=HOST), os.environ.get(TOKEN, ""))
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        # Who reads the address below may connect at once.
        listening.listen()
    except OSError as error:
        listening.close()
        raise CommandError(f"port {port} of {HOST} cannot be used: {error.strerror}") from error
    _say(f"Serving on http://{HOST}:{listening.getsockname()[1]}/mcp")
    config = uvicorn.Config(application, log_level="warning", access_log=False, ws="none", timeout_graceful_shutdown=1)
    serving = _Quiet(config)
    ended.add_done_callback(serving.leave)
    with listening:
        await serving.serve(sockets=[listening])


class _Quiet(uvicorn.Server):
    """Leaves signals to `_signalled`."""

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        yield

    def leave(self, ended: object) -> None:
        """End as soon as what is under way is answered, or a second has gone by."""
        self.should_exit = True


def guarded(application: Application, token: str) -> Application:
    """The application, which refuses requests without the token where there is one."""
    wanted = f"Bearer {token}".encode()

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        if not token or scope["type"] != "http" or hmac.compare_digest(given, wanted):
            await application(scope, receive, send)
            return
        head = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": head})
        await send({"type": "http.response.body", "body": b"A token is needed.\n"})

    return guard


def _signalled() -> asyncio.Task[bool]:
    """Is done once the program is asked to end."""
    asked = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, asked.set)
    return asyncio.create_task(asked.wait())


async def _report(servers: Servers) -> None:
    """Say which servers are not there, once all have had their time."""
    await servers.settled()
    for each in servers.failed:
        _say(f"server {shown(each.name)}: {each.error}")
    for problem in servers.catalogue.problems:
        _say(str(problem))


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
