"""What a request was sent with, piece by piece in the order sent, each named by its content."""

from __future__ import annotations

from typing import Final, NamedTuple

from explorer.queries.composition import Composition
from explorer.queries.items import Item
from explorer.queries.pieces import Part
from explorer.queries.tool_sizes import SizedTool

NAMED: Final = (
    "builtin_tool",
    "mcp_tool",
    "loaded_tool",
    "system",
    "index",
    "context_file",
    "skill_listing",
    "startup",
)
"""Kinds whose pieces have a name that lasts: another text under it takes the place of the one before."""
JOINING: Final = ("index", "context_file", "skill_listing", "startup")
"""Kinds that stand first, but may also be appended to a conversation that has begun."""


class Sent(NamedTuple):
    """A piece. Equal keys mean equal content. `known`: this run's log holds the text, or at least its hash.

    `joining`: a piece of what stands first which, where it is new, was appended behind the conversation.
    """

    key: tuple[object, ...]
    kind: str
    label: str
    owner: str
    tokens: int
    ref: str
    known: bool = True
    joining: bool = False
    text: bytes | None = None
    """The hash of its text."""


def sent_of(now: Composition) -> list[Sent]:
    """The pieces of a request in the order sent."""
    items = {item.id: item for item in now.standing.items}
    return [
        _item(part, items[part.item]) if part.item else _tool(part, now.tools.get(part.label)) for part in now.parts
    ]


def _item(part: Part, item: Item) -> Sent:
    text = bytes(item.text_hash) if item.text_hash is not None else None
    # Without a text, only the row itself says that it is the same.
    key = (part.kind, item.owner, item.call, text) if text else (part.kind, item.id)
    joining = part.kind in JOINING and not item.replacing
    return Sent(key, part.kind, item.label, item.owner, part.tokens, part.ref, text is not None, joining, text)


def _tool(part: Part, sized: SizedTool | None) -> Sent:
    """A tool; without one, the names that stand for an index which is not in the log."""
    if sized is None:
        return Sent((part.kind, part.tokens), part.kind, part.label, "", part.tokens, part.ref, known=False)
    found = sized.definition
    text = found.hash if found else None
    known = found is not None and found.where == "run"
    return Sent(
        (part.kind, part.label, text), part.kind, part.label, sized.tool.server, part.tokens, part.ref, known, text=text
    )
