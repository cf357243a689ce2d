"""Where the events of a run go: to a file line by line, to a site in small batches, or into a list."""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

import httpx2
import msgspec

from harness import runlog, wire
from harness.runlog import Event


class Sink(Protocol):
    """Takes events in their order."""

    def write(self, event: Event) -> None:
        """Take one event. It must be safe soon: nobody waits for it."""

    async def close(self) -> None:
        """Finish. Nothing is written afterwards."""


class ListSink:
    """Keeps the events."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def write(self, event: Event) -> None:
        """Keep one."""
        self.events.append(event)

    async def close(self) -> None:
        """There is nothing to finish."""


def line_of(event: Event) -> bytes:
    """An event as a line. Lone surrogates, which a model or a file's name may hold and UTF-8 may not, become `?`."""
    try:
        return runlog.encode(event) + b"\n"
    except UnicodeEncodeError:
        return wire.dumps(_valid(msgspec.to_builtins(event))) + b"\n"


def _valid(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_valid(key): _valid(each) for key, each in value.items()}
    return [_valid(each) for each in value] if isinstance(value, list) else value


class FileSink:
    """Appends to a file. Each event is a whole line in the file before the run goes on.

    A line that an earlier run left unfinished is ended first, so that it spoils none of ours.
    """

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = path.open("a+b", buffering=0)
        if self._file.seek(0, os.SEEK_END):
            self._file.seek(-1, os.SEEK_END)
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")

    def write(self, event: Event) -> None:
        """Append one line."""
        self._file.write(line_of(event))

    async def close(self) -> None:
        """Close the file."""
        self._file.close()


class Sinks:
    """Several as one."""

    def __init__(self, sinks: Iterable[Sink]) -> None:
        self._sinks = tuple(sinks)

    def write(self, event: Event) -> None:
        """Give one event to each."""
        for sink in self._sinks:
            sink.write(event)

    async def close(self) -> None:
        """Finish all."""
        for sink in self._sinks:
            await sink.close()


MOST_LINES: Final = 100
MOST_BYTES: Final = 1_000_000
PATH: Final = "/api/v1/events"


class PostSink:
    """Sends events to a site in small batches, again and again until they arrive.

    `say` is told once where the site cannot be reached, and what it refused. `patience`: seconds
    that the end of a run waits for the rest to arrive.
    """

    def __init__(self, url: str, *, say: Callable[[str], None], patience: float = 15.0, pause: float = 0.3) -> None:
        self._url = url if PATH in url else url.rstrip("/") + PATH
        self._say, self._patience, self._pause = say, patience, pause
        self._lines: deque[bytes] = deque()
        self._more = asyncio.Event()
        self._closing = False
        self._deadline = float("inf")
        self._told = False
        self._client = httpx2.AsyncClient(timeout=httpx2.Timeout(30.0, connect=5.0))
        self._task = asyncio.get_running_loop().create_task(self._work())

    def write(self, event: Event) -> None:
        """Queue one."""
        self._lines.append(line_of(event))
        self._more.set()

    async def close(self) -> None:
        """Send the rest, for as long as patience lasts, and say what did not arrive."""
        self._closing, self._deadline = True, time.monotonic() + self._patience
        self._more.set()
        try:
            await self._task
        finally:
            await self._client.aclose()
        if self._lines:
            self._say(f"{len(self._lines)} events of the run log did not reach {self._url}")

    async def _work(self) -> None:
        wait = self._pause
        while self._lines or not self._closing:
            self._more.clear()
            if not self._lines:
                await self._more.wait()
            elif await self._send():
                wait = self._pause
                # What comes in the meantime goes together.
                await asyncio.sleep(0 if self._closing or len(self._lines) >= MOST_LINES else self._pause)
            elif time.monotonic() + wait > self._deadline:
                return
            else:
                await asyncio.sleep(wait)
                wait = min(2 * wait, 5.0)

    async def _send(self) -> bool:
        """Send a batch; False where it has to be sent again."""
        batch = self._batch()
        try:
            answer = await self._client.post(
                self._url, content=b"".join(batch), headers={"content-type": "application/x-ndjson"}
            )
        except httpx2.HTTPError as error:
            return self._failed(str(error) or type(error).__name__)
        if answer.status_code >= 500 or answer.status_code in (408, 429):
            return self._failed(f"status {answer.status_code}")
        if answer.status_code >= 400:
            self._say(f"{self._url} refused {len(batch)} events of the run log: {answer.text[:300]}")
        for _ in batch:
            self._lines.popleft()
        return True

    def _batch(self) -> list[bytes]:
        batch: list[bytes] = []
        size = 0
        for line in self._lines:
            if batch and (len(batch) >= MOST_LINES or size + len(line) > MOST_BYTES):
                break
            batch.append(line)
            size += len(line)
        return batch

    def _failed(self, why: str) -> bool:
        if not self._told:
            self._told = True
            self._say(f"the run log does not reach {self._url} ({why}); trying again")
        return False
