"""Which tools requests carried, and how often tools were called: what is kept equals a plain count."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.runlog import AnyEvent, RequestFinished, RunStarted, ToolCalled
from observability import pricing
from observability.demo import demo_events
from observability.models import ListedTool, Request, Run, Sighting, SurfaceUse, ToolCall, ToolList, ToolUse
from observability.services.events import store_events
from observability.services.imports import import_paths
from observability.services.store import request_rows
from tests.observability.services.store.test_order import store_shuffled
from tests.odd_events import odd_events

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def hour_of(at: datetime | None) -> datetime:
    return (at or EPOCH).replace(minute=0, second=0, microsecond=0)


def kept_uses() -> Counter[tuple[object, ...]]:
    names = ("run_id", "hour", "model", "surface_id", "loaded_id", "project_id", "agent", "demo")
    counts = Counter[tuple[object, ...]]()
    for *key, requests, unpriced, pusd in SurfaceUse.objects.values_list(*names, "requests", "unpriced", "start_pusd"):
        counts.update({(*key, "requests"): requests, (*key, "unpriced"): unpriced, (*key, "pusd"): pusd})
    return +counts


def counted_uses() -> Counter[tuple[object, ...]]:
    demo = dict(Run.objects.values_list("id", "conversation__demo"))
    counts = Counter[tuple[object, ...]]()
    for row in request_rows.load():
        if not row.surface_id and not row.loaded_id:
            continue
        price = pricing.start_price(row.model, row.provider, row.started_at, row.buckets)
        about = (row.project_id, row.agent, demo[row.run_id])
        key = (row.run_id, hour_of(row.started_at), row.model, row.surface_id, row.loaded_id, *about)
        counts.update({(*key, "requests"): 1, (*key, "unpriced"): int(price is None), (*key, "pusd"): price or 0})
    return +counts


def kept_calls() -> Counter[tuple[object, ...]]:
    counts = Counter[tuple[object, ...]]()
    for run, hour, tool, calls, failed in ToolUse.objects.values_list("run_id", "hour", "tool", "calls", "failed"):
        counts.update({(run, hour, tool, "calls"): calls, (run, hour, tool, "failed"): failed})
    return +counts


def counted_calls() -> Counter[tuple[object, ...]]:
    owner = dict(Request.objects.values_list("id", "run_id"))
    seen = set(Sighting.objects.values_list("request_id", "run_id"))
    counts = Counter[tuple[object, ...]]()
    for call in ToolCall.objects.exclude(tool=""):
        if (call.request_id, call.run_id) in seen and owner[call.request_id] != call.run_id:
            continue
        key = (call.run_id, hour_of(call.at), call.tool)
        counts.update({(*key, "calls"): 1, (*key, "failed"): int(call.ok is False)})
    return +counts


def assert_kept() -> None:
    assert kept_uses() == counted_uses()
    assert kept_calls() == counted_calls()
    used = {*SurfaceUse.objects.values_list("surface", flat=True), *SurfaceUse.objects.values_list("loaded", flat=True)}
    assert set(ToolList.objects.values_list("id", flat=True)) == used - {0}
    assert set(ListedTool.objects.values_list("list", flat=True)) == used - {0}


def test_of_real_logs(samples: Path) -> None:
    import_paths([samples / "claude_code"])
    assert SurfaceUse.objects.exists() and ToolUse.objects.exists()
    assert_kept()


@pytest.mark.parametrize("seed", range(8))
def test_of_events_that_collide_in_any_order(seed: int) -> None:
    store_shuffled(odd_events(seed, 300), random.Random(seed), most=40)
    assert_kept()


def test_of_events_that_come_twice_and_backwards() -> None:
    events = list(demo_events(NOW))
    for start in range(0, len(events), 97):
        store_events(reversed(events[start : start + 150]), source="demo")
    assert_kept()


def test_calls_of_a_log_that_goes_on_from_another_are_counted_once() -> None:
    store_events([*a_log("first", minute=1), *a_log("second", minute=2)], source="api")
    assert list(ToolUse.objects.values_list("conversation__uid", "calls", "failed")) == [("first", 1, 1)]


@pytest.mark.parametrize("late", ["first", "second"])
def test_whichever_of_the_two_comes_first(late: str) -> None:
    logs = {"first": a_log("first", minute=1), "second": a_log("second", minute=2)}
    store_events(logs.pop(late), source="api")
    store_events(*logs.values(), source="api")
    assert list(ToolUse.objects.values_list("conversation__uid", "calls")) == [("first", 1)]


def test_a_conversation_that_moves_takes_its_sums_along() -> None:
    store_events(a_log("first", minute=1), source="api")
    started = RunStarted(id="s", conversation="first", run="main", at=NOW, agent="acme", project="elsewhere", demo=True)
    store_events([started], source="api")
    assert list(ToolUse.objects.values_list("project__key", "agent", "demo")) == [("elsewhere", "acme", True)]


def a_log(conversation: str, *, minute: int) -> list[AnyEvent]:
    """A request and the call that it made, which failed; every such log tells of the same two."""
    head = {"conversation": conversation, "run": "main", "at": NOW.replace(minute=minute)}
    usage = {"input_tokens": 5}
    return [
        RequestFinished(id=f"{conversation}-r", request="q", model="claude-opus-4-5-20251101", usage=usage, **head),
        ToolCalled(id=f"{conversation}-c", call="c", tool="read_file", ok=False, request="q", **head),
    ]
