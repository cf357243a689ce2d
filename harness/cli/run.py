"""`python -m harness run`: an agent at work in a folder."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness import builtin, runlog
from harness.cli.parsers import add_command, at_least_one
from harness.cli.terminal import TerminalPerson, TerminalWatcher, harmless
from harness.errors import CommandError, RunLogError
from harness.extras import part
from harness.loop.approval import Nobody, rule_of
from harness.loop.conversation import Held, Permissions, converse, joined, surface_of
from harness.loop.history import History, read_history
from harness.loop.settings import Limits, Settings
from harness.loop.sinks import FileSink, PostSink, Sink, Sinks
from harness.loop.toolbox import Opened, Toolset
from harness.modes import BUILD, MODES, mode_of
from harness.providers import PROVIDERS, Provider, Scripted, open_provider, read_script
from harness.request import STRATEGIES
from harness.surface import Surface, can_join

if TYPE_CHECKING:
    from harness.cli.parsers import Commands

DEFERRAL: Final = "CC_SERVER_TOOL_DEFERRAL"
"""The environment's variable that turns tool deferral on or off where the command line does not say."""
SERVERS: Final = "harness.mcp:opened"
"""What opens tool servers, by name: the SDK behind it takes a while to import, and not every run needs it."""

PATIENCE: Final = 5.0
"""Seconds that a run waits for slow tool servers once others are there; the tools of the rest join it later."""

TEACHES: Final = """\
The agent works in --folder and asks before it changes anything, unless --yes or a rule allows it:

  python -m harness run "make the tests pass" --allow 'edit*' --allow 'bash(make test)'
  python -m harness run "review the last change" --mode review --log review.ndjson
  python -m harness run "go on" --resume review.ndjson
  python -m harness run "try this" --script turns.yaml --to http://127.0.0.1:8000

A key comes from ANTHROPIC_API_KEY or OPENAI_API_KEY. With --script nothing is asked of anyone:
the turns stand in a file, and the usage is what the provider's cache rules give.
Exit code 0: the run came to its end; 1: it failed; 2: it could not begin; 130: it was stopped."""


def add_parser(commands: Commands) -> None:
    """Describe the command."""
    command = add_command(commands, "run", run, summary="let an agent do a task in a folder", teaches=TEACHES)
    command.add_argument("task", help="what it shall do")
    command.add_argument("--folder", type=Path, default=Path(), help="where it works (the current one)")
    command.add_argument("--mode", choices=list(MODES), help=f"what it may do ({BUILD.name})")
    command.add_argument("--provider", choices=list(PROVIDERS), help="whose model (anthropic)")
    command.add_argument("--model", help="the model; each provider has its own default")
    command.add_argument("--agent-model", metavar="MODEL", help="the model of its sub-agents (the same)")
    command.add_argument("--base-url", metavar="URL", help="another address than the provider's own")
    command.add_argument("--script", type=Path, metavar="FILE", help="no provider: turns from a file of YAML or JSON")
    deferral = f"send schemas of rarely used tools only when they are loaded (${DEFERRAL}, else on)"
    command.add_argument("--tool-deferral", choices=["on", "off"], help=deferral)
    command.add_argument("--load-strategy", choices=STRATEGIES, help="how a loaded schema is sent (the cheapest)")
    command.add_argument("--fanout-gate", choices=["on", "off"], default="on", help="let a first sub-agent go ahead")
    command.add_argument("--mcp-config", type=Path, metavar="FILE", help="tool servers, as in .mcp.json")
    command.add_argument("--yes", action="store_true", help="allow every call")
    command.add_argument("--allow", action="append", default=[], metavar="RULE", help="allow these calls; repeatable")
    command.add_argument("--deny", action="append", default=[], metavar="NAME", help="leave a tool out; repeatable")
    command.add_argument("--log", type=Path, metavar="FILE", help="append the run log to a file")
    command.add_argument("--to", metavar="URL", help="send the run log to a ccweb site")
    command.add_argument("--resume", type=Path, metavar="LOG", help="go on with the last run of a log")
    command.add_argument(
        "--max-turns", type=at_least_one, default=Limits().turns, metavar="N", help="requests (%(default)s)"
    )
    command.add_argument(
        "--max-tokens", type=at_least_one, default=16_000, metavar="N", help="of one reply (%(default)s)"
    )
    compact = "sum the conversation up once a prompt has so many (never)"
    command.add_argument("--compact-from", type=at_least_one, metavar="TOKENS", help=compact)


def run(arguments: argparse.Namespace) -> int:
    """Run it to its end, or until it is stopped."""
    work = Work(arguments, os.environ)
    try:
        held = asyncio.run(work.done())
    except (KeyboardInterrupt, asyncio.CancelledError):
        work.watcher.end()
        sys.stdout.write("Stopped.\n")
        return 130
    return 0 if held.result.outcome == "completed" else 1


