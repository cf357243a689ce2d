"""The tools bash, bash_output and bash_stop."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import Final

import msgspec

from harness.builtin.changes import Changes
from harness.builtin.output import Kept
from harness.builtin.processes import Command, start
from harness.catalogue import shown
from harness.loop.toolbox import Arguments, Context, ToolFault, ToolOutput

SECONDS: Final = 120
"""Time of a command, where the call names none."""
MOST_JOBS: Final = 20
"""Background jobs that run at the same time."""


class _Job(msgspec.Struct):
    """A command in the background."""

    name: str
    running: Command
    watch: asyncio.Task[None]
    stopped: str = ""
    """Why it was stopped, where it did not end by itself."""


class Shell:
    """The tools, with the jobs in the background. Jobs are known to all runs, and end with `close`."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._jobs: dict[str, _Job] = {}

    async def bash(self, arguments: Arguments, context: Context) -> ToolOutput:
        """Run a command to its end, or its time limit, or begin it in the background."""
        command = arguments["command"]
        if "\0" in command or not command.strip():
            raise ToolFault("command: it is empty, or has a NUL character in it")
        try:
            command.encode()
        except UnicodeEncodeError as error:
            raise ToolFault("command: it has a character that cannot be written in UTF-8") from error
        await asyncio.to_thread(self._changes.of(context.folder).look_over)
        if arguments.get("background"):
            return await self._begun(command, arguments, context)
        return await _to_its_end(command, int(arguments.get("timeout", SECONDS)), context)

    async def bash_output(self, arguments: Arguments, context: Context) -> ToolOutput:
        """What a job has printed since the last time, and whether it has ended."""
        job = self._job(arguments["job"])
        with suppress(TimeoutError):
            async with asyncio.timeout(int(arguments.get("wait", 0))):
                while job.running.code is None and not job.running.news.is_set():
                    await job.running.news.wait()
        if job.running.code is not None:
            await asyncio.wait({job.watch}, timeout=2.0)
        taken = job.running.fresh()
        state = "still running" if job.running.code is None else job.stopped or _ending(job.running.code)
        return ToolOutput(text=_report(taken, f"[{job.name}: {state}]", "(nothing new)"))

    async def bash_stop(self, arguments: Arguments, context: Context) -> ToolOutput:
        """Stop a job and all that it started."""
        job = self._job(arguments["job"])
        if job.running.code is not None:
            return ToolOutput(text=f"{job.name} has ended already: {job.stopped or _ending(job.running.code)}.")
        job.stopped = "stopped by bash_stop"
        await job.running.stop()
        return ToolOutput(text=_report(job.running.fresh(), f"[{job.name}: stopped]", ""))

    async def close(self) -> None:
        """End all jobs."""
        for job in self._jobs.values():
            job.running.kill()
        for job in self._jobs.values():
            await job.running.stop()
            await asyncio.wait({job.watch})

    async def _begun(self, command: str, arguments: Arguments, context: Context) -> ToolOutput:
        alive = [job.name for job in self._jobs.values() if job.running.code is None]
        if len(alive) >= MOST_JOBS:
            raise ToolFault(f"background: {len(alive)} jobs are running; stop one first: {', '.join(alive)}")
        running = await start(command, context.folder)
        name = f"job-{len(self._jobs) + 1}"
        seconds = int(arguments["timeout"]) if "timeout" in arguments else None
        job = _Job(name, running, asyncio.create_task(running.ended()))
        self._jobs[name] = job
        if seconds is not None:
            job.watch = asyncio.create_task(_limited(job, job.watch, seconds))
        return ToolOutput(text=f"Started {name}. bash_output shows what it prints, bash_stop ends it.")

    def _job(self, name: str) -> _Job:
        if name not in self._jobs:
            known = f"the jobs are {', '.join(self._jobs)}" if self._jobs else "none was started"
            raise ToolFault(f"job: there is no job {shown(name)!r}; {known}")
        return self._jobs[name]


async def _limited(job: _Job, end: asyncio.Task[None], seconds: int) -> None:
    done, _ = await asyncio.wait({end}, timeout=seconds)
    if not done:
        job.stopped = f"stopped after {seconds} s, its timeout"
        await job.running.stop()
        await asyncio.wait({end})


async def _to_its_end(command: str, seconds: int, context: Context) -> ToolOutput:
    running = await start(command, context.folder)
    late = False
    try:
        async with asyncio.timeout(seconds):
            await running.ended()
    except TimeoutError:
        late = True
    except asyncio.CancelledError:
        running.kill()
        raise
    finally:
        await running.stop()
    code = running.code or 0
    state = f"[stopped after {seconds} s, with all that it started: timeout]" if late else f"[{_ending(code)}]"
    if running.left_running and not late:
        state += "\n[what it left running was stopped; use background for a command that is to go on]"
    text = _report(running.output, "" if state == "[exit code 0]" else state, "(no output)")
    return ToolOutput(text=text, failed=late or code != 0)


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"ended by {signal.Signals(-code).name}"
    return f"ended by signal {-code}"


def _report(printed: Kept, state: str, nothing: str) -> str:
    return "\n".join(each for each in (printed.text().rstrip("\n") or nothing, state) if each)
