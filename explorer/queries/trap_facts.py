"""What the store knows of a run at a request, as facts for the traps. A fixed number of queries, whatever the run holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.db.models import Count, QuerySet

from explorer.queries.composition import Composition
from explorer.queries.items import Item
from explorer.queries.moment import Moment
from explorer.queries.pieces import Part
from explorer.queries.tool_sizes import SizedTool
from explorer.traps import Facts
from explorer.traps.facts import Child, KnownTool, ShellCall
from explorer.traps.growth import command_of
from explorer.traps.names import SHELLS
from observability.models import ContextItem, Request, Run, Search, Sighting, SurfaceEntry, ToolCall
from observability.queries import blocks
from observability.queries.conversation import MAIN

COMMANDS: Final = 60
"""Shell calls whose command lines are read: those of the largest results."""
LONGEST: Final = 4_000
"""Characters of a command line that is read."""


def trap_facts(at: Moment, now: Composition, *, query: str) -> Facts:
    """The facts of the request that a page shows. `query` leads to it."""
    main = next((run for run in at.runs if run.kind == MAIN), None)
    here = main is not None and main.pk == at.run.pk
    index = now.account.category("index")
    results = now.account.category("tool_result")
    denied = [each.tool.name for each in now.of("denied")]
    others = [run for run in at.runs if run.kind == "sub_agent" and run.pk != at.run.pk] if here else []
    return Facts(
        query=query,
        agent=at.run.agent or at.conversation.agent,
        main=here,
        requests=at.requests,
        resumed=at.conversation.resumed,
        deferral=at.run.deferral,
        resident_known=now.surface.resident_known,
        index=index.count.tokens if index else 0,
        tools=[_known(each) for each in now.tools.values()],
        searches=Search.objects.filter(conversation=at.conversation, run=at.run).count(),
        deferred_before=_deferred_before(at) if here and at.conversation.resumed else frozenset(),
        deferred_in_main=_names(_deferred(main)) if main and not here else frozenset(),
        children=_received(at.run, others),
        refused=_refused(others, denied),
        results=[(row.label, row.count.tokens) for row in results.rows] if results else [],
        conversation=now.account.conversation,
        shell=_shell(now.standing.items, now.parts),
        called=frozenset(item.label for item in now.standing.items if item.kind == "tool_call"),
        sure=now.account.parts.provenance,
    )


def _known(each: SizedTool) -> KnownTool:
    loading = each.tool.loading
    return KnownTool(
        name=each.tool.name,
        state=each.tool.state,
        server=each.tool.server,
        schema=each.schema.tokens if each.schema else None,
        index=each.index.tokens,
        calls=each.tool.calls,
        trigger=loading.trigger if loading else "",
        query=loading.query if loading else "",
        since=loading.request if loading else None,
    )


def _deferred(run: Run) -> QuerySet[SurfaceEntry]:
    return SurfaceEntry.objects.filter(run=run, state="deferred").exclude(tool="")


def _names(entries: QuerySet[SurfaceEntry]) -> frozenset[str]:
    return frozenset(entries.values_list("tool", flat=True).distinct())


def _deferred_before(at: Moment) -> frozenset[str]:
    """Names deferred in this run, or in the conversations that its inherited requests belong to."""
    seen = Sighting.objects.filter(conversation=at.conversation).exclude(request__conversation=at.conversation)
    owners = list(seen.values_list("request__conversation_id", flat=True).distinct())
    earlier = SurfaceEntry.objects.filter(conversation_id__in=owners, state="deferred").exclude(tool="")
    return _names(_deferred(at.run)) | _names(earlier)


def _received(main: Run, others: list[Run]) -> list[Child]:
    """Sub-agents that sent requests, each with the tools that were resident in it and that the main run had deferred."""
    if not others:
        return []
    by_id = {run.pk: run for run in others}
    sent = Request.objects.filter(conversation_id=main.conversation_id, run_id__in=list(by_id), ordinal=1)
    received = SurfaceEntry.objects.filter(
        run_id__in=sent.values("run_id"), state="resident", tool__in=_deferred(main).values("tool")
    )
    names: dict[int, set[str]] = {}
    for run, tool in received.values_list("run_id", "tool").order_by("run_id").distinct():
        names.setdefault(run, set()).add(tool)
    return [Child(uid=by_id[run].uid, name=_name(by_id[run]), received=frozenset(some)) for run, some in names.items()]


def _name(run: Run) -> str:
    return run.profile or run.kind.replace("_", "-")


def _refused(others: list[Run], denied: list[str]) -> list[tuple[str, int]]:
    if not others or not denied:
        return []
    calls = ToolCall.objects.filter(run_id__in=[run.pk for run in others], tool__in=denied)
    return list(calls.values_list("tool").annotate(number=Count("id")).order_by("tool"))


def _shell(items: list[Item], parts: Iterable[Part]) -> list[ShellCall]:
    """The shell calls with the largest results in this request, with their command lines where these were kept."""
    calls = {
        item.call: item
        for item in items
        if item.kind == "tool_call" and item.label in SHELLS and item.call and item.chars <= LONGEST
    }
    if not calls:
        return []
    sizes = {part.item: part.tokens for part in parts if part.kind == "tool_result"}
    results = [
        (sizes.get(item.id, 0), item.call) for item in items if item.kind == "tool_result" and item.call in calls
    ]
    largest = sorted(results, key=lambda each: -each[0])[:COMMANDS]
    chosen = [(calls[call], tokens) for tokens, call in largest]
    rows = ContextItem.objects.filter(id__in=[item.id for item, _ in chosen]).values_list("id", "text_hash")
    hashes = {item: bytes(hash_) for item, hash_ in rows if hash_}
    texts = blocks.texts(hashes.values())
    return [
        ShellCall(tool=item.label, command=command_of(_text(hashes.get(item.id), texts)), tokens=tokens, item=item.id)
        for item, tokens in chosen
    ]


def _text(hash_: bytes | None, texts: dict[bytes, blocks.StoredText]) -> str:
    found = texts.get(hash_) if hash_ else None
    return (found.text or "") if found else ""
