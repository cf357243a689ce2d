"""Where all text is kept, at least 98 % of every request of the harness is attributed to parts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

from explorer.queries.composition import compose
from harness.loop.settings import Limits
from harness.providers.script import Call
from harness.request import STRATEGIES
from observability.demo import load_demo
from observability.models import Request, Rewrite
from tests.explorer.test_scripted_runs import EAGER, STORY, imported
from tests.scripted import END, search, turn

pytestmark = pytest.mark.django_db
MOST: Final = Decimal("0.02")
Play = Callable[[Path, Any], object]


def _unattributed() -> dict[str, Decimal]:
    """|residual| / total of each request that reports a total."""
    requests = Request.objects.filter(context_tokens__gt=0).select_related("run")
    accounts = {f"{each.run.uid}, request {each.ordinal}": compose(each.run, each).account for each in requests}
    return {
        name: Decimal(abs(account.residual or 0)) / Decimal(account.total or 1) for name, account in accounts.items()
    }


def _resumed(tmp_path: Path, strategy: Any) -> None:
    first = imported(tmp_path, *STORY, strategy=strategy)
    imported(tmp_path, turn("send_mail"), turn(search("read the wiki")), strategy=strategy, before=first.events)


def _with_agents(tmp_path: Path, strategy: Any) -> None:
    spawn = [Call(tool="spawn_agent", arguments={"task": f"Look at {name}.", "profile": "explore"}) for name in "ab"]
    agents = {"*": (turn(search("read the wiki")), turn("get_page"), END)}
    imported(tmp_path, turn(*spawn), agents=agents, strategy=strategy)


def _trimmed(tmp_path: Path, strategy: Any) -> None:
    turns = [turn(Call(tool="read", arguments={"path": f"{number}.txt"})) for number in range(20)]
    settings = {"model": "claude-opus-5", "trimming": EAGER, "limits": Limits(trim_from=1)}
    imported(tmp_path, *turns, strategy=strategy, **settings)
    assert Rewrite.objects.filter(kind="trim").exists()


def _compacted(tmp_path: Path, strategy: Any) -> None:
    turns = (STORY[0], turn(text="All of it."), STORY[1])
    imported(tmp_path, *turns, limits=Limits(compact_from=1), strategy=strategy)
    assert Rewrite.objects.filter(kind="compaction").exists()


def _plain(tmp_path: Path, strategy: Any) -> None:
    imported(tmp_path, *STORY, strategy=strategy)


PLAYS: Final[dict[str, Play]] = {
    "plain": _plain,
    "resumed": _resumed,
    "with sub-agents": _with_agents,
    "trimmed": _trimmed,
    "compacted": _compacted,
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("play", PLAYS)
def test_a_scripted_run_is_attributed(tmp_path: Path, play: str, strategy: Any) -> None:
    PLAYS[play](tmp_path, strategy)
    found = _unattributed()
    assert found
    assert {name: share for name, share in found.items() if share > MOST} == {}


def test_the_demo_is_attributed() -> None:
    load_demo(datetime(2026, 11, 30, 12, tzinfo=UTC))
    found = _unattributed()
    assert len(found) > 300
    assert {name: share for name, share in found.items() if share > MOST} == {}
