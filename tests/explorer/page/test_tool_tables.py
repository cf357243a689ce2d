from __future__ import annotations

import pytest

from explorer.page.tool_tables import Tools
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def tables(scene: Scene, **more: str) -> Tools:
    found = scene.store().page(**more).tools
    assert found is not None
    return found


def test_deferred_tools_stand_by_server() -> None:
    servers = tables(whole()).deferred
    assert [(server.name, len(server.tools), server.loaded) for server in servers] == [
        ("tickets", 2, 1),
        ("built in", 1, 0),
    ]


def test_what_is_saved_leaves_out_what_was_loaded_and_what_is_unknown() -> None:
    found = tables(whole())
    closed = next(each for server in found.deferred for each in server.tools if each.tool.name.endswith("close"))
    assert found.saved == closed.held_back
    assert (found.held_names, found.unknown) == (1, 1)


def test_where_no_schema_is_known_nothing_is_said_to_be_saved() -> None:
    assert tables(Scene().deferred("Fetch").ask(900)).saved is None


def test_a_server_can_be_opened() -> None:
    names = [f"mcp__a__{number}" for number in range(12)]
    scene = Scene().deferred(*names).record(*names).ask(900)
    assert (len(tables(scene).deferred[0].shown), tables(scene).deferred[0].rest) == (4, 8)
    assert tables(scene, server="a").deferred[0].rest == 0


def test_sources_of_schemas_are_counted() -> None:
    assert tables(whole()).sources == ["2 from this log", "1 in no log"]


def test_the_surface_is_one_sentence() -> None:
    assert tables(whole()).words == "17 names on the surface: 14 resident, 3 deferred, of which 1 loaded."


def test_resident_tools_of_an_unseen_list_are_not_said_to_be_none() -> None:
    assert "resident ones not in this log" in tables(Scene().deferred("Fetch").ask(900)).words
