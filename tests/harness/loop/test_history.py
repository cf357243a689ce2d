from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import CommandError
from harness.loop.history import INTERRUPTED, History, read_history
from harness.loop.settings import Limits
from harness.loop.toolbox import Arguments, Context, ToolOutput
from harness.providers import Turn
from harness.request import STRATEGIES, Strategy, Trimming
from harness.runlog import ContextRewritten, RequestFinished, RunStarted, ToolActivated
from tests.harness.request.building import blocks, unmarked
from tests.harness.runs import Run, call, calls, texts


def history_of(run: Run) -> History:
    return read_history(run.sink.events)  # type: ignore[arg-type]  # they are all events of the log


def test_a_run_goes_on_under_its_old_name_and_behind_its_old_end(tmp_path: Path) -> None:
    first, second = Run(tmp_path), Run(tmp_path)
    first.scripted(Turn(text="Soon."))
    second.history = history_of(first)
    second.scripted(Turn(text="Done."))
    last, begin = first.sink.events[-1], second.sink.events[0]
    assert (last.conversation, last.run) == (begin.conversation, begin.run)
    assert (begin.seq or 0) > (last.seq or 0)
    assert isinstance(begin, RunStarted)
    assert begin.title is None
    assert not {each.id for each in first.sink.events} & {each.id for each in second.sink.events}


def test_what_was_said_is_there_again(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(calls(call("read", path="a"), text="I look.", thinking="hm"), Turn(text="Soon."))
    user, assistant, result, last = history_of(run).messages("reference")
    assert texts(user["content"]).endswith("Do it.")
    assert [block["type"] for block in assistant["content"]] == ["text", "tool_use"]
    assert "{'path': 'a'}" in result["content"][0]["content"]
    assert texts(last["content"]) == "Soon."


def test_a_failed_call_is_still_a_failed_one(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(calls(call("read")), Turn(text="Oh."))
    result = history_of(run).messages("append")[2]["content"][0]
    assert result["is_error"] is True


def test_what_a_search_loaded_is_referred_to_again(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(calls(call("search_tools", query="close a ticket")), Turn(text="Found."))
    (activation,) = run.events(ToolActivated)
    content = history_of(run).messages("reference")[2]["content"][0]["content"]
    assert [block["tool_name"] for block in content] == activation.names


def test_a_tool_that_was_called_directly_is_loaded_again(tmp_path: Path) -> None:
    first, second = Run(tmp_path), Run(tmp_path)
    first.scripted(calls(call("close_ticket", ticket=1)), Turn(text="Soon."))
    second.history = history_of(first)
    second.scripted(Turn(text="Done."))
    assert [(each.names, each.trigger) for each in second.events(ToolActivated)] == [(["close_ticket"], "resume")]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_resumed_run_continues_what_was_sent(tmp_path: Path, strategy: Strategy) -> None:
    first, second = Run(tmp_path).set(strategy=strategy), Run(tmp_path).set(strategy=strategy)
    name = ("call_tool", {"name": "close_ticket", "arguments": {"ticket": 1}})
    direct = call(name[0], **name[1]) if strategy == "bridge" else call("close_ticket", ticket=1)
    search = calls(call("search_tools", query="assign a ticket"))
    first.scripted(calls(direct), search, calls(call("read", path="a")), Turn(text="Soon."))
    second.history = history_of(first)
    second.scripted(Turn(text="Done."))
    sent, sends = (list(blocks(run.requests[at].body)) for run, at in ((first, -1), (second, 0)))
    assert unmarked(sends)[: len(sent)] == unmarked(sent)


@pytest.mark.parametrize(("now", "kind"), [("inline", "tool_definition"), ("reference", "tool_reference")])
def test_a_run_that_goes_on_with_another_strategy_makes_its_tools_known_in_it(
    tmp_path: Path, now: Strategy, kind: str
) -> None:
    first, second = Run(tmp_path).set(strategy="bridge"), Run(tmp_path).set(strategy=now)
    first.scripted(calls(call("close_ticket", ticket=1)), Turn(text="Soon."))
    second.history = history_of(first)
    second.scripted(Turn(text="Done."))
    (added,) = (block["tool"] for block in blocks(second.requests[0].body) if block.get("type") == "tool_addition")
    assert added["type"] == kind


def test_a_call_that_was_under_way_is_answered_first(tmp_path: Path) -> None:
    first, second = Run(tmp_path), Run(tmp_path)
    first.scripted(calls(call("read", path="a")), Turn(text="Soon."))
    started = next(at for at, each in enumerate(first.sink.events) if isinstance(each, RequestFinished))
    # The run died here: its reply is in the log, the results are not.
    second.history = read_history(first.sink.events[: started + 3])  # type: ignore[arg-type]
    assert second.history.interrupted[0]["content"] == INTERRUPTED
    assert second.scripted(Turn(text="Done.")).result.outcome == "completed"


def test_a_trimmed_run_goes_on_from_what_was_left(tmp_path: Path) -> None:
    async def long(arguments: Arguments, context: Context) -> ToolOutput:
        return ToolOutput(text="word " * 5000)

    run = Run(tmp_path, handlers={"read": long}).set(limits=Limits(trim_from=1), trimming=Trimming(keep_turns=1))
    run.scripted(*[calls(call("read", path=f"{number}")) for number in range(14)], Turn(text="Soon."))
    assert run.events(ContextRewritten)
    messages = history_of(run).messages("reference")
    assert texts(messages[0]["content"]).startswith("The working folder is")
    assert "old output cut" in texts(messages[2]["content"])
    assert len(messages) == 30


def test_a_log_without_a_run_is_refused() -> None:
    with pytest.raises(CommandError, match="no run that could go on"):
        read_history([])


def test_the_last_main_run_is_the_one_that_goes_on() -> None:
    runs = [RunStarted(id=f"{name}", conversation="c", run=name, seq=1) for name in ("a", "b")]
    child = RunStarted(id="x", conversation="c", run="b.1", kind="sub_agent", seq=1)
    assert read_history([*runs, child]).run == "b"
