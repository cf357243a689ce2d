from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from observability.charts.request_columns import LEAST_SLOTS, MOST, Frame, frame, numbers_below, scale
from observability.queries.run_requests import Columns


def _columns(*read: int) -> Columns:
    return Columns(seqs=list(range(len(read))), read=list(read), written=[0] * len(read), uncached=[0] * len(read))


def _frame(*read: int, start: int = 0, end: int = 0) -> Frame:
    shown = frame(_columns(*read), start=start, end=end)
    assert shown is not None
    return shown


def test_a_run_without_requests_has_no_picture() -> None:
    assert frame(Columns()) is None


def test_a_few_requests_have_a_column_each() -> None:
    assert [(column.first, column.last, column.read) for column in _frame(5, 6).columns] == [(1, 1, 5), (2, 2, 6)]


def test_few_requests_leave_room_on_the_right() -> None:
    assert _frame(5, 6).slots == LEAST_SLOTS


def test_where_there_are_many_a_column_is_the_mean_of_neighbours() -> None:
    shown = _frame(*(10, 20) * MOST)
    assert shown.step == 2
    assert {column.read for column in shown.columns} == {15}


def test_a_part_of_a_run_is_drawn_request_by_request() -> None:
    shown = _frame(*range(5000), start=101, end=110)
    assert [column.first for column in shown.columns] == list(range(101, 111))


@given(st.integers(1, 2000), st.integers(0, 3000), st.integers(0, 3000))
def test_every_request_of_the_part_is_in_one_column(total: int, start: int, end: int) -> None:
    shown = _frame(*[1] * total, start=start, end=end)
    inside = [ordinal for column in shown.columns for ordinal in range(column.first, column.last + 1)]
    assert inside == list(range(shown.start, shown.end + 1))
    assert len(shown.columns) <= MOST
    assert all(shown.column_of(ordinal).first <= ordinal <= shown.column_of(ordinal).last for ordinal in inside)


@given(st.integers(0, 10**10))
def test_a_scale_holds_its_most_in_a_few_round_steps(most: int) -> None:
    step, top = scale(most)
    assert top >= most
    assert top % step == 0
    assert top // step <= 5


@pytest.mark.parametrize(("most", "expected"), [(100_000, (25_000, 100_000)), (87_000, (25_000, 100_000)), (3, (1, 4))])
def test_steps_are_round(most: int, expected: tuple[int, int]) -> None:
    assert scale(most) == expected


def test_the_first_the_last_and_breaks_are_numbered() -> None:
    assert {1, 51, 24, 38} <= set(numbers_below(_frame(*[1] * 51), [24, 38]))


def test_numbers_keep_their_distance() -> None:
    shown = _frame(*[1] * 400)
    places = [shown.x(ordinal) for ordinal in numbers_below(shown, range(1, 400))]
    assert min(b - a for a, b in zip(places, places[1:], strict=False)) >= 4
