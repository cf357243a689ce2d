"""The context items that stood before the model at a request of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.models import Max, Min, Q, QuerySet

from observability.models import Block, ContextItem, Request, Rewrite, Run
from observability.queries import blocks

PREFIX: Final = ("system", "tool_definition", "index", "context_file", "skill_listing", "startup")
"""Kinds that a rewrite of the conversation leaves in place."""
DECLARED: Final = ("system", "tool_definition")
"""Kinds that are written as a snapshot, which may stand after the request that was sent with it."""


class Item(NamedTuple):
    """An item in the order sent. `o200k` is the count of its whole text, None where that was not kept or not counted yet."""

    id: int
    seq: int
    kind: str
    label: str
    owner: str
    replacing: bool
    reported: int | None
    chars: int
    hidden_chars: int
    media_bytes: int | None
    call: int | None
    request: int | None
    text_hash: bytes | None
    o200k: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """The items at a request. `epoch` is the point from which its conversation runs, None from the start."""

    items: list[Item]
    epoch: int | None
    replaced: list[str]
    """Kinds of which later items took the place of earlier ones, with the seq of the last time as `replaced_at`."""
    replaced_at: dict[str, int]


def rewrites(run: Run) -> QuerySet[Rewrite]:
    """Where the conversation began anew. A trim or an edit takes some of it out, and leaves the rest standing."""
    return Rewrite.objects.filter(run=run).exclude(kind__in=("trim", "edit"))


def standing(run: Run, seq: int) -> Standing:
    """The items that a request at `seq` was sent with."""
    epoch = rewrites(run).filter(seq__lt=seq).aggregate(last=Max("seq"))["last"]
    rows = _rows(run, "i.seq < %s AND (i.seq >= %s OR i.kind IN %s)", [seq, epoch or 0, PREFIX])
    cutoffs = _cutoffs(rows)
    kept = [item for item in rows if item.seq >= cutoffs.get(item.kind, item.seq)]
    found = _later(run, seq, sorted(set(PREFIX) - {item.kind for item in rows})) + kept
    return Standing(
        items=_with_thinking(_with_tools(_counted([item for item in found if not _only_ends(item)]))),
        epoch=epoch,
        replaced=sorted({item.kind for item in rows if item.seq < cutoffs.get(item.kind, item.seq)}),
        replaced_at=cutoffs,
    )


def written(run: Run, start: int, end: int) -> list[Item]:
    """The items that a run's log holds from one point on and before another, counted."""
    return _counted(_rows(run, "i.seq >= %s AND i.seq < %s", [start, end]))


def _cutoffs(rows: Iterable[Item]) -> dict[str, int]:
    """From where on items of a kind stand: the last point at which that kind was replaced."""
    return {item.kind: item.seq for item in rows if item.replacing}


def _only_ends(item: Item) -> bool:
    """Whether a row only says that earlier items of its kind no longer stand."""
    known = (item.o200k, item.text_hash, item.reported, item.media_bytes)
    return item.replacing and not (item.chars or item.hidden_chars or item.label) and known == (None,) * 4


def _later(run: Run, seq: int, kinds: Sequence[str]) -> list[Item]:
    """The first declaration after `seq` of kinds that nothing before it declares."""
    if not kinds:
        return []
    firsts = (
        ContextItem.objects.filter(run=run, seq__gte=seq, kind__in=kinds)
        .filter(Q(replacing=True) | Q(kind__in=DECLARED))
        .values_list("kind")
        .annotate(first=Min("seq"))
        .order_by()
    )
    found: list[Item] = []
    for kind, first in firsts:
        found += _rows(run, "i.seq = %s AND i.kind = %s", [first, kind])
    return found


_FIELDS = (
    "i.id, i.seq, i.kind, i.label, i.owner, i.replacing, i.tokens, i.chars, i.hidden_chars, i.media_bytes,"
    " i.call, i.request_id, i.text_hash, b.tokens"
)


def _rows(run: Run, where: str, values: list[Any]) -> list[Item]:
    """Rows past the ORM: a request may hold tens of thousands."""
    items, texts = ContextItem._meta.db_table, Block._meta.db_table
    flat: list[Any] = [run.pk]
    for value in values:
        if isinstance(value, tuple):
            where = where.replace("IN %s", f"IN ({', '.join(['%s'] * len(value))})", 1)
            flat += value
        else:
            flat.append(value)
    sql = f"SELECT {_FIELDS} FROM {items} i LEFT JOIN {texts} b ON b.hash = i.text_hash WHERE i.run_id = %s AND {where} ORDER BY i.seq, i.idx"  # noqa: S608 - our own names; values are parameters
    with connection.cursor() as cursor:
        cursor.execute(sql, flat)
        return list(map(Item._make, cursor.fetchall()))


def _counted(items: list[Item]) -> list[Item]:
    """The items with the tokens of their texts, counting those that never were."""
    missing = {bytes(item.text_hash) for item in items if item.text_hash is not None and item.o200k is None}
    if not missing:
        return items
    counts = blocks.count_tokens(missing)
    return [
        item._replace(o200k=counts.get(bytes(item.text_hash))) if item.o200k is None and item.text_hash else item
        for item in items
    ]


def _with_tools(items: list[Item]) -> list[Item]:
    """Tool results that name no tool get the name of the call that they answer."""
    names = {item.call: item.label for item in items if item.kind == "tool_call" and item.call}
    return [
        item._replace(label=names.get(item.call, ""))
        if item.kind == "tool_result" and item.call and not item.label
        else item
        for item in items
    ]


def _with_thinking(items: list[Item]) -> list[Item]:
    """Hidden thinking gets the tokens that the provider reported for it, where it did."""
    hidden = [item for item in items if item.kind == "thinking" and not item.chars and item.request]
    if not hidden:
        return items
    rows = Request.objects.filter(id__in={item.request for item in hidden}, reasoning__gt=0)
    reasoning: dict[int | None, int] = dict(rows.values_list("id", "reasoning"))
    return [
        item._replace(reported=reasoning.pop(item.request, None))
        if item.kind == "thinking" and not item.chars and item.request in reasoning
        else item
        for item in items
    ]


def earlier_turns(run: Run, epoch: int | None) -> int:
    """How many messages of the user stood before the conversation was rewritten last."""
    return 0 if epoch is None else ContextItem.objects.filter(run=run, seq__lt=epoch, kind="user").count()
