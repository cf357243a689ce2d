from __future__ import annotations

import pytest

from explorer.queries.reading import MOST, Reading, pretty, reading
from observability.models import ContextItem, Run
from observability.services.events import store_events
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def opened(scene: Scene, **by: object) -> Reading:
    item = ContextItem.objects.filter(**by).latest("seq")
    found = reading(item_run(scene), scene.compose(), str(item.pk))
    assert found is not None
    return found


def item_run(scene: Scene) -> Run:
    return Run.objects.get(uid=scene.run, conversation__uid=scene.conversation)


def tool(scene: Scene, name: str) -> Reading:
    found = reading(item_run(scene), scene.compose(), f"tool:{name}")
    assert found is not None
    return found


def test_a_result_leads_to_its_call_and_a_call_to_its_result() -> None:
    scene = whole().store()
    result, call = opened(scene, kind="tool_result"), opened(scene, kind="tool_call")
    assert result.origin and result.origin.call and call.origin and call.origin.call
    assert (result.origin.call.ref, call.origin.call.ref) == (call.ref, result.ref)
    assert (result.origin.call.answers, result.origin.call.ok) == (True, True)


def test_a_result_whose_call_is_no_longer_in_the_context_leads_nowhere() -> None:
    scene = Scene().ask(50).append("tool_call", "{}", label="Read", call="c 1").ask(60).rewrite("So far.")
    found = opened(scene.append("tool_result", "text", call="c 1").ask(70).store(), kind="tool_result")
    assert found.origin and found.origin.call
    assert found.origin.call.ref is None


def test_what_the_model_wrote_names_the_request_that_it_answered() -> None:
    scene = Scene().ask(50)
    found = opened(scene.append("assistant", "Yes", request=scene.request).ask(60).store(), kind="assistant")
    assert found.origin is not None
    assert found.origin.written_by == 1


def test_a_call_is_shown_with_the_line_breaks_of_json() -> None:
    found = opened(whole().store(), kind="tool_call")
    assert '\n  "ticket": 7' in found.pretty


@pytest.mark.parametrize("text", ["{", "not JSON", '{"a":' * 3_000, ""])
def test_what_is_no_json_is_shown_as_it_is(text: str) -> None:
    assert pretty(text) == text


def test_a_long_text_is_cut_at_first_and_says_by_how_much() -> None:
    found = opened(Scene().append("user", "x" * (MOST + 7)).ask(9_000).store(), kind="user")
    assert (len(found.beginning), found.cut, len(found.text or "")) == (MOST, 7, MOST + 7)


def test_a_tool_says_which_conversation_gave_its_definition() -> None:
    Scene("before").record("Fetch").store()
    found = tool(Scene().deferred("Fetch").ask(100).store(), "Fetch")
    assert found.sized and found.sized.definition and found.sized.definition.conversation
    assert found.sized.definition.conversation.uid == "before"


def test_a_tool_says_in_how_many_projects_the_same_definition_stands() -> None:
    Scene("elsewhere", project="windmill").record("Fetch").store()
    found = tool(Scene().record("Fetch").ask(100).store(), "Fetch")
    assert found.known is not None
    assert found.known.number == 2


def test_the_log_that_it_came_from_is_named() -> None:
    scene = whole()
    store_events(scene.events, source="claude_code")
    assert opened(scene, kind="user").log.source == "Claude Code"
