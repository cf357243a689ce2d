from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.loop.history import read_history
from harness.loop.settings import Limits
from harness.loop.watching import Watcher
from harness.providers import Turn
from harness.providers.script import Error
from harness.request import STRATEGIES, Strategy
from harness.request.messages import SUM_UP, SUMMED
from harness.runlog import ContextAppended, ContextRewritten, RequestFinished, ToolActivated
from harness.usage import normalise
from tests.harness.request.building import blocks, unmarked
from tests.harness.runs import Run, call, calls, texts

READ, END = calls(call("read", path="a")), Turn(text="Done.")
SUMMARY = Turn(text="You asked me to do it. I read a.")
FAILURES = {
    "an error": Turn(error=Error(kind="refused", message="busy")),
    "no text": Turn(),
    "a call": calls(call("read", path="a"), text="I look."),
    "a refusal": Turn(text="No.", stop_reason="refusal"),
    "a cut": Turn(text="You asked", stop_reason="max_tokens"),
}


class Hearing(Watcher):
    """Keeps what a user is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def say(self, run: str, text: str) -> None:
        self.heard.append(text)


def compacting(tmp_path: Path, *turns: Turn, at: int = 1, **settings: Any) -> Run:
    """A run whose second request finds its context too long."""
    run = Run(tmp_path).set(limits=Limits(compact_from=at), **settings)
    assert run.scripted(*turns).result.text == "Done."
    return run


def said(run: Run, request: int) -> str:
    return "\n".join(texts(message["content"]) for message in run.requests[request].body["messages"])


def test_a_run_is_not_compacted_unless_that_is_asked_for(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.scripted(READ, END)
    assert not run.events(ContextRewritten)


def test_a_context_below_the_limit_stays(tmp_path: Path) -> None:
    assert not compacting(tmp_path, READ, END, at=100_000).events(ContextRewritten)


def test_the_summary_stands_for_what_was_said_behind_the_opening(tmp_path: Path) -> None:
    run = compacting(tmp_path, READ, SUMMARY, END)
    (message,) = run.requests[2].body["messages"]
    opening, summary = message["content"]
    assert (message["role"], opening["text"]) == ("user", f"The working folder is {tmp_path}.")
    assert summary["text"] == f"{SUMMED}\n\n{SUMMARY.text}"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_summary_is_asked_for_on_the_same_prefix(tmp_path: Path, strategy: Strategy) -> None:
    run = compacting(tmp_path, READ, SUMMARY, END, strategy=strategy)
    first, asking = (unmarked(list(blocks(each.body))) for each in run.requests[:2])
    assert asking[: len(first)] == first
    assert asking[-1]["text"] == SUM_UP
    before, read = (normalise(each.usage or {}, each.convention).buckets for each in run.events(RequestFinished)[:2])
    assert read.read == before.written


def test_the_request_behind_it_reads_tools_and_system_from_the_cache(tmp_path: Path) -> None:
    run = compacting(tmp_path, READ, SUMMARY, END)
    first, _, last = (normalise(each.usage or {}, each.convention).buckets for each in run.events(RequestFinished))
    assert last.read == first.write_1h > 0
    assert run.requests[2].body["tools"] == run.requests[0].body["tools"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_loaded_tools_stay_loaded_and_are_made_known_again(tmp_path: Path, strategy: Strategy) -> None:
    load = calls(call("search_tools", query="close a ticket"))
    run = compacting(tmp_path, load, SUMMARY, END, strategy=strategy)
    (loaded,) = run.events(ToolActivated)
    assert run.events(ContextRewritten)[0].kept_tools == loaded.names == list(run.requests[2].loaded)
    known = str(run.requests[2].body["messages" if strategy != "append" else "tools"])
    assert all(name in known for name in loaded.names)


def test_the_log_has_the_request_the_rewrite_and_the_summary_in_this_order(tmp_path: Path) -> None:
    run = compacting(tmp_path, READ, SUMMARY, END)
    rewritten = next(at for at, each in enumerate(run.sink.events) if isinstance(each, ContextRewritten))
    request, asked, rewrite, summary = run.sink.events[rewritten - 2 : rewritten + 2]
    assert isinstance(asked, ContextAppended) and isinstance(summary, ContextAppended)
    assert isinstance(request, RequestFinished) and isinstance(rewrite, ContextRewritten)
    assert [(item.kind, item.text) for item in asked.items] == [("reminder", SUM_UP)]
    assert (rewrite.kind, rewrite.trigger) == ("compaction", "auto")
    assert [(item.kind, item.text) for item in summary.items] == [("summary", f"{SUMMED}\n\n{SUMMARY.text}")]
    orders = [each.seq or 0 for each in (asked, request, rewrite, summary)]
    assert orders == list(range(orders[0], orders[0] + 4))


def test_tokens_before_and_after_are_those_of_the_messages(tmp_path: Path) -> None:
    (rewrite,) = compacting(tmp_path, calls(call("read", path="word " * 2000)), SUMMARY, END).events(ContextRewritten)
    assert (rewrite.tokens_before or 0) > 4000
    assert 0 < (rewrite.tokens_after or 0) < 200


def test_a_compaction_that_wins_little_is_not_made_again_at_once(tmp_path: Path) -> None:
    run = compacting(tmp_path, READ, SUMMARY, READ, READ, END)
    assert len(run.events(ContextRewritten)) == 1


def test_a_context_that_grows_again_is_compacted_again(tmp_path: Path) -> None:
    long = calls(call("read", path="word " * 5000))
    run = compacting(tmp_path, long, SUMMARY, long, Turn(text="Again."), END)
    assert len(run.events(ContextRewritten)) == 2
    assert "Again." in said(run, -1) and str(SUMMARY.text) not in said(run, -1)


@pytest.mark.parametrize("turn", FAILURES.values(), ids=FAILURES)
def test_a_summary_that_fails_leaves_the_conversation_as_it_was(tmp_path: Path, turn: Turn) -> None:
    run, plain = compacting(tmp_path, READ, turn, END), Run(tmp_path)
    plain.scripted(READ, END)
    assert not run.events(ContextRewritten)
    assert run.requests[2].body == plain.requests[1].body
    assert run.requests[2].bytes() == plain.requests[1].bytes()
    messages = [read_history(each.sink.events).messages("reference") for each in (run, plain)]  # type: ignore[arg-type]
    assert messages[0] == messages[1]


def test_why_it_failed_is_said(tmp_path: Path) -> None:
    run = Run(tmp_path).set(limits=Limits(compact_from=1))
    run.watcher = Hearing()
    run.scripted(READ, FAILURES["an error"], END)
    assert run.watcher.heard == ["the conversation was not compacted: busy"]


def test_what_a_summary_cost_counts(tmp_path: Path) -> None:
    run = Run(tmp_path).set(limits=Limits(compact_from=1))
    assert run.scripted(READ, SUMMARY, END).tally.requests == 3


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_resumed_run_begins_with_the_summary(tmp_path: Path, strategy: Strategy) -> None:
    load = calls(call("search_tools", query="close a ticket"))
    first, second = compacting(tmp_path, load, SUMMARY, END, strategy=strategy), Run(tmp_path).set(strategy=strategy)
    second.history = read_history(first.sink.events)  # type: ignore[arg-type]  # they are all events of the log
    second.scripted(Turn(text="More."))
    sent, sends = (list(blocks(run.requests[at].body)) for run, at in ((first, -1), (second, 0)))
    assert unmarked(sends)[: len(sent)] == unmarked(sent)
    assert str(SUMMARY.text) in said(second, 0)
