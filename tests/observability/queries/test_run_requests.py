from __future__ import annotations

from typing import Any

import pytest

from observability.models import Conversation
from observability.queries.run_requests import PAGE, Columns, RequestPage, Sort, columns, request_page
from tests.factories import a_conversation, a_request, a_run

pytestmark = pytest.mark.django_db


def _conversation(*requests: dict[str, Any]) -> Conversation:
    one = a_conversation()
    a_run(conversation=one)
    for ordinal, given in enumerate(requests, 1):
        a_request(conversation=one, **{"seq": ordinal * 10, "ordinal": ordinal, **given})
    return one


def _page(
    one: Conversation, *, total: int = 3, number: int = 1, sort: Sort = "request", down: bool = True
) -> RequestPage:
    return request_page(one.id, one.runs.get().id, total=total, number=number, sort=sort, descending=down)


def test_columns_follow_the_order_of_the_run() -> None:
    one = _conversation({"seq": 20, "read": 2}, {"seq": 10, "read": 1, "write_5m": 3, "write_1h": 4, "write_other": 5})
    found = columns(one.id, one.runs.get().id)
    assert (found.seqs, found.read, found.written) == ([10, 20], [1, 2], [12, 2_000])


def test_what_happened_belongs_to_the_request_before_it() -> None:
    requests = Columns(seqs=[10, 20, 30])
    assert [requests.at(seq) for seq in (5, 10, 25, 99)] == [1, 1, 2, 3]


def test_what_was_loaded_shows_in_the_request_after_it() -> None:
    requests = Columns(seqs=[10, 20, 30])
    assert [requests.after(seq) for seq in (5, 10, 25, 99)] == [1, 2, 3, 3]


def test_a_run_without_requests_has_no_place_for_what_happened() -> None:
    assert (Columns().at(5), Columns().after(5)) == (0, 0)


def test_the_newest_request_comes_first() -> None:
    assert [row.ordinal for row in _page(_conversation({}, {}, {})).rows] == [3, 2, 1]


@pytest.mark.parametrize(
    ("sort", "order"),
    [("request", [3, 2, 1]), ("prompt", [3, 1, 2]), ("rate", [2, 1, 3]), ("cost", [1, 2, 3]), ("uncached", [3, 2, 1])],
)
def test_rows_are_sorted_by_any_column(sort: Sort, order: list[int]) -> None:
    one = _conversation(
        {"read": 50, "write_5m": 50, "cost_pusd": 9},
        {"read": 60, "write_5m": 0, "cost_pusd": 8},
        {"read": 0, "write_5m": 500, "uncached": 3, "cost_pusd": None},
    )
    assert [row.ordinal for row in _page(one, sort=sort).rows] == order


def test_a_request_without_a_value_comes_last_in_both_directions() -> None:
    one = _conversation({"cost_pusd": None}, {"cost_pusd": 1})
    for down in (True, False):
        assert [row.ordinal for row in _page(one, sort="cost", down=down).rows] == [2, 1]


def test_a_request_without_a_prompt_has_no_rate() -> None:
    one = _conversation({"read": 0, "write_5m": 0})
    assert _page(one, sort="rate").rows[0].rate is None


def test_a_page_beyond_the_last_is_the_last() -> None:
    one = _conversation(*({} for _ in range(PAGE + 1)))
    page = _page(one, total=PAGE + 1, number=9)
    assert (page.number, page.pages, page.first, page.last) == (2, 2, PAGE + 1, PAGE + 1)


def test_a_reason_that_is_not_known_stands_as_it_is() -> None:
    rows = _page(_conversation({"break_reason": "moon"}, {"break_reason": "lifetime"}, {})).rows
    assert [row.reason_label for row in rows] == ["", "Lifetime passed", "moon"]


def test_flags_among_the_rows_are_counted_and_those_of_the_sender_left_out() -> None:
    one = _conversation({"flags": "given_buckets clamped"}, {"flags": "clamped differing_prompt"}, {})
    found = _page(one)
    assert [(flag.label, count) for flag, count in found.flags] == [("Clamped", 2), ("Records differ", 1)]
    assert [[flag.value for flag in row.flagged] for row in found.rows] == [
        [],
        ["clamped", "differing_prompt"],
        ["clamped"],
    ]
