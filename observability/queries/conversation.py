"""One conversation: what its page says about the whole, its runs and where its figures come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Max, Min, Q, Sum

from harness.usage import rate_of
from observability import identity
from observability.models import Conversation, ImportedFile, Request, Run, Sighting, SurfaceEntry, ToolCall
from observability.queries.idle import own_tokens

PROMPT = F("uncached") + F("read") + F("write_5m") + F("write_1h") + F("write_other")
SUMMED = ("uncached", "read", "write_5m", "write_1h", "write_other", "output", "rebuilt")
MONEY = ("cost_pusd", "prompt_pusd", "rebuilt_pusd")
MAIN = "main"
COMPACTION = "compaction"


@dataclass(frozen=True, kw_only=True, slots=True)
class Sums:
    """Sums over requests: tokens by bucket, money in picodollars (None where no request has a price)."""

    requests: int = 0
    uncached: int = 0
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    write_other: int = 0
    output: int = 0
    output_not_recorded: int = 0
    unpriced: int = 0
    breaks: int = 0
    rebuilt: int = 0
    cost_pusd: int | None = None
    prompt_pusd: int | None = None
    rebuilt_pusd: int | None = None

    @property
    def written(self) -> int:
        """Tokens written to the cache, at any lifetime."""
        return self.write_5m + self.write_1h + self.write_other

    @property
    def prompt(self) -> int:
        """All prompt tokens processed."""
        return self.uncached + self.read + self.written

    @property
    def rate(self) -> Decimal | None:
        """The cache rate, None where there was no prompt."""
        return rate_of(read=self.read, prompt=self.prompt)

    @property
    def priced(self) -> int:
        """Requests that have a price."""
        return self.requests - self.unpriced

    @property
    def output_pusd(self) -> int | None:
        """What the output cost."""
        return None if self.cost_pusd is None else self.cost_pusd - (self.prompt_pusd or 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """The requests of one run to one model. `first` is the prompt of the run's first request, if it is among them."""

    run: int
    model: str
    at: datetime | None
    sums: Sums
    first: int | None
    first_seq: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRow:
    """A run and its sums. `depth` is 0 for the main run; `first` is the prompt of its first request.

    `resident` and `deferred` count the tools it started with; None where the log does not say.
    """

    id: int
    uid: str
    kind: str
    name: str
    profile: str
    parent_uid: str
    parent_call: str
    started_at: datetime | None
    last_at: datetime | None
    totals: Any
    sums: Sums
    first: int | None = None
    first_seq: int | None = None
    resident: int | None = None
    deferred: int | None = None
    depth: int = 0

    @property
    def is_main(self) -> bool:
        """Whether it is the conversation's main run."""
        return self.kind == MAIN


@dataclass(frozen=True, kw_only=True, slots=True)
class LogLines:
    """What the conversation was read from. `repeats` tell again of a request that was counted already."""

    files: int = 0
    lines: int = 0
    request_lines: int = 0
    repeats: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Inherited:
    """Requests that stand in this conversation's log and belong to another one."""

    owner_uid: str
    owner_title: str
    requests: int
    prompt: int
    first: int
    last: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Latest:
    """The last request of the main run."""

    ordinal: int
    read: int
    prompt: int

    @property
    def rate(self) -> Decimal | None:
        """Its cache rate, None where it had no prompt."""
        return rate_of(read=self.read, prompt=self.prompt)


@dataclass(frozen=True, kw_only=True, slots=True)
class Overall:
    """The conversation as a whole."""

    conversation: Conversation
    runs: list[RunRow]
    groups: list[Group]
    sums: Sums
    sub_agents: Sums
    log: LogLines
    latest: Latest | None
    outweighed_from: int | None
    inherited: list[Inherited] = field(default_factory=list)

    @property
    def main(self) -> RunRow | None:
        """The main run; None where only a sub-agent's log was read."""
        return next((run for run in self.runs if run.is_main), None)

    def run(self, uid: str) -> RunRow:
        """The run of that uid, or without one the main run, or else the first. Raises Run.DoesNotExist."""
        if not uid and self.runs:
            return self.main or self.runs[0]
        for run in self.runs:
            if run.uid == uid:
                return run
        raise Run.DoesNotExist


