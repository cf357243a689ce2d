from __future__ import annotations

import pytest

from explorer.queries.headline import Headline, headline
from explorer.queries.moment import moment
from observability.models import Conversation
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def headline_of(scene: Scene, ordinal: int | None = None) -> Headline:
    at = moment(scene.conversation, run_uid=scene.run, ordinal=ordinal or scene.asked)
    assert at is not None
    found = headline(at, scene.compose(ordinal))
    assert found is not None
    return found


def test_the_idle_cost_is_the_first_prompt_less_the_user_s_text() -> None:
    found = headline_of(Scene().system("Careful.").append("user", "Hello there. " * 40).ask(5_000).ask(6_000).store())
    assert found.raw == 5_000
    assert found.own > 0
    assert found.idle == 5_000 - found.own


def test_parts_other_text_and_residual_make_the_idle_cost_exactly() -> None:
    found = headline_of(whole().append("reminder", "Mind the time.").store())
    assert [each.shape.kind for each in found.parts][:3] == ["builtin_tool", "mcp_tool", "system"]
    assert found.known + found.other + found.residual == found.idle


def test_it_is_the_same_at_every_request() -> None:
    scene = whole().store()
    assert headline_of(scene, 1) == headline_of(scene, 3)


def test_it_is_that_of_the_main_run_on_a_sub_agent_s_page() -> None:
    whole().store()
    helper = Scene(run="helper", kind="sub_agent").append("user", "Look").ask(70).store()
    assert headline_of(helper).raw == 10_000


def test_there_is_none_without_a_main_run() -> None:
    scene = Scene(run="helper", kind="sub_agent").append("user", "Look").ask(70).store()
    at = moment("talk", run_uid="helper")
    assert at is not None
    assert headline(at, scene.compose()) is None


def test_messages_outweigh_the_prefix_in_the_first_turn_that_they_are_more_in() -> None:
    scene = Scene().append("user", "Hi").ask(1_000).append("user", "Go on").ask(1_900)
    scene.append("user", "And on").ask(2_100).append("user", "Still").ask(9_000)
    found = headline_of(scene.store())
    assert found.outweighed is not None
    assert (found.outweighed.turn, found.outweighed.request) == (3, 3)
    assert found.outweighed.messages == 2_100 - found.idle


def test_it_says_how_far_messages_came_where_they_do_not_outweigh_it() -> None:
    found = headline_of(Scene().append("user", "Hi").ask(1_000).ask(1_400).rewrite("So far.").ask(1_100).store())
    assert found.outweighed is None
    assert found.most == 1_400 - found.idle


def test_just_as_much_does_not_outweigh() -> None:
    assert headline_of(Scene().ask(1_000).ask(2_000).store()).outweighed is None


def test_a_resumed_conversation_compares_with_nothing_where_its_prefix_is_not_in_the_log() -> None:
    scene = Scene().append("tool_result", "text", call="a").append("user", "Go on").ask(8_000).ask(90_000).store()
    found = headline_of(scene)
    assert found.resumed
    assert (found.prefix, found.outweighed, found.most) == (None, None, None)


def test_a_resumed_conversation_compares_with_the_prefix_in_its_log() -> None:
    scene = whole().store()
    Conversation.objects.update(resumed=True)
    found = headline_of(scene)
    assert found.prefix == found.known
    assert found.most == 10_800 - found.known
