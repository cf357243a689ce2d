"""Where requests stand in their chain, and which of them are breaks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from observability.services.store.breaks import Before, walk
from observability.services.store.request_rows import RequestRow

START = datetime(2026, 11, 1, tzinfo=UTC)


def request(seq: int, *, read: int = 0, five: int = 0, hour: int = 0, after: float = 1, **more: object) -> RequestRow:
    """A request `after` seconds from the start."""
    at = START + timedelta(seconds=after)
    return RequestRow(
        seq, seq=seq, uncached=10, read=read, write_5m=five, write_1h=hour, started_at=at, model="m", **more
    )


def test_requests_are_numbered_in_order() -> None:
    places = walk([request(1, five=5000), request(2, read=5000), request(3, read=5000)], [], Before())
    assert [place.ordinal for place in places] == [1, 2, 3]


def test_the_first_request_is_a_cold_start_and_no_break() -> None:
    [place] = walk([request(1, five=50_000)], [], Before())
    assert (place.cold, place.lost) == (True, None)


def test_a_request_after_a_rewrite_is_a_cold_start() -> None:
    places = walk([request(1, five=50_000), request(5, five=9000)], [3], Before())
    assert [(place.chain, place.cold, place.lost) for place in places] == [(0, True, None), (1, True, None)]


@pytest.mark.parametrize(("read", "lost"), [(10_000 - 1023, None), (10_000 - 1024, 1024), (0, 10_000)])
def test_a_break_lost_at_least_1024_tokens(read: int, lost: int | None) -> None:
    *_, place = walk([request(1, five=10_000), request(2, read=read)], [], Before())
    assert place.lost == lost


def test_what_was_rebuilt_is_at_most_what_was_written() -> None:
    *_, place = walk([request(1, five=10_000), request(2, read=0, five=4000)], [], Before())
    assert (place.lost, place.rebuilt) == (10_000, 4000)


def test_a_request_without_prompt_tokens_takes_no_part() -> None:
    places = walk([request(1, five=10_000), RequestRow(2, seq=2), request(3, read=10_000)], [], Before())
    assert [place.lost for place in places] == [None, None, None]
    assert [place.cold for place in places] == [True, False, False]


def test_the_walk_goes_on_from_what_was_before() -> None:
    last = request(7, five=9000)
    [place] = walk([request(8, five=9000)], [], Before(ordinal=41, chain=0, link=last))
    assert (place.ordinal, place.cold, place.lost) == (42, False, 9000)
