from __future__ import annotations

import pytest

from explorer.text import Paper, render
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def said(scene: Scene) -> str:
    return render(scene.store().page(), Paper(), whole=True)


def test_it_says_how_far_the_prompt_is_that_of_the_request_before() -> None:
    scene = Scene().append("user", "Hello").ask(900).append("assistant", "Hi").append("user", "And?")
    text = " ".join(said(scene.ask(950, read=900)).split())
    assert "All of request 1, the first 900 ● tokens are the same" in text


def test_a_first_request_is_compared_with_none() -> None:
    assert "are the same" not in said(Scene().append("user", "Hello").ask(900))


def test_it_says_what_the_cache_did_between_the_markers() -> None:
    scene = Scene().append("user", "Hello").ask(900).append("user", "More")
    text = said(scene.ask(1_000, read=900, markers=scene.markers("end of the previous turn", "end of this turn")))
    assert "start to 1 900 900 – –" in " ".join(text.split())
    assert "1 to 2 100 – 100 –" in " ".join(text.split())


def test_without_a_rewrite_no_epoch_is_told_of() -> None:
    assert "Epochs" not in said(Scene().append("user", "Hello").ask(900))


def test_epochs_stand_with_what_ended_them() -> None:
    scene = Scene().append("user", "Hello").ask(900).rewrite("In short: hello.", kind="compaction", trigger="manual")
    text = " ".join(said(scene.ask(400)).split())
    assert "1 request 1 500 ● compaction, manual" in text
    assert "2 request 2 this request’s" in text
