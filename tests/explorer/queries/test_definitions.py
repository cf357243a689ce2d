from __future__ import annotations

import pytest

from explorer.queries.definitions import Definition
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def found(scene: Scene) -> Definition | None:
    return scene.compose().tools["Fetch"].definition


def asking() -> Scene:
    return Scene().deferred("Fetch").ask(100)


def test_a_definition_comes_from_the_run_s_own_log_first() -> None:
    Scene("other").record("Fetch", words=5).store()
    own = found(asking().record("Fetch").store())
    assert own is not None
    assert own.where == "run"


def test_then_from_another_run_of_the_conversation() -> None:
    Scene(run="helper", kind="sub_agent").record("Fetch").store()
    definition = found(asking().store())
    assert definition is not None
    assert definition.where == "conversation"


def test_then_from_another_conversation_of_the_project_and_the_page_says_which() -> None:
    Scene("elsewhere", project="windmill").record("Fetch", words=5).store()
    Scene("before").record("Fetch").store()
    definition = found(asking().store())
    assert definition is not None
    assert definition.where == "project"
    assert definition.conversation is not None
    assert definition.conversation.uid == "before"


def test_then_from_a_log_of_another_project() -> None:
    Scene("elsewhere", project="windmill").record("Fetch").store()
    definition = found(asking().store())
    assert definition is not None
    assert (definition.where, definition.conversation) == ("elsewhere", None)


def test_a_tool_that_no_log_defines_has_no_size() -> None:
    scene = asking().store()
    assert found(scene) is None
    assert scene.compose().tools["Fetch"].held_back is None
