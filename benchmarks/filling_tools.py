"""Tools for a database of a million requests: surfaces, searches, loadings and calls, and the sums that are kept of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Protocol

from benchmarks.tables import insert
from harness.catalogue import own
from harness.runlog import Buckets
from observability import identity, models, pricing
from observability.demo import catalogue
from observability.identity import key

VARIANTS = 60
"""Different surfaces: each leaves out other tools, as settings and versions of clients do."""
CALLED = ("read", "bash", "edit", "search", "glob", "write")
DEFERRED = list(catalogue.office().values())
RESIDENT = list(own.OWN.values())
HASHES = {tool.name: identity.text_hash(identity.canonical_json(tool.definition())) for tool in (*RESIDENT, *DEFERRED)}
HEAD = ("project_id", "conversation_id", "run_id")
SURFACE = (*HEAD, "key", "at", "seq", "tool", "state", "definition", "group", "server")
CALL = (*HEAD, "call_key", "call", "tool", "at", "seq", "ok", "duration_ms", "result_chars", "request_id")
SEARCH = (*HEAD, "call_key", "call", "at", "seq", "query", "matches", "outcome")
ACTIVATION = (*HEAD, "tool", "trigger", "search_key", "at", "seq")
LISTED = ("list_id", "tool", "state", "definition", "server", "group")
SURFACE_USE = (*HEAD, "hour", "model", "surface_id", "loaded_id", "agent", "requests", "unpriced", "start_pusd")
TOOL_USE = (*HEAD, "hour", "tool", "agent", "calls", "failed")
LOADED: dict[int, tuple[str, ...]] = {}
"""The lists of loaded tools that were met."""
Row = tuple[Any, ...]


class Made(Protocol):
    """A conversation that is made."""

    number: int
    size: int
    uid: str
    id: int
    project: int
    model: str
    agent: str
    runs: list[tuple[int, str]]
    requests: list[Row]


def states(variant: int) -> list[tuple[Any, str]]:
    """The tools of a variant with their states: most of all that there are."""
    resident = [tool for place, tool in enumerate(RESIDENT) if (place + variant) % 11]
    deferred = [tool for place, tool in enumerate(DEFERRED) if (place * 7 + variant) % 13]
    return [*((tool, "resident") for tool in resident), *((tool, "deferred") for tool in deferred)]


def surface_of(one: Made) -> int:
    """The name of its list."""
    return key("tools", str(one.number % VARIANTS))


def store_lists() -> None:
    """The lists of all variants."""
    names = {key("tools", str(variant)): variant for variant in range(VARIANTS)}
    insert(models.ToolList, ("id",), [(name,) for name in names])
    rows = [(name, *listed(tool, state)) for name, variant in names.items() for tool, state in states(variant)]
    insert(models.ListedTool, LISTED, rows)


def store_loaded_lists() -> None:
    """The lists of what was loaded, as they were met."""
    by_name = {tool.name: tool for tool in DEFERRED}
    insert(models.ToolList, ("id",), [(name,) for name in LOADED])
    rows = [(name, *listed(by_name[tool], "loaded")) for name, tools in LOADED.items() for tool in tools]
    insert(models.ListedTool, LISTED, rows)


def listed(tool: Any, state: str) -> Row:
    """A tool of a list."""
    return tool.name, state, HASHES[tool.name], tool.server or "", tool.group or ""


def searched(one: Made, requests: list[Row]) -> Iterator[tuple[Row, str, bool]]:
    """The requests that search for a tool, the tool, and whether it is missed."""
    for number in range(one.size // 40):
        tool = DEFERRED[(one.number * 5 + number) % len(DEFERRED)].name
        yield requests[number * 40], tool, (one.number + number) % 5 == 0


def with_lists(one: Made, requests: list[Row]) -> list[Row]:
    """The requests with the lists of tools that they carried."""
    loads: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for request, tool, miss in searched(one, requests):
        if not miss:
            loads[request[3]].append((request[9], tool))
    surface = surface_of(one)
    return [(*row[:-2], surface, _loaded(loads[row[3]], row[9])) for row in requests]


def _loaded(loads: list[tuple[int, str]], seq: int) -> int:
    tools = tuple(sorted({tool for at, tool in loads if at < seq}))
    if not tools:
        return 0
    name = key("loaded", *tools)
    LOADED[name] = tools
    return name


def store(made: list[Any]) -> None:
    """Surfaces, calls, searches, activations, and the sums of them."""
    insert(models.SurfaceEntry, SURFACE, [row for one in made for row in _surface(one)])
    insert(models.ToolCall, CALL, [row for one in made for row in _calls(one)])
    insert(models.Search, SEARCH, [row for one in made for row in _searches(one)])
    insert(models.Activation, ACTIVATION, [row for one in made for row in _activations(one)])
    insert(models.SurfaceUse, SURFACE_USE, [row for one in made for row in _surface_uses(one)])
    insert(models.ToolUse, TOOL_USE, [row for one in made for row in _tool_uses(one)])


def _surface(one: Made) -> Iterator[Row]:
    first, run_id = one.requests[0], one.runs[0][0]
    head = (one.project, one.id, run_id)
    for tool, state in states(one.number % VARIANTS):
        place = (tool.group or "", tool.server or "")
        yield *head, key(one.uid, tool.name), first[7], first[9] - 1, tool.name, state, HASHES[tool.name], *place


def _called(one: Made) -> Iterator[tuple[Row, str]]:
    for place, request in enumerate(one.requests):
        yield request, CALLED[(place * place + one.number) % len(CALLED)]


def _calls(one: Made) -> Iterator[Row]:
    for request, tool in _called(one):
        uid, at, seq = request[0], request[7], request[9] + 1
        yield one.project, one.id, request[3], uid, str(uid), tool, at, seq, uid % 19 > 0, 40, 900, uid


def _searches(one: Made) -> Iterator[Row]:
    for request, tool, miss in searched(one, one.requests):
        uid, found = request[0], "[]" if miss else f'[{{"tool": "{tool}"}}]'
        outcome = "miss" if miss else "hit"
        yield one.project, one.id, request[3], uid, str(uid), request[7], request[9] + 1, "find a tool", found, outcome


def _activations(one: Made) -> Iterator[Row]:
    for request, tool, miss in searched(one, one.requests):
        if not miss:
            yield one.project, one.id, request[3], tool, "search", request[0], request[7], request[9] + 2


def _hour(at: str) -> str:
    return f"{at[:13]}:00:00"


def _surface_uses(one: Made) -> Iterable[Row]:
    sums: dict[Row, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in one.requests:
        buckets = Buckets(uncached=row[10], read=row[11], write_5m=row[12])
        at = datetime.fromisoformat(row[7]).replace(tzinfo=UTC)
        price = pricing.start_price(one.model, "", at, buckets)
        held = sums[(one.project, one.id, row[3], _hour(row[7]), one.model, *row[-2:], one.agent)]
        for place, value in enumerate((1, int(price is None), price or 0)):
            held[place] += value
    return [(*names, *counts) for names, counts in sums.items()]


def _tool_uses(one: Made) -> Iterable[Row]:
    sums: dict[Row, list[int]] = defaultdict(lambda: [0, 0])
    for row, tool in _called(one):
        held = sums[(one.project, one.id, row[3], _hour(row[7]), tool, one.agent)]
        held[0] += 1
        held[1] += int(row[0] % 19 == 0)
    return [(*names, *counts) for names, counts in sums.items()]
