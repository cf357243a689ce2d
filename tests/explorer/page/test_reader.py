from __future__ import annotations

import pytest

from explorer.page.reader import Asked, Reader, find_query, read, row_query
from explorer.queries.moment import moment
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def opened(scene: Scene, **asked: object) -> Reader:
    at = moment(scene.conversation, run_uid=scene.run)
    assert at is not None
    return read(at, scene.compose(), Asked(**asked))  # type: ignore[arg-type]


def test_nothing_is_open_where_nothing_is_asked() -> None:
    reader = opened(whole().store())
    assert (reader.reading, reader.listing, reader.found) == (None, None, None)


def test_a_list_of_one_piece_opens_that_piece() -> None:
    reader = opened(whole().store(), kind="context_file")
    assert reader.listing is None
    assert reader.reading is not None and reader.reading.title == "NOTES.md"


def test_a_category_with_several_rows_names_them_the_largest_first() -> None:
    reader = opened(whole().store(), kind="tool_result")
    sizes = [row.count.tokens for row in reader.rows]
    assert len(sizes) == 2
    assert sizes == sorted(sizes, reverse=True)


def test_a_changed_definition_is_shown_with_its_difference() -> None:
    scene = Scene().resident("Read", words=3).ask(100).resident("Read", words=4).ask(120).store()
    reader = opened(scene, item="tool:Read")
    assert reader.difference is not None
    assert [each.text for each in reader.difference if each.kind == "in"] == [". Read does thing 3"]


def test_a_text_that_was_not_kept_has_no_difference(settings: pytest.FixtureRequest) -> None:
    settings.STORE_TEXT = "none"  # type: ignore[attr-defined]
    scene = Scene().resident("Read", words=3).ask(100).resident("Read", words=4).ask(120).store()
    reader = opened(scene, item="tool:Read")
    assert reader.reading is not None and reader.reading.change is not None
    assert reader.difference is None


def test_a_row_without_a_name_is_told_from_all_rows() -> None:
    assert row_query("tool_result") == "kind=tool_result"
    assert row_query("tool_result", "") == "kind=tool_result&label="


def test_what_stands_in_another_run_is_read_there() -> None:
    scene = whole().store()
    Scene(run="below/1", kind="sub_agent").append("user", "Look here").ask(50).store()
    reader = opened(scene, query="look here", within="conversation")
    assert reader.found is not None
    [found] = reader.found.finds
    assert find_query(found) == f"run=below%2F1&request=1&item={found.ref}"
