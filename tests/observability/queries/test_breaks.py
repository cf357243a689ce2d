from __future__ import annotations

from datetime import timedelta

import pytest

from observability.queries.breaks import breaks, cold_starts
from tests.factories import AT, a_break, a_conversation, a_request, a_run

pytestmark = pytest.mark.django_db


def test_a_break_tells_what_could_have_been_read() -> None:
    one = a_conversation()
    a_break(conversation=one, read=1_000, lost=20_000)
    assert breaks(one.id)[0].readable == 21_000


def test_a_break_tells_how_long_nothing_was_asked_before_it() -> None:
    one = a_conversation()
    a_request(conversation=one, seq=1, started_at=AT, ended_at=AT + timedelta(seconds=30))
    a_break(conversation=one, seq=2, started_at=AT + timedelta(minutes=10))
    assert breaks(one.id)[0].idle_seconds == 570


def test_without_an_end_the_pause_counts_from_the_start_of_the_request_before() -> None:
    one = a_conversation()
    a_request(conversation=one, seq=1, started_at=AT)
    a_break(conversation=one, seq=2, started_at=AT + timedelta(minutes=10))
    assert breaks(one.id)[0].idle_seconds == 600


def test_a_time_that_is_missing_leaves_the_pause_unknown() -> None:
    one = a_conversation()
    a_request(conversation=one, seq=1, started_at=None)
    a_break(conversation=one, seq=2)
    assert breaks(one.id)[0].idle_seconds is None


def test_the_request_before_is_one_of_the_same_run() -> None:
    one = a_conversation()
    other = a_run(conversation=one, uid="child", kind="sub_agent")
    a_request(conversation=one, seq=1, model="small")
    a_request(conversation=one, run_id=other.id, seq=2, model="other")
    a_break(conversation=one, seq=3, model="large")
    found = breaks(one.id)[0]
    assert (found.before_model, found.model) == ("small", "large")


def test_breaks_come_in_the_order_of_their_time() -> None:
    one = a_conversation()
    a_break(conversation=one, ordinal=2, started_at=AT + timedelta(1))
    a_break(conversation=one, ordinal=1, started_at=AT)
    a_break(conversation=one, ordinal=3, started_at=None)
    assert [item.ordinal for item in breaks(one.id)] == [1, 2, 3]


def test_a_request_that_is_no_break_is_not_listed() -> None:
    one = a_conversation()
    a_request(conversation=one)
    assert breaks(one.id) == []


def test_cold_starts_are_those_of_the_run() -> None:
    one = a_conversation()
    run = a_run(conversation=one)
    a_request(conversation=one, ordinal=1, cold=True)
    a_request(conversation=one, ordinal=2)
    a_request(conversation=one, ordinal=3, cold=True)
    assert cold_starts(one.id, run.id) == [1, 3]
