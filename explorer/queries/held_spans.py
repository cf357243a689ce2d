"""When a deferred tool's schema was held back: the stretches of a run's requests at which it was deferred and not loaded.

It says for all requests of a run at once what `explorer.queries.surface` says for one of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

from explorer.queries.surface import Entry, State, after_rewrite
from harness.accounting.holding import Span

ABSENT: Final = (None, "removed", "withheld", "denied")
"""States in which nothing of a tool is sent."""


class Happening(NamedTuple):
    """Something that concerns a tool's state. At one place of the log: lists, then loadings, then rewrites."""

    seq: int
    rank: int
    what: str
    kept: object = None


RESTART, ENTRY, LOADING, REWRITE = range(4)


@dataclass(slots=True)
class _Walk:
    """Where a tool stands while its happenings pass by."""

    tool: str
    state: str | None = None
    removed_at: int = -1
    loaded_at: int | None = None
    loaded: State | None = None
    spans: list[Span] = field(default_factory=list)
    since: tuple[int, bool] | None = None
    """Where the open stretch began, and whether the tool was new there."""

    @property
    def held(self) -> bool:
        """Whether its schema is held back."""
        loaded = self.loaded_at is not None and self.loaded is not None and self.loaded_at > self.removed_at
        return self.state == "deferred" and not loaded

    def pass_by(self, one: Happening) -> None:
        """Take note of what happened."""
        if one.rank == RESTART:
            if self.state == one.what:
                self.state, self.removed_at = "removed", one.seq
        elif one.rank == ENTRY:
            self.state = one.what
            if one.what == "removed":
                self.removed_at = one.seq
        elif one.rank == LOADING:
            self.loaded_at, self.loaded = one.seq, "loaded"
        else:
            self._rewritten(one)

    def _rewritten(self, one: Happening) -> None:
        if self.loaded_at is None and isinstance(one.kept, list) and self.tool in one.kept:
            self.loaded_at, self.loaded = one.seq, "loaded"
        elif self.loaded is not None:
            self.loaded = after_rewrite(self.loaded, self.tool, one.what, one.kept)

    def mark(self, place: int, *, new: bool) -> None:
        """Open or close a stretch at a request."""
        if self.held and self.since is None:
            self.since = (place, new and place > 0)
        elif not self.held and self.since is not None:
            self.close(place)

    def close(self, place: int) -> None:
        """End the open stretch before a request."""
        if self.since is not None and self.since[0] < place:
            self.spans.append(Span(self.since[0], place, self.since[1]))
        self.since = None


def spans(
    seqs: Sequence[int],
    entries: Iterable[Entry],
    loadings: Iterable[tuple[str, int]],
    rewrites: Iterable[tuple[int, str, object]],
) -> dict[str, list[Span]]:
    """The stretches of each tool that was ever deferred, by name; requests by their place in `seqs`, which is sorted."""
    restarts: list[Happening] = []
    own: dict[str, list[Happening]] = {}
    for entry in entries:
        if entry.tool:
            own.setdefault(entry.tool, []).append(Happening(entry.seq, ENTRY, entry.state))
        else:
            restarts.append(Happening(entry.seq, RESTART, entry.state))
    deferred = [tool for tool, found in own.items() if any(each.what == "deferred" for each in found)]
    for tool, seq in loadings:
        own.setdefault(tool, []).append(Happening(seq, LOADING, ""))
    known = sorted((Happening(seq, REWRITE, kind, kept) for seq, kind, kept in rewrites), key=_place)
    return {
        tool: _walk(tool, sorted([*own[tool], *restarts, *_touching(tool, own[tool], known)], key=_place), seqs)
        for tool in deferred
    }


def _touching(tool: str, own: Iterable[Happening], rewrites: Sequence[Happening]) -> list[Happening]:
    """The rewrites that may change whether a tool is loaded: they keep it, or it was loaded before and not dropped since."""
    loaded = sorted(one.seq for one in own if one.rank == LOADING)
    found = []
    alive, next_one = False, 0
    for one in rewrites:
        while next_one < len(loaded) and loaded[next_one] <= one.seq:
            alive, next_one = True, next_one + 1
        kept = isinstance(one.kept, list) and tool in one.kept
        if alive or kept:
            found.append(one)
            alive = kept or (alive and one.kept is None and one.what != "clear")
    return found


def _place(one: Happening) -> tuple[int, int]:
    return one.seq, one.rank


def _walk(tool: str, happenings: Iterable[Happening], seqs: Sequence[int]) -> list[Span]:
    walk = _Walk(tool)
    for seq, some in groupby(happenings, key=lambda one: one.seq):
        absent = walk.state in ABSENT
        for one in some:
            walk.pass_by(one)
        walk.mark(bisect_right(seqs, seq), new=absent)
    walk.close(len(seqs))
    return walk.spans


def requests_in(found: Mapping[str, Sequence[Span]], tool: str) -> int:
    """How many requests a tool's stretches cover."""
    return sum(span.end - span.first for span in found.get(tool, ()))
