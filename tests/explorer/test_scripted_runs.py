"""The explorer's figures of a run of the harness are the harness's own account of what was sent (done-when 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from explorer.queries.composition import Composition, compose
from harness.accounting import Account, account_of
from harness.accounting.bodies import pieces_of
from harness.loop.settings import Limits
from harness.providers.script import Call, Turn
from harness.request import STRATEGIES, Request, Trimming
from harness.runlog import ContextRewritten
from observability.models import Request as Row
from observability.models import Run, Search
from observability.services.imports import import_paths
from tests.scripted import END, SERVERS, TOOLS, Played, play, search, turn

pytestmark = pytest.mark.django_db
EAGER = Trimming(least_won=1, least_result=1, patience=Decimal(0))

STORY = (
    turn(search("give a ticket to a person"), text="I look for a tool."),
    turn("assign_ticket", "read_me_not"),
    turn(search("xylophone")),
    turn("send_mail", text="I call one that is only named.", first_event_after=0.5),
    turn("send_mail", "close_ticket", takes=2.0),
)


def imported(tmp_path: Path, *turns: Turn, **settings: Any) -> Played:
    """A run that was played, in the store by its log."""
    log = tmp_path / "run.ndjson"
    played = play(*turns, log=log, **settings)
    found = import_paths([log])
    assert (found["quarantined"], found["unrecognised"]) == (0, 0)
    return played


def _pairs(requests: Sequence[Request], run: str = "talk") -> Iterator[tuple[Composition, Request]]:
    rows = Row.objects.filter(run__uid=run).order_by("ordinal")
    return ((compose(row.run, row), sent) for row, sent in zip(rows, requests, strict=True))


def _own(sent: Request, total: int | None) -> Account:
    """The harness's account of the body."""
    pieces = pieces_of(sent.body, servers=SERVERS, residents=sent.resident_count)
    return account_of(pieces, total=total, model=sent.body["model"])


def _told(account: Account) -> dict[str, Any]:
    """All that an account says, rows in any order."""
    return {
        each.shape.kind: (
            each.count,
            each.number,
            sorted((row.label, row.number, row.count.tokens) for row in each.rows),
        )
        for each in account.categories
    }


def _agree(requests: Sequence[Request], run: str = "talk") -> None:
    for seen, sent in _pairs(requests, run):
        own = _own(sent, seen.request.context_tokens)
        assert (_told(seen.account), seen.account.residual) == (_told(own), own.residual)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_request_is_accounted_for_as_it_was_sent(tmp_path: Path, strategy: Any) -> None:
    _agree(imported(tmp_path, *STORY, strategy=strategy).requests)


def test_so_are_requests_without_deferral(tmp_path: Path) -> None:
    _agree(imported(tmp_path, *STORY[1:], deferral=False).requests)


def test_so_are_requests_to_a_provider_that_caches_by_itself(tmp_path: Path) -> None:
    _agree(imported(tmp_path, *STORY, provider="openai", model="gpt-5.6", strategy="append").requests)


def test_so_are_requests_with_thinking(tmp_path: Path) -> None:
    thinking = {"thinking": {"type": "adaptive"}}
    _agree(imported(tmp_path, turn("read", thinking="Which one?"), *STORY, parameters=thinking).requests)


def test_so_are_requests_after_a_trim(tmp_path: Path) -> None:
    turns = [turn(Call(tool="read", arguments={"path": f"{number}.txt"})) for number in range(20)]
    played = imported(tmp_path, *turns, model="claude-opus-5", trimming=EAGER, limits=Limits(trim_from=1))
    assert any(isinstance(event, ContextRewritten) for event in played.events)
    _agree(played.requests)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_so_are_requests_around_a_compaction(tmp_path: Path, strategy: Any) -> None:
    turns = (STORY[0], turn(text="All of it."), STORY[1])
    played = imported(tmp_path, *turns, strategy=strategy, limits=Limits(compact_from=1))
    assert [each.kind for each in played.events if isinstance(each, ContextRewritten)] == ["compaction"]
    _agree(played.requests)


def test_so_are_requests_behind_a_summary_that_failed(tmp_path: Path) -> None:
    played = imported(tmp_path, STORY[0], turn(), STORY[1], limits=Limits(compact_from=1))
    *_, (seen, sent) = _pairs(played.requests)
    assert _told(seen.account) == _told(_own(sent, seen.request.context_tokens))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_so_are_requests_of_a_resumed_run(tmp_path: Path, strategy: Any) -> None:
    first = imported(tmp_path, *STORY, strategy=strategy)
    second = imported(
        tmp_path, turn("send_mail"), turn(search("read the wiki")), strategy=strategy, before=first.events
    )
    _agree([*first.requests, *second.requests])


def test_so_are_requests_of_sub_agents(tmp_path: Path) -> None:
    spawn = [Call(tool="spawn_agent", arguments={"task": f"Look at {name}.", "profile": "explore"}) for name in "ab"]
    played = imported(tmp_path, turn(*spawn), agents={"*": (turn(search("read the wiki")), turn("get_page"), END)})
    for number, name in enumerate("ab", 1):
        _agree(
            [each for each in played.requests if f"Look at {name}." in str(each.body["messages"][0])], f"talk.{number}"
        )


def test_the_residual_of_a_simulated_request_is_what_stands_around_its_parts(tmp_path: Path) -> None:
    for seen, _sent in _pairs(imported(tmp_path, *STORY).requests):
        assert abs(seen.account.residual or 0) < 60


def test_tools_stand_as_they_did(tmp_path: Path) -> None:
    imported(tmp_path, *STORY)
    first, last = compose(*_row(1)), compose(*_row(len(STORY) + 1))
    assert {each.tool.name for each in first.of("deferred")} == set(TOOLS)
    assert {each.tool.name for each in last.of("deferred")} == {"get_page"}
    assert {each.tool.name: each.tool.loading.trigger for each in last.of("loaded") if each.tool.loading} == {
        "assign_ticket": "search",
        "close_ticket": "direct_call",
        "send_mail": "direct_call",
    }
    assert {each.tool.name for each in last.of("denied")} == {"hand_over_plan", "hand_over_review"}
    assert len(last.of("resident")) == 22


def test_searches_hit_and_miss_as_they_did(tmp_path: Path) -> None:
    imported(tmp_path, *STORY)
    assert list(Search.objects.order_by("seq").values_list("query", "outcome")) == [
        ("give a ticket to a person", "hit"),
        ("xylophone", "miss"),
    ]


def _row(ordinal: int) -> tuple[Run, Row]:
    row = Row.objects.get(run__uid="talk", ordinal=ordinal)
    return row.run, row
