from __future__ import annotations

import pytest

from explorer.queries.against import Against, against, other_request
from explorer.queries.moment import moment
from observability.models import Request
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def held(scene: Scene, asked: str = "") -> Against:
    scene.store()
    at = moment(scene.conversation)
    assert at is not None
    other = other_request(at, asked)
    assert other is not None
    return against(at, scene.compose(), other)


def test_the_request_before_stands_whole_at_the_start() -> None:
    found = held(whole())
    assert found.comparison.whole
    assert found.adjacent
    assert [piece.kind for piece in found.comparison.added] == ["tool_call", "tool_result"]


def test_any_other_request_can_be_asked_for() -> None:
    found = held(whole(), "1")
    assert found.other.ordinal == 1
    assert not found.adjacent


def test_a_request_that_is_not_there_is_not_found() -> None:
    with pytest.raises(Request.DoesNotExist):
        held(whole(), "99")


def test_a_tool_that_was_loaded_changed_its_state() -> None:
    found = held(whole(), "1")
    assert [(tool.name, tool.was, tool.now) for tool in found.tools] == [("mcp__tickets__assign", "deferred", "loaded")]


def test_a_tool_with_another_schema_is_told_of() -> None:
    scene = Scene().resident("Read").ask(100).resident("Read", words=60).ask(120)
    (tool,) = held(scene).tools
    assert (tool.was, tool.now, tool.redefined) == ("resident", "resident", True)


def test_tools_come_and_go() -> None:
    scene = Scene().resident("Read", "Edit").ask(100).removed("Edit").deferred("Fetch").ask(120)
    assert [(tool.name, tool.was, tool.now) for tool in held(scene).tools] == [
        ("Edit", "resident", "removed"),
        ("Fetch", "", "deferred"),
    ]


def test_another_model_is_told_of() -> None:
    scene = Scene().append("user", "Hello").ask(50).ask(60, model="claude-haiku-4-5")
    found = held(scene)
    assert found.settings[0] == ("Model", "claude-opus-5", "claude-haiku-4-5")
    assert found.other_total is None


def test_messages_restated_after_a_trim_are_the_same() -> None:
    scene = Scene().append("user", "Hello").ask(50)
    scene.rewrite("So far.", kind="compaction").append("user", "Hello").ask(60)
    assert [piece.kind for piece in held(scene).comparison.common] == ["user"]


def test_a_changed_system_prompt_is_the_first_to_differ() -> None:
    scene = Scene().resident("Read").system("Old").append("user", "Hello").ask(100).system("New").ask(100)
    found = held(scene).comparison
    assert [piece.kind for piece in found.same] == ["builtin_tool"]
    assert found.differs is not None
    assert found.differs.kind == "system"
    assert found.replaced


def test_the_growth_that_no_part_explains_is_left() -> None:
    found = held(Scene().append("user", "Hello").ask(50).append("user", "Hello again").ask(100))
    assert found.grown == 50
    assert found.unexplained == 50 - found.comparison.change
