"""Pipes that a program writes to and the event loop reads from.

A program's output goes through a pipe of ours, not one of asyncio's: asyncio takes a program for
running as long as anything that it started holds its output open.
"""

from __future__ import annotations

import asyncio
import os


async def reader_of(read_end: int, limit: int = 64 * 1024) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    """A stream from the end of a pipe, and the transport by whose `close` the end is closed.

    `limit` is the longest line that the stream can give; it holds no more than twice of that.
    """
    reader = asyncio.StreamReader(limit=limit)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb", 0)
    )
    return reader, transport
