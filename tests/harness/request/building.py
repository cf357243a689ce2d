"""Surfaces, messages and readings of requests for these tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from harness.catalogue.own import SEARCH_TOOLS
from harness.modes import Mode
from harness.request import Assembly, Request, Strategy
from harness.surface import Surface, resolve
from harness.tools import ToolSpec

MODEL = "claude-opus-5-5"
BARE = Mode(name="bare", title="Bare", purpose="", exit="finish", resident=("finish", "read"), unasked=())
DENIED = "wipe_disk"


def tool(name: str, group: str = "Tickets and projects") -> ToolSpec:
    schema = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    return ToolSpec(name=name, description=f"Does what {name} says.", input_schema=schema, group=group)


NAMES = ("finish", "read", "assign_ticket", "close_ticket", "find_ticket", "open_ticket", "zip_files")
CATALOGUE = {name: tool(name) for name in (*NAMES, DENIED)}


def surface(**settings: Any) -> Surface:
    """Two residents and search_tools; five deferred; one denied."""
    return resolve(CATALOGUE, **{"mode": BARE, "denied": [DENIED], **settings})


def assembly(strategy: Strategy | None = None, **settings: Any) -> Assembly:
    made = {"model": MODEL, "system": ["You help with tickets."], **settings}
    return Assembly(made.pop("surface", None) or surface(), strategy=strategy, **made)


def asks(text: str = "Close the oldest ticket.") -> dict[str, Any]:
    return {"role": "user", "content": text}


def calls(name: str, call: str, /, **given: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": call, "name": name, "input": given}]}


def answers(call: str, text: str = "done") -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text}]}


def searched(run: Assembly, names: Sequence[str], call: str = "search-1") -> Request:
    """One search that finds these tools, and the request after it."""
    run.append(calls(SEARCH_TOOLS.name, call, query="tickets"))
    run.load(names, "search", search=call)
    run.append(answers(call, f"Found {', '.join(names)}."))
    return run.build()


def called(run: Assembly, name: str, call: str = "call-1") -> Request:
    """A direct call of a deferred tool, and the request after it."""
    run.append(calls(name, call, title="x"))
    run.load([name], "direct_call")
    run.append(answers(call))
    return run.build()


def unmarked(value: Any) -> Any:
    """A value without any marker in it."""
    if isinstance(value, dict):
        return {key: unmarked(each) for key, each in value.items() if key != "cache_control"}
    return [unmarked(each) for each in value] if isinstance(value, list) else value


def text_of(value: Any) -> str:
    return json.dumps(unmarked(value), ensure_ascii=False)


def blocks(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every block of a body, in the order in which a provider takes them."""
    yield from body.get("tools", [])
    yield from body.get("system", [])
    for message in body["messages"]:
        yield from message["content"]


def markers(body: dict[str, Any]) -> list[str]:
    """The lifetimes of a body's markers, in order."""
    return [block["cache_control"]["ttl"] for block in blocks(body) if "cache_control" in block]


def tool_names(request: Request) -> list[str]:
    return [each["name"] for each in request.body["tools"]]


def last(request: Request) -> list[dict[str, Any]]:
    """The blocks of the last message, without markers."""
    found: list[dict[str, Any]] = unmarked(request.body["messages"][-1]["content"])
    return found


def definition(name: str) -> dict[str, Any]:
    return CATALOGUE[name].definition()
