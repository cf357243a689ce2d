from __future__ import annotations

import pytest

from explorer.queries.surface import Entry, fold, state_after
from harness.tools import server_of
from tests.explorer.scene import Scene

SCHEMA = b"0123456789abcdef"


def entry(seq: int, tool: str, state: str, definition: bytes | None = None, listing: str = "") -> Entry:
    return Entry(seq, tool, state, definition, "", "", "", listing)


def test_a_tool_has_the_state_of_its_last_entry() -> None:
    tools = fold([entry(1, "A", "resident"), entry(2, "A", "deferred"), entry(9, "A", "denied")], 5)
    assert tools["A"].state == "deferred"


def test_a_new_list_removes_what_it_does_not_name() -> None:
    entries = [
        entry(1, "A", "resident"),
        entry(1, "B", "resident"),
        entry(2, "", "resident"),
        entry(2, "B", "resident"),
    ]
    assert {name: tool.state for name, tool in fold(entries, 5).items()} == {"A": "removed", "B": "resident"}


def test_a_new_list_of_one_state_leaves_the_others() -> None:
    entries = [entry(1, "A", "deferred"), entry(2, "", "resident"), entry(2, "B", "resident")]
    assert fold(entries, 5)["A"].state == "deferred"


def test_a_list_of_residents_that_is_written_after_the_first_response_holds_for_it_too() -> None:
    entries = [
        entry(1, "D", "deferred"),
        entry(7, "", "resident"),
        entry(7, "A", "resident"),
        entry(9, "B", "resident"),
    ]
    assert {name: tool.state for name, tool in fold(entries, 5).items()} == {"A": "resident", "D": "deferred"}


def test_a_later_list_does_not_reach_back_where_there_was_one_before() -> None:
    assert set(fold([entry(1, "A", "resident"), entry(7, "B", "resident")], 5)) == {"A"}


def test_a_record_adds_a_definition_and_keeps_the_line_of_the_index() -> None:
    tool = fold([entry(1, "A", "deferred", listing="A: does it"), entry(2, "A", "deferred", SCHEMA)], 5)["A"]
    assert (tool.definition, tool.listing) == (SCHEMA, "A: does it")


def test_a_definition_may_stand_later_in_the_log() -> None:
    assert fold([entry(1, "A", "deferred"), entry(9, "A", "deferred", SCHEMA)], 5)["A"].definition == SCHEMA


@pytest.mark.parametrize(
    ("name", "server"), [("mcp__tickets__assign", "tickets"), ("mcp__a__b__c", "a"), ("Bash", ""), ("mcp__x", "")]
)
def test_a_server_stands_in_the_name(name: str, server: str) -> None:
    assert server_of(name) == server


@pytest.mark.parametrize(
    ("rewrites", "state"),
    [
        ([], "loaded"),
        ([(1, "compaction", [])], "loaded"),
        ([(9, "compaction", ["A"])], "loaded"),
        ([(9, "compaction", ["B"])], None),
        ([(9, "compaction", None)], "unsure"),
        ([(9, "compaction", None), (10, "compaction", ["A"])], "loaded"),
        ([(9, "clear", None)], None),
        ([(9, "trim", None)], "loaded"),
    ],
)
def test_what_stays_loaded_after_a_rewrite(rewrites: list[tuple[int, str, object]], state: str | None) -> None:
    assert state_after("A", 5, rewrites) == state


@pytest.mark.django_db
def test_a_found_tool_is_loaded_from_the_next_request_on() -> None:
    scene = Scene().deferred("A", "B").ask(100).search("a tool", "A").ask(200).store()
    assert scene.compose(1).surface.tools["A"].state == "deferred"
    loaded = scene.compose(2).surface.tools["A"]
    assert (loaded.state, loaded.loading and loaded.loading.query) == ("loaded", "a tool")
    assert loaded.loading is not None
    assert loaded.loading.request == 2


@pytest.mark.django_db
def test_a_tool_that_left_and_came_back_is_not_loaded_any_more() -> None:
    scene = Scene().deferred("A").search("a", "A").removed("A").deferred("A").ask(100).store()
    assert scene.compose().surface.tools["A"].state == "deferred"


@pytest.mark.django_db
def test_a_kept_tool_whose_loading_no_log_shows_is_loaded() -> None:
    scene = Scene().deferred("A").rewrite("So far.", kept=["A"]).ask(100).store()
    assert scene.compose().surface.tools["A"].state == "loaded"


@pytest.mark.django_db
def test_calls_of_a_tool_are_counted_over_the_run() -> None:
    scene = Scene().resident("Read").ask(100).call("Read", "{}", "text").ask(200).call("Read", "{}", "text").store()
    tool = scene.compose(1).surface.tools["Read"]
    assert (tool.calls, tool.last_used) == (2, 2)
