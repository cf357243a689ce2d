"""Tools whose server comes when the run has begun: they join it, and nothing that was sent changes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness import mcp
from harness.catalogue import OWN, Catalogue
from harness.loop.clock import real
from harness.loop.conversation import joined
from harness.loop.toolbox import Handler, ServerState, ToolBox, Toolset
from harness.modes import PLAN
from harness.providers import Scripted, Turn
from harness.providers.script import Script
from harness.request import STRATEGIES, Strategy
from harness.runlog import (
    ContextAppended,
    RequestFinished,
    SurfaceChanged,
    SurfaceDeclared,
    ToolActivated,
    ToolCalled,
    ToolSearched,
)
from harness.usage import normalise
from tests.harness.mcp.conftest import many
from tests.harness.request.building import unmarked
from tests.harness.runs import MODEL, Run, call, calls, echo, texts, tool

FINISH = calls(call("finish", summary="done"))
LOOK = calls(call("read", path="a"))
SHIPS = Catalogue(
    [
        tool("book_ship", "Book a ship", port="string"),
        tool("list_ships", "List the ships in a port", port="string"),
        tool("close_ticket", "Another one of that name"),
    ]
)
"""As a server gives them that comes late."""
COME = Toolset(
    catalogue=SHIPS,
    box=ToolBox({name: Handler(run=echo) for name in SHIPS}),
    failed=(ServerState(name="trains", error="no licence"),),
)
WAITING = Toolset(catalogue=Catalogue(), box=ToolBox(), pending=("ships", "trains"))


def coming(at: int) -> Callable[[], Toolset]:
    """What `more` gives: the ships, before request number `at`."""
    asked = 0

    def more() -> Toolset:
        nonlocal asked
        asked += 1
        return WAITING if asked < at else COME if asked == at else msgspec.structs.replace(COME, catalogue=Catalogue())

    return more


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = Run(tmp_path)
    run.toolset = msgspec.structs.replace(run.toolset, pending=WAITING.pending, more=coming(at=2))
    return run


def book(strategy: str) -> Turn:
    if strategy == "bridge":
        return calls(call("call_tool", name="book_ship", arguments={"port": "Genoa"}))
    return calls(call("book_ship", port="Genoa"))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_late_tool_joins_and_nothing_that_was_sent_changes(run: Run, strategy: Strategy) -> None:
    run.set(strategy=strategy).scripted(LOOK, LOOK, LOOK, FINISH)
    first, *rest = run.requests
    for body in (unmarked(each.body) for each in rest):
        assert body["system"] == unmarked(first.body["system"])
        assert body["tools"][: len(first.body["tools"])] == unmarked(first.body["tools"])
        assert all(each.get("defer_loading") for each in body["tools"][len(first.body["tools"]) :])
    usages = [normalise(each.usage or {}, "exclusive").buckets for each in run.events(RequestFinished)]
    assert [after.read for after in usages[1:]] == [before.read + before.written for before in usages[:-1]]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_its_name_is_said_once_in_a_message(run: Run, strategy: Strategy) -> None:
    run.set(strategy=strategy).scripted(LOOK, LOOK, FINISH)
    assert "book_ship" not in json.dumps(run.requests[0].body)
    said = [texts(each.body["messages"][-1]["content"]) for each in run.requests]
    assert ["book_ship list_ships" in each for each in said] == [False, True, False]
    found = [item for each in run.events(ContextAppended) for item in each.items if item.kind == "index"]
    assert "book_ship" in (found[-1].text or "")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_it_is_called_directly_like_any_deferred_tool(run: Run, strategy: Strategy) -> None:
    run.set(strategy=strategy).scripted(LOOK, book(strategy), LOOK, FINISH)
    assert [each.ok for each in run.events(ToolCalled) if each.tool == "book_ship"] == [None, True]
    assert [(each.names, each.trigger) for each in run.events(ToolActivated)] == [(["book_ship"], "direct_call")]


@pytest.mark.parametrize("provider", ["anthropic", "openai", "compatible"])
def test_a_search_finds_it(run: Run, provider: str) -> None:
    model = MODEL if provider == "anthropic" else "gpt-5.6"
    run.set(model=model).scripted(LOOK, calls(call("search_tools", query="book a ship")), FINISH, name=provider)
    assert [match.tool for match in run.events(ToolSearched)[0].matches or []][0] == "book_ship"
    assert "book_ship" in run.events(ToolActivated)[0].names


def test_the_log_says_what_came_and_how_servers_stand(run: Run) -> None:
    run.scripted(LOOK, LOOK, FINISH)
    begun, came = run.events(SurfaceChanged)
    assert begun.pending_servers == ["ships", "trains"]
    assert [(each.name, each.state, each.listing) for each in came.tools] == [
        ("book_ship", "deferred", " book_ship"),
        ("list_ships", "deferred", " list_ships"),
    ]
    assert (came.pending_servers, [each.name for each in came.failed_servers]) == ([], ["trains"])
    problems = run.events(SurfaceDeclared)[-1]
    assert "another tool named close_ticket" in problems.problems[0]
    assert not problems.complete


def test_what_is_denied_stays_denied(run: Run) -> None:
    run.permissions = msgspec.structs.replace(run.permissions, denied=("book_*",))
    run.scripted(LOOK, book("reference"), calls(call("search_tools", query="book a ship")), FINISH)
    assert {each.name: each.state for each in run.events(SurfaceChanged)[-1].tools}["book_ship"] == "denied"
    assert [each.ok for each in run.events(ToolCalled) if each.tool == "book_ship"] == [None, False]
    assert "book_ship" not in json.dumps([each.body["tools"] for each in run.requests])
    assert all("book_ship" not in each.names for each in run.events(ToolActivated))


def test_what_the_mode_denies_is_denied(run: Run) -> None:
    run.set(mode=PLAN).scripted(LOOK, LOOK, calls(call("hand_over_plan", summary="so", steps=[])))
    states = {each.name: each.state for each in run.events(SurfaceChanged)[-1].tools}
    assert states == {"book_ship": "denied", "list_ships": "deferred"}


def test_a_sub_agent_that_starts_later_has_the_prefix_of_the_others_and_the_late_tools(run: Run) -> None:
    spawn = calls(call("spawn_agent", task="Look."))
    run.toolset = msgspec.structs.replace(run.toolset, more=coming(at=3))
    agents = {"general": (calls(call("book_ship", port="Genoa")), Turn(text="found"))}
    run.set(strategy="inline").scripted(spawn, LOOK, spawn, FINISH, agents=agents)
    early, late = (
        next(each.body for each, of in zip(run.requests, runs(run), strict=True) if of == name)
        for name in ("c1.1", "c1.2")
    )
    assert (unmarked(early["tools"]), unmarked(early["system"])) == (unmarked(late["tools"]), unmarked(late["system"]))
    assert "book_ship" in texts(late["messages"][0]["content"])
    assert [each.ok for each in run.events(ToolCalled, "c1.1") if each.tool == "book_ship"][-1] is False
    assert [each.ok for each in run.events(ToolCalled, "c1.2") if each.tool == "book_ship"][-1] is True


def runs(run: Run) -> list[str]:
    return [each.run for each in sorted(run.events(RequestFinished, None), key=lambda each: each.at)]  # type: ignore[arg-type,return-value]


def test_without_deferral_a_late_tool_is_withheld(run: Run) -> None:
    run.deferral = False
    run.scripted(LOOK, LOOK, FINISH)
    assert {each.state for each in run.events(SurfaceChanged)[-1].tools} == {"withheld"}
    assert len({json.dumps(unmarked(each.body["tools"])) for each in run.requests}) == 1


def test_a_real_server_that_is_slow_joins_the_run(tmp_path: Path) -> None:
    run = Run(tmp_path)
    config = tmp_path / ".mcp.json"
    config.write_bytes(msgspec.json.encode(many("good", "slower")))

    async def wait(arguments: dict[str, Any], context: Any) -> Any:
        await asyncio.sleep(4)
        return await echo(arguments, context)

    async def main() -> None:
        async with mcp.opened(config, patience=0.2) as servers:
            own = Toolset(catalogue=OWN, box=ToolBox({"read": Handler(run=wait)}))
            run.toolset = joined(own, servers)
            script = Script(turns=(LOOK, calls(call("search_tools", query="say a text louder")), FINISH))
            await run.held(Scripted(script), real)

    asyncio.run(main())
    begun, came = run.events(SurfaceChanged)
    assert begun.pending_servers == ["slower"]
    assert [(each.name, each.server, each.state) for each in came.tools] == [("shout", "slower", "deferred")]
    assert [each.tool for each in run.events(ToolSearched)[0].matches or []][0] == "shout"
