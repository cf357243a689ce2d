"""Why breaks came: facts of a run from its stored rows, and `observability.reasons` asked of each break.

A reason follows from the rows alone, so that no order of import changes it. A run is asked anew where a batch brought
something that may bear on one of its breaks: a request that is a break or a cold start, or anything that stands before its last break.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any, Final

from django.db.models import Max

from harness.simulator.rules import rules_for
from observability.models import ContextItem, ListedTool, Request
from observability.models.links import NO_LIST
from observability.reasons import Change, Facts, Sent, reason
from observability.services.store import bulk
from observability.services.store.batch import Batch
from observability.services.store.heads import Known
from observability.services.store.requests import Touched

COLUMNS: Final = (
    *(
        "id",
        "run_id",
        "seq",
        "ordinal",
        "chain",
        "started_at",
        "model",
        "provider",
        "agent_version",
        "read",
        "write_5m",
    ),
    *("write_1h", "write_other", "uncached", "diagnosis", "markers", "surface_id", "loaded_id", "cold", "lost"),
)
TOLD: Final = ("break_reason", "break_evidence", "break_confidence", "break_survived", "break_subject", "break_detail")
HEAD: Final = {
    "system": "the system prompt",
    "index": "the deferred index",
    "context_file": "a context file",
    "skill_listing": "the list of skills",
    "startup": "the start-up context",
}
"""Kinds of context that stand once, before the conversation, and what they are called."""
TALK: Final = ("user", "assistant", "thinking", "tool_call", "tool_result", "reminder", "media", "summary")
RESUMED_FROM: Final = 0.9
"""A first request that read more than this part of itself went on with a conversation: its read is no prefix."""
PREVIOUS_TAIL: Final = ("end of the previous turn", "previous tail")


def explain(batch: Batch, known: Known, touched: Touched) -> None:
    """Find the reasons anew of the breaks that a batch may bear on."""
    runs = _runs(batch, known, touched)
    for chunk in bulk.chunks(runs, 200):
        told = []
        for rows in _requests(chunk).values():
            told += _explained(rows)
        bulk.update(Request, TOLD, told)


def _runs(batch: Batch, known: Known, touched: Touched) -> set[int]:
    """Runs with a break or cold start among what changed, and those with a break behind something that came."""
    rows = touched.changed.values()
    found = {row.run_id for row in rows if row.cold or row.lost is not None}
    found |= {row.run_id for row in touched.before.values() if row.cold or row.lost is not None}
    first: dict[int, int] = {}
    for run, seq in _places(batch, touched):
        first[run] = min(first.get(run, seq), seq)
    for chunk in bulk.chunks([run for run in first if run not in found and run in known.runs]):
        broken = Request.objects.filter(run__in=chunk, lost__isnull=False)
        last = dict(broken.values_list("run_id").annotate(last=Max("seq")))
        found |= {run for run, seq in last.items() if seq >= first[run]}
    return found


def _places(batch: Batch, touched: Touched) -> Iterable[tuple[int, int]]:
    """Run and place of all that a batch brought."""
    yield from ((row.run_id, row.seq) for row in touched.changed.values())
    yield from ((item.run.id, item.seq) for item in batch.items.values())
    for rows in (batch.surface, batch.rewrites):
        yield from ((run.id, row[2]) for run, row in rows.values())
    yield from ((place[0], 0) for place in batch.activations)
    yield from ((run, 0) for run, _ in batch.searches)


@dataclass
class _Row:
    """A request of a run: the columns that reasons need."""

    id: int
    run_id: int
    seq: int
    ordinal: int
    chain: int
    started_at: datetime | None
    model: str
    provider: str
    agent_version: str
    read: int
    write_5m: int
    write_1h: int
    write_other: int
    uncached: int
    diagnosis: str
    markers: str
    surface_id: int
    loaded_id: int
    cold: bool
    lost: int | None
    told: tuple[str, ...] = ()
    sent: Sent = field(init=False)

    def __post_init__(self) -> None:
        self.sent = Sent(
            ordinal=self.ordinal,
            at=self.started_at,
            model=self.model,
            version=self.agent_version,
            read=self.read,
            write_5m=self.write_5m,
            write_1h=self.write_1h,
            write_other=self.write_other,
            uncached=self.uncached,
            diagnosis=self.diagnosis,
        )


def _requests(runs: Sequence[int]) -> dict[int, list[_Row]]:
    """The requests of runs in order, those that have breaks only."""
    broken = Request.objects.filter(run__in=runs, lost__isnull=False).values_list("run_id", flat=True).distinct()
    found: dict[int, list[_Row]] = defaultdict(list)
    rows = Request.objects.filter(run__in=list(broken)).order_by("run_id", "seq", "id")
    for values in rows.values_list(*COLUMNS, *TOLD):
        row = _Row(*values[: len(COLUMNS)])
        row.told = tuple(values[len(COLUMNS) :])
        if row.sent.prompt:
            found[row.run_id].append(row)
    return found


def _explained(rows: list[_Row]) -> list[tuple[Any, ...]]:
    """The new values of breaks whose reason is another than the one that is stored."""
    run = _Run(rows)
    told = []
    for place, row in enumerate(rows):
        if row.lost is None or not place:
            continue
        found = reason(run.facts(place))
        says = (found.reason, found.evidence, found.confidence, found.survived, found.subject, found.detail)
        values = tuple(str(each) for each in says)
        if values != row.told:
            told.append((*values, row.id))
    return told


class _Run:
    """What is stored of a run, read once for all of its breaks."""

    def __init__(self, rows: list[_Row]) -> None:
        self._rows = rows
        self._ends = _ends(rows)
        ids = {row.surface_id for row in rows} | {row.loaded_id for row in rows}
        self._lists = _lists(ids - {NO_LIST})
        items = ContextItem.objects.filter(run=rows[0].run_id).order_by("seq", "idx", "id")
        self._talk = list(items.filter(kind__in=TALK).values_list("seq", flat=True))
        columns = ("seq", "kind", "label", "text_hash", "chars", "replacing")
        self._head = [_HeadItem(*values) for values in items.filter(kind__in=HEAD).values_list(*columns)]

    def facts(self, place: int) -> Facts:
        """The facts of the break at a place."""
        now, before = self._rows[place], self._rows[place - 1]
        earlier = tuple(row.sent for row in self._rows[:place] if row.chain == now.chain)
        return Facts(
            now=now.sent,
            before=before.sent,
            earlier=earlier,
            ends=self._ends,
            changes=(*self._tools(now, before), *self._texts(now, before)),
            blocks=bisect_left(self._talk, now.seq) - bisect_right(self._talk, before.seq) if self._talk else None,
            marked=any(f'"{name}"' in now.markers for name in PREVIOUS_TAIL),
            loaded=self._loaded(now, before),
            least=rules_for(now.provider or "anthropic", now.model).minimum_for(now.model),
        )

    def _tools(self, now: _Row, before: _Row) -> Iterable[Change]:
        """What differs between the resident tools, where both lists are known."""
        if now.surface_id == before.surface_id:
            return
        new, old = self._resident(now), self._resident(before)
        if not new or not old:
            return
        yield from (Change("tools", tool, f"{tool} was added to the resident tools") for tool in new if tool not in old)
        yield from (Change("tools", tool, f"{tool} left the resident tools") for tool in old if tool not in new)
        for tool, definition in new.items():
            if tool in old and definition and old[tool] and definition != old[tool]:
                yield Change("tools", tool, f"the definition of {tool} changed")

    def _resident(self, row: _Row) -> dict[str, bytes | None]:
        return {tool: text for tool, state, text in self._lists.get(row.surface_id, ()) if state == "resident"}

    def _loaded(self, now: _Row, before: _Row) -> tuple[str, ...]:
        old = {tool for tool, *_ in self._lists.get(before.loaded_id, ())}
        return tuple(tool for tool, *_ in self._lists.get(now.loaded_id, ()) if tool not in old)

    def _texts(self, now: _Row, before: _Row) -> Iterable[Change]:
        """What stood before the conversation in both requests, with another text; parts of one kind by their names."""
        for kind, called in HEAD.items():
            new, old = self._standing(kind, now.seq), self._standing(kind, before.seq)
            if not new or not old or new == old:
                continue
            names = [name for name in dict.fromkeys([*new, *old]) if new.get(name) != old.get(name)]
            subject = names[0] or kind
            label = f", {names[0]}," if names[0] else ""
            yield Change("system" if kind == "system" else "messages", subject, f"{called}{label} was replaced")

    def _standing(self, kind: str, seq: int) -> dict[str, tuple[Any, ...]]:
        """By name, the texts of a kind that stand at a place."""
        mine = [item for item in self._head if item.kind == kind and item.seq < seq]
        last = max((item.seq for item in mine if item.replacing), default=0)
        found: dict[str, tuple[Any, ...]] = {}
        for item in mine:
            if item.seq >= last and (item.text or item.chars):
                found[item.label] = (*found.get(item.label, ()), bytes(item.text) if item.text else item.chars)
        return found


@dataclass(frozen=True, slots=True)
class _HeadItem:
    seq: int
    kind: str
    label: str
    text: bytes | None
    chars: int
    replacing: bool


def _lists(ids: set[int]) -> dict[int, list[tuple[str, str, bytes | None]]]:
    found: dict[int, list[tuple[str, str, bytes | None]]] = defaultdict(list)
    for chunk in bulk.chunks(ids):
        rows = ListedTool.objects.filter(list__in=chunk).order_by("list_id", "tool")
        for name, tool, state, text in rows.values_list("list_id", "tool", "state", "definition"):
            found[name].append((tool, state, bulk.db_bytes(text)))
    return found


def _ends(rows: Sequence[_Row]) -> tuple[int, ...]:
    """Places at which the tools and the system prompt may end, the surest first.

    A read that comes back, at breaks and cold starts, to the token; what a cold start wrote at the longer of two
    lifetimes, for longer ones stand first; what the first request found, which only others can have left there.
    """
    stops = [row for row in rows if row.cold or row.lost is not None]
    again = [read for read, times in Counter(map(attrgetter("read"), stops)).items() if read and times > 1]
    mixed = [row.read + row.write_1h for row in stops if row.cold and row.write_1h and row.write_5m]
    first = rows[0]
    shared = [first.read] if first.cold and 0 < first.read < RESUMED_FROM * first.sent.prompt else []
    return tuple(dict.fromkeys([*sorted(again), *mixed, *shared]))
