"""From rows of the store to the pieces that the accounting takes, and to the parts that a picture draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Literal, NamedTuple

from explorer.queries.items import PREFIX, Item
from explorer.queries.surface import Tool
from explorer.queries.tool_sizes import SizedTool
from harness import tokens
from harness.accounting import CATEGORIES, Kind, Piece, Shape, count_of, shape_of

How = Literal["reported", "media", "measured", "estimated", "unknown"]
FIRST = -1
"""The place of what stands before the conversation."""
_PREFIX = frozenset(PREFIX)
_PLACE: dict[str, int] = {shape.kind: place for place, shape in enumerate(CATEGORIES)}


class Part(NamedTuple):
    """One thing that was sent. `item` is its row's id, 0 for a tool; `seq` is FIRST for what stands before all messages."""

    kind: str
    label: str
    tokens: int
    item: int
    seq: int

    @property
    def ref(self) -> str:
        """What names it for reading; empty for names that stand for an index that is not in the log."""
        return str(self.item) if self.item else f"tool:{self.label}" if self.label else ""


def pieces_of(items: list[Item], tools: dict[str, SizedTool]) -> Iterator[Piece]:
    """All pieces of a request, each schema once."""
    yield from _tool_pieces(tools.values())
    yield from _index_pieces(items, tools.values())
    yield from _item_pieces(items, sent_tools(tools))


def parts_of(items: list[Item], tools: dict[str, SizedTool], model: str) -> list[Part]:
    """What was sent, piece by piece: what stands first in the order of the categories, then the conversation."""
    sent = sent_tools(tools)
    weights: dict[str, Weight] = {shape.kind: _weight(shape, model) for shape in CATEGORIES}
    parts = [_tool_part(each) for each in tools.values() if each.kind]
    parts += [
        Part("index", "", count_of(piece, model).tokens, 0, FIRST) for piece in _names_piece(items, tools.values())
    ]
    for item in items:
        kind = item_kind(item, sent)
        weight = weights.get(kind)
        if weight is not None:
            seq = FIRST if item.kind in _PREFIX else item.seq
            parts.append(Part(kind, item.label, _tokens(item, weight), item.id, seq))
    return in_order(parts)


def in_order(parts: Iterable[Part]) -> list[Part]:
    """Parts in the order sent. What is part of the conversation mostly is in order already."""
    first, rest = list[Part](), list[Part]()
    for part in parts:
        (first if part.seq == FIRST else rest).append(part)
    first.sort(key=lambda part: _PLACE[part.kind])
    rest.sort(key=attrgetter("seq"))
    return first + rest


def sent_tools(tools: dict[str, SizedTool]) -> set[str]:
    """The names of the tools whose schemas were sent."""
    return {name for name, each in tools.items() if each.kind}


def item_kind(item: Item, sent: set[str]) -> str:
    """The category of an item. A definition of a tool that is counted with the tools already is only a record."""
    if item.kind == "tool_definition":
        return "record" if item.label in sent else "loaded_tool"
    return item.kind


def _tool_pieces(tools: Iterable[SizedTool]) -> Iterator[Piece]:
    for each in tools:
        if each.kind is not None:
            yield Piece(
                kind=each.kind,
                label=each.tool.name,
                server=each.tool.server,
                o200k=each.size.tokens if each.size else None,
                chars=each.size.chars if each.size else 0,
            )


def _tool_part(each: SizedTool) -> Part:
    seq = each.tool.loading.seq if each.tool.state == "loaded" and each.tool.loading else FIRST
    size = each.schema.tokens if each.schema else 0
    return Part(str(each.kind), each.tool.name, size, 0, seq)


def _index_pieces(items: list[Item], tools: Iterable[SizedTool]) -> Iterator[Piece]:
    """The index as it was sent; where only its names are known, their characters."""
    tools = list(tools)
    listed = _listed(tools)
    sent = [item for item in items if item.kind == "index"]
    for place, item in enumerate(sent):
        yield _piece("index", "", "", how_known(item), [item], number=len(listed) if place == 0 else 0)
    yield from _names_piece(items, tools)


def _names_piece(items: list[Item], tools: Iterable[SizedTool]) -> list[Piece]:
    """What stands for an index of which only the names are in the log; nothing where the index is."""
    listed = _listed(tools)
    if not listed or any(item.kind == "index" for item in items):
        return []
    return [Piece(kind="index", number=len(listed), chars=sum(len(tool.listing or tool.name) + 1 for tool in listed))]


def _listed(tools: Iterable[SizedTool]) -> list[Tool]:
    return [each.tool for each in tools if each.tool.state in ("deferred", "loaded", "unsure")]


def _item_pieces(items: list[Item], sent: set[str]) -> Iterator[Piece]:
    """Context items; the many that are alike become one piece with their sums."""
    groups: dict[tuple[str, str, str, How], list[Item]] = {}
    for item in items:
        if item.kind != "index":
            key = (item_kind(item, sent), item.label, item.owner, how_known(item))
            groups.setdefault(key, []).append(item)
    for (kind, label, owner, how), members in groups.items():
        shape = shape_of(kind)
        if shape is not None:
            yield _piece(shape.kind, label, owner, how, members, number=len(members))


def how_known(item: Item) -> How:
    """What the tokens of an item rest on."""
    if item.reported is not None:
        return "reported"
    if item.kind == "media":
        return "media" if item.media_bytes is not None else "unknown"
    if item.kind == "thinking" and not item.chars:
        return "unknown"
    if item.o200k is not None:
        return "measured"
    return "estimated" if item.chars else "unknown"


def _piece(kind: Kind, label: str, owner: str, how: How, members: list[Item], *, number: int) -> Piece:
    return Piece(
        kind=kind,
        label=label,
        owner=owner,
        number=number,
        reported=sum(item.reported or 0 for item in members) if how == "reported" else None,
        o200k=sum(item.o200k or 0 for item in members) if how == "measured" else None,
        chars=sum(item.chars for item in members),
        hidden_chars=sum(item.hidden_chars for item in members),
        media_bytes=sum(item.media_bytes or 0 for item in members) if how == "media" else None,
    )


Weight = tuple[int, int, int]
"""Tokens of 100 of o200k, tokens around a piece, tenths of characters in a token of o200k."""


def _weight(shape: Shape, model: str) -> Weight:
    by, around = tokens.factor(model, shape.content), tokens.frame(model, shape.kind)
    return by.percent, around.tokens, tokens.CHARS_PER_TOKEN[shape.content][0]


def _tokens(item: Item, weight: Weight) -> int:
    """The tokens of an item, by the same rules as `count_of`, without a struct for each of thousands."""
    percent, around, usual = weight
    if item.o200k is not None and item.reported is None:
        return (item.o200k * percent + 50) // 100 + around
    if item.reported is not None:
        return item.reported
    if item.kind == "media":
        return tokens.media(item.media_bytes).tokens
    return (item.chars * percent + 5 * usual) // (10 * usual) + around if item.chars else 0
