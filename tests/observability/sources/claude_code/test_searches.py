"""Tool searches: every shape of call and result that is known."""

from __future__ import annotations

import pytest

from harness.runlog import SearchForm, ServerFailure, ToolCalled, ToolSearched
from tests.claude_code_lines import Log, Record, references, search_call, text
from tests.observability.sources.claude_code.reading import events, one, read

FAILED = (
    " Note: these configured MCP servers failed to connect, so their tools are unavailable for this session: "
    "playwright (CONNECT_TIMEOUT): no answer in 30s, Team Mail (AUTH_FAILED): token expired"
)
PENDING = " Some MCP servers are still connecting: docs, mail. Their tools will become available shortly."


def found_by(event: ToolSearched) -> list[str] | None:
    """Names of the matches."""
    return None if event.matches is None else [match.tool for match in event.matches]


@pytest.mark.parametrize(
    ("query", "form"),
    [("select:A,B", "select"), ("slack message", "words"), ("+slack send", "required_word"), ("a + b", "words")],
)
def test_a_search_call_has_its_query_and_form(query: str, form: SearchForm) -> None:
    event = one(read(Log().assistant([search_call(query, limit=3)])), ToolSearched)
    assert (event.query, event.form, event.limit, event.tool) == (query, form, 3, "ToolSearch")
    assert event.matches is None


def test_the_older_search_tool_is_a_search() -> None:
    log = Log(version="2.1.2")
    call, result = events(
        read(
            log.assistant([search_call("select:mcp__s__t", tool="MCPSearch")]),
            log.tool_result(references("mcp__s__t"), call="toolu_s"),
        ),
        ToolSearched,
    )
    assert (call.tool, call.call, result.call) == ("MCPSearch", "toolu_s", "toolu_s")
    assert found_by(result) == ["mcp__s__t"]


def test_a_hit_is_read_off_the_tool_references() -> None:
    event = one(read(Log().search_result("WebFetch", "WebSearch", query="select:WebFetch,WebSearch")), ToolSearched)
    assert found_by(event) == ["WebFetch", "WebSearch"]
    assert (event.query, event.form, event.searchable) == ("select:WebFetch,WebSearch", "select", 21)


def test_a_hit_without_the_clients_note_is_a_hit() -> None:
    event = one(read(Log().tool_result(references("WebFetch"), call="toolu_s")), ToolSearched)
    assert found_by(event) == ["WebFetch"]


def test_a_hit_without_references_is_read_off_the_clients_note() -> None:
    extra = {"matches": ["mcp__s__t"], "query": "t", "total_deferred_tools": 4}
    event = one(read(Log().tool_result([text("mcp__s__t: does t")], call="toolu_s", extra=extra)), ToolSearched)
    assert found_by(event) == ["mcp__s__t"]


def test_a_miss_is_a_plain_text_with_no_match() -> None:
    event = one(read(Log().search_miss("select:mcp__pairing__propose")), ToolSearched)
    assert (found_by(event), event.searchable, event.error, event.note) == ([], 21, None, None)


def test_a_miss_is_known_by_its_text_alone() -> None:
    event = one(read(Log().tool_result("No matching deferred tools found", call="toolu_s")), ToolSearched)
    assert found_by(event) == []


def test_a_miss_names_the_servers_that_failed() -> None:
    event = one(read(Log().search_miss("browser", note="." + FAILED)), ToolSearched)
    assert event.failed_servers == [
        ServerFailure(name="playwright", code="CONNECT_TIMEOUT", error="no answer in 30s"),
        ServerFailure(name="Team Mail", code="AUTH_FAILED", error="token expired"),
    ]
    assert (found_by(event), event.note) == ([], FAILED.strip())


def test_the_note_on_failed_servers_can_stand_alone() -> None:
    event = one(read(Log().tool_result(FAILED.strip(), call="toolu_s")), ToolSearched)
    assert found_by(event) == []
    assert [server.name for server in event.failed_servers] == ["playwright", "Team Mail"]


def test_a_miss_names_the_servers_that_are_still_connecting() -> None:
    event = one(read(Log().search_miss("mail", note="." + PENDING)), ToolSearched)
    assert (found_by(event), event.pending_servers) == ([], ["docs", "mail"])


