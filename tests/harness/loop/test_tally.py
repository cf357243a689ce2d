from __future__ import annotations

from typing import Any

import pytest

from harness.loop.tally import Tally

READ: dict[str, Any] = {"input_tokens": 10, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 10}


def test_the_rate_is_of_sums_and_writes_count() -> None:
    tally = Tally()
    tally.add(READ, "exclusive")
    tally.add({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}}, "inclusive")
    assert tally.rate is not None
    assert float(tally.rate) == 0.4


def test_the_tokens_before_the_model_are_told() -> None:
    assert Tally().add(READ, "exclusive") == 100


def test_without_a_token_there_is_no_rate() -> None:
    assert Tally().line().startswith("cache rate – of 0 prompt tokens in 0 requests")


@pytest.mark.parametrize("usage", [None, {"input_tokens": -1}])
def test_usage_that_cannot_be_read_is_counted_apart(usage: dict[str, Any] | None) -> None:
    tally = Tally()
    assert tally.add(usage, "exclusive") == 0
    assert (tally.requests, tally.unread) == (1, 1)


def test_the_last_line_names_what_was_loaded_by_what() -> None:
    tally = Tally()
    tally.loaded.update({"search": 2, "direct_call": 1})
    tally.searched(missed=True)
    assert tally.line().endswith("3 tools loaded (1 by direct call, 2 by search); 1 of 1 search found nothing")
