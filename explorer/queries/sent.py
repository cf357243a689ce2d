"""What a request was sent with, piece by piece in the order sent, each named by its content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from explorer.queries.composition import Composition
from explorer.queries.items import PREFIX, Item
from explorer.queries.pieces import Part, in_order, parts_of
from explorer.queries.tool_sizes import SizedTool
from observability.models import Request

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
    return _sent(now.parts, {item.id: item for item in now.standing.items}, now.tools)


def sent_before(
    now: Composition, sent: Sequence[Sent], other: Request, tools: Mapping[str, SizedTool]
) -> list[Sent] | None:
    """The pieces of an earlier request, out of all those `sent` with this one, and the tools that it had.

    None where this request does not hold all of them as they were: its items have to be read then.
    """
    if now.request.model != other.model or other.seq >= now.request.seq or _began_since(now, other.seq):
        return None
    index = [item for item in now.standing.items if item.kind == "index"]
    first = parts_of(index, dict(tools), other.model)
    rest = [part for part in now.parts if part.item and part.kind != "index" and part.seq < other.seq]
    known = {part.item: piece for part, piece in zip(now.parts, sent, strict=True)}
    return [known[part.item] if part.item else _without_item(part, tools) for part in in_order([*first, *rest])]


def _began_since(now: Composition, seq: int) -> bool:
    """Whether anything was rewritten or replaced, or anything that stands first was written, from a point on."""
    standing = now.standing
    ends = [standing.epoch or 0, *standing.replaced_at.values()]
    return max(ends) >= seq or any(item.seq >= seq and item.kind in PREFIX for item in standing.items)


def _sent(parts: Iterable[Part], items: Mapping[int, Item], tools: Mapping[str, SizedTool]) -> list[Sent]:
    return [_item(part, items[part.item]) if part.item else _without_item(part, tools) for part in parts]


def _item(part: Part, item: Item) -> Sent:
    kind, _, tokens, number, _ = part
    text = bytes(item.text_hash) if item.text_hash is not None else None
    # Without a text, only the row itself says that it is the same.
    key = (kind, item.owner, item.call, text) if text else (kind, number)
    joining = kind in JOINING and not item.replacing
    return Sent(key, kind, item.label, item.owner, tokens, str(number), text is not None, joining, text)


def _without_item(part: Part, tools: Mapping[str, SizedTool]) -> Sent:
    """A schema; or the names behind an index that is not in the log itself."""
    if part.label in tools:
        return _tool(part, tools[part.label])
    names = tuple(name for name, each in tools.items() if each.tool.state in ("deferred", "loaded", "unsure"))
    return Sent((part.kind, names), part.kind, part.label, "", part.tokens, part.ref, known=False)


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
