from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from observability.charts.requests import Picture, picture, spaced
from observability.models import Conversation
from observability.queries.conversation_page import conversation_page
from tests.factories import a_break, a_conversation, a_request, a_rewrite, a_run, a_search, an_activation

pytestmark = pytest.mark.django_db


def _conversation(requests: int = 3) -> Conversation:
    one = a_conversation()
    a_run(conversation=one)
    for ordinal in range(1, requests + 1):
        a_request(conversation=one, seq=ordinal * 10, ordinal=ordinal, cold=ordinal == 1)
    return one


def _picture(one: Conversation, *, start: int = 0, end: int = 0) -> Picture:
    drawn = picture(
        conversation_page(one.uid),
        request_url="/context/?run=a&request=",
        part_url=lambda first, last: f"?from={first}&to={last}",
        start=start,
        end=end,
    )
    assert drawn is not None
    return drawn


def test_a_run_without_requests_is_not_drawn() -> None:
    page = conversation_page(_conversation(requests=0).uid)
    assert picture(page, request_url="", part_url=lambda first, last: "") is None


def test_it_is_well_formed() -> None:
    one = _conversation()
    a_search(conversation=one, query='<img src=x onerror="boom()">&', seq=15)
    an_activation(conversation=one, tool="<b>", seq=16)
    a_break(conversation=one, seq=40, ordinal=4, reason="<script>")
    ElementTree.fromstring(_picture(one).drawing)


def test_text_of_a_log_is_never_markup() -> None:
    one = _conversation()
    a_search(conversation=one, query="<script>boom()</script>", seq=15)
    a_break(conversation=one, seq=40, ordinal=4, reason="<script>")
    assert "<script" not in _picture(one).drawing


def test_a_column_leads_to_its_request() -> None:
    assert 'href="/context/?run=a&amp;request=2"' in _picture(_conversation()).drawing


def test_a_column_of_several_leads_to_that_part_of_the_run() -> None:
    assert 'href="?from=1&amp;to=2"' in _picture(_conversation(requests=200)).drawing


def test_a_cold_start_is_named() -> None:
    assert _picture(_conversation()).drawing.count("cold start") == 1


def test_a_break_is_named_with_what_it_cost() -> None:
    one = _conversation()
    a_break(conversation=one, seq=40, ordinal=4)
    assert "tools changed, $0.50" in _picture(one).drawing


def test_without_a_break_the_picture_is_lower() -> None:
    one = _conversation()
    low = _picture(one).height
    a_break(conversation=one, seq=40, ordinal=4)
    assert _picture(one).height > low


def test_a_rewrite_is_named() -> None:
    one = _conversation()
    a_rewrite(conversation=one, seq=25, tokens_before=150_000, tokens_after=20_000)
    assert "compacted, 150k → 20.0k" in _picture(one).drawing


def test_lanes_are_drawn_only_where_something_happened() -> None:
    one = _conversation()
    assert _picture(one).lanes == 0
    a_search(conversation=one, seq=15)
    assert _picture(one).lanes == 1


def test_what_happened_outside_the_part_is_left_out() -> None:
    one = _conversation(requests=60)
    a_search(conversation=one, seq=15)
    assert _picture(one, start=30, end=60).lanes == 0


def test_nothing_is_drawn_beyond_the_width() -> None:
    one = _conversation(requests=170)
    a_break(conversation=one, seq=9_999, ordinal=171)
    widths = [float(x) for x in re.findall(r'\bx\d?="(-?[\d.]+)%"', _picture(one).drawing)]
    assert min(widths) >= 0
    assert max(widths) <= 100


def test_a_name_that_would_cover_the_next_mark_is_left_out() -> None:
    assert spaced([(1.0, "2 by search"), (2.0, "1 by search"), (50.0, "")]) == ["", "1 by search", ""]


def test_no_style_attribute_is_needed() -> None:
    assert "style=" not in _picture(_conversation()).drawing
