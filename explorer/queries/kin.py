"""Sub-agents: the surface of one beside its parent's where it was started, and those that a run started."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Q, QuerySet

from explorer.queries.composition import Composition
from explorer.queries.moment import Moment
from explorer.queries.surface import Surface, entries_by_run, fold, surface
from explorer.queries.tool_sizes import SizedTool, sized_on, sized_tools
from observability.identity import call_key
from observability.models import Request, Run, ToolCall
from observability.queries.conversation import COMPACTION, MAIN

MOST: Final = 20
"""Sub-agents of a run that are listed."""
LISTED: Final = ("deferred", "loaded", "unsure")


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """A surface in figures. Tokens leave out schemas that no log has; `known` is false where no tool is named."""

    known: bool
    resident: int
    resident_tokens: int
    names: int
    index_tokens: int
    loaded: int
    loaded_tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Beside:
    """A sub-agent's surface beside its parent's at the request that started it."""

    parent: Run
    ordinal: int
    own: Figures
    parents: Figures
    only_own: list[str]
    """Tools that only the sub-agent has."""
    only_parents: list[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Child:
    """A sub-agent that a run started, with its surface at its first request."""

    run: Run
    asked_by: int | None
    """The parent's request that started it, None where no call says so."""
    requests: int
    prompt: int | None
    """The provider's total for its first request, None where it reported none."""
    figures: Figures


@dataclass(frozen=True, kw_only=True, slots=True)
class Children:
    """The sub-agents of a run; `rest` is how many more there are than are listed."""

    listed: list[Child]
    rest: int


def figures(tools: Mapping[str, SizedTool]) -> Figures:
    """The tools of a surface in figures."""
    resident = [each for each in tools.values() if each.tool.state == "resident"]
    listed = [each for each in tools.values() if each.tool.state in LISTED]
    loaded = [each for each in listed if each.tool.state == "loaded"]
    return Figures(
        known=bool(resident or listed),
        resident=len(resident),
        resident_tokens=_schemas(resident),
        names=len(listed),
        index_tokens=sum(each.index.tokens for each in listed),
        loaded=len(loaded),
        loaded_tokens=_schemas(loaded),
    )


def _schemas(tools: Iterable[SizedTool]) -> int:
    return sum(each.schema.tokens for each in tools if each.schema)


# Beside its parent -------------------------------------------------------------


def beside_parent(at: Moment, now: Composition) -> Beside | None:
    """A sub-agent's surface beside its parent's; None for any other run, and where the log tells of no parent."""
    if at.run.kind in (MAIN, COMPACTION):
        return None
    call = _calls([at.run]).order_by("seq", "id").select_related("request").first()
    uid = at.run.parent_uid
    parent = next(
        (run for run in at.runs if (run.uid == uid if uid else call is not None and run.pk == call.run_id)), None
    )
    request = _started_by(at, parent, call) if parent else None
    if parent is None or request is None:
        return None
    theirs = sized_tools(parent, surface(parent, request.seq), request.model)
    return Beside(
        parent=parent,
        ordinal=request.ordinal,
        own=figures(now.tools),
        parents=figures(theirs),
        only_own=_only(now.tools, theirs),
        only_parents=_only(theirs, now.tools),
    )


def _started_by(at: Moment, parent: Run, call: ToolCall | None) -> Request | None:
    """The parent's request that made the call; without one, the last that began before the sub-agent did."""
    if call is not None and call.run_id == parent.pk:
        asked: Request | None = call.request
        if asked is not None:
            return asked
    requests = Request.objects.filter(conversation_id=at.conversation.pk, run=parent)
    return (
        requests.filter(started_at__lte=at.run.started_at).order_by("-seq").first() or requests.order_by("seq").first()
    )


def _only(here: Mapping[str, SizedTool], there: Mapping[str, SizedTool]) -> list[str]:
    return sorted(_present(here) - _present(there))


def _present(tools: Mapping[str, SizedTool]) -> set[str]:
    return {name for name, each in tools.items() if each.tool.state == "resident" or each.tool.state in LISTED}


def _calls(runs: Sequence[Run]) -> QuerySet[ToolCall]:
    """The calls that started some runs of a conversation."""
    named = Q(child_run__in=[run.uid for run in runs])
    keyed = Q(call_key__in=[call_key(run.parent_call) for run in runs if run.parent_call])
    return ToolCall.objects.filter(named | keyed, conversation_id=runs[0].conversation_id)


# Those that a run started ------------------------------------------------------


def children(at: Moment) -> Children:
    """The sub-agents that a run started, in order, MOST of them listed. The queries do not grow with their number."""
    others = [run for run in at.runs if run.kind not in (MAIN, COMPACTION) and run.pk != at.run.pk]
    if not others:
        return Children(listed=[], rest=0)
    calls = list(_calls(others).filter(run=at.run).values_list("child_run", "call_key", "request__ordinal"))
    by_uid = {uid: ordinal for uid, _, ordinal in calls if uid}
    by_key = {key: ordinal for _, key, ordinal in calls}
    asked = {run.pk: by_uid.get(run.uid, by_key.get(call_key(run.parent_call))) for run in others}
    called = {run.pk for run in others if run.uid in by_uid or call_key(run.parent_call) in by_key}
    mine = [run for run in others if (run.parent_uid == at.run.uid if run.parent_uid else run.pk in called)]
    return Children(listed=_described(at, mine[:MOST], asked), rest=len(mine[MOST:]))


def _described(at: Moment, runs: list[Run], asked: Mapping[int, int | None]) -> list[Child]:
    requests = Request.objects.filter(conversation_id=at.conversation.pk, run__in=[run.pk for run in runs])
    first = {row.run_id: row for row in requests.filter(ordinal=1)}
    counts = dict(requests.values_list("run").annotate(number=Count("id")).order_by())
    entries = entries_by_run([run.pk for run in runs])
    surfaces = [
        (
            run,
            Surface(tools=fold(entries.get(run.pk, []), first[run.pk].seq if run.pk in first else 0)),
            _model(run, first),
        )
        for run in runs
    ]
    return [
        Child(
            run=run,
            asked_by=asked.get(run.pk),
            requests=counts.get(run.pk, 0),
            prompt=(first[run.pk].context_tokens or None) if run.pk in first else None,
            figures=figures(sized),
        )
        for run, sized in zip(runs, sized_on(surfaces), strict=True)
    ]


def _model(run: Run, first: Mapping[int, Request]) -> str:
    return first[run.pk].model if run.pk in first else run.model
