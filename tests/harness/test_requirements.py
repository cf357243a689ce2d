"""One test for each of the requirements C1 to C12, on the path that a real run takes.

The model is a server on this machine that follows a script, reached through the provider's own
SDK over HTTP. What only a real model would show, such as when it calls a deferred tool by its
name, is scripted here; what it is sent, and what comes of its calls, is not.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from mcp import Client, StdioServerParameters

from harness.catalogue import OWN, read_catalogue
from harness.loop.prompts import system_of
from harness.loop.settings import Limits
from harness.loop.toolbox import Arguments, Context, ToolOutput
from harness.modes import PLAN
from harness.profiles import PROFILES
from harness.providers import Turn
from harness.providers.anthropic_messages import AnthropicMessages
from harness.request import Trimming, prefix_hash
from harness.runlog import (
    ContextRewritten,
    RequestFinished,
    SurfaceDeclared,
    ToolActivated,
    ToolCalled,
    ToolSearched,
)
from harness.surface import resolve
from harness.tokens import count
from harness.usage import normalise
from harness.wire import dumps
from tests.harness.model_server import ModelServer, serving
from tests.harness.request.plain_assembler import plain_request
from tests.harness.runs import Keeping, Run, call, calls, texts

ROOT = Path(__file__).resolve().parents[2]
FINISH = calls(call("finish", summary="done"))
ASSIGN = {"ticket": 7, "person": "ada"}


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with serving() as server:
        yield server


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def go(run: Run, model: ModelServer, *turns: Turn, agent: tuple[Turn, ...] = ()) -> list[dict[str, Any]]:
    """Make the run, and return the bodies that the server got."""
    model.follow(*turns, agent=agent)
    run.over(lambda: Keeping(AnthropicMessages(base_url=model.url, api_key="k"), run.requests))
    return model.bodies


def residents(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [tool for tool in body["tools"] if not tool.get("defer_loading")]


def names(tools: list[dict[str, Any]]) -> list[str]:
    return [tool["name"] for tool in tools]


def bare(value: Any) -> Any:
    """The value without cache markers."""
    if isinstance(value, dict):
        return {key: bare(each) for key, each in value.items() if key != "cache_control"}
    return [bare(each) for each in value] if isinstance(value, list) else value


def markers(body: dict[str, Any]) -> list[tuple[str, int, str]]:
    """Where markers stand: the field, the number of the block in it, the lifetime."""
    messages = [block for message in body["messages"] for block in message["content"]]
    fields = {"tools": body["tools"], "system": body["system"], "messages": messages}
    return [
        (field, number, block["cache_control"]["ttl"])
        for field, blocks in fields.items()
        for number, block in enumerate(blocks)
        if "cache_control" in block
    ]


def test_c1_a_run_sees_its_residents_and_an_index_of_the_rest(
    tmp_path: Path, model: ModelServer, datasets: Path
) -> None:
    folder = datasets / "mcp_catalogues"
    foreign = read_catalogue(folder / "github_tools.json") | read_catalogue(folder / "memory_tools.json")
    (body,) = go(Run(tmp_path, catalogue=foreign), model, FINISH)
    seen = residents(body)
    index = body["system"][-1]["text"]
    assert 20 <= len(seen) < 30
    assert "Tickets and projects: " in index
    assert all(f" {name}" in index for name in foreign)
    before = sum(count(dumps(tool.definition()).decode()) for tool in (*OWN.values(), *foreign.values()))
    after = count(dumps(bare(seen)).decode()) + count(index)
    assert after < 0.22 * before


def test_c2_the_residents_are_the_modes_and_its_exit_is_among_them(run: Run, model: ModelServer) -> None:
    (body,) = go(run.set(mode=PLAN), model, calls(call("hand_over_plan", summary="so", steps=[])))
    seen = names(residents(body))
    assert seen[0] == "search_tools"
    assert {"read", "search", "task_list", "memory_search", "hand_over_plan"} <= set(seen)
    assert {"write", "bash", "finish"}.isdisjoint(seen)
    assert resolve({}, mode=PLAN).unknown != ()


def test_c3_a_deferred_tool_that_is_called_directly_runs_in_the_same_step(run: Run, model: ModelServer) -> None:
    bodies = go(run, model, calls(call("assign_ticket", **ASSIGN)), FINISH)
    assert "assign_ticket" not in names(residents(bodies[0]))
    assert len(bodies) == 2
    result = bodies[1]["messages"][2]["content"][0]
    assert "is_error" not in result
    assert "'person': 'ada'" in texts([result])
    assert "assign_ticket" in json.dumps(bodies[1]["messages"][3:])


def test_c4_a_search_loads_its_matches_and_a_miss_suggests_what_to_try(run: Run, model: ModelServer) -> None:
    search = calls(call("search_tools", query="assign a ticket to someone"), call("search_tools", query="xyzzy"))
    bodies = go(run, model, search, calls(call("assign_ticket", **ASSIGN)), FINISH)
    found, missed = bodies[1]["messages"][2]["content"][:2]
    assert found["content"][0]["tool_name"] == "assign_ticket"
    assert "Nothing was found" in texts([missed])
    assert "other words" in texts([missed])
    assert [each.ok for each in run.events(ToolCalled) if each.tool == "assign_ticket"][-1] is True


def test_c5_an_mcp_client_lists_everything_and_its_search_only_describes(tmp_path: Path) -> None:
    async def talk() -> tuple[list[str], dict[str, Any], list[str]]:
        words = ["-m", "harness", "mcp", "--builtin", str(tmp_path)]
        async with Client(StdioServerParameters(command=sys.executable, args=words, cwd=ROOT)) as client:
            before = [tool.name for tool in (await client.list_tools()).tools]
            found = await client.call_tool("search_tool_bm25", {"query": "replace text in a file"})
            after = [tool.name for tool in (await client.list_tools()).tools]
            return before, json.loads(found.content[0].text), after  # type: ignore[union-attr]

    before, found, after = asyncio.run(talk())
    assert {"search_tool_bm25", "read", "edit", "bash"} <= set(before)
    assert "edit" in [match["name"] for match in found["matches"]]
    assert before == after


def test_c6_what_is_denied_is_nowhere_and_approval_is_the_same_for_what_was_loaded(
    run: Run, model: ModelServer
) -> None:
    run.permissions = msgspec.structs.replace(run.permissions, denied=("close_ticket",), everything=False)
    tries = calls(
        call("search_tools", query="close a ticket"),
        call("close_ticket", ticket=1),
        call("assign_ticket", **ASSIGN),
        call("write", path="a", content="b"),
    )
    bodies = go(run, model, tries, FINISH)
    assert "close_ticket" not in json.dumps(bodies[0])
    _search, denied, loaded, resident = bodies[1]["messages"][2]["content"][:4]
    assert "There is no tool 'close_ticket'" in texts([denied])
    assert "assign_ticket needs approval" in texts([loaded])
    assert "write needs approval" in texts([resident])
    assert all("close_ticket" not in each.names for each in run.events(ToolActivated))


def test_c6_a_profile_refuses_at_the_call_and_changes_nothing_that_is_sent(run: Run, model: ModelServer) -> None:
    child = (calls(call("write", path="a", content="b")), Turn(text="no"))
    bodies = go(run, model, calls(call("spawn_agent", task="Look.", profile="explore")), FINISH, agent=child)
    first, second = (body for body in bodies if "sub-agent" in body["system"][0]["text"])
    assert "write" in names(residents(first))
    assert "profile explore" in texts(second["messages"][-1]["content"])


def test_c7_without_deferral_a_request_is_what_a_plain_assembler_makes(run: Run, model: ModelServer) -> None:
    run.deferral = False
    bodies = go(run, model, calls(call("assign_ticket", **ASSIGN)), calls(call("read", path="a")), FINISH)
    tools = [tool.definition() for tool in run.toolset.catalogue.values() if not tool.name.startswith("hand_over")]
    system = system_of(run.settings.mode, sub_agent=False)
    sent = 0
    for request, body in zip(run.requests, bodies, strict=True):
        messages = bare(body["messages"])
        plain = plain_request(tools, system, messages, model=body["model"], max_tokens=1000, sent=sent)
        assert request.bytes() == plain
        assert json.loads(plain) | {"stream": True} == body
        sent = len(messages)


@pytest.mark.parametrize("strategy", ["reference", "inline", "bridge", "append"])
def test_c8_nothing_that_was_sent_is_rewritten(run: Run, model: ModelServer, strategy: Any) -> None:
    turns = [
        calls(call("read", path="a")),
        calls(call("search_tools", query="close a ticket")),
        calls(call("read", path="b")),
    ]
    go(run.set(strategy=strategy), model, *turns, FINISH)
    for before, after in zip(model.bodies, model.bodies[1:], strict=False):
        assert bare(after["messages"])[: len(before["messages"])] == bare(before["messages"])
        assert bare(after["tools"])[: len(before["tools"])] == bare(before["tools"])
        assert after["system"] == before["system"]


def test_c9_stale_output_is_cut_deep_and_rarely(tmp_path: Path, model: ModelServer) -> None:
    async def long(arguments: Arguments, context: Context) -> ToolOutput:
        return ToolOutput(text="word " * 4000)

    run = Run(tmp_path, handlers={"read": long}).set(limits=Limits(trim_from=1), trimming=Trimming(keep_turns=2))
    go(run, model, *[calls(call("read", path=str(number))) for number in range(20)], FINISH)
    rewrites = run.events(ContextRewritten)
    assert 1 <= len(rewrites) <= 3
    assert all((each.tokens_before or 0) > 2 * (each.tokens_after or 0) for each in rewrites[:1])
    assert len(model.bodies) == 21


def test_c10_four_markers_stand_in_their_places(run: Run, model: ModelServer) -> None:
    go(run, model, calls(call("read", path="a"), call("read", path="b"), text="I look."), FINISH)
    first, second = model.bodies
    last_tool, last_text = len(residents(first)) - 1, len(first["system"]) - 1
    stable = [("tools", last_tool, "1h"), ("system", last_text, "1h")]
    assert markers(first) == [*stable, ("messages", 1, "5m")]
    # Startup and task; text and two calls; two results.
    assert markers(second) == [*stable, ("messages", 1, "5m"), ("messages", 6, "5m")]


def test_c11_sub_agents_share_a_prefix_whatever_their_profile_and_one_goes_ahead(run: Run, model: ModelServer) -> None:
    profiles = [list(PROFILES)[number % 2] for number in range(8)]
    eight = calls(*(call("spawn_agent", task=f"part {at}", profile=each) for at, each in enumerate(profiles)))
    go(run, model, eight, FINISH, agent=(Turn(text="found", first_event_after=0.2),))
    children = [each for each in run.requests if "sub-agent" in each.body["system"][0]["text"]]
    assert len(children) == 8
    assert len({prefix_hash(each) for each in children}) == 1
    usages = [each.usage or {} for each in run.events(RequestFinished, None) if each.run != "c1"]
    written = sorted(normalise(usage, "exclusive").buckets.write_1h for usage in usages)
    assert written[:7] == [0] * 7
    assert written[7] > 0


def test_c12_the_log_says_what_was_loaded_by_what_and_what_was_not_found(run: Run, model: ModelServer) -> None:
    turns = [
        calls(call("search_tools", query="close a ticket", limit=1)),
        calls(call("assign_ticket", **ASSIGN)),
        calls(call("search_tools", query="xyzzy")),
    ]
    go(run, model, *turns, FINISH)
    loaded = [(each.names, each.trigger, each.search) for each in run.events(ToolActivated)]
    assert loaded == [(["close_ticket"], "search", "call_0"), (["assign_ticket"], "direct_call", None)]
    found, missed = run.events(ToolSearched)
    assert [match.tool for match in found.matches or []] == ["close_ticket"]
    assert (missed.query, missed.matches) == ("xyzzy", [])


def test_c13_the_index_and_the_held_back_schemas_are_in_the_log_as_they_were_sent(run: Run, model: ModelServer) -> None:
    (body,) = go(run, model, FINISH)
    (declared,) = run.events(SurfaceDeclared)
    held_back = {each.name: each for each in declared.tools if each.state == "deferred"}
    assert all(each.listing and each.listing in body["system"][-1]["text"] for each in held_back.values())
    deferred = {tool["name"]: bare(tool) for tool in body["tools"] if tool.get("defer_loading")}
    assert {name: {**(each.definition or {}), "defer_loading": True} for name, each in held_back.items()} == deferred
