from __future__ import annotations

import pytest

from explorer.queries.carried import Carried, item_carried, resident_spans, tool_carried
from observability.models import ContextItem, Request, Run
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def item(**by: str) -> Carried:
    found = ContextItem.objects.get(**by)
    return item_carried(Run.objects.get(), found)


def tool(scene: Scene, name: str, ordinal: int) -> Carried:
    request = Request.objects.get(ordinal=ordinal)
    return tool_carried(Run.objects.get(), request, scene.compose(ordinal).tools[name])


def test_a_message_is_carried_from_the_next_request_to_the_last() -> None:
    Scene().ask(10).append("user", "Hello").ask(100).ask(200).store()
    assert item(kind="user") == Carried(first=2, last=3)


def test_a_rewrite_ends_what_was_said_before_it() -> None:
    Scene().append("user", "Hello").ask(100).ask(200).rewrite("So far.").ask(50).store()
    assert item(kind="user") == Carried(first=1, last=2)
    assert item(kind="summary") == Carried(first=3, last=3)


def test_a_rewrite_leaves_the_prefix() -> None:
    Scene().system("Be careful").ask(100).rewrite("So far.").ask(50).store()
    assert item(kind="system") == Carried(first=1, last=2)


def test_what_takes_the_place_of_a_piece_ends_it() -> None:
    Scene().system("Be careful").ask(100).ask(110).system("Be quick").ask(120).store()
    assert item(kind="system", chars="10") == Carried(first=1, last=2)
    assert item(kind="system", chars="8") == Carried(first=3, last=3)


def test_a_system_prompt_that_is_logged_late_was_there_from_the_first() -> None:
    Scene().ask(100).system("Be careful").ask(110).store()
    assert item(kind="system") == Carried(first=1, last=2)


def test_what_no_request_followed_was_carried_by_none() -> None:
    Scene().ask(100).append("assistant", "Bye").store()
    assert item(kind="assistant").number == 0


def test_a_resident_tool_is_carried_while_its_list_names_it() -> None:
    scene = Scene().resident("Read", "Write").ask(100).ask(110).resident("Read").ask(120).store()
    assert tool(scene, "Read", 2) == Carried(first=1, last=3)
    assert tool(scene, "Write", 1) == Carried(first=1, last=2)


def test_a_list_of_tools_that_is_logged_late_holds_from_the_first_request() -> None:
    scene = Scene().ask(100).resident("Read").ask(110).store()
    assert tool(scene, "Read", 2) == Carried(first=1, last=2)


def test_a_loaded_tool_is_carried_until_a_rewrite_that_does_not_keep_it() -> None:
    scene = Scene().deferred("Fetch").record("Fetch").ask(100).activate("Fetch").ask(150).ask(160)
    scene.rewrite("So far.", kept=[]).ask(50).store()
    assert tool(scene, "Fetch", 3) == Carried(first=2, last=3)


def test_a_deferred_tool_is_carried_by_none() -> None:
    assert tool(Scene().deferred("Fetch").ask(100).store(), "Fetch", 1).number == 0


def test_a_tool_that_leaves_and_comes_back_has_two_spans() -> None:
    rows = [(1, "", "resident"), (1, "Read", "resident"), (5, "Read", "removed"), (9, "Read", "resident")]
    assert resident_spans(rows) == [(1, 5), (9, None)]
