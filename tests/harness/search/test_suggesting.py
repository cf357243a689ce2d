from __future__ import annotations

from harness.search.suggesting import groups, near_names, near_words
from tests.harness.search.tools import OFFICE, tool


def test_a_word_that_may_stand_for_it_is_suggested() -> None:
    assert "letter" not in near_words("climate", OFFICE)
    assert "forecast" in near_words("climate", OFFICE)


def test_a_slip_of_the_pen_is_mended() -> None:
    assert near_words("sprnits", OFFICE)[0] == "sprints"


def test_names_that_look_alike_are_suggested() -> None:
    assert near_names("serch_mail", OFFICE)[0] == "search_mail"


def test_titles_come_with_the_most_tools_first_and_servers_stand_in_for_them() -> None:
    assert groups([*OFFICE, tool("x", server="attic")]) == ["Tickets and projects", "Mail", "World", "attic"]
