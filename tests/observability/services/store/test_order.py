"""No order of events, and no way of cutting them into batches, changes a row."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

from observability.demo import demo_events
from observability.services.events import store_events
from tests.rows import all_rows

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize("seed", range(4))
def test_shuffled_events_in_any_batches_give_the_same_rows(seed: int, db_reset) -> None:
    events = list(demo_events(NOW))
    store_events(events, source="demo")
    before = all_rows()
    db_reset()
    chance = random.Random(seed)
    chance.shuffle(events)
    while events:
        size = chance.randint(1, 120)
        store_events(events[:size], source="demo")
        del events[:size]
    after = all_rows()
    assert {table: sorted({*rows} ^ {*before[table]}) for table, rows in after.items() if rows != before[table]} == {}


def test_storing_events_again_changes_nothing() -> None:
    store_events(demo_events(NOW), source="demo")
    before = all_rows()
    again = store_events(demo_events(NOW), source="demo")
    assert (again.requests, again.items, again.searches, again.activations) == (0, 0, 0, 0)
    assert all_rows() == before
