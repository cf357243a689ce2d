from __future__ import annotations

import pytest

from explorer.page.headline import HeadlineView
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def view_of(scene: Scene) -> HeadlineView:
    return scene.page().headline


def test_the_slices_sum_up_to_the_idle_cost() -> None:
    view = view_of(whole().store())
    assert view.figures is not None
    assert sum(each.tokens for each in view.slices) == view.figures.idle
    assert view.slices[-1].title == "Residual"


def test_the_bar_has_a_sentence_for_those_who_do_not_see_it() -> None:
    assert view_of(whole().store()).bar_label.startswith("The idle cost by part: Built-in tools ")


def test_without_text_of_the_user_the_idle_cost_is_reported() -> None:
    assert view_of(Scene().ask(900).store()).idle_provenance == "reported"
    assert view_of(Scene("other").append("user", "Hello there").ask(900).store()).idle_provenance == "estimated"


def test_it_says_how_far_messages_are_from_the_prefix() -> None:
    assert view_of(Scene().ask(1_000).ask(1_400).store()).outweighed_words == "400 of 1,000 tokens"


def test_it_says_which_request_outweighed_the_prefix() -> None:
    view = view_of(Scene().ask(1_000).ask(2_400).store())
    assert view.outweighed_words == "request 2: 1,400 of messages against 1,000"


def test_it_says_what_unused_tools_cost_and_what_is_not_known_of_them() -> None:
    assert view_of(Scene().ask(900).store()).unused_words == "the resident tools are not in this log"
    called = Scene("b").resident("Read").ask(900).call("Read", "{}", "x").store()
    assert view_of(called).unused_words == "each resident tool was called"
    unpriced = Scene("c", model="nobody-knows-1").resident("Read").ask(900).store()
    assert view_of(unpriced).unused_words.endswith("tokens a request, unpriced in all")


def test_a_sum_of_which_a_part_has_no_price_says_so() -> None:
    scene = Scene(model="claude-opus-4-5").resident("Read").ask(900).ask(990, model="nobody-knows-1").store()
    assert view_of(scene).unused_words.endswith("in all; 1 share unpriced")
