"""Ways to a tool server through the official SDK: a program's standard streams, or HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from typing import Any, Final

import anyio
import httpx2
from mcp.client import Transport
from mcp.client.streamable_http import streamable_http_client

from harness.builtin.output import Kept
from harness.builtin.pipes import reader_of
from harness.mcp.config import Http, ServerConfig, Stdio
from harness.mcp.program import program

LAST_WORDS: Final = 4 * 1024
"""Bytes kept of the begin and of the end of what a server prints on its standard error."""
ANSWER: Final = 300.0
"""Seconds between two parts of an answer over HTTP; the limits of calls are shorter."""


class Signs:
    """What a server showed apart from its answers: what helps to say why it failed."""

    def __init__(self) -> None:
        self.printed = Kept(LAST_WORDS)
        self.needs_auth = False
        self.answered = False
        """Whether it ever answered over HTTP."""

    async def note(self, response: httpx2.Response) -> None:
        """See to it that a refusal for want of a sign-in is known as such."""
        self.answered = True
        self.needs_auth = self.needs_auth or response.status_code in (401, 403)


def transport_to(server: ServerConfig, signs: Signs) -> Transport:
    """How to reach a server: an async context manager that gives the SDK's two streams."""
    return _http(server, signs) if isinstance(server, Http) else _stdio(server, signs)


@contextlib.asynccontextmanager
async def _http(server: Http, signs: Signs) -> AsyncIterator[Any]:
    async with (
        httpx2.AsyncClient(
            headers=dict(server.headers),
            timeout=httpx2.Timeout(30.0, read=ANSWER),
            event_hooks={"response": [signs.note]},
        ) as client,
        streamable_http_client(server.url, http_client=client) as streams,
    ):
        yield streams


@contextlib.asynccontextmanager
async def _stdio(server: Stdio, signs: Signs) -> AsyncIterator[Any]:
    async with _listening(signs.printed) as errors, program(server, errors) as streams:
        yield streams


@contextlib.asynccontextmanager
async def _listening(printed: Kept) -> AsyncIterator[int]:
    """A descriptor to write to; what is written is kept as `printed`."""
    read_end, write_end = os.pipe()
    reader, transport = await reader_of(read_end)
    pump = asyncio.create_task(_take(reader, printed))
    try:
        yield write_end
    finally:
        os.close(write_end)
        # What it printed last says why it ended.
        with anyio.CancelScope(shield=True):
            await asyncio.wait({pump}, timeout=0.2)
        pump.cancel()
        transport.close()


async def _take(reader: asyncio.StreamReader, printed: Kept) -> None:
    while chunk := await reader.read(16 * 1024):
        printed.add(chunk)
