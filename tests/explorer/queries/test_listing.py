from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from explorer.queries.listing import PAGE, Listing, listing
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def listed(scene: Scene, kind: str, **more: object) -> Listing:
    found = listing(scene.compose(), kind, **more)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_the_pieces_of_a_category_come_in_the_order_sent_with_their_turn() -> None:
    scene = Scene().append("user", "First").append("assistant", "Yes").append("user", "Second").ask(100).store()
    found = listed(scene, "user")
    assert [(each.beginning, each.turn) for each in found.entries] == [("First", 1), ("Second", 2)]


def test_turns_before_the_last_rewrite_count() -> None:
    scene = Scene().append("user", "First").ask(100).store()
    assert listed(scene, "user", turns=4).entries[0].turn == 5


def test_what_stands_before_the_conversation_is_in_no_turn() -> None:
    assert listed(whole().store(), "context_file").entries[0].turn is None


def test_a_list_can_be_narrowed_to_one_row() -> None:
    found = listed(whole().store(), "tool_result", label="ToolSearch")
    assert [each.part.label for each in found.entries] == ["ToolSearch"]


def test_a_row_of_a_file_is_told_from_its_namesake_by_its_owner() -> None:
    scene = Scene().append("context_file", "a", label="NOTES.md", owner="user")
    scene.append("context_file", "bc", label="NOTES.md", owner="project").ask(100).store()
    found = listed(scene, "context_file", label="NOTES.md", owner="project")
    assert [each.chars for each in found.entries] == [2]


def test_the_row_of_a_server_holds_its_tools() -> None:
    found = listed(whole().store(), "mcp_tool", label="docs")
    assert {each.part.ref for each in found.entries} == {"tool:mcp__docs__read", "tool:mcp__docs__list"}


def test_the_tokens_are_those_of_the_table_of_parts() -> None:
    scene = whole().store()
    for category in scene.compose().account.categories:
        assert listed(scene, category.shape.kind).tokens == category.count.tokens


def test_a_kind_that_the_request_has_not_or_that_is_none_has_no_list() -> None:
    now = whole().store().compose()
    assert listing(now, "media") is None
    assert listing(now, "nonsense") is None


def test_a_long_list_comes_in_pages_and_a_page_beyond_the_last_is_the_last() -> None:
    scene = Scene()
    for number in range(PAGE + 3):
        scene.append("user", f"Message {number}")
    found = listed(scene.ask(1_000).store(), "user", page=99)
    assert (found.page, found.pages, len(found.entries)) == (2, 2, 3)


def test_a_list_takes_the_same_queries_whatever_its_length() -> None:
    counts = []
    for length in (10, 20):
        scene = Scene(f"talk {length}")
        for number in range(length):
            scene.append("user", f"Message {number}")
        now = scene.ask(1_000).store().compose()
        with CaptureQueriesContext(connection) as queries:
            listing(now, "user")
        counts.append(len(queries))
    assert counts[0] == counts[1]
