"""Two requests, piece by piece: what is new, what is gone, what took the place of what, and how far they are the same."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from explorer.queries.sent import NAMED, Sent


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """What tells a request from another one of its run, every list in the order sent.

    `same` are the pieces from the first on that both have, in the same order. `differs` is the piece of this
    request that comes next, `instead` that of the other one: None where it has no more.
    """

    same: list[Sent]
    differs: Sent | None
    instead: Sent | None
    common: list[Sent]
    added: list[Sent]
    removed: list[Sent]
    replaced: list[tuple[Sent, Sent]]
    """What stood before, and what stands in its place."""

    @property
    def same_tokens(self) -> int:
        """Tokens of the pieces up to the first that differs."""
        return sum(piece.tokens for piece in self.same)

    @property
    def unknown(self) -> list[Sent]:
        """The pieces among the same whose text is not in the log: nothing says that they changed."""
        return [piece for piece in self.same if not piece.known]

    @property
    def whole(self) -> bool:
        """Whether all of the other request stands at the start of this one."""
        return self.instead is None

    @property
    def change(self) -> int:
        """Tokens by which the parts grew, signed."""
        grown = sum(piece.tokens for piece in self.added) - sum(piece.tokens for piece in self.removed)
        return grown + sum(new.tokens - old.tokens for old, new in self.replaced)


def compare(now: Sequence[Sent], other: Sequence[Sent]) -> Comparison:
    """Compare the pieces of a request with those of another one, both in the order sent."""
    start = _alike(now, other)
    # Most requests go on where the one before ended: what both begin with needs no looking up.
    head, here, there = list(now[:start]), now[start:], other[start:]
    common, new = _shared(here, there)
    _, gone = _shared(there, here)
    replaced, added, removed = _paired(new, gone)
    walked, beside = _walked(here, other), _walked(there, now)
    more = _alike(walked, beside)
    return Comparison(
        same=head + walked[:more],
        differs=walked[more] if more < len(walked) else None,
        instead=beside[more] if more < len(beside) else None,
        common=head + common,
        added=added,
        removed=removed,
        replaced=replaced,
    )


def _alike(pieces: Sequence[Sent], others: Sequence[Sent]) -> int:
    """How many pieces both begin with."""
    pairs = zip(pieces, others, strict=False)
    differ = (place for place, (one, two) in enumerate(pairs) if one is not two and one.key != two.key)
    return next(differ, min(len(pieces), len(others)))


def _shared(pieces: Iterable[Sent], others: Iterable[Sent]) -> tuple[list[Sent], list[Sent]]:
    """The pieces that the others have too, and the rest. What is there twice is shared as often as both have it."""
    left = Counter(piece.key for piece in others)
    shared, rest = list[Sent](), list[Sent]()
    for piece in pieces:
        (shared if left[piece.key] > 0 else rest).append(piece)
        left[piece.key] -= 1
    return shared, rest


def _paired(new: Iterable[Sent], gone: Iterable[Sent]) -> tuple[list[tuple[Sent, Sent]], list[Sent], list[Sent]]:
    """New pieces under the name of one that is gone, as pairs; then what is only new, and what is only gone."""
    waiting: dict[tuple[str, ...], deque[Sent]] = {}
    for piece in gone:
        waiting.setdefault(_name(piece), deque()).append(piece)
    pairs, added = list[tuple[Sent, Sent]](), list[Sent]()
    for piece in new:
        before = waiting.get(_name(piece)) if piece.kind in NAMED else None
        if before:
            pairs.append((before.popleft(), piece))
        else:
            added.append(piece)
    taken = {id(before) for before, _ in pairs}
    return pairs, added, [piece for piece in gone if id(piece) not in taken]


def _name(piece: Sent) -> tuple[str, ...]:
    kind = "tool" if piece.kind.endswith("_tool") else piece.kind
    return kind, piece.label, piece.owner


def _walked(pieces: Sequence[Sent], others: Iterable[Sent]) -> list[Sent]:
    """The pieces with those that only they have, and that were appended later, at the end."""
    late = {piece.key for piece in pieces if piece.joining}
    if late:
        late.difference_update(piece.key for piece in others)
    return sorted(pieces, key=lambda piece: piece.joining and piece.key in late) if late else list(pieces)
