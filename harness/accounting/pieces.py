"""The pieces of a request, as plain facts, and how many tokens each is."""

from __future__ import annotations

import msgspec

from harness import tokens
from harness.accounting.categories import Kind, shape_of
from harness.tokens import Count


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was sent, or several alike as one.

    What is known of its size, best first: `reported` tokens, `o200k` tokens of its whole text,
    `chars` of a text that is not here. Media has `media_bytes` instead. `number` is how many
    pieces it stands for; the sizes are their sums.
    """

    kind: Kind
    label: str = ""
    owner: str = ""
    server: str = ""
    """The tool server, for tools; empty for what is built in."""
    number: int = 1
    reported: int | None = None
    o200k: int | None = None
    chars: int = 0
    hidden_chars: int = 0
    """Characters that were sent but cannot be read: they are said, and counted nowhere."""
    media_bytes: int | None = None


def count_of(piece: Piece, model: str) -> Count:
    """The tokens of a piece for a model. A record is bookkeeping of the log: it was not sent, so it counts nothing."""
    shape = shape_of(piece.kind)
    if shape is None:
        return tokens.NOTHING
    if piece.reported is not None:
        return tokens.reported(piece.reported)
    if piece.kind == "media":
        return _media(piece)
    by = tokens.factor(model, shape.content)
    if piece.o200k is not None:
        counted = tokens.measured(piece.o200k, by)
    elif piece.chars:
        counted = tokens.estimated(piece.chars, by, shape.content)
    else:
        return tokens.NOTHING
    return tokens.framed(counted, tokens.frame(model, piece.kind), piece.number)


def _media(piece: Piece) -> Count:
    size = None if piece.media_bytes is None else piece.media_bytes // max(1, piece.number)
    one = tokens.media(size)
    return Count(
        tokens=one.tokens * piece.number,
        low=one.low * piece.number,
        high=one.high * piece.number,
        provenance=one.provenance,
    )
