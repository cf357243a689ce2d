from __future__ import annotations

import pytest

from explorer.queries.epochs import Epoch, epochs
from explorer.queries.moment import moment
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def of(scene: Scene) -> list[Epoch]:
    at = moment(scene.store().conversation)
    assert at is not None
    return epochs(at)


def test_a_run_without_a_rewrite_is_one_epoch() -> None:
    assert [(each.first, each.last, each.ended) for each in of(Scene().ask(50).ask(60))] == [(1, 2, None)]


def test_a_compaction_begins_an_epoch() -> None:
    scene = Scene().ask(900).ask(950).rewrite("So far.", kind="compaction", trigger="auto").ask(100)
    first, second = of(scene)
    assert (first.first, first.last, second.first, second.last) == (1, 2, 3, 3)
    assert first.ended is not None
    assert (first.ended.kind, first.ended.trigger) == ("compaction", "auto")


def test_what_was_won_back_is_what_the_log_says() -> None:
    scene = Scene().ask(900).rewrite("So far.", kind="trim", tokens_before=880, tokens_after=80).ask(100)
    ended = of(scene)[0].ended
    assert ended is not None
    assert (ended.won, ended.provenance) == (800, "reported")


def test_or_else_what_the_next_request_was_smaller_by() -> None:
    ended = of(Scene().ask(900).rewrite("So far.", kind="compaction").ask(100))[0].ended
    assert ended is not None
    assert ended.won == 800


def test_nothing_is_won_back_that_nothing_tells_of() -> None:
    ended = of(Scene().ask(0).rewrite("So far.", kind="clear").ask(100))[0].ended
    assert ended is not None
    assert (ended.won, ended.provenance) == (None, "unknown")


def test_of_two_rewrites_between_requests_the_last_ended_the_epoch() -> None:
    scene = Scene().ask(900).rewrite("a", kind="trim").rewrite("b", kind="clear").ask(100)
    first, second = of(scene)
    assert second.number == 2
    assert first.ended is not None
    assert first.ended.kind == "clear"
