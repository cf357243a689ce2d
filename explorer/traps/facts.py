"""What is known of a run at one of its requests, and what a trap is. Plain data: rules over it ask no database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from harness.tokens import Provenance

Rows = Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownTool:
    """A tool of the run. `schema` is in tokens, None where no log has it; `calls` are those of the whole run."""

    name: str
    state: str
    server: str = ""
    schema: int | None = None
    index: int = 0
    calls: int = 0
    trigger: str = ""
    """What loaded it."""
    query: str = ""
    """The search that loaded it."""
    since: int | None = None
    """The first request that it was loaded in."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Child:
    """A sub-agent's run, and the tools that the main run had deferred and that were resident in it."""

    uid: str
    name: str
    received: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class ShellCall:
    """A call of a shell: the tool, its command line, the tokens of its result, and the item that holds the call."""

    tool: str
    command: str
    tokens: int
    item: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """A run at a request. What is not known is None, empty or False, and no trap is found in it."""

    query: str = ""
    """The query that leads to this request."""
    agent: str = ""
    main: bool = True
    """Whether it is the conversation's main run."""
    requests: int = 0
    """Requests of the whole run."""
    resumed: bool = False
    deferral: bool | None = None
    resident_known: bool = False
    index: int = 0
    """Tokens of the deferred index in this request."""
    tools: Sequence[KnownTool] = ()
    searches: int = 0
    """Searches for tools in the whole run."""
    deferred_before: frozenset[str] = frozenset()
    """Names that were deferred earlier in this run, or in the conversation that it resumes."""
    deferred_in_main: frozenset[str] = frozenset()
    """Names that the main run had deferred, where this is another run."""
    children: Sequence[Child] = ()
    refused: Sequence[tuple[str, int]] = ()
    """Names that are denied in this run and that sub-agents called, with how often."""
    results: Sequence[tuple[str, int]] = ()
    """Tokens of the results of each tool in this request."""
    conversation: int = 0
    """Tokens of the conversation in this request, without the prefix."""
    shell: Sequence[ShellCall] = ()
    called: frozenset[str] = frozenset()
    """Tools whose calls stand in this request."""
    sure: Provenance = "measured"
    """What the tokens rest on."""

    def of(self, *states: str) -> list[KnownTool]:
        """The tools in some states."""
        return [tool for tool in self.tools if tool.state in states]


@dataclass(frozen=True, kw_only=True, slots=True)
class Trap:
    """Something found. `figure` is what it comes to, in words; `tokens` the same as a number, None where it is no size.

    `rows` and `note` are the formula behind the figure, the last row its result. `link` leads to where it
    occurs: a query and anchor of the conversation's context.
    """

    kind: str
    title: str
    figure: str
    why: str
    link: str
    tokens: int | None = None
    sure: Provenance = "measured"
    bad: bool = False
    glyph: Literal["triangle", "circle"] = "triangle"
    rows: Rows = field(default_factory=tuple)
    note: str = ""
