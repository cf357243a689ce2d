from __future__ import annotations

import pytest

from explorer.queries.growth import Growth, growth
from observability.models import Request
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def last_step(scene: Scene) -> Growth:
    now = scene.store().compose()
    return growth(now, Request.objects.get(ordinal=scene.asked - 1))


def test_what_was_added_stands_by_kind() -> None:
    scene = Scene().append("user", "Hello").ask(100).call("Read", "{}", "text " * 50).append("user", "Go on").ask(300)
    step = last_step(scene)
    assert [(each.shape.kind, each.number) for each in step.added] == [
        ("user", 1),
        ("tool_call", 1),
        ("tool_result", 1),
    ]
    assert step.reported == 200
    assert step.tokens + (step.unexplained or 0) == 200


def test_a_schema_that_was_loaded_is_growth() -> None:
    step = last_step(Scene().deferred("Fetch").record("Fetch").ask(100).search("fetch", "Fetch").ask(400))
    assert [each.shape.kind for each in step.added] == ["loaded_tool"]


def test_a_replaced_kind_is_named() -> None:
    step = last_step(Scene().system("Old").ask(100).system("New").ask(110))
    assert step.replaced == ["System prompt"]
    assert step.unexplained is None


def test_a_rewrite_is_no_growth() -> None:
    step = last_step(Scene().append("user", "Hello").ask(900).rewrite("So far.").ask(100))
    assert step.rewritten
    assert step.unexplained is None
