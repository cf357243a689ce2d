from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from harness.loop.clock import real
from harness.loop.settings import Limits
from harness.loop.sinks import line_of
from harness.loop.toolbox import Arguments, Context, ToolFault, ToolOutput
from harness.providers import Scripted, Turn
from harness.providers.faults import Retrying
from harness.providers.script import Error, Script
from harness.request import Strategy
from harness.runlog import (
    ContextAppended,
    RequestFinished,
    RunFinished,
    RunStarted,
    SurfaceDeclared,
    ToolCalled,
    decode,
    encode,
)
from harness.usage import normalise
from tests.harness.runs import Run, call, calls

FINISH = calls(call("finish", summary="done"))


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        ("reference", ["Loaded tools:\nclose_ticket"]),
        ("inline", ["Loaded tools:\nclose_ticket"]),
        ("bridge", ["Loaded tools, one definition a line. Call them through call_tool:\nclose_ticket"]),
        ("append", []),
    ],
)
def test_what_makes_a_called_tool_known_is_in_the_log_where_it_was_sent(
    tmp_path: Path, strategy: Strategy, said: list[str]
) -> None:
    run = Run(tmp_path).set(strategy=strategy)
    run.scripted(calls(call("close_ticket", ticket=1)), calls(call("finish", summary="done")))
    kinds = [(item.kind, item.text) for each in run.events(ContextAppended) for item in each.items]
    assert [text for kind, text in kinds if kind == "reminder"] == said
    result = next(at for at, (kind, _) in enumerate(kinds) if kind == "tool_result")
    assert [kind for kind, _ in kinds[result + 1 :]][: len(said)] == ["reminder"] * len(said)


