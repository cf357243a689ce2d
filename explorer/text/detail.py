"""The items of a request, a row each: its tools by state and server, what is new in it, and its markers."""

from __future__ import annotations

from explorer.page import ContextPage
from explorer.page.through_time import ThroughTime, of_page
from explorer.page.tool_tables import BUILT_IN, Tools
from explorer.queries.tool_sizes import SizedTool
from explorer.ribbon.plan import TRIGGERS
from explorer.text.conversation import before_any_work, traps
from explorer.text.deferral import deferred
from explorer.text.over_time import between_markers, epochs, same_so_far, sub_agents
from explorer.text.paper import Paper, clean
from explorer.text.table import Line, Table, figure
from observability.figures import NOTHING, counted, number, percent


def detail(page: ContextPage, paper: Paper) -> list[list[str]]:
    """The sections with a row for each item."""
    tools = _tools(page, page.tools, paper) if page.tools else []
    time = of_page(page)
    return [
        *tools,
        _since(time, paper, page.now.account.parts.provenance),
        _markers(page, paper),
        between_markers(time, paper),
        epochs(time, paper),
        sub_agents(time, paper),
        before_any_work(page, paper),
        traps(page, paper, why=True),
    ]


def _tools(page: ContextPage, tools: Tools, paper: Paper) -> list[list[str]]:
    return [
        _resident(page, tools, paper),
        _loaded(tools, paper),
        deferred(tools, page.holding, paper) if page.holding else [],
        _others(tools, paper),
    ]


def _resident(page: ContextPage, tools: Tools, paper: Paper) -> list[str]:
    """Resident tools, the largest schema first."""
    every = [*tools.resident, *tools.more_resident]
    if not every:
        return []
    table = Table(("R  Resident", "Schema  ", "Share", "Calls", "Last at", "<Server"))
    for each in every:
        size = each.schema.tokens if each.schema else None
        share = clean(percent(page.now.account.share(size), 2)) if size is not None else NOTHING
        cells = [_schema(each), share, _calls(each), number(each.tool.last_used), _server(each)]
        table.rows.append(Line(clean(each.tool.name), cells, indent=1))
    sums = [figure(tools.resident_tokens), clean(percent(tools.resident_share, 2)), number(tools.resident_calls)]
    table.rows.append(Line(counted(len(every), "tool"), sums))
    return table.lines(paper)


def _loaded(tools: Tools, paper: Paper) -> list[str]:
    """Tools that were loaded, in the order that they were."""
    if not tools.loaded:
        return []
    table = Table(("L  Loaded", "Schema  ", "At", "Calls", "<Trigger"))
    for each in tools.loaded:
        at = number(each.tool.loading.request) if each.tool.loading else NOTHING
        table.rows.append(Line(clean(each.tool.name), [_schema(each), at, _calls(each), _trigger(each)], indent=1))
    table.rows.append(Line(counted(len(tools.loaded), "tool"), [figure(tools.loaded_tokens)]))
    return table.lines(paper)


def _others(tools: Tools, paper: Paper) -> list[str]:
    """Tools that are known and were not on the surface."""
    if not tools.others:
        return []
    table = Table(("Not on the surface", "<State", "<Server", "<Reason"))
    for each in tools.others:
        cells = [each.tool.state, _server(each), clean(each.tool.reason) or NOTHING]
        table.rows.append(Line(clean(each.tool.name), cells, indent=1))
    return table.lines(paper)


def _since(time: ThroughTime, paper: Paper, provenance: str) -> list[str]:
    """What changed since the request before."""
    since = time.since
    if since is None:
        return []
    found = since.against
    table = Table((since.title, "Tokens  "))
    for each in since.groups:
        how = f" {each.sort.lower()}" if each.sort != "Added" else ""
        size = figure(each.tokens or None, sign=True)
        table.rows.append(Line(f"{each.title}  {number(each.number)}{how}", [size], indent=1))
    if not since.groups:
        table.rows.append(Line("Nothing in the log", [figure(None)], indent=1))
    table.rows.append(Line("Sum of the changes", [figure(found.comparison.change, provenance, sign=True)]))
    if found.unexplained is not None:
        table.rows.append(Line("Not explained", [figure(found.unexplained, sign=True)]))
    table.rows.append(Line("Growth", [figure(found.grown, "reported", sign=True)]))
    return [*table.lines(paper), *paper.wrapped(since.changes), *same_so_far(time, paper)]


def _markers(page: ContextPage, paper: Paper) -> list[str]:
    if page.plan.would:
        return _would_stand(page, paper)
    if not page.plan.marks:
        return []
    table = Table(("Cache markers", "At token  ", "<Lifetime", "<Then"))
    for mark in page.plan.marks:
        cells = [figure(mark.at, page.now.account.parts.provenance), clean(mark.lifetime), mark.fate or NOTHING]
        table.rows.append(Line(f"{mark.number}  {clean(mark.place)}", cells, indent=1))
    return table.lines(paper)


def _schema(each: SizedTool) -> str:
    return figure(each.schema.tokens, each.schema.provenance) if each.schema else figure(None)


def _calls(each: SizedTool) -> str:
    return number(each.tool.calls) if each.tool.calls else "never"


def _server(each: SizedTool) -> str:
    return clean(each.tool.server) or BUILT_IN


def _trigger(each: SizedTool) -> str:
    loading = each.tool.loading
    if loading is None:
        return NOTHING
    return (
        f"search “{clean(loading.query)[:80]}”"
        if loading.query
        else TRIGGERS.get(loading.trigger, clean(loading.trigger))
    )


def _would_stand(page: ContextPage, paper: Paper) -> list[str]:
    """Where the harness would set markers, as the log names none; one without a place says why."""
    reasons = ("<No place because",) if any(mark.why for mark in page.plan.would) else ()
    table = Table(("Markers would stand at", "At token  ", "<Lifetime", *reasons))
    for mark in page.plan.would:
        cells = [figure(mark.at, "estimated"), mark.lifetime, *([mark.why] if reasons else [])]
        table.rows.append(Line(f"{mark.number}  {mark.place}", cells, indent=1))
    says = "These would stand, and are not in the log: it names no marker. The places are those of ccweb's own harness."
    return [*table.lines(paper), *paper.wrapped(says)]
