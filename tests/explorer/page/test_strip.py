from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.page.strip import draw
from explorer.queries.moment import COLUMNS, Column, moment, strip
from observability.models import Request
from tests.explorer.scene import Scene


def a_column(first: int, *, last: int = 0, read: int = 900, written: int = 100, breaks: int = 0) -> Column:
    return Column(first=first, last=last or first, read=read, written=written, uncached=0, breaks=breaks)


def test_the_request_that_is_shown_is_marked() -> None:
    drawn = draw([a_column(1), a_column(2), a_column(3)], 2, 3)
    assert [column.current for column in drawn.columns] == [False, True, False]


def test_the_highest_column_fills_the_strip() -> None:
    drawn = draw([a_column(1, read=900, written=100), a_column(2, read=400, written=100)], 1, 2)
    assert sum(float(bar.height) for bar in drawn.columns[0].bars) == pytest.approx(40)
    assert sum(float(bar.height) for bar in drawn.columns[1].bars) == pytest.approx(20)


def test_a_handful_of_uncached_tokens_is_not_drawn() -> None:
    column = Column(first=1, last=1, read=9_000, written=0, uncached=3, breaks=0)
    assert [bar.role for bar in draw([column], 1, 1).columns[0].bars] == ["read"]


def test_columns_of_several_requests_say_so() -> None:
    title = draw([a_column(1, last=4)], 2, 4).columns[0].title
    assert title == "Requests 1 to 4: 250 tokens each on average, 900 read, 100 written, 0 uncached together"


@given(st.integers(1, 3_000), st.data())
def test_the_shown_request_always_has_its_number(count: int, data: st.DataObject) -> None:
    ordinal = data.draw(st.integers(1, count))
    ticks = draw([a_column(1, last=count)], ordinal, count).ticks
    assert ordinal in [tick.ordinal for tick in ticks]
    assert len(ticks) <= 13


@pytest.mark.django_db
def test_a_long_run_shares_columns() -> None:
    scene = Scene()
    for _ in range(COLUMNS + 5):
        scene.ask(100)
    at = moment(scene.store().conversation)
    assert at is not None
    columns = strip(at)
    assert len(columns) <= COLUMNS
    assert (columns[0].first, columns[-1].last) == (1, COLUMNS + 5)
    assert sum(column.written for column in columns) == 100 * Request.objects.count()
