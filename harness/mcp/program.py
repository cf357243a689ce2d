"""A tool server that is a program: started, spoken to line by line, and ended with all that it started.

The SDK's own client for this searches all that it holds of a line again with each part that comes:
an answer of 10 MB takes a second, one of 40 MB more than twenty, in which nothing else runs. This
one takes each part once, and gives up a line that is longer than `LONGEST`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import AsyncIterator
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from harness.builtin.pipes import reader_of
from harness.mcp.config import Stdio

LONGEST: Final = 16 * 1024 * 1024
"""Bytes of a message. A tool whose answer is longer has failed."""
GRACE: Final = 2.0
"""Seconds that a server has to end once its input is closed, and again once it is told to end."""

_EDGE: Final = 200
# An answer's id stands first or last in it; elsewhere it may be part of what was answered.
_FIRST = re.compile(rb'\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)')
_LAST = re.compile(rb'"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')

Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Outgoing = MemoryObjectReceiveStream[SessionMessage]


@contextlib.asynccontextmanager
async def program(server: Stdio, errors: int) -> AsyncIterator[Any]:
    """The two streams that the SDK wants. What the server prints on standard error goes to a descriptor.

    It sees the variables of its own description, and of the others only the harmless ones that the
    SDK passes on, such as PATH and HOME. Raises OSError where it cannot be started.
    """
    process, reader, output = await _started(server, errors)
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_receive, reader, incoming)
            group.start_soon(_send, process, outgoing, incoming)
            try:
                yield read, write
            finally:
                read.close()
                write.close()
                with anyio.CancelScope(shield=True):
                    await _end(process)
                group.cancel_scope.cancel()
    finally:
        output.close()
        for stream in (incoming, read, write, outgoing):
            stream.close()


async def _started(
    server: Stdio, errors: int
) -> tuple[asyncio.subprocess.Process, asyncio.StreamReader, asyncio.ReadTransport]:
    read_end, write_end = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            server.command,
            *server.args,
            env={**get_default_environment(), **server.env},
            cwd=server.cwd,
            stdin=asyncio.subprocess.PIPE,
            stdout=write_end,
            stderr=errors,
            start_new_session=True,
        )
    except BaseException:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    return process, *await reader_of(read_end, LONGEST)


async def _receive(reader: asyncio.StreamReader, incoming: Incoming) -> None:
    with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async with incoming:
            while (message := await _message(reader)) is not None:
                await incoming.send(message)
    # Nobody listens any more; what is still to come must not keep the server from its end.
    while await reader.read(LONGEST):
        pass


async def _message(reader: asyncio.StreamReader) -> SessionMessage | Exception | None:
    """The next message, or what is wrong with it; None at the end."""
    try:
        line = await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as over:
        return await _too_long(reader, over)
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line.decode("utf-8", "replace"), by_name=False))
    except ValueError as error:
        return error


async def _too_long(reader: asyncio.StreamReader, over: asyncio.LimitOverrunError) -> SessionMessage | Exception | None:
    """What stands for a message that is too long: the failure of the request that it answers, where that is plain."""
    first = last = b""
    while True:
        piece = await reader.readexactly(over.consumed)
        first = first or piece[:_EDGE]
        last = (last + piece[-_EDGE:])[-_EDGE:]
        try:
            last += await reader.readuntil(b"\n")
        except asyncio.LimitOverrunError as more:
            over = more
        except asyncio.IncompleteReadError:
            return None
        else:
            break
    found = _FIRST.match(first) or _LAST.search(last)
    reason = f"the answer has more than {LONGEST:,} bytes"
    if found is None:
        return ValueError(reason)
    error = ErrorData(code=INTERNAL_ERROR, message=reason)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=int(found[1]), error=error))


async def _send(process: asyncio.subprocess.Process, outgoing: Outgoing, incoming: Incoming) -> None:
    writer = process.stdin
    if writer is None:
        return
    try:
        async with outgoing:
            async for message in outgoing:
                line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                writer.write(line.encode("utf-8", "replace") + b"\n")
                await writer.drain()
    except OSError:
        # It takes nothing any more, though it may live on: whoever waits for an answer must know.
        await incoming.aclose()


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close the server's input, and if it does not end by that, end it and all that it started."""
    if process.stdin is not None:
        process.stdin.close()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), GRACE)
            return
