from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.catalogue import read_catalogue
from harness.search import Ranker
from harness.tools import ToolSpec
from tests.harness.search.tools import OFFICE, tool

QUERIES = st.lists(
    st.sampled_from(
        [
            "ticket",
            "open",
            "mail,",
            "find",
            "a",
            "letter.",
            "weather",
            "and",
            "list",
            "sprint",
            "air",
            "quality",
            "zebra",
            "send_mail",
        ]
    ),
    max_size=8,
).map(" ".join)
CATALOGUES = st.lists(
    st.text(alphabet="abcXYZ_-0", min_size=1, max_size=6), unique_by=str.casefold, min_size=1, max_size=12
).map(lambda names: [tool(name, f"{name[::-1]} thing") for name in names])


def found(query: str, tools: tuple[ToolSpec, ...] = OFFICE, limit: int = 5) -> list[str]:
    return [hit.tool.name for hit in Ranker(tools).search(query, limit)]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("assign a ticket to someone", "assign_ticket"),
        ("opening tickets", "createTicket"),
        ("is the air quality bad in Oslo?", "airquality"),
        ("a letter with a picture", "send_mail"),
        ("how is the temperature tomorrow", "weather_forecast"),
        ("please call list_sprints for the ticket board mail", "list_sprints"),
    ],
)
def test_a_task_finds_its_tool(query: str, name: str) -> None:
    assert found(query)[0] == name


def test_each_step_of_a_request_finds_its_tool() -> None:
    query = "Find the letter about the bug from last week, then open a new ticket for the bug with a summary"
    assert set(found(query, limit=2)) == {"search_mail", "createTicket"}


@pytest.mark.parametrize("query", ["", "  ", "the of and", "?!", "\x00", "zebra xylophone"])
def test_a_query_without_a_known_word_finds_nothing(query: str) -> None:
    assert found(query) == []


def test_no_tools_no_matches() -> None:
    assert found("ticket", ()) == []


@pytest.mark.parametrize("limit", [0, -1])
def test_nothing_is_asked_for(limit: int) -> None:
    assert found("ticket", limit=limit) == []


@given(QUERIES, st.integers(1, 10), st.randoms(use_true_random=False))
def test_the_order_of_tools_changes_nothing(query: str, limit: int, chance: random.Random) -> None:
    shuffled = list(OFFICE)
    chance.shuffle(shuffled)
    assert Ranker(shuffled).search(query, limit) == Ranker(OFFICE).search(query, limit)


@given(QUERIES, st.integers(1, 10))
def test_a_lower_limit_gives_the_beginning_of_a_higher_one(query: str, limit: int) -> None:
    ranker = Ranker(OFFICE)
    assert ranker.search(query, limit) == ranker.search(query, 25)[:limit]


@given(QUERIES)
def test_scores_fall_and_are_above_nothing(query: str) -> None:
    scores = [hit.score for hit in Ranker(OFFICE).search(query, 25)]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)


@given(CATALOGUES)
def test_every_tool_is_found_first_by_its_exact_name(tools: list[ToolSpec]) -> None:
    ranker = Ranker(tools)
    assert [ranker.search(each.name, 1)[0].tool.name for each in tools] == [each.name for each in tools]


def test_every_real_tool_is_found_first_by_its_exact_name(datasets: Path) -> None:
    for file in sorted((datasets / "mcp_catalogues").glob("*.json")):
        tools = list(read_catalogue(file).values())
        ranker = Ranker(tools)
        assert [ranker.search(each.name, 1)[0].tool.name for each in tools] == [each.name for each in tools]
