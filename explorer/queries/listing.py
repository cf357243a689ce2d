"""The pieces of one category of a request, page by page, in the order sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from explorer.queries.composition import Composition
from explorer.queries.pieces import FIRST, Part
from harness.accounting import Category
from observability.models import Block, ContextItem
from observability.queries import blocks

PAGE: Final = 50
"""Pieces on a page."""
BEGINNING: Final = 160
"""Characters of a text that are shown in a row."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A piece in the list. `turn` is the user's turn that it stands in, None before the conversation."""

    part: Part
    place: int
    turn: int | None
    owner: str
    chars: int
    beginning: str
    media_bytes: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """The pieces of a category, or of one of its rows; `label` and `owner` are None where all are listed."""

    category: Category
    label: str | None
    owner: str | None
    entries: list[Entry]
    number: int
    tokens: int
    page: int
    pages: int


def listing(
    now: Composition, kind: str, *, label: str | None = None, owner: str | None = None, page: int = 1, turns: int = 0
) -> Listing | None:
    """The pieces of a kind; None where this request has none. `turns` is how many the user took before all of this."""
    category = now.account.category(kind)
    if category is None:
        return None
    owners = {item.id: item.owner for item in now.standing.items} if owner is not None else {}
    found = [
        (place, turn, part)
        for place, turn, part in _placed(now.parts, turns)
        if part.kind == kind
        and (label is None or row_label(now, part, category) == label)
        and (owner is None or owners.get(part.item, "") == owner)
    ]
    pages = max(1, -(-len(found) // PAGE))
    page = min(max(1, page), pages)
    return Listing(
        category=category,
        label=label,
        owner=owner,
        entries=_entries(now, found[(page - 1) * PAGE : page * PAGE]),
        number=len(found),
        tokens=_tokens(category, label, owner),
        page=page,
        pages=pages,
    )


def _tokens(category: Category, label: str | None, owner: str | None) -> int:
    """The tokens as the table of parts has them: of several pieces they are rounded together."""
    if label is None:
        return category.count.tokens
    return sum(row.count.tokens for row in category.rows if row.label == label and owner in (None, row.owner))


def row_label(now: Composition, part: Part, category: Category) -> str:
    """The row of its category that a piece is summed in."""
    if category.shape.rows == "server":
        return _server(now, part)
    return part.label


def _placed(parts: Iterable[Part], turns: int) -> Iterable[tuple[int, int | None, Part]]:
    """Each piece with its place in the request and the user's turn."""
    turn = turns
    for place, part in enumerate(parts, 1):
        turn += part.kind == "user" and part.seq != FIRST
        yield place, (turn or None) if part.seq != FIRST else None, part


def _entries(now: Composition, found: list[tuple[int, int | None, Part]]) -> list[Entry]:
    rows = ContextItem.objects.in_bulk([part.item for _, _, part in found if part.item])
    hashes = {part.ref: hash_ for _, _, part in found if (hash_ := _hash(now, part, rows.get(part.item)))}
    texts = beginnings(hashes.values())
    return [
        Entry(
            part=part,
            place=place,
            turn=turn,
            owner=rows[part.item].owner if part.item in rows else _server(now, part),
            chars=rows[part.item].chars if part.item in rows else _schema_chars(now, part),
            beginning=texts.get(hashes.get(part.ref, b""), ""),
            media_bytes=rows[part.item].media_bytes if part.item in rows else None,
        )
        for place, turn, part in found
    ]


def _hash(now: Composition, part: Part, row: ContextItem | None) -> bytes | None:
    if row is not None:
        return bytes(row.text_hash) if row.text_hash else None
    definition = now.tools[part.label].definition if part.label in now.tools else None
    return definition.hash if definition else None


def _server(now: Composition, part: Part) -> str:
    """The server of a tool; the names of an index that is not in the log have none."""
    return now.tools[part.label].tool.server if part.label in now.tools else ""


def _schema_chars(now: Composition, part: Part) -> int:
    size = now.tools[part.label].size if part.label in now.tools else None
    return size.chars if size else 0


def beginnings(hashes: Iterable[bytes]) -> dict[bytes, str]:
    """What texts begin with, by their hashes; one that was not kept is left out or empty."""
    rows = Block.objects.filter(hash__in=set(hashes)).values_list("hash", "codec", "data")
    return {bytes(hash_): blocks.beginning(codec, bytes(data), BEGINNING) for hash_, codec, data in rows}