def overall(uid: str) -> Overall:
    """Everything about a conversation that does not depend on the run shown. Raises Conversation.DoesNotExist."""
    conversation = _conversation(uid)
    groups = _groups(conversation.id)
    runs = _runs(conversation.id, groups)
    main = next((run for run in runs if run.is_main), None)
    return Overall(
        conversation=conversation,
        runs=runs,
        groups=groups,
        sums=add(run.sums for run in runs),
        sub_agents=add(run.sums for run in runs if not run.is_main),
        log=_log_lines(conversation),
        latest=_latest(conversation.id, main),
        outweighed_from=_outweighed_from(conversation, main),
        inherited=_inherited(conversation),
    )


def add(parts: Iterable[Sums]) -> Sums:
    """The sum of sums. An amount of money stays None where none of them has one."""
    every = list(parts)
    counts: dict[str, Any] = {
        name: sum(getattr(part, name) for part in every) for name in Sums.__slots__ if name not in MONEY
    }
    counts |= {name: _money(getattr(part, name) for part in every) for name in MONEY}
    return Sums(**counts)


def _money(amounts: Iterable[int | None]) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None


def _conversation(uid: str) -> Conversation:
    found = Conversation.objects.select_related("project").filter(uid=uid).order_by("-last_at", "id").first()
    if found is None:
        raise Conversation.DoesNotExist
    return found


def _runs(conversation: int, groups: list[Group]) -> list[RunRow]:
    rows = (
        Run.objects.filter(conversation_id=conversation)
        .order_by("started_at", "uid")
        .values("id", "uid", "kind", "title", "profile", "parent_uid", "parent_call", "started_at", "last_at", "totals")
    )
    by_run: dict[int, list[Group]] = {}
    for group in groups:
        by_run.setdefault(group.run, []).append(group)
    _find_parents(conversation, [row for row in rows if row["kind"] != MAIN and not row["parent_uid"]])
    return _with_surfaces(_as_tree([_run_row(row, by_run.get(row["id"], [])) for row in rows]))


def _find_parents(conversation: int, orphans: Sequence[Any]) -> None:
    """A log may name no parent run: it is the one whose call began the run, by the call's result or its own id."""
    if not orphans:
        return
    by_call = {identity.call_key(row["parent_call"]): row["uid"] for row in orphans if row["parent_call"]}
    calls = ToolCall.objects.filter(
        Q(child_run__in=[row["uid"] for row in orphans]) | Q(call_key__in=by_call), conversation=conversation
    )
    parents: dict[str, str] = {}
    for parent, child, key in calls.order_by("seq", "id").values_list("run__uid", "child_run", "call_key"):
        parents.setdefault(child or by_call[key], parent)
    for row in orphans:
        row["parent_uid"] = parents.get(row["uid"], "")


def _run_row(row: Mapping[str, Any], groups: list[Group]) -> RunRow:
    name = MAIN if row["kind"] == MAIN else ": ".join(part for part in (row["profile"], row["title"]) if part)
    return RunRow(
        **{field: row[field] for field in row if field != "title"},
        name=name or row["kind"].replace("_", "-"),
        sums=add(group.sums for group in groups),
        first=next((group.first for group in groups if group.first is not None), None),
        first_seq=min((group.first_seq for group in groups), default=None),
    )


def _groups(conversation: int) -> list[Group]:
    rows = (
        Request.objects.filter(conversation_id=conversation)
        .values("run_id", "model")
        .annotate(
            requests=Count("id"),
            output_not_recorded=Count("id", filter=Q(output_recorded=False)),
            unpriced=Count("id", filter=Q(cost_pusd=None)),
            breaks=Count("id", filter=~Q(break_reason="")),
            at=Min("started_at"),
            first=Min(PROMPT, filter=Q(ordinal=1)),
            first_seq=Min("seq"),
            **{f"sum_{name}": Sum(name) for name in (*SUMMED, *MONEY)},
        )
        .order_by("run_id", "model")
    )
    return [
        Group(
            run=row["run_id"],
            model=row["model"],
            at=row["at"],
            sums=_sums(row),
            first=row["first"],
            first_seq=row["first_seq"],
        )
        for row in rows
    ]


def _sums(row: Mapping[str, Any]) -> Sums:
    counts: dict[str, Any] = {name: row[name] for name in ("requests", "output_not_recorded", "unpriced", "breaks")}
    counts |= {name: int(row[f"sum_{name}"] or 0) for name in SUMMED}
    counts |= {name: _whole(row[f"sum_{name}"]) for name in MONEY}
    return Sums(**counts)


def _whole(amount: int | Decimal | None) -> int | None:
    """A sum as an int: PostgreSQL adds big integers up to a decimal."""
    return None if amount is None else int(amount)


