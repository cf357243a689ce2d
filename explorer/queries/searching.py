"""What searching for tools cost a run: turns that only searched, and the texts of searches that later requests carried."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from explorer.queries.held_facts import Asked
from harness.accounting import Kind, Piece, count_of, holding
from harness.accounting.holding import Held, Paid, Span
from observability.models import ContextItem, Search, ToolCall
from observability.queries import blocks
from observability.queries.remembering import Remembered

STANDS: Final = ("trim", "edit")
"""Rewrites after which the conversation stands."""
REMEMBERED: Final = 8
"""Readings of searches that are kept."""


class Text(NamedTuple):
    """A search or its result, as an item of the context."""

    seq: int
    piece: Piece


@dataclass(frozen=True, kw_only=True)
class Searches:
    """The searches of a run: how many, the ids of the requests that did nothing else, and their texts."""

    number: int = 0
    only: frozenset[int] = frozenset()
    texts: list[Text] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class ExtraTurn:
    """A request that only searched. `passed_on_pusd` is what it paid, above a read, for what the next one read."""

    ordinal: int
    cost_pusd: int | None
    passed_on_pusd: int | None

    @property
    def pusd(self) -> int | None:
        """What the turn cost; None where unpriced."""
        if self.cost_pusd is None or self.passed_on_pusd is None:
            return None
        return self.cost_pusd - self.passed_on_pusd


@dataclass(frozen=True, kw_only=True)
class Searching:
    """What searching cost a run. `carried` are the texts of searches and their results in later requests.

    `unsaved` is what the run's total counts as saved at the turns that only searched, as far as nothing was saved there:
    one read of the schemas, for without holding back there would have been no such turn.
    """

    searches: int = 0
    turns: list[ExtraTurn] = field(default_factory=list)
    carried: Held = Held()
    unsaved: Held = Held()

    @property
    def turns_pusd(self) -> int | None:
        """What the turns cost that have a price; None where there are turns and none has."""
        known = [turn.pusd for turn in self.turns if turn.pusd is not None]
        return sum(known) if known or not self.turns else None

    @property
    def unpriced(self) -> int:
        """Turns without a price."""
        return sum(turn.pusd is None for turn in self.turns)

    @property
    def pusd(self) -> int | None:
        """Turns, texts and what the turns did not save; 0 where nothing was searched, None where there is no price."""
        turns, carried, unsaved = self.turns_pusd, self.carried.pusd, self.unsaved.pusd
        return None if turns is None or carried is None or unsaved is None else turns + carried + unsaved


_searches: Final[Remembered[dict[int, Searches]]] = Remembered(REMEMBERED)


def searches_in(ids: Sequence[int]) -> dict[int, Searches]:
    """The searches of some runs, by run; runs without one are left out."""
    return _searches.of(tuple(ids), lambda: _read(ids))


def _read(ids: Sequence[int]) -> dict[int, Searches]:
    keys: dict[int, set[int]] = {}
    for run, key in Search.objects.filter(run_id__in=ids).values_list("run_id", "call_key"):
        keys.setdefault(run, set()).add(key)
    if not keys:
        return {}
    only, texts = _only(ids, keys), _texts(ids)
    return {
        run: Searches(number=len(found), only=frozenset(only.get(run, ())), texts=texts.get(run, []))
        for run, found in keys.items()
    }


def searching_of(
    searches: Searches, asked: Sequence[Asked], rewrites: Sequence[tuple[int, str, object]], models: Mapping[str, str]
) -> Searching:
    """What the searches of a run cost it. `models` has a model for each tokenizer of its requests."""
    paid = [each.paid for each in asked]
    return Searching(
        searches=searches.number,
        turns=[_turn(place, asked) for place, each in enumerate(asked) if each.id in searches.only],
        carried=_carried(searches.texts, [each.seq for each in asked], rewrites, paid, models),
    )


def _turn(place: int, asked: Sequence[Asked]) -> ExtraTurn:
    after = asked[place + 1].paid if place + 1 < len(asked) else None
    return ExtraTurn(
        ordinal=place + 1,
        cost_pusd=asked[place].cost_pusd,
        passed_on_pusd=holding.passed_on(asked[place].paid, after),
    )


def _carried(
    texts: Sequence[Text],
    seqs: Sequence[int],
    rewrites: Sequence[tuple[int, str, object]],
    paid: Sequence[Paid],
    models: Mapping[str, str],
) -> Held:
    ledger = holding.of_text(paid)
    epochs = [seq for seq, kind, _ in rewrites if kind not in STANDS]
    found = []
    for text in texts:
        behind = bisect_right(epochs, text.seq)
        end = bisect_right(seqs, epochs[behind]) if behind < len(epochs) else len(seqs)
        first = bisect_right(seqs, text.seq)
        if first < end:
            sizes = {family: count_of(text.piece, model).tokens for family, model in models.items()}
            found.append(ledger.held([Span(first, end, arrives=True)], sizes))
    return holding.add(found)


def _only(ids: Sequence[int], keys: Mapping[int, set[int]]) -> dict[int, list[int]]:
    """Requests all of whose calls were searches."""
    searches = Search.objects.filter(run_id__in=ids).values("call_key")
    made_one = ToolCall.objects.filter(run_id__in=ids, call_key__in=searches).values("request_id")
    calls: dict[tuple[int, int], set[int]] = {}
    rows = ToolCall.objects.filter(run_id__in=ids, request_id__in=made_one)
    for run, request, key in rows.values_list("run_id", "request_id", "call_key"):
        calls.setdefault((run, request), set()).add(key)
    found: dict[int, list[int]] = {}
    for (run, request), made in calls.items():
        if made <= keys.get(run, set()):
            found.setdefault(run, []).append(request)
    return found


def _texts(ids: Sequence[int]) -> dict[int, list[Text]]:
    searches = Search.objects.filter(run_id__in=ids).values("call_key")
    items = ContextItem.objects.filter(run_id__in=ids, kind__in=("tool_call", "tool_result"), call__in=searches)
    rows = list(items.values_list("run_id", "seq", "kind", "tokens", "chars", "text_hash"))
    sizes = blocks.sizes(bytes(row[-1]) for row in rows if row[-1])
    found: dict[int, list[Text]] = {}
    for run, seq, kind, reported, chars, hash_ in rows:
        size = sizes.get(bytes(hash_)) if hash_ else None
        known: Kind = "tool_call" if kind == "tool_call" else "tool_result"
        piece = Piece(kind=known, reported=reported, o200k=size.tokens if size else None, chars=chars)
        found.setdefault(run, []).append(Text(seq, piece))
    return found
