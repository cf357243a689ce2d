"""Conversations and their runs."""

from __future__ import annotations

from pathlib import PurePath

from harness.runlog import RequestFinished, RunStarted, ToolCalled
from tests.claude_code_lines import Log, Record, agent_meta, text, tool_use, usage_of
from tests.observability.sources.claude_code.reading import events, items, one, read

AGENT_FILE = PurePath("projects/shop/s/subagents/agent-a1.jsonl")


def titles(*records: Record) -> list[tuple[str | None, int]]:
    """Each title that was told, with its rank."""
    return [(event.title, event.title_rank) for event in events(read(*records), RunStarted) if event.title]


def sidechain(record: Record, parent: str | None) -> Record:
    """A line of an interleaved sidechain."""
    return {**record, "isSidechain": True, "parentUuid": parent}


def test_a_run_is_told_once_with_where_it_works() -> None:
    log = Log(version="2.1.36", cwd="/home/dev/shop")
    started = one(read(log.user("hi"), log.assistant([text("a")]), log.user("more")), RunStarted)
    assert (started.run, started.kind, started.agent, started.agent_version) == (
        "main",
        "main",
        "claude-code",
        "2.1.36",
    )
    assert (started.cwd, started.branch, started.provider, started.parent_run) == (
        "/home/dev/shop",
        "main",
        "anthropic",
        None,
    )


def test_a_new_version_of_the_client_is_told() -> None:
    first, second = Log(version="2.1.36").user("hi"), Log(version="2.1.37", prefix="later").user("more")
    assert [event.agent_version for event in events(read(first, second), RunStarted)] == ["2.1.36", "2.1.37"]


def test_a_file_can_hold_several_sessions() -> None:
    found = read(Log("s1").user("hi"), Log("s2").user("there"))
    assert [event.conversation for event in events(found, RunStarted)] == ["s1", "s2"]


def test_a_line_without_session_belongs_to_its_file() -> None:
    record = Log().user("hi")
    del record["sessionId"]
    assert one(read(record, path=PurePath("old-session.jsonl")), RunStarted).conversation == "old-session"


def test_a_record_that_tells_nothing_makes_no_conversation() -> None:
    snapshot = {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}, "isSnapshotUpdate": False}
    found = read(snapshot, {"type": "last-prompt", "lastPrompt": "x", "sessionId": "s"})
    assert not found.events
    assert not found.flags


def test_a_sub_agent_is_a_run_of_its_parents_session() -> None:
    started = one(read(Log("s1", agent="a1").user("look"), path=AGENT_FILE), RunStarted)
    assert (started.conversation, started.run, started.kind, started.parent_run) == ("s1", "a1", "sub_agent", "main")


def test_a_sub_agents_side_file_names_its_call_title_and_profile() -> None:
    side = {"agent-a1.meta.json": agent_meta("toolu_9", kind="Explore", description="Find the tests")}
    started = one(read(Log(agent="a1").user("look"), path=AGENT_FILE, side=side), RunStarted)
    assert (started.parent_call, started.title, started.title_rank, started.profile) == (
        "toolu_9",
        "Find the tests",
        10,
        "Explore",
    )


def test_a_sub_agent_of_a_sub_agent_leaves_its_parent_to_the_call() -> None:
    side = {"agent-a1.meta.json": agent_meta("toolu_9", depth=2)}
    started = one(read(Log(agent="a1").user("look"), path=AGENT_FILE, side=side), RunStarted)
    assert (started.parent_run, started.parent_call) == (None, "toolu_9")


def test_a_side_file_that_cannot_be_read_is_passed_over() -> None:
    found = read(Log(agent="a1").user("look"), path=AGENT_FILE, side={"agent-a1.meta.json": "{"})
    assert one(found, RunStarted).parent_call is None


def test_lines_of_a_sub_agent_name_its_profile() -> None:
    found = read(Log(agent="a1").assistant([text("a")], attributionAgent="Explore"))
    assert one(found, RunStarted).profile == "Explore"