def _as_tree(runs: list[RunRow]) -> list[RunRow]:
    """Parents before their children, each with its depth. A run whose parent is not here hangs below the main one."""
    known = {run.uid for run in runs}
    children: dict[str, list[RunRow]] = {}
    roots = [run for run in runs if run.is_main]
    for run in runs:
        if not run.is_main:
            children.setdefault(run.parent_uid if run.parent_uid in known - {run.uid} else "", []).append(run)
    ordered: list[RunRow] = []
    waiting = [(run, 0) for run in reversed(roots)]
    waiting[:0] = [(run, 1 if roots else 0) for run in reversed(children.pop("", []))]
    while waiting:
        run, depth = waiting.pop()
        ordered.append(_replace(run, depth=depth))
        waiting += [(child, depth + 1) for child in reversed(children.pop(run.uid, []))]
    # Runs that name each other as parent are reached from nowhere; they are shown all the same.
    return ordered + [_replace(run, depth=1) for rest in children.values() for run in rest]


def _replace(run: RunRow, **changes: Any) -> RunRow:
    return RunRow(**{name: getattr(run, name) for name in RunRow.__slots__} | changes)


def _with_surfaces(runs: list[RunRow]) -> list[RunRow]:
    counts = _surface_counts({run.id: run.first_seq for run in runs})
    return [
        _replace(run, resident=counts.get((run.id, "resident")), deferred=counts.get((run.id, "deferred")))
        for run in runs
    ]


def _surface_counts(first_seqs: dict[int, int | None]) -> dict[tuple[int, str], int]:
    """Tools by run and state at the run's first request; where none were declared by then, those of the first list."""
    grouped = (
        SurfaceEntry.objects.filter(run_id__in=list(first_seqs), state__in=("resident", "deferred"))
        .values("run_id", "state", "seq")
        .annotate(named=Count("id", filter=~Q(tool="")), restarts=Count("id", filter=Q(tool="")))
        .order_by("seq")
    )
    counts: dict[tuple[int, str], int] = {}
    for row in grouped:
        key = (row["run_id"], row["state"])
        before = row["seq"] <= (first_seqs[row["run_id"]] or 0)
        if key not in counts or (before and row["restarts"]):
            counts[key] = row["named"]
        elif before:
            counts[key] += row["named"]
    return counts


def _log_lines(conversation: Conversation) -> LogLines:
    sums = ImportedFile.objects.filter(conversation=conversation).aggregate(
        files=Count("id"), lines=Sum("lines"), request_lines=Sum("request_lines")
    )
    told = int(sums["request_lines"] or 0)
    repeats = max(0, told - conversation.requests - conversation.inherited)
    return LogLines(files=sums["files"], lines=int(sums["lines"] or 0), request_lines=told, repeats=repeats)


def _latest(conversation: int, main: RunRow | None) -> Latest | None:
    if main is None:
        return None
    rows = Request.objects.filter(conversation_id=conversation, run_id=main.id).order_by("-seq")
    row = rows.annotate(whole=PROMPT).values("ordinal", "read", "whole").first()
    return None if row is None else Latest(ordinal=row["ordinal"], read=row["read"], prompt=row["whole"])


def _outweighed_from(conversation: Conversation, main: RunRow | None) -> int | None:
    """The first request of the main run in which messages are more than the idle cost; none where that is not known."""
    if main is None or not conversation.idle_raw or conversation.resumed:
        return None
    idle = max(0, conversation.idle_raw - own_tokens(conversation.idle_user_chars, conversation.model))
    rows = Request.objects.filter(conversation_id=conversation.id, run_id=main.id, context_tokens__gt=2 * idle)
    return rows.order_by("seq").values_list("ordinal", flat=True).first()


def _inherited(conversation: Conversation) -> list[Inherited]:
    """Grouped by the conversation that owns them, the largest group first."""
    seen = Sighting.objects.filter(conversation=conversation).values("request_id")
    rows = (
        Request.objects.filter(id__in=seen)
        .exclude(conversation=conversation)
        .values("conversation__uid", "conversation__title")
        .annotate(n=Count("id"), whole=Sum(PROMPT), first=Min("ordinal"), last=Max("ordinal"))
        .order_by("-n", "conversation__uid")
    )
    return [
        Inherited(
            owner_uid=row["conversation__uid"],
            owner_title=row["conversation__title"],
            requests=row["n"],
            prompt=int(row["whole"]),
            first=row["first"],
            last=row["last"],
        )
        for row in rows
    ]
