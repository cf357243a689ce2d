from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import TypeVar

import pytest

from harness import runlog, usage
from harness.runlog import (
    AnyEvent,
    Buckets,
    ContextRewritten,
    RequestFinished,
    RunFinished,
    RunStarted,
    SurfaceDeclared,
    ToolActivated,
    ToolSearched,
)
from observability import pricing
from observability.demo import load_demo
from observability.demo.stories import UIDS, demo_events
from observability.models import Conversation, Request, Rewrite

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


def _buckets(event: RequestFinished) -> Buckets:
    """What was billed; nothing for a request that was stopped."""
    return usage.normalise(event.usage or {}, event.convention).buckets


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
    assert len({start.run for start in starts if start.kind == "sub_agent"}) == 3
    assert all(start.demo for start in starts)


def test_each_conversation_has_a_plausible_number_of_requests(events: list[AnyEvent]) -> None:
    assert all(20 <= len(found) <= 90 for run, found in _by_run(events).items() if run in UIDS)


def test_every_request_that_was_answered_reports_its_usage(events: list[AnyEvent]) -> None:
    assert all((_buckets(event).prompt > 0) == (event.error is None) for event in _of(events, RequestFinished))


def test_a_cache_is_never_read_beyond_what_was_written(events: list[AnyEvent]) -> None:
    for run, requests in _by_run(events).items():
        prompts = [_buckets(request).prompt for request in requests]
        reads = [_buckets(request).read for request in requests]
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
        if pricing.cost(event.model or "", event.provider or "", event.at, _buckets(event)) is None
    }
    assert unpriced == {"demo-photographs"}


def test_stale_output_is_cut_in_a_long_conversation(events: list[AnyEvent]) -> None:
    cut = [event for event in _of(events, ContextRewritten) if event.conversation == "demo-release"]
    assert "trim" in {event.kind for event in cut}


def test_a_long_conversation_is_compacted_once_and_keeps_its_tools(events: list[AnyEvent]) -> None:
    (made,) = [event for event in _of(events, ContextRewritten) if event.kind == "compaction"]
    loaded = [name for event in _of(events, ToolActivated) if event.run == made.run for name in event.names]
    assert made.conversation == "demo-release"
    assert made.kept_tools == loaded != []
    assert (made.tokens_after or 0) * 10 < (made.tokens_before or 0)


def test_the_request_after_a_compaction_reads_tools_and_system_from_the_cache(events: list[AnyEvent]) -> None:
    (made,) = [event for event in _of(events, ContextRewritten) if event.kind == "compaction"]
    own = _by_run(events)[made.run]
    after = _buckets(next(event for event in own if (event.seq or 0) > (made.seq or 0)))
    assert after.read == _buckets(own[0]).write_1h > 0


def test_one_is_stopped_by_its_user_and_the_rest_come_to_their_end(events: list[AnyEvent]) -> None:
    ends = {event.run: event.outcome for event in _of(events, RunFinished)}
    assert [run for run, outcome in ends.items() if outcome != "completed"] == ["demo-photographs"]


def test_siblings_read_what_the_first_explorer_wrote(events: list[AnyEvent]) -> None:
    """The gate of the fan-out: only one of the three writes their prefix."""
    firsts = [found[0] for run, found in _by_run(events).items() if run not in UIDS]
    assert sorted(_buckets(event).read > 0 for event in firsts) == [False, True, True]


@pytest.mark.django_db
def test_stored_it_shows_what_it_promises() -> None:
    load_demo(NOW)
    shown = Conversation.objects.filter(demo=True)
    assert {c.uid: c.breaks for c in shown if c.breaks} == {"demo-mail-provider": 1, "demo-opening-hours": 2}
    assert sum(c.misses for c in shown) == 2
    assert sum(c.sub_agents for c in shown) == 3
    assert Rewrite.objects.filter(kind="compaction", conversation__uid="demo-release").count() == 1


@pytest.mark.django_db
def test_each_break_has_the_reason_that_its_story_tells() -> None:
    load_demo(NOW)
    found = Request.objects.exclude(break_reason="").order_by("started_at")
    assert list(found.values_list("conversation__uid", "break_reason", "break_evidence")) == [
        ("demo-opening-hours", "lifetime", "rule"),
        ("demo-opening-hours", "lifetime", "rule"),
        ("demo-mail-provider", "tools_changed", "provider"),
    ]