class Work:
    """One call of the command."""

    def __init__(self, arguments: argparse.Namespace, environment: Mapping[str, str]) -> None:
        self.arguments, self.environment = arguments, environment
        self.watcher = TerminalWatcher(sys.stdout)
        self.history = _history(arguments.resume)
        self.deferral = _deferral(arguments.tool_deferral, environment)
        self.permissions = Permissions(
            denied=tuple(arguments.deny), rules=tuple(map(rule_of, arguments.allow)), everything=arguments.yes
        )
        self.provider_name: str = arguments.provider or (self.history and self.history.provider) or "anthropic"
        self.settings = self._settings()
        if arguments.to is not None and not arguments.to.startswith(("http://", "https://")):
            raise CommandError(f"--to: {arguments.to} does not begin with http:// or https://")

    def _settings(self) -> Settings:
        given, history = self.arguments, self.history
        folder = given.folder.resolve()
        if not folder.is_dir():
            raise CommandError(f"{given.folder} is no folder")
        known = PROVIDERS.get(self.provider_name)
        model = given.model or (history and history.model) or (known.model if known else "")
        if not model:
            raise CommandError(f"which model of {self.provider_name}? Name it with --model")
        return Settings(
            folder=folder,
            model=model,
            agent_model=given.agent_model,
            mode=mode_of(given.mode or (history and history.mode) or BUILD.name),
            strategy=given.load_strategy,
            max_tokens=given.max_tokens,
            limits=Limits(turns=given.max_turns, compact_from=given.compact_from),
            gate=given.fanout_gate == "on",
        )

    async def done(self) -> Held:
        """Open what is needed, hold the conversation, and close it all again."""
        task = asyncio.current_task()
        if task is not None:
            # Whoever stops the process ends the run like Ctrl-C does.
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        async with contextlib.AsyncExitStack() as stack:
            sink = await stack.enter_async_context(self._sink())
            toolset = await self._tools(stack)
            provider = self._provider()
            stack.push_async_callback(provider.close)
            held = await self._hold(provider, toolset, sink)
        self._last_lines(held)
        return held

    async def _hold(self, provider: Provider, toolset: Toolset, sink: Sink) -> Held:
        surface = surface_of(
            self.settings, toolset, provider.name, deferral=self.deferral, denied=self.permissions.denied
        )
        self.watcher.line("", f"· {surface.report()}")
        for problem in toolset.catalogue.problems:
            self.watcher.line("", f"· {harmless(str(problem))}")
        for server in toolset.failed:
            self.watcher.line("", f"! {harmless(server.name)} is not there: {harmless(server.error)}")
        self._pending(toolset, surface)
        return await converse(
            self.arguments.task,
            settings=self.settings,
            surface=surface,
            toolset=toolset,
            provider=provider,
            sink=sink,
            person=TerminalPerson(self.watcher) if sys.stdin.isatty() else Nobody(),
            permissions=self.permissions,
            watcher=self.watcher,
            history=self.history,
        )

    def _pending(self, toolset: Toolset, surface: Surface) -> None:
        then = "its tools join the run when it does" if can_join(surface) else "this run goes on without its tools"
        for name in toolset.pending:
            self.watcher.line("", f"! {harmless(name)} is not there yet: {then}")

    def _provider(self) -> Provider:
        if self.arguments.script is not None:
            return Scripted(read_script(self.arguments.script), name=self.provider_name)
        return open_provider(self.provider_name, self.environment, base_url=self.arguments.base_url)

    async def _tools(self, stack: contextlib.AsyncExitStack) -> Toolset:
        folder = self.settings.folder
        toolset = await stack.enter_async_context(builtin.opened(folder, memory=builtin.usual_file(folder)))
        if self.arguments.mcp_config is None:
            return toolset
        # Without deferral every tool is in the prefix, which nothing can join later.
        patience = PATIENCE if self.deferral else None
        self.watcher.line("", f"· starting the tool servers of {harmless(str(self.arguments.mcp_config))}")
        servers: Opened = part(SERVERS, extra="mcp")(self.arguments.mcp_config, patience=patience)
        return joined(toolset, await stack.enter_async_context(servers))

    @contextlib.asynccontextmanager
    async def _sink(self) -> AsyncIterator[Sink]:
        """Where the run log goes; a resumed run goes on in its own log unless it is told otherwise."""
        sinks: list[Sink] = []
        if (path := self.arguments.log or self.arguments.resume) is not None:
            sinks.append(FileSink(path))
        if self.arguments.to is not None:
            sinks.append(PostSink(self.arguments.to, say=lambda text: self.watcher.line("", f"! {harmless(text)}")))
        together = Sinks(sinks)
        try:
            yield together
        finally:
            await together.close()

    def _last_lines(self, held: Held) -> None:
        self.watcher.end()
        result = held.result
        if result.handed_over is not None and result.text:
            sys.stdout.write(f"\n{harmless(result.text)}\n")
        if result.reason is not None:
            sys.stdout.write(f"\nFailed: {harmless(result.reason)}\n")
        sys.stdout.write(f"\n{held.tally.line()}\n")


def _history(path: Path | None) -> History | None:
    return None if path is None else read_history(_events(path.read_bytes().splitlines()))


def _events(lines: Iterable[bytes]) -> Iterator[runlog.AnyEvent]:
    """The events of a log. A line that was cut when its run died is passed over."""
    for line in lines:
        try:
            yield runlog.decode(line)
        except RunLogError:
            continue


def _deferral(given: str | None, environment: Mapping[str, str]) -> bool:
    value = given or environment.get(DEFERRAL) or "on"
    if value not in ("on", "off"):
        raise CommandError(f"{DEFERRAL} is {value!r}; it is on or off")
    return value == "on"
