"""Requests: how long one takes to build, and what each load strategy costs in the simulator."""

from __future__ import annotations

import argparse
import statistics
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from harness.catalogue.own import OWN
from harness.request import STRATEGIES, Assembly, Strategy, support_of
from harness.simulator import Simulator, rules_for
from harness.surface import Surface, resolve
from harness.tools import ToolSpec

MODELS = (
    ("anthropic", "claude-opus-5-5"),
    ("anthropic", "claude-opus-4-8"),
    ("anthropic", "claude-sonnet-4-5"),
    ("openai", "gpt-5.6"),
    ("openai", "gpt-5.4"),
    ("deepseek", "deepseek-v4"),
)
REQUESTS = 40
LOADS = (2, 6, 12, 20, 30)
SYSTEM = "Work step by step, say what you do, and hand over the result. " * 300
OUTPUT = "src/tickets/models.py:214:    def close(self, at: datetime) -> None:\n" * 60
TIMES = 500


def measure(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds for one more message and its request, and the cost of a run by strategy."""
    return {
        **{f"{strategy}, ms": speed(strategy) for strategy in STRATEGIES},
        **{
            f"{model}, thousand input tokens": {strategy: cost(strategy, provider, model) for strategy in taken}
            for provider, model in MODELS
            if (taken := support_of(provider, model).strategies)
        },
    }


def speed(strategy: Strategy) -> dict[str, float]:
    """200 tools, 200 messages; then messages one by one, each with the request that follows, to its last byte."""
    tools = {name: _tool(name) for name in (f"server_tool_{number:03}" for number in range(200))}
    run = Assembly(resolve(tools, resident=list(tools)[:25]), model="claude-opus-5-5", strategy=strategy)
    for number in range(200):
        run.append(_message(number))
    run.build()
    times = []
    for number in range(200, 200 + TIMES):
        began = time.perf_counter()
        run.append(_message(number))
        run.build().bytes()
        times.append((time.perf_counter() - began) * 1000)
        run.rewrite(run.messages[:200])
        run.build()
    return {"median": statistics.median(times), "p99": statistics.quantiles(times, n=100)[98]}


def cost(strategy: Strategy, provider: str, model: str) -> float:
    """What the prompts of a run cost: 40 requests, five of which follow a search that loads a tool, called three times."""
    rules = rules_for(provider, model)
    run, simulator, total = (
        Assembly(_surface(), model=model, provider=provider, system=[SYSTEM], strategy=strategy),
        (Simulator(rules)),
        Decimal(0),
    )
    run.append({"role": "user", "content": "Close the tickets that are done."})
    names = [tool.name for tool in run.surface.deferred]
    for number in range(REQUESTS):
        outcome = simulator.send(run.build().body, at=START + timedelta(seconds=40 * number))
        total += outcome.cost(rules.rates_for(model))
        _turn(run, number, names)
    return float(total / 1000)


START = datetime(2026, 11, 2, 9, tzinfo=UTC)


def _turn(run: Assembly, number: int, names: list[str]) -> None:
    """A search, a call of what a search found, or a read, and its result."""
    call = f"call-{number}"
    loaded = len(run.ledger)
    if number + 1 in LOADS:
        run.append(_call("search_tools", call, {"query": "close a ticket"}))
        run.load([names[loaded]], "search", search=call)
        run.append(_result(call, f"Found {names[loaded]}."))
        return
    called = run.ledger.names[-1] if any(0 < number - load + 1 <= 3 for load in LOADS) else "read"
    given = {"path": "src/tickets/models.py"}
    if run.strategy == "bridge" and called != "read":
        called, given = "call_tool", {"name": called, "arguments": given}
    run.append(_call(called, call, given))
    run.append(_result(call, OUTPUT))


def _surface() -> Surface:
    return resolve({**OWN, **{name: _tool(name) for name in (f"ticket_tool_{number:03}" for number in range(100))}})


def _tool(name: str) -> ToolSpec:
    fields = {
        field: {"type": "string", "description": f"The {field} of the ticket, as the tracker shows it"}
        for field in ("project", "number", "title", "state", "assignee", "label", "milestone", "due")
    }
    schema = {"type": "object", "properties": fields, "required": ["project", "number"]}
    return ToolSpec(
        name=name, description=f"Does what {name} says with a ticket.", input_schema=schema, group="Tickets"
    )


def _message(number: int) -> dict[str, Any]:
    return _call("read", f"c{number}", {"path": "a"}) if number % 2 else _result(f"c{number - 1}", OUTPUT[:2000])


def _call(name: str, call: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": call, "name": name, "input": given}]}


def _result(call: str, text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text}]}
