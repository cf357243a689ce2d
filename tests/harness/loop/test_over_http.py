"""The whole path: the loop, an official SDK, real HTTP, and a server that counts by the cache's rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.loop.history import read_history
from harness.loop.settings import Limits
from harness.loop.toolbox import Arguments, Context, ToolOutput
from harness.providers import Turn
from harness.providers.anthropic_messages import AnthropicMessages
from harness.providers.openai_chat import OpenAIChat
from harness.providers.openai_responses import OpenAIResponses
from harness.providers.script import Error
from harness.request import Trimming
from harness.runlog import (
    ContextAppended,
    ContextRewritten,
    RequestFinished,
    RunFinished,
    ToolActivated,
    ToolCalled,
    ToolSearched,
)
from harness.usage import cache_rate, normalise
from tests.harness.model_server import ModelServer, serving
from tests.harness.runs import Run, call, calls, texts

FINISH = calls(call("finish", summary="done"))
ASSIGN = {"ticket": 7, "person": "ada"}


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with serving() as server:
        yield server


@pytest.fixture
def model(server: ModelServer) -> ModelServer:
    fresh = ModelServer()
    for name in ("bodies", "headers", "raw", "simulator", "_done"):
        setattr(server, name, getattr(fresh, name))
    return server


def anthropic(model: ModelServer) -> AnthropicMessages:
    return AnthropicMessages(base_url=model.url, api_key="k")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def test_a_tool_is_called_and_its_result_goes_back(run: Run, model: ModelServer) -> None:
    model.follow(Turn(text="I look.", calls=(call("read", path="a.txt"),)), FINISH)
    held = run.over(lambda: anthropic(model))
    assert held.result.text == "done"
    assert "{'path': 'a.txt'}" in texts(model.bodies[1]["messages"][-1]["content"])


def test_the_second_request_reads_what_the_first_wrote(run: Run, model: ModelServer) -> None:
    model.follow(calls(call("read", path="a.txt")), FINISH)
    run.over(lambda: anthropic(model))
    first, second = [normalise(each.usage or {}, each.convention).buckets for each in run.events(RequestFinished)]
    assert second.read == first.written > 0 == first.read


def test_the_log_tells_when_a_reply_began(run: Run, model: ModelServer) -> None:
    model.follow(Turn(text="Done.", first_event_after=0.2))
    run.over(lambda: anthropic(model))
    (request,) = run.events(RequestFinished)
    assert request.at and request.first_token_at and request.ended_at
    assert (request.first_token_at - request.at).total_seconds() > 0.15
    assert request.first_token_at <= request.ended_at


def test_a_search_loads_what_it_finds_for_the_next_turn(run: Run, model: ModelServer) -> None:
    model.follow(calls(call("search_tools", query="assign a ticket")), calls(call("assign_ticket", **ASSIGN)), FINISH)
    run.over(lambda: anthropic(model))
    (result,) = model.bodies[1]["messages"][-1]["content"]
    assert {"type": "tool_reference", "tool_name": "assign_ticket"} in [
        {key: each[key] for key in ("type", "tool_name")} for each in result["content"]
    ]
    assert [each.trigger for each in run.events(ToolActivated)] == ["search"]
    assert [each.ok for each in run.events(ToolCalled) if each.tool == "assign_ticket"] == [None, True]


def test_a_direct_call_of_a_deferred_tool_loads_and_runs_it_at_once(run: Run, model: ModelServer) -> None:
    model.follow(calls(call("assign_ticket", **ASSIGN)), FINISH)
    run.over(lambda: anthropic(model))
    assert len(model.bodies) == 2
    (activation,) = run.events(ToolActivated)
    assert (activation.names, activation.trigger) == (["assign_ticket"], "direct_call")
    assert "'person': 'ada'" in texts(model.bodies[1]["messages"][2]["content"])


def test_a_loaded_tool_leaves_the_prefix_to_be_read(run: Run, model: ModelServer) -> None:
    model.follow(calls(call("assign_ticket", **ASSIGN)), calls(call("read", path="a")), FINISH)
    held = run.over(lambda: anthropic(model))
    buckets = [normalise(each.usage or {}, each.convention).buckets for each in run.events(RequestFinished)]
    assert buckets[1].read == buckets[0].prompt
    assert buckets[2].read == buckets[1].prompt
    assert held.tally.rate == cache_rate(held.tally.buckets)


def test_a_miss_says_that_it_is_one_and_is_recorded(run: Run, model: ModelServer) -> None:
    model.follow(calls(call("search_tools", query="xyzzy plugh")), FINISH)
    held = run.over(lambda: anthropic(model))
    assert "Nothing was found" in texts(model.bodies[1]["messages"][-1]["content"])
    (search,) = run.events(ToolSearched)
    assert search.matches == []
    assert held.tally.misses == 1
    assert run.events(ToolActivated) == []


def fan_out(run: Run, model: ModelServer, *, gate: bool) -> list[int]:
    """Reads and writes of the first requests of eight sub-agents: written tokens."""
    eight = calls(*(call("spawn_agent", task=f"part {number}") for number in range(8)))
    # Without the gate all eight must be on their way before the first is answered, on a busy machine too.
    model.follow(eight, FINISH, agent=(Turn(text="found", first_event_after=0.25 if gate else 2),))
    run.set(gate=gate, agent_model="claude-sonnet-5-5").over(lambda: anthropic(model))
    children = [each for each in run.events(RequestFinished, None) if each.run != "c1"]
    assert len(children) == 8
    return [normalise(each.usage or {}, each.convention).buckets.write_1h for each in children]


def test_behind_the_gate_one_of_eight_writes_the_prefix_and_seven_read_it(run: Run, model: ModelServer) -> None:
    written = sorted(fan_out(run, model, gate=True))
    assert written[:7] == [0] * 7
    assert written[7] > 3000


def test_without_the_gate_all_eight_write_it(run: Run, model: ModelServer) -> None:
    written = fan_out(run, model, gate=False)
    assert min(written) == max(written) > 3000


def test_a_trim_is_rare_and_deep_and_the_explorer_is_told(tmp_path: Path, model: ModelServer) -> None:
    async def long(arguments: Arguments, context: Context) -> ToolOutput:
        return ToolOutput(text="word " * 5000)

    run = Run(tmp_path, handlers={"read": long}).set(limits=Limits(trim_from=1), trimming=Trimming(keep_turns=1))
    model.follow(*[calls(call("read", path=f"{number}")) for number in range(14)], FINISH)
    run.over(lambda: anthropic(model))
    rewrites = run.events(ContextRewritten)
    assert 1 <= len(rewrites) <= 3
    again = next(each for each in run.events(ContextAppended) if "tool_result" in each.replaces)
    assert any("old output cut" in (item.text or "") for item in again.items)
    assert any("old output cut" in texts(message["content"]) for message in model.bodies[-1]["messages"])


def test_a_resumed_run_sends_what_was_said_and_reads_it_from_the_cache(
    tmp_path: Path, run: Run, model: ModelServer
) -> None:
    model.follow(
        calls(call("search_tools", query="assign a ticket")), calls(call("read", path="a")), Turn(text="Soon.")
    )
    run.over(lambda: anthropic(model))
    again = Run(tmp_path)
    again.history = read_history(run.sink.events)  # type: ignore[arg-type]
    model.follow(FINISH)
    again.over(lambda: anthropic(model))
    (activation,) = again.events(ToolActivated)
    assert activation.trigger == "resume"
    (request,) = again.events(RequestFinished)
    buckets = normalise(request.usage or {}, request.convention).buckets
    assert buckets.read > 0.9 * buckets.prompt


def test_an_overload_is_waited_out(run: Run, model: ModelServer) -> None:
    model.follow(Turn(error=Error(kind="overloaded", message="busy", wait=0.05)), FINISH)
    held = run.over(lambda: anthropic(model))
    assert held.result.outcome == "completed"
    failed, done = run.events(RequestFinished)
    assert failed.error == "overloaded_error: busy"
    assert done.error is None
    assert failed.request != done.request


def test_a_cut_answer_is_asked_for_again_and_its_half_is_dropped(run: Run, model: ModelServer) -> None:
    model.follow(Turn(text="half an ans", error=Error(kind="cut")), Turn(text="The answer."))
    held = run.over(lambda: anthropic(model))
    assert held.result.text == "The answer."
    cut = run.events(RequestFinished)[0]
    assert cut.error and cut.error.startswith("the answer broke off")
    assert cut.usage and cut.usage["cache_creation_input_tokens"] > 0
    assert len(model.bodies[1]["messages"]) == 1


def test_a_refusal_of_the_provider_ends_the_run_with_its_reason(run: Run, model: ModelServer) -> None:
    model.follow(Turn(error=Error(kind="refused", message="max_tokens is too large")))
    held = run.over(lambda: anthropic(model))
    assert held.result.reason == "invalid_request_error: max_tokens is too large"
    (finished,) = run.events(RunFinished)
    assert (finished.outcome, finished.reason) == ("failed", held.result.reason)
    assert len(model.bodies) == 1


def test_openai_searches_in_its_own_form_and_calls_what_was_loaded(run: Run, model: ModelServer) -> None:
    model.follow(calls(call("search_tools", query="assign a ticket")), calls(call("assign_ticket", **ASSIGN)), FINISH)
    held = run.set(model="gpt-5.6").over(lambda: OpenAIResponses(base_url=f"{model.url}/v1", api_key="k"))
    assert held.result.outcome == "completed"
    assert [each["type"] for each in model.bodies[1]["input"]][-2:] == ["tool_search_call", "tool_search_output"]
    assert model.bodies[1]["input"][-1]["tools"][0]["name"] == "assign_ticket"
    assert [each.trigger for each in run.events(ToolActivated)] == ["search"]
    assert held.tally.buckets.read == 3 * 2000


def test_a_compatible_server_calls_through_the_envelope(run: Run, model: ModelServer) -> None:
    model.follow(
        calls(call("search_tools", query="assign a ticket")),
        calls(call("call_tool", name="assign_ticket", arguments=ASSIGN)),
        FINISH,
    )
    held = run.set(model="qwen").over(lambda: OpenAIChat(base_url=f"{model.url}/v1"))
    assert held.result.outcome == "completed"
    assert [each.tool for each in run.events(ToolCalled)][2:4] == ["assign_ticket", "assign_ticket"]
    assert '"assign_ticket"' in model.bodies[1]["messages"][-1]["content"]
    assert model.bodies[0]["max_tokens"] == 1000
