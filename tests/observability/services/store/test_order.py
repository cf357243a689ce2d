"""No order of events, and no way of cutting them into batches, changes a row."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from harness.runlog import AnyEvent, ContextRewritten, SurfaceChanged, SurfaceDeclared, Tool
from observability.demo import demo_events
from observability.models import Rewrite, ServerReport, SurfaceEntry
from observability.services.events import store_events
from observability.services.store.bulk import FEW
from tests.odd_events import odd_events
from tests.rows import all_rows

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def store_shuffled(events: list[AnyEvent], chance: random.Random, *, most: int) -> None:
    """Store events in another order, cut into batches of random sizes."""
    chance.shuffle(events)
    while events:
        size = chance.randint(1, most)
        store_events(events[:size], source="demo")
        del events[:size]


def changed_since(before: dict[str, list[str]]) -> dict[str, list[str]]:
    """Of each table the rows that are not as they were."""
    after = all_rows()
    return {table: sorted({*rows} ^ {*before[table]}) for table, rows in after.items() if rows != before[table]}


@pytest.mark.parametrize("seed", range(4))
def test_shuffled_events_in_any_batches_give_the_same_rows(seed: int, db_reset) -> None:
    events = list(demo_events(NOW))
    store_events(events, source="demo")
    before = all_rows()
    db_reset()
    store_shuffled(events, random.Random(seed), most=120)
    assert changed_since(before) == {}


@pytest.mark.parametrize("seed", [*range(6), 136, 146, 152])
def test_events_that_collide_give_the_same_rows_in_any_order(seed: int, db_reset) -> None:
    store_events(odd_events(seed), source="demo")
    before = all_rows()
    db_reset()
    store_shuffled(odd_events(seed), random.Random(seed), most=30)
    assert changed_since(before) == {}


def test_storing_events_again_changes_nothing() -> None:
    store_events(demo_events(NOW), source="demo")
    before = all_rows()
    again = store_events(demo_events(NOW), source="demo")
    assert (again.requests, again.items, again.searches, again.activations) == (0, 0, 0, 0)
    assert all_rows() == before


def telling_again(at: datetime | None, kind: str) -> AnyEvent:
    """One event of a log that is told with several times, all at the same place of its run."""
    head = {"id": "e", "conversation": "c", "run": "main", "seq": 7, "at": at}
    if kind == "surface":
        return SurfaceDeclared(**head, tools=[Tool(name="Read", state="resident", server="s")])
    if kind == "server":
        return SurfaceChanged(**head, tools=[], pending_servers=["s"])
    return ContextRewritten(**head, kind="compaction", trigger="auto")


@pytest.mark.parametrize("kind", ["surface", "server", "rewrite"])
@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("order", list(permutations([NOW, NOW + timedelta(seconds=1), None])))
def test_of_copies_at_one_place_the_earliest_stays(
    order: tuple[datetime | None, ...], together: bool, kind: str
) -> None:
    events = [telling_again(at, kind) for at in order]
    for some in [events] if together else [[event] for event in events]:
        store_events(some, source="demo")
    model = {"surface": SurfaceEntry, "server": ServerReport, "rewrite": Rewrite}[kind]
    assert list(model._default_manager.values_list("seq", "at")) == [(7, NOW)]


def test_copies_are_ranked_alike_where_many_rows_are_copied_at_once() -> None:
    for at in (None, NOW + timedelta(seconds=1), NOW, None):
        tools = [Tool(name=f"t{number}", state="resident") for number in range(FEW)]
        store_events([SurfaceDeclared(id="e", conversation="c", run="main", seq=7, at=at, tools=tools)], source="demo")
    assert set(SurfaceEntry.objects.values_list("seq", "at")) == {(7, NOW)}
