"""What runs when a model calls a tool: handlers by name, what they are told, and what they answer.

    async def read(arguments: Arguments, context: Context) -> ToolOutput:
        return ToolOutput(text=(context.folder / arguments["path"]).read_text())

    box = ToolBox({"read": Handler(read, together=True)})

The loop has seen to the rest by then: the tool is on the run's surface, the arguments fit its
schema, and the call is approved. What a handler raises as ToolFault, or as an OSError, is the
answer that the model gets; nothing else may escape it. A handler that is cancelled, because its
time is over or the run ends, stops what it started and lets the cancellation through.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from harness.catalogue import Catalogue
from harness.errors import HarnessError
from harness.modes import Mode

Arguments = dict[str, Any]
"""Arguments of a call, which fit the tool's schema."""
Ask = Callable[[str, tuple[str, ...]], Awaitable[str]]
"""Puts a question with options to the user. Raises ToolFault where there is nobody to ask."""


class ToolFault(HarnessError):
    """A tool could not do what it was asked. The message is for the model: what was wrong, and what would help."""


class Media(msgspec.Struct, frozen=True, kw_only=True):
    """A picture or a document in a tool's answer. `data` is base64."""

    media_type: str
    data: str


class ToolOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool answers. `failed`: the text says what went wrong. The loop cuts a text that is too long."""

    text: str = ""
    failed: bool = False
    media: tuple[Media, ...] = ()


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What a handler is told beside the arguments.

    `folder` is the working folder of the run, as an absolute path without symbolic links: nothing
    outside it may be read or written by a file tool. `say` shows a line to the user, and nothing
    to the model.
    """

    conversation: str
    run: str
    call: str
    folder: Path
    mode: Mode
    ask: Ask
    say: Callable[[str], None]


Run = Callable[[Arguments, Context], Awaitable[ToolOutput]]


class Handler(msgspec.Struct, frozen=True, kw_only=True):
    """How a tool is run.

    `together`: calls of it may run at the same time as others of that kind; the rest run one by
    one, in the order of the model. `seconds` is its time limit, the loop's where None; with
    `own_limit` the handler sees to its time itself.
    """

    run: Run
    together: bool = False
    seconds: float | None = None
    own_limit: bool = False


class ToolBox(Mapping[str, Handler]):
    """Handlers by the name that the model uses. Two boxes add up; of two handlers of one name the first stays."""

    def __init__(self, handlers: Mapping[str, Handler] | None = None) -> None:
        self._handlers = dict(handlers or {})

    def __getitem__(self, name: str) -> Handler:
        return self._handlers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._handlers)

    def __len__(self) -> int:
        return len(self._handlers)

    def __or__(self, other: Mapping[str, Handler]) -> ToolBox:
        return ToolBox({**other, **self._handlers})


class ServerState(msgspec.Struct, frozen=True, kw_only=True):
    """A tool server that is not there, and why. `needs_auth`: it asks for a sign-in."""

    name: str
    error: str
    needs_auth: bool = False


class Toolset(msgspec.Struct, frozen=True, kw_only=True):
    """Tools with the handlers that run them: what `harness.builtin` and `harness.mcp` give to a run."""

    catalogue: Catalogue
    box: ToolBox
    failed: tuple[ServerState, ...] = ()
    pending: tuple[str, ...] = ()
    """Servers that are not there yet, but may still come."""
    more: Callable[[], Toolset] | None = None
    """What has come since it was last called: new tools only, with all servers that are failed or pending by now."""


Opened = contextlib.AbstractAsyncContextManager[Toolset]
"""Tools that are there for as long as the block lasts; connections and processes end with it."""
