from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.catalogue import Catalogue
from harness.catalogue.own import SEARCH_TOOLS
from harness.search import SEARCH_TOOL_BM25, Ranker, search_tool_bm25, search_tools
from harness.surface import resolve
from tests.harness.search.tools import OFFICE, tool

RANKER = Ranker([*OFFICE, SEARCH_TOOLS])


def test_c4_a_task_in_plain_words_gives_the_tools_to_load() -> None:
    found = search_tools(RANKER, "assign a ticket to someone", loaded={"createTicket"})
    assert found.names[:2] == ("assign_ticket", "createTicket")
    assert "createTicket" not in found.to_load
    assert "assign_ticket" in found.to_load


def test_the_model_is_told_what_it_can_call() -> None:
    found = search_tools(RANKER, "assign a ticket", limit=1)
    assert json.loads(found.text)["matches"] == [
        {
            "name": "assign_ticket",
            "description": "Give a ticket to a person of the team.",
            "arguments": {"ticket": "string, required"},
            "already_loaded": False,
        }
    ]


def test_it_says_how_many_tools_were_searched_and_the_search_itself_is_none_of_them() -> None:
    found = search_tools(RANKER, "search tools find", limit=25)
    assert json.loads(found.text)["tools_searched"] == found.tools_searched == len(OFFICE)
    assert SEARCH_TOOLS.name not in found.names


def test_matches_far_behind_the_best_are_not_loaded() -> None:
    assert search_tools(RANKER, "assign_ticket").names == ("assign_ticket",)


def test_more_matches_than_the_limit_are_told() -> None:
    assert "1 more matched; limit is 1." in search_tools(RANKER, "letters", limit=1).hint


@given(st.integers(-5, 100))
def test_a_limit_is_brought_into_its_bounds(limit: int) -> None:
    tools = [tool(f"mail_{number}") for number in range(40)]
    found = search_tools(Ranker(tools), "mail", limit=limit)
    assert len(found.matches) == found.limit == min(max(limit, 1), 25)


# Misses ------------------------------------------------------------------------


def test_a_miss_says_so_and_not_that_there_is_no_such_tool() -> None:
    found = search_tools(RANKER, "zebra")
    assert found.names == ()
    assert found.hint.startswith("Nothing was found among 7 tools. This does not mean that there is no tool for it")


def test_a_miss_suggests_words_and_titles_that_there_are() -> None:
    hint = search_tools(RANKER, "tikcets").hint
    assert "ticket" in hint.split("Tools here use these words: ")[1].split(".")[0]
    assert "Tools are grouped under: Tickets and projects, Mail, World." in hint


def test_a_miss_names_servers_that_could_not_be_searched() -> None:
    found = search_tools(RANKER, "zebra", pending_servers=["zoo"], failed_servers=["circus"])
    assert "Still connecting, so not searched yet: zoo. Search again in a moment." in found.hint
    assert "Failed, so not searched: circus." in found.hint


def test_servers_are_no_matter_where_something_was_found() -> None:
    assert "zoo" not in search_tools(RANKER, "ticket", pending_servers=["zoo"]).hint


def test_a_search_of_nothing_says_that_there_is_nothing() -> None:
    assert search_tools(Ranker([]), "ticket").hint == "There are no tools to search yet."


# Forms of a query ----------------------------------------------------------------


def test_select_loads_by_name_without_regard_to_case() -> None:
    found = search_tools(RANKER, "select:SEND_MAIL, createTicket,send_mail")
    assert (found.form, found.names) == ("select", ("send_mail", "createTicket"))


def test_select_names_what_does_not_exist_and_what_is_close() -> None:
    assert "No tool is named 'send_male'. Close: send_mail" in search_tools(RANKER, "select:send_male,airquality").hint


def test_select_cannot_name_the_search_itself() -> None:
    assert search_tools(RANKER, "select:search_tools").names == ()


def test_a_word_with_plus_must_be_in_the_name() -> None:
    found = search_tools(RANKER, "+mail letter picture ticket")
    assert (found.form, set(found.names)) == ("required_word", {"send_mail", "search_mail"})


def test_a_required_word_that_no_name_has_is_a_miss_that_says_why() -> None:
    assert "leave the + out" in search_tools(RANKER, "+zebra ticket").hint


# The rest ------------------------------------------------------------------------


def test_c5_the_search_for_outside_clients_ranks_alike_and_only_describes() -> None:
    found = search_tool_bm25(RANKER, "assign a ticket to someone")
    assert found.names == search_tools(RANKER, "assign a ticket to someone").names
    assert found.to_load == ()
    assert "loaded" not in found.text


def test_both_searches_take_the_same_arguments() -> None:
    assert SEARCH_TOOL_BM25.input_schema["properties"].keys() == SEARCH_TOOLS.input_schema["properties"].keys()


def test_c6_a_denied_tool_is_in_no_result() -> None:
    surface = resolve(Catalogue(OFFICE), denied=["send_mail"])
    ranker = Ranker(surface.offered)
    for query in ("send_mail", "select:send_mail", "+send_mail letter", "send a letter to an address"):
        found = search_tools(ranker, query, limit=25)
        assert "send_mail" not in found.names
        assert "Send a letter" not in found.text


@pytest.mark.parametrize(
    "schema",
    [{}, {"properties": []}, {"properties": {"x": 1}, "required": "x"}, {"properties": {"x": {"type": ["a", "b"]}}}],
)
def test_an_odd_schema_is_described_as_far_as_it_can_be(schema: dict[str, object]) -> None:
    odd = tool("odd")
    ranker = Ranker([type(odd)(name="odd", input_schema=schema)])
    assert set(search_tools(ranker, "odd").matches[0].arguments.values()) <= {"any", "a or b"}


def test_a_long_description_is_cut_at_a_mark() -> None:
    text = search_tools(Ranker([tool("wordy", "word " * 500)]), "wordy").matches[0].description
    assert len(text) <= 300
    assert text.endswith("…")


@given(st.text(max_size=100))
def test_any_query_has_an_answer(query: str) -> None:
    assert json.loads(search_tools(RANKER, query).text)["query"] == query
