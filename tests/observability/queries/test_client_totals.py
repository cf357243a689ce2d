from __future__ import annotations

from typing import Any

import pytest

from observability.queries.client_totals import ClientTotal, client_totals
from observability.queries.conversation import overall
from tests.factories import a_conversation, a_request, a_run

pytestmark = pytest.mark.django_db


def _totals(record: Any) -> list[ClientTotal]:
    one = a_conversation()
    a_run(conversation=one, totals=record)
    a_request(conversation=one, model="opus", read=90, write_5m=9, uncached=1)
    return client_totals(overall(one.uid))


def test_the_client_s_sums_stand_beside_what_was_counted() -> None:
    usage = {"cacheReadInputTokens": 90, "cacheCreationInputTokens": 9, "inputTokens": 1, "costUSD": 0.25}
    total = _totals({"opus": usage})[0]
    assert not total.differs
    assert (total.cost_pusd, total.output, total.counted.read) == (250_000_000_000, None, 90)


def test_a_note_on_the_window_is_no_other_model() -> None:
    assert _totals({"opus[1m]": {"inputTokens": 1}})[0].counted.uncached == 1


def test_another_count_differs() -> None:
    assert _totals({"opus": {"cacheReadInputTokens": 91}})[0].differs


def test_a_model_that_was_not_counted_is_listed_with_nothing() -> None:
    assert _totals({"haiku": {"inputTokens": 5}})[0].counted.requests == 0


@pytest.mark.parametrize("record", [None, [], "text", {"opus": None}, {"opus": 5}])
def test_a_record_of_another_shape_says_nothing(record: Any) -> None:
    assert _totals(record) == []


@pytest.mark.parametrize("value", [-1, True, "5", 2.5, 10**30, None, []])
def test_a_value_that_is_no_count_is_unknown(value: Any) -> None:
    assert _totals({"opus": {"inputTokens": value}})[0].uncached is None


@pytest.mark.parametrize("value", [-0.5, True, "5", 10**30, 1e300, None])
def test_a_value_that_is_no_amount_is_unknown(value: Any) -> None:
    assert _totals({"opus": {"costUSD": value}})[0].cost_pusd is None
