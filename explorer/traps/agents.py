"""Traps of sub-agents and background agents."""

from __future__ import annotations

from urllib.parse import urlencode

from explorer.traps.facts import Facts, Trap
from explorer.traps.listing import figured, largest, named, schemas, sized, sized_lines, summed
from explorer.traps.names import NEEDED
from observability.figures import GAP, counted, number


def sub_agents_received(facts: Facts) -> Trap | None:
    """Sub-agents had tools resident that the main run had deferred: seen from the main run, or from one of them."""
    return _to_children(facts) if facts.main else _to_this_run(facts)


def _to_children(facts: Facts) -> Trap | None:
    children = [child for child in facts.children if child.received]
    tools = [tool for tool in facts.tools if any(tool.name in child.received for child in children)]
    if not tools:
        return None
    each = {child.uid: [tool for tool in tools if tool.name in child.received] for child in children}
    even = all(len(some) == len(tools) for some in each.values())
    (_, size), most = figured(tools), max(children, key=lambda child: len(child.received))
    total = None if size is None else sum(schemas(some) for some in each.values())
    return Trap(
        kind="sub_agents_received",
        title="Sub-agents received deferred tools",
        figure=_times(len(children), size if even else None, total),
        why=f"{named(sorted({child.name for child in children}))} runs had {counted(len(most.received), 'tool')} resident that "
        f"the main run had deferred: {named(tool.name for tool in largest(tools))}",
        link=f"?{urlencode({'run': most.uid, 'request': 1})}#resident",
        tokens=total,
        sure=facts.sure,
        bad=True,
        rows=[
            *sized_lines(tools, "their schemas"),
            (f"first requests of {counted(len(children), 'sub-agent')}", number(total)),
        ],
        note="" if even else "Each sub-agent counts with the schemas that it received.",
    )


def _times(children: int, size: int | None, total: int | None) -> str:
    """How many sub-agents, times what each received where that is the same; their number alone where no schema is known."""
    if total is None:
        return counted(children, "sub-agent")
    return sized(total) if size is None else f"{number(children)} × {number(size)}"


def _to_this_run(facts: Facts) -> Trap | None:
    tools = [tool for tool in facts.of("resident") if tool.name in facts.deferred_in_main]
    if not tools:
        return None
    figure, size = figured(tools)
    return Trap(
        kind="sub_agents_received",
        title=f"This run received {counted(len(tools), 'deferred tool')}",
        figure=figure,
        why=f"resident here, deferred in the main run: {named(tool.name for tool in largest(tools))}",
        link=f"?{facts.query}#resident",
        tokens=size,
        sure=facts.sure,
        bad=True,
        rows=sized_lines(tools, "schemas in one request"),
    )


def denied_and_needed(facts: Facts) -> Trap | None:
    """A denied tool that a background agent cannot work without, or that sub-agents did call."""
    denied = {tool.name for tool in facts.of("denied")}
    needs = [(worker, sorted(denied & names)) for client, worker, names in NEEDED if client in facts.agent.lower()]
    needs = [(worker, names) for worker, names in needs if names]
    called = [(name, number_) for name, number_ in facts.refused if name in denied]
    if not needs and not called:
        return None
    names = sorted({name for _, some in needs for name in some} | {name for name, _ in called})
    why = [f"{worker} needs {named(some)}" for worker, some in needs]
    why += [f"sub-agents called {name} {counted(times, 'time')}" for name, times in called]
    return Trap(
        kind="denied_and_needed",
        title=f"{counted(len(names), 'denied tool')} that a background agent needs",
        figure=f"{number(len(names))}{GAP}denied",
        why="; ".join(why),
        link=f"?{facts.query}#h-oth",
        bad=True,
        rows=summed(called, "calls by sub-agents") if called else [(worker, named(some)) for worker, some in needs],
        note="A denied tool is refused to background agents too, and they do not ask.",
    )
