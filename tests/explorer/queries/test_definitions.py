from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from explorer.queries.definitions import Definition
from harness.catalogue import Catalogue
from harness.tools import ToolSpec
from observability.services.catalogues import store_catalogue
from tests.explorer.scene import START, Scene

pytestmark = pytest.mark.django_db
FETCH = ToolSpec(name="Fetch", description="Fetch a page. " * 20)


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


def test_then_from_a_recorded_catalogue() -> None:
    store_catalogue(Catalogue([FETCH]), at=START)
    definition = found(asking().store())
    assert definition is not None
    assert definition.where == "catalogue"
    held_back = asking().store().compose().tools["Fetch"].held_back
    assert held_back is not None and held_back > 0


def test_any_log_goes_before_a_catalogue_whichever_came_first() -> None:
    Scene("elsewhere", project="windmill").record("Fetch").store()
    store_catalogue(Catalogue([FETCH]), at=START + timedelta(days=1))
    definition = found(asking().store())
    assert definition is not None
    assert definition.where == "elsewhere"


def test_a_catalogue_s_tool_is_found_under_the_name_that_claude_code_gives_it() -> None:
    store_catalogue(Catalogue([msgspec.structs.replace(FETCH, server="web", original_name="fetch.page")]), at=START)
    scene = Scene().deferred("mcp__web__fetch.page").ask(100).store()
    assert scene.compose().tools["mcp__web__fetch.page"].schema is not None


def test_a_tool_that_no_log_defines_has_no_size() -> None:
    scene = asking().store()
    assert found(scene) is None
    assert scene.compose().tools["Fetch"].held_back is None
