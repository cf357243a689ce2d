from __future__ import annotations

import pytest
from django.http import QueryDict

from observability.forms.conversation import Wanted


def _wanted(query: str) -> Wanted:
    return Wanted.of(QueryDict(query).dict())


def test_without_a_query_the_newest_requests_of_the_main_run_are_wanted() -> None:
    assert _wanted("") == Wanted(run="", start=0, end=0, page=1, sort="request", descending=True, events=1)


def test_everything_is_read_from_the_address() -> None:
    assert _wanted("run=a&from=3&to=9&page=2&sort=cost&dir=asc&events=4") == Wanted(
        run="a", start=3, end=9, page=2, sort="cost", descending=False, events=4
    )


@pytest.mark.parametrize("text", ["-1", "0", "two", "٣", "9" * 40, "1e9", ""])
def test_a_page_that_makes_no_sense_is_the_first(text: str) -> None:
    assert _wanted(f"page={text}").page == 1


def test_an_unknown_column_sorts_by_request() -> None:
    assert _wanted("sort=seq;drop").sort == "request"


def test_sorting_by_the_same_column_turns_the_order() -> None:
    assert _wanted("sort=cost").sorted_by("cost") == "?sort=cost&dir=asc"
    assert _wanted("sort=cost&dir=asc").sorted_by("cost") == "?sort=cost&dir=desc"
    assert _wanted("sort=cost&dir=asc").sorted_by("read") == "?sort=read&dir=desc"


def test_a_run_s_uid_is_quoted_in_addresses() -> None:
    assert Wanted(run="a&b=<c>").part(1, 5) == "?run=a%26b%3D%3Cc%3E&from=1&to=5"


def test_another_page_keeps_order_run_and_part() -> None:
    assert _wanted("run=a&from=3&sort=cost").at_page(2) == "?run=a&from=3&sort=cost&dir=desc&page=2"
