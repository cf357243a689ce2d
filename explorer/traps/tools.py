"""Traps of the tools of one run: resident ones never called, half a bridge, deferral that is off, names said again."""

from __future__ import annotations

from typing import Final

from explorer.traps.facts import Facts, KnownTool, Trap
from explorer.traps.listing import figured, largest, named, schemas, sized, sized_lines, summed
from explorer.traps.names import CALLERS, PAIRS, SEARCHERS
from observability.figures import counted, number

ENOUGH: Final = 5
"""A run of fewer requests says nothing about tools that it did not call."""
THRESHOLD: Final = 10_000
"""Tokens of MCP schemas from which a provider's guide says to defer them."""
LISTED: Final = ("deferred", "loaded", "unsure")
"""States of tools that stand in the index."""


def unused_resident(facts: Facts) -> Trap | None:
    """Resident tools that the run never called, though it called others. The search is what makes an index of use."""
    if facts.requests < ENOUGH or not any(tool.calls for tool in facts.tools):
        return None
    idle = [
        tool for tool in facts.of("resident") if not tool.calls and tool.schema and tool.name not in SEARCHERS | CALLERS
    ]
    if not idle:
        return None
    size, ordered = schemas(idle), largest(idle)
    return Trap(
        kind="unused_resident",
        title=f"{counted(len(idle), 'resident tool')} {'was' if len(idle) == 1 else 'were'} never called",
        figure=sized(size),
        why=f"{named(tool.name for tool in ordered)}, in each of {counted(facts.requests, 'request')}",
        link=f"?{facts.query}#resident",
        tokens=size,
        sure=facts.sure,
        rows=sized_lines(idle, "schemas in one request"),
        note="Resident in this request, and not called in the whole run.",
    )


def half_bridge(facts: Facts) -> Trap | None:
    """A deferred index that nothing can search, a search over nothing, or a search without the call it needs."""
    if not facts.resident_known:
        return None
    return _nothing_searches(facts) or _nothing_to_search(facts) or _one_of_two(facts)


def _nothing_searches(facts: Facts) -> Trap | None:
    listed = facts.of(*LISTED)
    found = facts.searches or any(tool.state == "resident" and tool.name in SEARCHERS for tool in facts.tools)
    if not listed or found:
        return None
    cost = facts.index or sum(tool.index for tool in listed)
    return Trap(
        kind="half_bridge",
        title="Nothing can search the deferred tools",
        figure=sized(cost),
        why=f"{counted(len(listed), 'name')} in the index, and no search among the resident tools: {named(t.name for t in listed)}",
        link=f"?{facts.query}#h-def",
        tokens=cost,
        sure=facts.sure,
        bad=True,
        rows=[("names in the index", number(len(listed))), ("search tools resident", "0"), ("index", number(cost))],
        note=f"A search is one of {named(sorted(SEARCHERS))}.",
    )


def _nothing_to_search(facts: Facts) -> Trap | None:
    search = [tool for tool in facts.of("resident") if tool.name in SEARCHERS]
    if not search or facts.of(*LISTED) or facts.index or facts.searches:
        return None
    figure, cost = figured(search)
    return Trap(
        kind="half_bridge",
        title="A search tool with nothing to search",
        figure=figure,
        why=f"{named(tool.name for tool in search)} is resident, and no tool is deferred",
        link=f"?{facts.query}#resident",
        tokens=cost,
        sure=facts.sure,
        rows=[*sized_lines(search, "schemas in one request"), ("deferred tools", "0")],
    )


def _one_of_two(facts: Facts) -> Trap | None:
    for client, search, call in PAIRS:
        here = {tool.name for tool in facts.of("resident") if tool.name in (search, call)}
        if client in facts.agent.lower() and len(here) == 1:
            missing = ({search, call} - here).pop()
            half = [tool for tool in facts.of("resident") if tool.name in here]
            figure, cost = figured(half)
            return Trap(
                kind="half_bridge",
                title="Half of the bridge is missing",
                figure=figure,
                why=f"{here.pop()} is resident, {missing} is not: tools that may be deferred are all declared, and those "
                "that only the settings hold back cannot be reached",
                link=f"?{facts.query}#resident",
                tokens=cost,
                sure=facts.sure,
                bad=True,
                rows=sized_lines(half, "the half that is there"),
            )
    return None


def deferral_off(facts: Facts) -> Trap | None:
    """Many MCP schemas are resident, nothing is deferred, and the log does not say that deferral was switched off."""
    held_back = facts.index or facts.of(*LISTED) or facts.deferred_in_main
    if not facts.resident_known or facts.deferral is False or held_back:
        return None
    servers = [tool for tool in facts.of("resident") if tool.server]
    size = schemas(servers)
    if size <= THRESHOLD:
        return None
    return Trap(
        kind="deferral_off",
        title="Deferral is off, and nothing says so",
        figure=sized(size),
        why=f"{counted(len(servers), 'MCP schema')} resident and no index of deferred ones; "
        f"deferral is worth it from {number(THRESHOLD)} tokens on",
        link=f"?{facts.query}#resident",
        tokens=size,
        sure=facts.sure,
        bad=True,
        rows=summed(_by_server(servers), "MCP schemas in one request"),
    )


def _by_server(tools: list[KnownTool]) -> list[tuple[str, int | None]]:
    sums: dict[str, int] = {}
    for tool in tools:
        sums[tool.server] = sums.get(tool.server, 0) + (tool.schema or 0)
    return list(sums.items())


def found_never_called(facts: Facts) -> Trap | None:
    """Tools that a search loaded and that the run never called, with at least one request that could have."""
    found = [
        tool
        for tool in facts.of("loaded", "unsure")
        if tool.trigger == "search" and not tool.calls and tool.since is not None and tool.since < facts.requests
    ]
    if not found:
        return None
    (figure, size), ordered = figured(found), largest(found)
    queries = list(dict.fromkeys(f"“{tool.query[:60]}”" for tool in ordered if tool.query))
    return Trap(
        kind="found_never_called",
        title=f"{counted(len(found), 'tool')} {'was' if len(found) == 1 else 'were'} found and never called",
        figure=figure,
        why=f"{named(tool.name for tool in ordered)}" + (f"; searched: {named(queries)}" if queries else ""),
        link=f"?{facts.query}#h-load",
        tokens=size,
        sure=facts.sure,
        rows=sized_lines(found, "loaded schemas in one request"),
        note="Loaded by a search, still in this request, and not called in the whole run.",
    )


def declared_again(facts: Facts) -> Trap | None:
    """A resumed run declares tools that were deferred before: their schemas are paid for again, and the prefix moves."""
    again = [
        tool
        for tool in facts.tools
        if (tool.state == "loaded" and tool.trigger == "resume")
        or (facts.resumed and tool.state == "resident" and tool.name in facts.deferred_before)
    ]
    if not again:
        return None
    (figure, size), ordered = figured(again), largest(again)
    return Trap(
        kind="declared_again",
        title=f"Resuming declared {counted(len(again), 'deferred tool')} again",
        figure=figure,
        why=named(tool.name for tool in ordered),
        link=f"?{facts.query}#h-load" if again[0].state == "loaded" else f"?{facts.query}#resident",
        tokens=size,
        sure=facts.sure,
        rows=sized_lines(again, "schemas in one request"),
        note="Deferred before the run was resumed, and with their schemas since.",
    )
