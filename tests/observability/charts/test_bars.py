from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from observability.charts.bars import LEAST, segments

Values = st.lists(st.integers(min_value=0, max_value=10**10), min_size=1, max_size=8)


def widths(values: list[int]) -> list[float]:
    return [float(part.width[:-1]) for part in segments([("read", "read", value) for value in values])]


def test_parts_have_widths_in_proportion() -> None:
    assert widths([75, 25]) == [75.0, 25.0]


def test_parts_follow_each_other() -> None:
    assert [part.x for part in segments([("read", "", 50), ("write", "", 30), ("uncached", "", 20)])] == [
        "0.000%",
        "50.000%",
        "80.000%",
    ]


def test_a_part_of_nothing_is_left_out() -> None:
    assert [part.role for part in segments([("read", "", 10), ("write", "", 0)])] == ["read"]


def test_nothing_gives_no_bar() -> None:
    assert segments([("read", "", 0)]) == []


def test_a_thin_part_stays_visible() -> None:
    assert widths([10**9, 1])[1] == LEAST


@given(Values.filter(any))
def test_a_bar_is_always_full(values: list[int]) -> None:
    assert abs(sum(widths(values)) - 100) < 0.01


def test_written_and_uncached_are_told_by_a_pattern_too() -> None:
    parts = segments([("read", "", 1), ("write", "", 1), ("uncached", "", 1)])
    assert [part.pattern for part in parts] == ["", "p-write", "p-unc"]
