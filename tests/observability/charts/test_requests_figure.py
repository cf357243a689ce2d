from __future__ import annotations

import json
from typing import Any

import plotly.graph_objects
import pytest

from observability.charts.request_columns import frame
from observability.charts.requests_figure import MOST_BARS, figure
from observability.models import Conversation
from observability.queries.conversation_page import conversation_page
from tests.factories import AT, a_break, a_conversation, a_request, a_rewrite, a_run, a_search, an_activation

pytestmark = pytest.mark.django_db


def _conversation(requests: int = 3) -> Conversation:
    one = a_conversation()
    a_run(conversation=one, started_at=AT)
    for ordinal in range(1, requests + 1):
        a_request(conversation=one, seq=ordinal * 10, ordinal=ordinal)
    return one


def _figure(one: Conversation, *, start: int = 0, end: int = 0) -> dict[str, Any]:
    page = conversation_page(one.uid)
    shown = frame(page.columns, start=start, end=end)
    assert shown is not None
    return figure(page, shown)


@pytest.mark.parametrize("requests", [3, MOST_BARS + 1])
def test_plotly_takes_it(requests: int) -> None:
    one = _conversation(requests)
    a_run(conversation=one, uid="child", kind="sub_agent", profile="explore", started_at=AT)
    a_search(conversation=one, seq=15, outcome="hit")
    an_activation(conversation=one, seq=16)
    a_rewrite(conversation=one, seq=25)
    a_break(conversation=one, seq=10**6, ordinal=requests + 1)
    drawn = plotly.graph_objects.Figure(_figure(one))
    assert {trace.name for trace in drawn.data} >= {"read", "written", "uncached", "break", "searches", "loaded"}


def test_the_buckets_are_told_apart_by_pattern() -> None:
    bars = _figure(_conversation())["data"][:3]
    assert [bar.get("marker", {}).get("pattern", {}).get("shape") for bar in bars] == [None, "/", "."]


def test_many_requests_are_three_shapes() -> None:
    traces = _figure(_conversation(MOST_BARS + 1))["data"]
    assert [trace["type"] for trace in traces] == ["scatter"] * 3


def test_places_are_not_sent() -> None:
    assert all("x" not in trace for trace in _figure(_conversation())["data"][:3])


def test_it_opens_at_the_part_that_is_shown() -> None:
    axis = _figure(_conversation(100), start=31, end=60)["layout"]["xaxis"]
    assert axis["range"] == [30.5, 60.5]


def test_text_of_a_log_is_never_markup() -> None:
    one = _conversation()
    a_search(conversation=one, query="<a href='//x'>boom</a>", seq=15)
    a_break(conversation=one, seq=40, ordinal=4, reason="<b>moon")
    assert "<" not in json.dumps(_figure(one)).replace("<extra></extra>", "")
