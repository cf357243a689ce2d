"""The sums that are kept beside the requests equal the requests."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db.models import Count, Q, Sum

from harness.runlog import RequestFinished
from observability.demo import demo_events
from observability.models import Conversation, HourlyRollup, Request
from observability.services.events import store_events
from observability.services.imports import import_paths
from tests.claude_code_lines import Log, dump, text

pytestmark = pytest.mark.django_db
NAMES = ("uncached", "read", "write_5m", "write_1h", "write_other", "output", "cost_pusd", "rebuilt", "rebuilt_pusd")


def of_requests() -> dict[str, int]:
    """The sums over all requests."""
    sums = Request.objects.aggregate(
        requests=Count("id"),
        breaks=Count("lost"),
        unpriced=Count("id", filter=Q(cost_pusd=None)),
        unrecorded=Count("id", filter=Q(output_recorded=False)),
        **{f"n_{name}": Sum(name) for name in NAMES},
    )
    return {name: value or 0 for name, value in sums.items()}


def kept(model: type[HourlyRollup] | type[Conversation]) -> dict[str, int]:
    """The sums over what is kept."""
    sums = model._default_manager.aggregate(
        **{f"n_{name}": Sum(name) for name in NAMES},
        **{name: Sum(name) for name in ("requests", "breaks", "unpriced")},
        unrecorded=Sum("output_not_recorded"),
    )
    return {name: value or 0 for name, value in sums.items()}


@pytest.mark.parametrize("model", [HourlyRollup, Conversation])
def test_sums_of_real_logs(samples: Path, model: type[HourlyRollup] | type[Conversation]) -> None:
    import_paths([samples / "claude_code"])
    assert kept(model) == of_requests()


@pytest.mark.parametrize("model", [HourlyRollup, Conversation])
def test_sums_of_events_that_come_twice_and_backwards(model: type[HourlyRollup] | type[Conversation]) -> None:
    events = list(demo_events(datetime(2026, 11, 20, 12, tzinfo=UTC)))
    for start in range(0, len(events), 97):
        store_events(reversed(events[start : start + 150]), source="demo")
    assert kept(model) == of_requests()


def test_the_hours_are_those_of_the_requests(samples: Path) -> None:
    import_paths([samples / "claude_code"])
    hours = {
        at.replace(minute=0, second=0, microsecond=0) for at in Request.objects.values_list("started_at", flat=True)
    }
    assert set(HourlyRollup.objects.values_list("hour", flat=True)) == hours


def test_a_request_that_nothing_was_reported_of_is_unpriced() -> None:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    event = RequestFinished(id="r", conversation="c", run="main", at=at, request="k", model="claude-opus-4-5-20251101")
    store_events([event], source="api")
    assert Request.objects.get().cost_pusd is None
    assert Conversation.objects.get().unpriced == 1


def test_a_log_that_starts_at_a_tools_result_is_a_resumed_one(tmp_path: Path) -> None:
    log = Log()
    path = tmp_path / "a.jsonl"
    path.write_bytes(dump([log.tool_result("done"), log.assistant([text("well")])]))
    import_paths([path])
    assert Conversation.objects.get().resumed
