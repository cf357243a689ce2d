from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import TypeVar

import pytest

from harness import runlog, usage
from harness.runlog import AnyEvent, RequestFinished, RunStarted, SurfaceDeclared, ToolActivated, ToolSearched
from observability import pricing
from observability.demo import load_demo
from observability.demo.stories import UIDS, demo_events
from observability.models import Conversation

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
Kind = TypeVar("Kind", bound=AnyEvent)


@pytest.fixture(scope="module")
def events() -> list[AnyEvent]:
    return demo_events(NOW)


def _of(events: list[AnyEvent], kind: type[Kind]) -> list[Kind]:
    return [event for event in events if isinstance(event, kind)]


def _by_run(events: list[AnyEvent]) -> dict[str, list[RequestFinished]]:
    found: dict[str, list[RequestFinished]] = defaultdict(list)
    for event in _of(events, RequestFinished):
        found[event.run].append(event)
    return found


def test_the_demo_is_the_same_each_time(events: list[AnyEvent]) -> None:
    assert demo_events(NOW) == events


def test_every_event_can_be_written_and_read_again(events: list[AnyEvent]) -> None:
    assert list(runlog.read(runlog.encode(event) for event in events)) == events


def test_ids_are_given_once(events: list[AnyEvent]) -> None:
    assert len({event.id for event in events}) == len(events)


def test_nothing_lies_in_the_future(events: list[AnyEvent]) -> None:
    assert max(event.at for event in events if event.at) < NOW


def test_there_are_six_conversations_and_three_sub_agents(events: list[AnyEvent]) -> None:
    starts = _of(events, RunStarted)
    assert {start.conversation for start in starts} == set(UIDS)
    assert [start.kind for start in starts].count("sub_agent") == 3
    assert all(start.demo for start in starts)


def test_each_conversation_has_a_plausible_number_of_requests(events: list[AnyEvent]) -> None:
    assert all(20 <= len(found) <= 90 for run, found in _by_run(events).items() if "explorer" not in run)


def test_reported_usage_gives_the_buckets(events: list[AnyEvent]) -> None:
    for event in _of(events, RequestFinished):
        if event.convention == "exclusive":
            assert event.usage is not None
            assert usage.anthropic(event.usage).buckets == event.buckets


def test_a_cache_is_never_read_beyond_what_was_written(events: list[AnyEvent]) -> None:
    for run, requests in _by_run(events).items():
        prompts = [r.buckets.prompt for r in requests if r.buckets]
        reads = [r.buckets.read for r in requests if r.buckets]
        assert all(read <= before for read, before in zip(reads[1:], prompts, strict=False)), run


def test_searches_end_in_every_way(events: list[AnyEvent]) -> None:
    resident = {t.name for s in _of(events, SurfaceDeclared) for t in s.tools if t.state == "resident"}
    searches = _of(events, ToolSearched)
    found = [[match.tool for match in search.matches or []] for search in searches]
    assert [] in found
    assert any(search.failed_servers for search in searches)
    assert any(search.form == "select" and len(names) == 1 for search, names in zip(searches, found, strict=True))
    assert any(set(names) & resident for names in found)


def test_tools_are_loaded_by_a_search_and_by_a_call(events: list[AnyEvent]) -> None:
    assert {event.trigger for event in _of(events, ToolActivated)} == {"search", "direct_call"}


def test_one_conversation_has_no_price(events: list[AnyEvent]) -> None:
    unpriced = {
        event.conversation
        for event in _of(events, RequestFinished)
        if event.buckets and pricing.cost(event.model or "", event.provider or "", event.at, event.buckets) is None
    }
    assert unpriced == {"demo-photographs"}


@pytest.mark.django_db
def test_stored_it_shows_what_it_promises() -> None:
    load_demo(NOW)
    shown = Conversation.objects.filter(demo=True)
    assert {c.uid: c.breaks for c in shown if c.breaks} == {"demo-mail-provider": 1, "demo-opening-hours": 2}
    assert sum(c.misses for c in shown) == 2
    assert sum(c.sub_agents for c in shown) == 3