def test_an_agent_that_compacts_is_a_compaction() -> None:
    assert one(read(Log(agent="acompact-f4").user("sum up")), RunStarted).kind == "compaction"


def test_the_result_of_an_agent_call_names_the_child() -> None:
    found = read(Log().tool_result([text("done")], call="toolu_9", extra={"agentId": "a1", "totalDurationMs": 7}))
    called = one(found, ToolCalled)
    assert (called.call, called.child_run, called.duration_ms) == ("toolu_9", "a1", 7)


def test_older_progress_names_the_child_and_counts_nothing() -> None:
    log = Log()
    found = read(*(log.agent_progress("toolu_9", "a1", usage_of(5, read=9_000)) for _ in range(3)))
    called = one(found, ToolCalled)
    assert (called.run, called.call, called.child_run) == ("main", "toolu_9", "a1")
    assert (events(found, RequestFinished), items(found), found.request_lines) == ([], [], 0)


def test_lines_of_an_interleaved_sidechain_belong_to_its_first_line() -> None:
    log = Log()
    call = log.assistant([tool_use("Task", {"prompt": "look around"}, "toolu_9")])
    root = sidechain(log.user("look around"), None)
    answer = sidechain(log.assistant([text("found")]), root["uuid"])
    back = log.tool_result("done", call="toolu_9")
    found = read(call, root, answer, back)
    assert [event.run for event in events(found, RequestFinished)] == ["main", root["uuid"]]
    child = events(found, RunStarted)[1]
    assert (child.run, child.kind, child.parent_run, child.parent_call) == (
        root["uuid"],
        "sub_agent",
        "main",
        "toolu_9",
    )
    assert [event.child_run for event in events(found, ToolCalled) if event.child_run] == [root["uuid"]]


def test_interleaved_sidechains_are_kept_apart() -> None:
    log = Log()
    one_root, other_root = sidechain(log.user("a"), None), sidechain(log.user("b"), None)
    found = read(
        one_root,
        other_root,
        sidechain(log.assistant([text("a")]), one_root["uuid"]),
        sidechain(log.assistant([text("b")]), other_root["uuid"]),
    )
    assert [event.run for event in events(found, RequestFinished)] == [one_root["uuid"], other_root["uuid"]]


def test_the_first_prompt_is_a_title_of_the_lowest_rank() -> None:
    log = Log()
    reminder = log.meta("<system-reminder>x</system-reminder>")
    command = log.user("<command-name>/clear</command-name>")
    assert titles(reminder, command, log.user("Fix\n the   cart " + "x" * 200), log.user("and push")) == [
        (("Fix the cart " + "x" * 200)[:120], 0)
    ]


def test_titles_of_client_and_person_outrank_the_prompt() -> None:
    log = Log()
    found = titles(log.user("hi"), log.title("Cart repair"), log.title("My cart", custom=True))
    assert found == [("hi", 0), ("Cart repair", 20), ("My cart", 30)]


def test_a_summary_is_a_title_only_where_the_session_is_known() -> None:
    line = {"type": "summary", "summary": "Earlier work", "leafUuid": "x"}
    assert titles(line) == []
    assert titles({**line, "sessionId": "s"}) == [("Earlier work", 10)]


def test_the_permission_mode_is_told_when_it_changes() -> None:
    log = Log()
    found = read(*(log.user("x", permissionMode=mode) for mode in ("default", "default", "plan")))
    assert [event.mode for event in events(found, RunStarted)] == ["default", "plan"]


def test_events_are_ordered_by_time_and_then_by_line() -> None:
    log = Log()
    late, early = log.user("a"), log.user("b")
    late["timestamp"], early["timestamp"] = early["timestamp"], late["timestamp"]
    first, second = [event.seq or 0 for event in read(late, early).events if not isinstance(event, RunStarted)]
    assert first < second
    assert (first & 0x1FFFFF, second & 0x1FFFFF) == (1, 2)
