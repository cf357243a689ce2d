from __future__ import annotations

import pytest

from observability.queries.happenings import happenings, loaded_tools
from tests.factories import a_conversation, a_rewrite, a_run, a_search, a_server_report, an_activation

pytestmark = pytest.mark.django_db


def test_a_search_tells_what_it_found_and_what_was_missing() -> None:
    one = a_conversation()
    run = a_run(conversation=one)
    a_search(conversation=one, outcome="partial", matches=[{"tool": "a"}, {"tool": "b"}], missing=["c"], pending=["d"])
    search = happenings(one.id, run.id).searches[0]
    assert (search.found, search.missing, search.servers) == (["a", "b"], ["c"], ["d"])


@pytest.mark.parametrize("stored", [None, 5, "text", [1, None, {"tool": 7}, {}]])
def test_a_stored_list_of_another_shape_holds_no_names(stored: object) -> None:
    one = a_conversation()
    run = a_run(conversation=one)
    a_search(conversation=one, matches=stored)
    assert happenings(one.id, run.id).searches[0].found == []


@pytest.mark.parametrize(
    ("outcome", "failed"),
    [("miss", True), ("error", True), ("hit", False), ("partial", False), ("resident", False), ("open", False)],
)
def test_a_miss_and_an_error_are_failures(outcome: str, failed: bool) -> None:
    one = a_conversation()
    run = a_run(conversation=one)
    a_search(conversation=one, outcome=outcome)
    assert happenings(one.id, run.id).searches[0].failed is failed


def test_tools_that_were_loaded_together_are_one_event() -> None:
    one = a_conversation()
    run = a_run(conversation=one)
    for tool in ("b", "a"):
        an_activation(conversation=one, tool=tool, seq=5, trigger="search", search_key=1)
    an_activation(conversation=one, tool="c", seq=5)
    assert [load.tools for load in happenings(one.id, run.id).loads] == [["a", "b"], ["c"]]


def test_servers_that_failed_alike_are_one_event() -> None:
    one = a_conversation()
    run = a_run(conversation=one)
    for server in ("weather", "mail"):
        a_server_report(conversation=one, server=server, seq=5, error="refused")
    event = happenings(one.id, run.id).servers[0]
    assert (event.servers, event.state_label, event.error) == (["mail", "weather"], "Failed", "refused")


def test_a_rewrite_tells_how_many_tools_stayed_loaded_where_the_log_does() -> None:
    one = a_conversation()
    run = a_run(conversation=one)
    a_rewrite(conversation=one, kept_tools=["a", "b"])
    a_rewrite(conversation=one, kept_tools=None)
    assert [item.kept for item in happenings(one.id, run.id).rewrites] == [2, None]


def test_what_happened_in_another_run_is_left_out() -> None:
    one = a_conversation()
    run = a_run(conversation=one, uid="child", kind="sub_agent")
    a_search(conversation=one)
    an_activation(conversation=one)
    found = happenings(one.id, run.id)
    assert not found.searches
    assert not found.loads


def test_a_tool_that_was_loaded_twice_counts_once() -> None:
    one = a_conversation()
    for seq in (1, 2):
        an_activation(conversation=one, tool="a", seq=seq)
    assert loaded_tools(one.id) == 1
