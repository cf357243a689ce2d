from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.ribbon.marks import Mark
from explorer.ribbon.plan import Band
from explorer.ribbon.stretches import stretches


def a_mark(number: int, at: int | None) -> Mark:
    return Mark(number=number, place="tail", lifetime="5 min", at=at, fate="", words="")


def cache(read: int, written: int, uncached: int) -> list[Band]:
    return [
        Band("read", 0, read, ""),
        Band("write", read, written, ""),
        Band("uncached", read + written, uncached, ""),
    ]


@given(st.lists(st.integers(1, 5_000), min_size=1, max_size=4), *[st.integers(0, 2_000)] * 3)
def test_the_stretches_make_the_request(places: list[int], read: int, written: int, uncached: int) -> None:
    total = read + written + uncached
    found = stretches([a_mark(n, at) for n, at in enumerate(places, 1)], cache(read, written, uncached), total)
    assert sum(each.tokens for each in found) == total
    assert sum(each.read for each in found) == read
    assert sum(each.written for each in found) == written
    assert all(each.read + each.written + each.uncached == each.tokens for each in found)


def test_each_stretch_says_what_was_read_and_written_in_it() -> None:
    found = stretches([a_mark(1, 40), a_mark(2, 90)], cache(50, 45, 5), 100)
    assert [(each.start, each.end, each.read, each.written, each.uncached) for each in found] == [
        (0, 1, 40, 0, 0),
        (1, 2, 10, 40, 0),
        (2, 0, 0, 5, 5),
    ]


def test_a_marker_whose_place_is_not_known_bounds_nothing() -> None:
    assert [each.end for each in stretches([a_mark(1, None), a_mark(2, 40)], cache(50, 50, 0), 100)] == [2, 0]


def test_nothing_is_laid_under_a_request_whose_bill_is_another() -> None:
    assert stretches([a_mark(1, 40)], [], 100) == []
