"""The categories of a request, in the order a provider takes them: tools, system, then messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from harness.tokens import Content

Kind = Literal[
    "builtin_tool",
    "mcp_tool",
    "system",
    "index",
    "context_file",
    "skill_listing",
    "startup",
    "loaded_tool",
    "skill",
    "user",
    "assistant",
    "thinking",
    "tool_call",
    "tool_result",
    "reminder",
    "media",
    "summary",
    "record",
]
"""What a piece is: the item kinds of the run log, with tools told apart. A record is in the log and was not sent."""

Grouping = Literal["none", "label", "owner", "server"]


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """A category: its title, the noun its pieces are counted by, and what its rows are."""

    kind: Kind
    title: str
    noun: str
    prefix: bool = False
    """Whether it stands before the conversation."""
    content: Content = "text"
    rows: Grouping = "none"


CATEGORIES: Final[tuple[Shape, ...]] = (
    Shape(kind="builtin_tool", title="Built-in tools", noun="schema", prefix=True, content="schema", rows="label"),
    Shape(kind="mcp_tool", title="MCP tools", noun="schema", prefix=True, content="schema", rows="server"),
    Shape(kind="system", title="System prompt", noun="block", prefix=True, rows="label"),
    Shape(kind="index", title="Deferred index", noun="name", prefix=True),
    Shape(kind="context_file", title="Context files", noun="file", prefix=True, rows="owner"),
    Shape(kind="skill_listing", title="Skill listing", noun="listing", prefix=True),
    Shape(kind="startup", title="Start-up context", noun="item", prefix=True, rows="label"),
    Shape(kind="summary", title="Summary", noun="summary"),
    Shape(kind="loaded_tool", title="Loaded tools", noun="schema", content="schema", rows="label"),
    Shape(kind="skill", title="Skills", noun="skill", rows="owner"),
    Shape(kind="user", title="User", noun="message"),
    Shape(kind="assistant", title="Assistant", noun="text"),
    Shape(kind="thinking", title="Thinking", noun="block"),
    Shape(kind="tool_call", title="Tool calls", noun="call", content="call"),
    Shape(kind="tool_result", title="Tool results", noun="result", rows="label"),
    Shape(kind="reminder", title="Reminders", noun="reminder", rows="label"),
    Shape(kind="media", title="Images and other media", noun="item"),
)

_SHAPES: Final[Mapping[str, Shape]] = {shape.kind: shape for shape in CATEGORIES}


def shape_of(kind: str) -> Shape | None:
    """The category of a kind; None for what was not sent."""
    return _SHAPES.get(kind)
