"""Commands in bash, each in a process group of its own, with what they print kept in constant memory."""

from __future__ import annotations

import asyncio
import os
import signal
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.builtin.output import Kept
from harness.builtin.pipes import reader_of

GRACE: Final = 1.0
"""Seconds between the request to end and the end by force."""
MARK: Final = "CCWEB_JOB"
"""Variable by which the processes of a command are found again, also those that left its group."""
PRIVATE: Final = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY")
"""Variables of the harness itself that a command does not get to see."""

_PLAIN: Final = {"GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "PAGER": "cat", "TERM": "dumb"}
_CHUNK: Final = 64 * 1024
_LAST_WORDS: Final = 0.3
"""Seconds to wait for the end of the output once the command has ended. What still holds it open was left running."""


class Command:
    """A command that runs, or has run. Made by `start`; `stop` must be called in the end, whatever happened."""

    def __init__(self, process: asyncio.subprocess.Process, mark: str) -> None:
        self.process = process
        self.output = Kept()
        self.news = asyncio.Event()
        """Set whenever something was printed, and at the end."""
        self.left_running = False
        self._mark = mark
        self._pump: asyncio.Task[None] | None = None
        self._transport: asyncio.ReadTransport | None = None

    @property
    def code(self) -> int | None:
        """The exit code; None while it runs, below 0 where a signal ended it."""
        return self.process.returncode

    async def listen(self, read_end: int) -> None:
        """Take what is printed from now on."""
        reader, self._transport = await reader_of(read_end)
        self._pump = asyncio.create_task(self._take(reader))

    async def ended(self) -> None:
        """Wait until the command has ended and all that it printed is taken. What it left running is stopped."""
        await self.process.wait()
        if self._pump is not None:
            await asyncio.wait({self._pump}, timeout=_LAST_WORDS)
        self.left_running = next(self._members(), None) is not None
        await self.stop()

    def kill(self) -> None:
        """End all processes of the command by force, now."""
        self._signal(signal.SIGKILL)

    async def stop(self) -> None:
        """End all processes of the command: first ask, then force. Does nothing where all have ended."""
        if self.code is None:
            self._signal(signal.SIGTERM)
            with suppress(TimeoutError):
                await asyncio.wait_for(self.process.wait(), GRACE)
        self.kill()
        await self.process.wait()
        if self._pump is not None:
            await asyncio.wait({self._pump}, timeout=_LAST_WORDS)
            self._pump.cancel()
        if self._transport is not None:
            self._transport.close()
        self.news.set()

    def fresh(self) -> Kept:
        """What was printed since this was last called."""
        taken, self.output = self.output, Kept()
        self.news.clear()
        return taken

    async def _take(self, reader: asyncio.StreamReader) -> None:
        while chunk := await reader.read(_CHUNK):
            self.output.add(chunk)
            self.news.set()

    def _signal(self, number: signal.Signals) -> None:
        if self.code is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)
        for member in self._members():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(member, number)

    def _members(self) -> Iterator[int]:
        """Its processes, by the mark in their environment, where the system shows that."""
        word = f"{MARK}={self._mark}".encode()
        for each in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if word in each.read_bytes().split(b"\0"):
                    yield int(each.parent.name)


async def start(command: str, folder: Path) -> Command:
    """Begin a command in a folder. It reads nothing, and what it prints on both streams is one output."""
    mark = uuid.uuid4().hex
    read_end, write_end = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            command,
            cwd=folder,
            env=_environment(mark),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=write_end,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except BaseException:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    running = Command(process, mark)
    await running.listen(read_end)
    return running


def _environment(mark: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if name not in PRIVATE}
    return {**own, **_PLAIN, MARK: mark}