def test_pending_servers_may_stand_in_the_clients_note() -> None:
    event = one(read(Log().search_miss("mail", pending_mcp_servers=["docs"])), ToolSearched)
    assert event.pending_servers == ["docs"]


def test_a_partial_hit_keeps_the_query_and_what_was_found() -> None:
    event = one(read(Log().search_result("A", query="select:A,Missing")), ToolSearched)
    assert (event.query, found_by(event)) == ("select:A,Missing", ["A"])


def test_a_hit_on_a_tool_under_its_old_name_gives_the_name_it_has() -> None:
    event = one(read(Log().search_result("Agent", query="select:Task")), ToolSearched)
    assert found_by(event) == ["Agent"]


def test_an_older_result_in_text_leaves_the_matches_unknown() -> None:
    log = Log(version="2.1.1")
    found = read(
        log.assistant([search_call("slack", tool="MCPSearch")]),
        log.tool_result([text("Loaded: mcp__slack__send")], call="toolu_s"),
    )
    result = events(found, ToolSearched)[1]
    assert (result.matches, result.note) == (None, "Loaded: mcp__slack__send")


def test_references_that_a_resume_removed_are_no_miss() -> None:
    told = "[Tool references removed - tool search not enabled]"
    event = one(read(Log().tool_result(told, call="toolu_s")), ToolSearched)
    assert (event.matches, event.note, event.error) == (None, told, None)


def test_an_interrupted_search_is_an_error() -> None:
    log = Log()
    found = read(
        log.assistant([search_call("slack")]),
        log.tool_result("[Tool result missing due to internal error]", call="toolu_s"),
    )
    result = events(found, ToolSearched)[1]
    assert (result.matches, result.error) == (None, "[Tool result missing due to internal error]")
    assert [event.ok for event in events(found, ToolCalled)] == [None, False]


def test_an_interrupted_call_of_another_tool_is_no_search() -> None:
    found = read(Log().tool_result("[Tool result missing due to internal error]", call="toolu_1"))
    assert events(found, ToolSearched) == []
    assert one(found, ToolCalled).ok is False


def test_a_printed_stream_writes_the_clients_note_in_snake_case() -> None:
    record = Log().search_miss("select:X")
    record["tool_use_result"] = record.pop("toolUseResult")
    event = one(read(record), ToolSearched)
    assert (event.query, event.searchable) == ("select:X", 21)


def test_a_plain_answer_to_a_search_that_was_seen_is_a_miss() -> None:
    log = Log()
    found = read(log.assistant([search_call("slack")]), log.tool_result("Nothing here", call="toolu_s"))
    assert found_by(events(found, ToolSearched)[1]) == []


def test_the_clients_note_beside_several_results_is_given_to_none() -> None:
    log = Log()
    blocks: list[Record] = [
        {"type": "tool_result", "tool_use_id": "a", "content": "x"},
        {"type": "tool_result", "tool_use_id": "b", "content": "y"},
    ]
    found = read(log.user(blocks, toolUseResult={"matches": ["A"], "query": "q", "agentId": "a1"}))
    assert events(found, ToolSearched) == []
    assert [event.child_run for event in events(found, ToolCalled)] == [None, None]


def test_an_ordinary_result_is_no_search() -> None:
    extra = {"filenames": ["a.py"], "durationMs": 4}
    assert events(read(Log().tool_result("a.py", extra=extra)), ToolSearched) == []


def test_a_direct_call_of_an_unknown_tool_is_a_failed_call() -> None:
    message = "<tool_use_error>Error: No such tool available: X</tool_use_error>"
    found = read(Log().tool_result(message, error=True, extra="Error: No such tool available: X"))
    assert one(found, ToolCalled).error == "Error: No such tool available: X"
    assert events(found, ToolSearched) == []


def test_a_search_input_of_the_wrong_type_counts_as_absent() -> None:
    call = search_call("x")
    call["input"] = {"query": ["a"], "max_results": "five"}
    event = one(read(Log().assistant([call])), ToolSearched)
    assert (event.query, event.form, event.limit) == (None, None, None)