def test_the_log_begins_with_the_run_its_surface_and_its_prefix(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(FINISH)
    started, declared, prefix, task = run.sink.events[:4]
    assert isinstance(started, RunStarted) and isinstance(declared, SurfaceDeclared)
    assert (started.mode, started.deferral, started.reports_activations) == ("build", True, True)
    assert declared.complete
    assert isinstance(prefix, ContextAppended) and isinstance(task, ContextAppended)
    assert [item.kind for item in (*prefix.items, *task.items)] == ["system", "index", "startup", "user"]


def test_the_surface_in_the_log_is_what_is_sent(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(FINISH)
    (declared,) = run.events(SurfaceDeclared)
    residents = [each.definition for each in declared.tools if each.state == "resident"]
    sent = [
        {key: value for key, value in each.items() if key != "cache_control"}
        for each in run.requests[0].body["tools"]
        if "defer_loading" not in each
    ]
    assert residents == sent
    assert {each.name for each in declared.tools if each.state == "deferred"} == {
        "assign_ticket",
        "close_ticket",
        "list_sprints",
    }


def test_what_a_request_brought_stands_behind_it(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(calls(call("read", path="a"), text="I look."), FINISH)
    request = run.events(RequestFinished)[0]
    brought = next(each for each in run.events(ContextAppended) if each.items[0].kind == "assistant")
    assert (brought.seq or 0) > (request.seq or 0)
    assert [item.kind for item in brought.items] == ["assistant", "tool_call"]
    assert {item.request for item in brought.items} == {request.request}


def test_the_order_of_a_runs_events_is_told_by_seq_alone(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(calls(call("read", path="a")), calls(call("spawn_agent", task="t")), FINISH, agents={"*": (FINISH,)})
    for name in ("c1", "c1.1"):
        orders = [each.seq for each in run.sink.events if each.run == name]
        assert sorted(orders, key=lambda seq: seq or 0) == list(range(1, len(orders) + 1))


def test_every_event_can_be_read_back(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(calls(call("search_tools", query="close a ticket"), text="I search."), FINISH)
    assert [decode(encode(each)) for each in run.sink.events] == run.sink.events


def test_what_is_no_unicode_does_not_stop_a_run(tmp_path: Path) -> None:
    async def odd(arguments: Arguments, context: Context) -> ToolOutput:
        raise ToolFault("\udc80")

    run = Run(tmp_path, handlers={"read": odd})
    run.scripted(calls(call("read", path="a"), text="\ud800"), FINISH)
    assert b"?" in b"".join(line_of(each) for each in run.sink.events)


def test_a_run_has_a_limit_of_turns(tmp_path: Path) -> None:
    run = Run(tmp_path).set(limits=Limits(turns=3))
    held = run.scripted(*[calls(call("read", path="a"))] * 9)
    assert held.result.reason == "the run has reached its limit of 3 turns"
    assert len(run.requests) == 3
    assert run.events(RunFinished)[0].reason == held.result.reason


def test_a_cut_answer_is_billed_and_counts(tmp_path: Path) -> None:
    run = Run(tmp_path)
    held = run.scripted(Turn(text="abc", error=Error(kind="cut")), FINISH)
    usages = [normalise(each.usage or {}, each.convention).buckets for each in run.events(RequestFinished)]
    assert len(usages) == 2
    assert usages[0].written > 0
    assert held.tally.buckets.prompt == sum(each.prompt for each in usages)


def test_a_reply_that_was_cut_for_its_length_goes_on(tmp_path: Path) -> None:
    run = Run(tmp_path)
    held = run.scripted(Turn(text="one", stop_reason="max_tokens"), Turn(text="two"))
    assert held.result.text == "two"
    assert "cut at the limit of 1000 tokens" in str(run.requests[1].body["messages"][-1])


def test_a_model_that_refuses_ends_the_run(tmp_path: Path) -> None:
    held = Run(tmp_path).scripted(Turn(text="No.", stop_reason="refusal"))
    assert (held.result.outcome, held.result.reason) == ("failed", "the model refused to go on")


def test_an_empty_reply_ends_the_run(tmp_path: Path) -> None:
    assert Run(tmp_path).scripted(Turn()).result.outcome == "completed"


def test_a_provider_that_stays_overloaded_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    run = Run(tmp_path).set(retrying=Retrying(tries=3))
    held = run.scripted(*[Turn(error=Error(kind="overloaded", message="busy"))] * 9)
    assert held.result.reason == "busy"
    assert len(run.events(RequestFinished)) == 3


def test_a_sub_agent_is_a_run_of_its_own_with_its_parent_named(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(calls(call("spawn_agent", task="Look.", title="Looks")), FINISH, agents={"*": (Turn(text="seen"),)})
    (started,) = run.events(RunStarted, "c1.1")
    assert (started.kind, started.parent_run, started.parent_call) == ("sub_agent", "c1", "call_1_1")
    assert (started.profile, started.title) == ("general", "Looks")
    assert [each.child_run for each in run.events(ToolCalled) if each.ok] == ["c1.1", None]


def test_a_sub_agent_that_fails_is_an_answer_and_the_run_goes_on(tmp_path: Path) -> None:
    run = Run(tmp_path)
    failing = (Turn(error=Error(kind="refused", message="too long")),)
    held = run.scripted(calls(call("spawn_agent", task="Look.")), FINISH, agents={"*": failing})
    assert held.result.outcome == "completed"
    assert "The sub-agent failed: too long." in str(run.requests[-1].body["messages"][-1])
    assert run.events(RunFinished, "c1.1")[0].outcome == "failed"


def test_a_sub_agent_starts_no_sub_agents(tmp_path: Path) -> None:
    run = Run(tmp_path)
    child = (calls(call("spawn_agent", task="Look.")), Turn(text="no"))
    run.scripted(calls(call("spawn_agent", task="Look.")), FINISH, agents={"*": child})
    assert {each.run for each in run.events(RunStarted, None)} == {"c1", "c1.1"}


def test_what_a_profile_denies_is_refused_and_not_loaded(tmp_path: Path) -> None:
    run = Run(tmp_path)
    child = (calls(call("close_ticket", ticket=1)), Turn(text="no"))
    run.scripted(calls(call("spawn_agent", task="Look.", profile="explore")), FINISH, agents={"*": child})
    refused = [each for each in run.events(ToolCalled, "c1.1") if each.ok is False]
    assert refused[0].error and "profile explore" in refused[0].error


def test_a_run_that_is_stopped_says_so_in_its_log(tmp_path: Path) -> None:
    hanging = asyncio.Event()

    async def hang(arguments: Arguments, context: Context) -> ToolOutput:
        hanging.set()
        await asyncio.sleep(60)
        return ToolOutput()

    run = Run(tmp_path, handlers={"read": hang})
    agents = {"*": (calls(call("read", path="a")),)}
    script = Script(turns=(calls(call("spawn_agent", task="t"), call("spawn_agent", task="u")),), agents=agents)

    async def main() -> None:
        task = asyncio.ensure_future(run.held(Scripted(script), real))
        await hanging.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    ends = run.events(RunFinished, None)
    assert [(each.run, each.outcome) for each in ends][-1] == ("c1", "cancelled")
    assert {each.outcome for each in ends} == {"cancelled"}
    assert [each.error for each in run.events(ToolCalled, "c1.1") if each.ok is False] == [
        "The run ended before this call did."
    ]


def test_a_request_that_is_stopped_is_in_the_log(tmp_path: Path) -> None:
    run = Run(tmp_path)
    script = Script(turns=(Turn(text="late", first_event_after=60),))

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run.held(Scripted(script), real), 0.2)

    asyncio.run(main())
    assert [each.error for each in run.events(RequestFinished)] == ["cancelled"]


def test_an_error_of_the_harness_itself_leaves_an_end_in_the_log(tmp_path: Path) -> None:
    class Broken(Scripted):
        def stream(self, request: object) -> object:  # type: ignore[override]
            raise ZeroDivisionError

    run = Run(tmp_path)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(run.held(Broken(Script(turns=())), real))
    assert run.events(RunFinished)[0].outcome == "failed"
