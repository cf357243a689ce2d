"""A run on a terminal: what it says and does, line by line, and the answers of whoever sits there."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any, Final, TextIO

from harness import wire
from harness.errors import ProviderError
from harness.loop.toolbox import ToolOutput
from harness.loop.watching import Watcher
from harness.providers.base import ProviderEvent, Said

_SHOWN: Final[dict[int, str]] = {
    **{code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\n\t"},
    127: "\u2421",
    **{code: f"\\x{code:02x}" for code in range(0x80, 0xA0)},
    **{code: f"\\u{code:04x}" for code in (*range(0x200E, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A))},
}
"""Characters that steer a terminal, as signs that stand for them: a model or a tool may have written them."""


def harmless(text: str) -> str:
    """The text with nothing in it that steers a terminal."""
    return text.translate(_SHOWN)


def short(text: str, most: int = 160) -> str:
    """One line of it."""
    line = " ".join(harmless(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


class TerminalWatcher(Watcher):
    """Writes what happens. The main run's text comes as it is written; sub-agents show their calls."""

    def __init__(self, out: TextIO, main: str | None = None) -> None:
        self._out, self.main = out, main
        self._open = False

    def event(self, run: str, event: ProviderEvent) -> None:
        """Show text as it comes."""
        self.main = self.main or run
        if isinstance(event, Said) and run == self.main:
            self._out.write(harmless(event.text))
            self._out.flush()
            self._open = True

    def trying_again(self, run: str, error: ProviderError, wait: float) -> None:
        """Say why the run waits."""
        self.line(run, f"! {short(str(error))}; again in {wait:.1f} s")

    def calling(self, run: str, tool: str, arguments: dict[str, Any]) -> None:
        """Show a call."""
        self.line(run, f"→ {short(tool)} {short(wire.dumps(arguments).decode())}")

    def called(self, run: str, tool: str, output: ToolOutput) -> None:
        """Show how it went."""
        sign = "✗" if output.failed else "←"
        self.line(run, f"{sign} {short(tool)} {short(output.text)}")

    def loaded(self, run: str, names: tuple[str, ...], trigger: str) -> None:
        """Name what was loaded."""
        self.line(run, f"+ loaded by {trigger.replace('_', ' ')}: {', '.join(names)}")

    def joined(self, run: str, names: tuple[str, ...], failed: tuple[str, ...]) -> None:
        """Name what has come, and what has not."""
        if names:
            self.line(run, f"+ tools have come: {short(', '.join(names))}")
        for each in failed:
            self.line(run, f"! not there: {short(each)}")

    def trimmed(self, run: str, won: int) -> None:
        """Say that old output was cut."""
        self.line(run, f"~ old tool output cut: {won:,} tokens won")

    def compacted(self, run: str, before: int, after: int) -> None:
        """Say what the summary made of it."""
        self.line(run, f"~ conversation compacted: {before:,} → {after:,} tokens")

    def say(self, run: str, text: str) -> None:
        """Pass it on."""
        self.line(run, f"· {short(text)}")

    def line(self, run: str, text: str) -> None:
        """A line of its own, indented for a sub-agent."""
        self.end()
        indent = (
            "" if run in ("", self.main) or self.main is None else f"  [{run.removeprefix(self.main).lstrip('.')}] "
        )
        self._out.write(f"{indent}{text}\n")
        self._out.flush()

    def end(self) -> None:
        """End a line of text that is still open."""
        if self._open:
            self._out.write("\n")
            self._open = False


class TerminalPerson:
    """Whoever sits at the terminal. They answer with a line; its end without one (Ctrl-D) is no answer."""

    def __init__(self, watcher: TerminalWatcher) -> None:
        self._watcher = watcher

    async def answer(self, question: str, options: tuple[str, ...]) -> str | None:
        """Show the question and wait for a line."""
        self._watcher.end()
        choices = f" [{' / '.join(harmless(option) for option in options)}]" if options else ""
        sys.stdout.write(f"\n? {harmless(question)}{choices} ")
        sys.stdout.flush()
        line = await _line(sys.stdin.fileno())
        return None if line is None else _chosen(line, options)


def _chosen(line: str, options: tuple[str, ...]) -> str:
    """The option that a number stands for; else what was written."""
    if line.isdigit() and 1 <= int(line) <= len(options):
        return options[int(line) - 1]
    return line


async def _line(descriptor: int) -> str | None:
    """A line from the terminal. Waiting for it stops nothing else, and a cancelled run does not wait."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[bytes] = loop.create_future()

    def ready() -> None:
        if not done.done():
            done.set_result(os.read(descriptor, 10_000))

    loop.add_reader(descriptor, ready)
    try:
        data = await done
    finally:
        loop.remove_reader(descriptor)
    return data.decode(errors="replace").strip() if data else None
