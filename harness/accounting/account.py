"""One request, accounted for: parts + signed residual = the provider's total, always.

Nothing is scaled and nothing is clamped. Where the parts exceed the total, the residual is
negative and the likeliest part to be too large is named.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

import msgspec

from harness import tokens
from harness.accounting.categories import CATEGORIES, Shape, shape_of
from harness.accounting.pieces import Piece, count_of
from harness.tokens import Count, Family


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Pieces of a category that belong together: a tool, a file, a server, a block."""

    label: str
    owner: str
    number: int
    count: Count
    hidden_chars: int = 0


class Category(msgspec.Struct, frozen=True, kw_only=True):
    """A category with its rows in the order sent. `unknown` pieces have nothing to count and add nothing."""

    shape: Shape
    count: Count
    number: int
    unknown: int
    rows: tuple[Row, ...]


class Excess(msgspec.Struct, frozen=True, kw_only=True):
    """Where parts exceed the total: by how much, and the row that could most easily be that much too large."""

    by: int
    title: str
    label: str
    slack: int
    """By how much that row could be too large."""


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """The account of one request. `total` is the provider's; None where it reports none."""

    model: str
    family: Family
    total: int | None
    categories: tuple[Category, ...]
    parts: Count

    @property
    def residual(self) -> int | None:
        """Total less parts, signed; None without a total."""
        return None if self.total is None else self.total - self.parts.tokens

    @property
    def prefix(self) -> int:
        """Tokens of the parts before the conversation."""
        return sum(each.count.tokens for each in self.categories if each.shape.prefix)

    @property
    def conversation(self) -> int:
        """Tokens of the parts that are not prefix."""
        return self.parts.tokens - self.prefix

    @property
    def within_band(self) -> bool | None:
        """Whether the total lies within the error band of the parts; None without a total."""
        return None if self.total is None else self.parts.low <= self.total <= self.parts.high

    @property
    def excess(self) -> Excess | None:
        """What may be too large, where the parts exceed the total."""
        if self.total is None or self.parts.tokens <= self.total:
            return None
        return _excess(self.categories, self.parts.tokens - self.total)

    def share(self, count: int) -> Decimal | None:
        """A share of the total, or of the parts where there is none; None of nothing."""
        whole = self.parts.tokens if self.total is None else self.total
        return Decimal(count) / Decimal(whole) if whole else None

    def category(self, kind: str) -> Category | None:
        """The category of a kind, where the request has any of it."""
        return next((each for each in self.categories if each.shape.kind == kind), None)


def account_of(pieces: Iterable[Piece], *, total: int | None, model: str) -> Account:
    """The account of a request from its pieces, in the order sent, and the provider's total."""
    by_kind: dict[str, list[tuple[Piece, Count]]] = {}
    for piece in pieces:
        shape = shape_of(piece.kind)
        if shape is not None:
            by_kind.setdefault(piece.kind, []).append((piece, count_of(piece, model)))
    found = tuple(_category(shape, by_kind[shape.kind]) for shape in CATEGORIES if shape.kind in by_kind)
    return Account(
        model=model,
        family=tokens.family(model),
        total=total,
        categories=found,
        parts=tokens.add(*(each.count for each in found)),
    )


def _category(shape: Shape, counted: list[tuple[Piece, Count]]) -> Category:
    groups: dict[tuple[str, str], list[tuple[Piece, Count]]] = {}
    for piece, count in counted:
        groups.setdefault(_row_key(shape, piece), []).append((piece, count))
    return Category(
        shape=shape,
        count=tokens.add(*(count for _, count in counted)),
        number=sum(piece.number for piece, _ in counted),
        unknown=sum(piece.number for piece, count in counted if count.provenance == "unknown"),
        rows=tuple(_row(key, members) for key, members in groups.items()),
    )


def _row_key(shape: Shape, piece: Piece) -> tuple[str, str]:
    if shape.rows == "owner":
        return piece.label, piece.owner
    if shape.rows == "server":
        return piece.server, ""
    return (piece.label, "") if shape.rows == "label" else ("", "")


def _row(key: tuple[str, str], members: list[tuple[Piece, Count]]) -> Row:
    label, owner = key
    return Row(
        label=label,
        owner=owner,
        number=sum(piece.number for piece, _ in members),
        count=tokens.add(*(count for _, count in members)),
        hidden_chars=sum(piece.hidden_chars for piece, _ in members),
    )


def _excess(categories: tuple[Category, ...], by: int) -> Excess | None:
    rows = [(each.shape.title, row) for each in categories for row in each.rows]
    if not rows:
        return None
    title, row = max(rows, key=lambda pair: (pair[1].count.tokens - pair[1].count.low, pair[1].count.tokens))
    return Excess(by=by, title=title, label=row.label, slack=row.count.tokens - row.count.low)
