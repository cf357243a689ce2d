"""What holding schemas back saved and cost, for the request and over its run, and the deferred tools by server."""

from __future__ import annotations

from typing import Final

from explorer.page.holding import Cost, Holding, ServerRow
from explorer.page.tool_tables import WHERE, Tools
from explorer.queries.holding import HeldTool
from explorer.queries.tool_sizes import SizedTool
from explorer.text.paper import MARKS, Paper, clean
from explorer.text.table import Line, Table, figure
from harness.accounting.holding import Held
from observability.figures import NOTHING, counted, money, number

WIDE: Final = 100
"""Columns from which there is room to say of each schema where it is from."""
SUMS: Final = ("Held back", "Over run", "Would cost")
"""Columns that are there where at least one schema is known, beside that of schemas."""


def sentences(tools: Tools, holding: Holding | None) -> str:
    """What deferral saves in this request; what it saved over the run, what searching cost, and the net."""
    if not tools.names:
        return "nothing is deferred in this request."
    here = _here(tools, MARKS[holding.provenance] if holding else MARKS["measured"])
    return f"{here} {_over_the_run(holding)}" if holding and holding.known else here


def deferred(tools: Tools, holding: Holding, paper: Paper) -> list[str]:
    """A row for each deferred tool: its line, its schema, and what that would add here and over the run."""
    if not tools.deferred:
        return []
    known = tools.schema_tokens is not None or holding.known
    sizes = ["Schema  ", *(f"{MARKS[holding.provenance]} {title}" for title in SUMS)] if known else []
    table = Table(["D  Deferred, by server", "Index  ", *sizes, "Calls"])
    if paper.columns >= WIDE or not known:
        table.head = [*table.head, "<Schema is"]
    for row in holding.servers:
        table.rows.append(_server(row, known=known))
        for each in row.server.tools:
            table.rows.append(_tool(each, holding.back.tools.get(each.tool.name), len(table.head), known=known))
    if holding.elsewhere_cost:
        name = f"{counted(len(holding.elsewhere), 'tool')} at other requests only"
        table.rows.append(Line(name, ["", "", "", *_cost(holding.elsewhere_cost)]))
    whole = [figure(tools.schema_tokens), number(tools.saved), *_cost(holding.total)] if known else []
    sums = [figure(tools.lines_tokens), *whole]
    table.rows.append(Line(f"{counted(tools.names, 'name')}, {counted(len(tools.deferred), 'server')}", sums))
    return [*table.lines(paper), *_caption(tools, holding, paper)]


def _server(row: ServerRow, *, known: bool) -> Line:
    server = row.server
    name = f"{clean(server.name)}  {number(len(server.tools))}"
    sizes = [figure(server.schema), number(server.held_back), *_cost(row.cost)] if known else []
    return Line(name, [figure(server.index), *sizes], indent=1, strong=True)


def _tool(each: SizedTool, over: HeldTool | None, columns: int, *, known: bool) -> Line:
    calls = number(each.tool.calls) if each.tool.calls else "never"
    sizes = [_schema(each), _held_back(each), *_cost(over.held if over else None)] if known else []
    cells = [figure(each.index.tokens, each.index.provenance), *sizes, calls, where(each)]
    return Line(_short(each), cells[: columns - 1], indent=2)


def _schema(each: SizedTool) -> str:
    return figure(each.schema.tokens, each.schema.provenance) if each.schema else figure(None)


def _held_back(each: SizedTool) -> str:
    if each.tool.state == "deferred":
        return number(each.held_back)
    return "loaded" if each.tool.state == "loaded" else "may be in"


def _cost(cost: Cost | Held | None) -> tuple[str, str]:
    """Tokens and money over the run; what was never held back cost nothing."""
    if cost is None:
        return NOTHING, NOTHING
    return number(cost.tokens), money(cost.pusd) if cost.lines else money(0)


def where(each: SizedTool) -> str:
    """Where the definition of a tool comes from."""
    if each.definition is None or each.schema is None:
        return "not in any log"
    return WHERE[each.definition.where]


def _short(each: SizedTool) -> str:
    """A tool's name under its server's, without repeating that."""
    return clean(each.tool.name.removeprefix(f"mcp__{each.tool.server}__")) or clean(each.tool.name)


def _caption(tools: Tools, holding: Holding, paper: Paper) -> list[str]:
    """Where the schemas come from, and at which prices the run would have paid them."""
    said = [f"Schemas: {', '.join(tools.sources)}."]
    if holding.known:
        said += [holding.note, holding.unpriced]
    return [paper.faint(line) for line in paper.wrapped(clean(" ".join(said)))]


def _here(tools: Tools, mark: str) -> str:
    unknown = f"{counted(tools.unknown, 'schema')} {'is' if tools.unknown == 1 else 'are'} in no log"
    if tools.saved is None:
        return f"what it saves is not known, {unknown}."
    rest = f" {unknown} and not in this sum." if tools.unknown else ""
    return (
        f"saves {number(tools.saved)} {mark} tokens in this request, the schemas of {counted(tools.held_names, 'tool')} "
        f"less their lines in the index.{rest}"
    )


def _over_the_run(holding: Holding) -> str:
    back, total = holding.back, holding.total
    if total is None:
        return ""
    saved = f"Over {counted(back.requests, 'request')} it saved {number(total.tokens)} tokens, {money(total.pusd)}"
    searches = back.searching.searches
    cost = f"{counted(searches, 'search')} cost {money(back.searching.pusd)}" if searches else holding.turns
    return f"{saved}; {cost}; net {holding.net} {MARKS[holding.provenance]}. {holding.unpriced}"
