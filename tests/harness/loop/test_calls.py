from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.catalogue import OWN, Catalogue
from harness.loop.running import GRACE
from harness.loop.settings import Limits
from harness.loop.toolbox import Arguments, Context, Handler, ServerState, ToolBox, ToolFault, ToolOutput
from harness.modes import PLAN
from harness.providers import Turn
from harness.providers.script import Call
from harness.runlog import SurfaceChanged, ToolActivated, ToolCalled, ToolSearched
from tests.harness.runs import Run, call, calls, texts, tool

FINISH = calls(call("finish", summary="done"))


def results_of(run: Run) -> list[dict[str, Any]]:
    """The blocks that answered the first reply."""
    content: list[dict[str, Any]] = run.requests[1].body["messages"][2]["content"]
    return content


def said(run: Run) -> str:
    return texts(results_of(run))


def outcome(run: Run, name: str) -> ToolCalled:
    """How a call of this tool went."""
    return next(each for each in run.events(ToolCalled) if each.tool == name and each.ok is not None)


def test_arguments_that_do_not_fit_are_refused_with_the_field(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(calls(call("assign_ticket", ticket="seven", person="ada")), FINISH)
    assert "`ticket`: 'seven' is not of type 'integer'" in said(run)
    assert results_of(run)[0]["is_error"] is True
    assert outcome(run, "assign_ticket").ok is False


def test_a_refused_call_of_a_deferred_tool_has_loaded_it(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(calls(call("assign_ticket")), FINISH)
    assert [each.names for each in run.events(ToolActivated)] == [["assign_ticket"]]


def test_arguments_that_are_no_json_are_refused(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(calls(Call(tool="read", arguments='{"path": "a')), FINISH)
    assert 'no JSON object: {"path": "a' in said(run)


def test_a_tool_that_prints_100_mb_is_cut_with_a_note(tmp_path: Path) -> None:
    async def loud(arguments: Arguments, context: Context) -> ToolOutput:
        return ToolOutput(text="x" * 100_000_000)

    run = Run(tmp_path, handlers={"read": loud})
    run.scripted(calls(call("read", path="a")), FINISH)
    assert "99,960,000 of 100,000,000 characters left out" in said(run)
    assert len(said(run)) < 41_000
    assert outcome(run, "read").result_chars == 100_000_000


@pytest.mark.parametrize(
    ("raised", "text"),
    [
        (ToolFault("There is no file a."), "There is no file a."),
        (PermissionError(13, "Permission denied", "a"), "a: Permission denied"),
        (ValueError("a bug"), "read failed: ValueError: a bug"),
    ],
)
def test_whatever_a_tool_raises_is_an_answer_and_the_run_goes_on(tmp_path: Path, raised: Exception, text: str) -> None:
    async def failing(arguments: Arguments, context: Context) -> ToolOutput:
        raise raised

    run = Run(tmp_path, handlers={"read": failing})
    assert run.scripted(calls(call("read", path="a")), FINISH).result.outcome == "completed"
    assert said(run) == text
    assert outcome(run, "read").error == text


def test_a_tool_that_hangs_is_stopped_at_its_limit(tmp_path: Path) -> None:
    async def hanging(arguments: Arguments, context: Context) -> ToolOutput:
        await asyncio.sleep(3600)
        return ToolOutput()

    run = Run(tmp_path, handlers={"read": hanging}).set(limits=Limits(tool_seconds=30))
    run.scripted(calls(call("read", path="a")), FINISH)
    assert said(run) == "read was stopped after 30 s, its time limit."
    assert outcome(run, "read").duration_ms == 30_000


def test_a_tool_that_will_not_stop_holds_the_run_up_for_moments_only(tmp_path: Path) -> None:
    async def stubborn(arguments: Arguments, context: Context) -> ToolOutput:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            await asyncio.sleep(60)
        return ToolOutput()

    run = Run(tmp_path, handlers={"read": stubborn}).set(limits=Limits(tool_seconds=30))
    run.scripted(calls(call("read", path="a")), FINISH)
    assert outcome(run, "read").duration_ms == 30_000 + GRACE * 1000


def test_calls_that_only_look_run_at_the_same_time(tmp_path: Path) -> None:
    run = timed(tmp_path, together=True)
    assert [outcome(run, "read").duration_ms, seconds_of(run)] == [10_000, 10]


def test_calls_that_change_something_run_one_by_one(tmp_path: Path) -> None:
    assert seconds_of(timed(tmp_path, together=False)) == 30


def timed(tmp_path: Path, *, together: bool) -> Run:
    """A run with three calls of a tool that takes ten seconds."""

    async def slow(arguments: Arguments, context: Context) -> ToolOutput:
        await asyncio.sleep(10)
        return ToolOutput(text="done")

    run = Run(tmp_path)
    box = ToolBox({"read": Handler(run=slow, together=together)})
    run.toolset = msgspec.structs.replace(run.toolset, box=box | run.toolset.box)
    run.scripted(calls(*(call("read", path=str(number)) for number in range(3))), FINISH)
    return run


def seconds_of(run: Run) -> float:
    begin, end = run.sink.events[0].at, run.sink.events[-1].at
    assert begin is not None and end is not None
    return (end - begin).total_seconds()


def test_results_come_in_the_order_of_the_calls(tmp_path: Path) -> None:
    run = timed(tmp_path, together=True)
    assert [block["tool_use_id"] for block in results_of(run)] == ["call_1_1", "call_1_2", "call_1_3"]


def test_what_is_denied_cannot_be_called_nor_told_from_what_is_not_there(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.permissions = msgspec.structs.replace(run.permissions, denied=("close_*",))
    run.scripted(calls(call("close_ticket", ticket=1), call("open_door")), FINISH)
    denied, unknown = results_of(run)
    assert denied["content"].replace("close_ticket", "open_door") == unknown["content"]
    assert run.events(ToolActivated) == []


def test_a_loaded_tool_is_asked_about_like_a_resident_one(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.permissions = msgspec.structs.replace(run.permissions, everything=False)
    run.scripted(calls(call("close_ticket", ticket=1), call("write", path="a", content="b")), FINISH)
    loaded, resident = results_of(run)
    assert loaded["content"].replace("close_ticket", "write") == resident["content"]
    assert "needs approval" in loaded["content"]


def test_a_tool_that_nothing_runs_says_so(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.toolset = msgspec.structs.replace(run.toolset, box=ToolBox())
    run.scripted(calls(call("read", path="a")), FINISH)
    assert said(run) == "read cannot be run here: nothing runs it."


def test_two_calls_of_one_tool_load_it_once(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(calls(call("close_ticket", ticket=1), call("close_ticket", ticket=2)), FINISH)
    assert [each.names for each in run.events(ToolActivated)] == [["close_ticket"]]


def test_a_call_through_the_envelope_is_checked_as_the_tool_that_is_meant(tmp_path: Path) -> None:
    run = Run(tmp_path).set(strategy="bridge")
    run.permissions = msgspec.structs.replace(run.permissions, everything=False)
    inner = {"ticket": 1}
    run.scripted(calls(call("call_tool", name="close_ticket", arguments=inner), call("call_tool")), FINISH)
    refused, unclear = results_of(run)
    assert "close_ticket needs approval" in refused["content"]
    assert "call_tool needs `name`" in unclear["content"]
    assert outcome(run, "close_ticket").ok is False


def test_a_server_that_is_not_there_is_in_the_log_and_in_a_miss(tmp_path: Path) -> None:
    run = Run(tmp_path)
    failed = (ServerState(name="crm", error="it died"), ServerState(name="mail", error="sign in", needs_auth=True))
    run.toolset = msgspec.structs.replace(run.toolset, failed=failed)
    run.scripted(calls(call("search_tools", query="xyzzy")), FINISH)
    (changed,) = run.events(SurfaceChanged)
    assert [(each.name, each.error) for each in changed.failed_servers] == [("crm", "it died")]
    assert changed.needs_auth_servers == ["mail"]
    assert run.events(ToolSearched)[0].failed_servers[0].name == "crm"
    assert "crm" in said(run)


def test_two_tools_of_one_name_leave_the_run_with_the_first(tmp_path: Path) -> None:
    twice = Catalogue([tool("close_ticket", ticket="integer"), tool("close_ticket", person="string")])
    run = Run(tmp_path, catalogue=twice)
    run.scripted(calls(call("close_ticket", ticket=1)), FINISH)
    assert outcome(run, "close_ticket").ok is True
    assert len(twice.problems) == 1


def test_a_tool_with_an_odd_name_is_called_by_its_mapped_one(tmp_path: Path) -> None:
    run = Run(tmp_path, catalogue=Catalogue([tool("close ticket!\x1b[31m", ticket="integer")]))
    (name,) = set(run.toolset.catalogue) - set(OWN)
    run.scripted(calls(Call(tool=name, arguments={"ticket": 1})), FINISH)
    assert outcome(run, name).ok is True


def test_a_description_of_1_mb_does_not_reach_the_model(tmp_path: Path) -> None:
    run = Run(tmp_path, catalogue=Catalogue([tool("close_ticket", "word " * 200_000, ticket="integer")]))
    run.scripted(calls(call("close_ticket", ticket=1)), FINISH)
    assert all(len(request.bytes()) < 100_000 for request in run.requests)


def test_another_modes_exit_cannot_be_taken(tmp_path: Path) -> None:
    run = Run(tmp_path).set(mode=PLAN)
    plan = call("hand_over_plan", summary="so", steps=[])
    held = run.scripted(calls(call("finish", summary="x")), calls(plan))
    assert "There is no tool 'finish'" in said(run)
    assert held.result.handed_over == {"summary": "so", "steps": []}


def test_a_question_without_anyone_there_is_answered_with_what_to_do(tmp_path: Path) -> None:
    async def asking(arguments: Arguments, context: Context) -> ToolOutput:
        return ToolOutput(text=await context.ask(arguments["question"], ()))

    run = Run(tmp_path, handlers={"ask_user": asking})
    run.scripted(calls(call("ask_user", question="Red or blue?")), FINISH)
    assert "Nobody is there to answer" in said(run)


def test_a_reply_of_text_alone_ends_the_run(tmp_path: Path) -> None:
    assert Run(tmp_path).scripted(Turn(text="Done.")).result.text == "Done."
