from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from explorer.queries import finding
from explorer.queries.finding import Found, find, matcher
from explorer.queries.moment import moment
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def found(scene: Scene, query: str, ordinal: int | None = None, **more: object) -> Found:
    at = moment(scene.conversation, run_uid=scene.run, ordinal=ordinal)
    assert at is not None
    return find(at, scene.compose(at.ordinal), query, **more)  # type: ignore[arg-type]


def titles(result: Found) -> list[str]:
    return [each.title for each in result.finds]


def talk() -> Scene:
    return Scene().append("user", "Where is the Lantern?").ask(100).append("assistant", "The lantern is lit.").ask(200)


def test_it_finds_a_text_whatever_its_capitals() -> None:
    result = found(talk().store(), "LANTERN")
    assert titles(result) == ["User", "Assistant"]
    assert result.finds[0].snippet == ("Where is the ", "Lantern", "?", 0)


def test_it_looks_in_this_request_only_unless_asked_for_more() -> None:
    scene = talk().store()
    assert titles(found(scene, "lantern", 1)) == ["User"]
    assert titles(found(scene, "lantern", 1, within="run")) == ["User", "Assistant"]


def test_a_find_leads_to_the_first_request_that_carried_it() -> None:
    result = found(talk().store(), "lit", 1, within="run")
    assert [each.ordinal for each in result.finds] == [2]


def test_what_no_request_carried_has_no_number() -> None:
    scene = talk().append("assistant", "Goodbye").store()
    assert [each.ordinal for each in found(scene, "goodbye", within="run").finds] == [None]


def test_all_runs_are_the_conversation_s() -> None:
    scene = talk().store()
    Scene(run="below", kind="sub_agent").append("user", "Look for the lantern").ask(50).store()
    Scene("other").append("user", "Another lantern").ask(50).store()
    assert [each.run.uid for each in found(scene, "look for", within="conversation").finds] == ["below"]
    assert not found(scene, "another lantern", within="conversation").finds


def test_tools_are_found_by_their_names_and_by_their_schemas() -> None:
    scene = whole().store()
    assert [each.ref for each in found(scene, "mcp__docs__li").finds] == ["tool:mcp__docs__list"]
    result = found(scene, "mcp__tickets__close does thing 7")
    assert ("tool:mcp__tickets__close", False) in [(each.ref, each.in_label) for each in result.finds]


def test_a_file_is_found_by_its_label() -> None:
    [only] = found(whole().store(), "notes.md").finds
    assert (only.title, only.in_label) == ("Context files", True)


def test_a_search_that_has_enough_says_so_and_goes_on_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "FINDS", 1)
    scene = talk().store()
    first = found(scene, "lantern")
    rest = found(scene, "lantern", skip=first.next)
    assert (titles(first), first.stopped) == (["User"], "finds")
    assert (titles(rest), rest.stopped) == (["Assistant"], "")


def test_a_search_that_read_enough_says_so_and_goes_on_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "CHARS", 10)
    scene = talk().store()
    first = found(scene, "lit")
    assert (first.finds, first.stopped, first.looked) == ([], "chars", 1)
    assert titles(found(scene, "lit", skip=first.next)) == ["Assistant"]


def test_nothing_is_left_to_say_where_the_last_place_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "FINDS", 2)
    assert found(talk().store(), "lantern").stopped == ""


def test_a_text_that_stands_in_many_places_is_read_once() -> None:
    scene = Scene().append("user", "Again").append("user", "Again").append("user", "Again").ask(100).store()
    result = found(scene, "again")
    assert (len(result.finds), result.chars) == (3, len("Again"))


def test_texts_that_were_not_kept_are_counted(settings: pytest.FixtureRequest) -> None:
    settings.STORE_TEXT = "none"  # type: ignore[attr-defined]
    result = found(talk().store(), "lantern")
    assert (result.finds, result.not_kept) == ([], 2)


@pytest.mark.parametrize("query", [".*", "(", "[a-", "\\"])
def test_signs_of_patterns_are_letters_like_others(query: str) -> None:
    match = matcher(query)
    assert match("plain text") is None
    assert match(f"a {query} b") is not None


def test_a_letter_that_is_longer_in_small_letters_is_found() -> None:
    assert matcher("istanbul")("İstanbul, istanbul") is not None


def test_a_snippet_is_one_line_and_says_how_often_it_stands_there() -> None:
    snippet = matcher("x")("a\n\tb x c\r\n x")
    assert snippet == ("a b ", "x", " c x", 1)


def test_a_long_text_is_cut_on_both_sides() -> None:
    snippet = matcher("needle")("hay " * 100 + "needle" + " hay" * 100)
    assert snippet is not None
    assert snippet.before.startswith("…") and snippet.after.endswith("…")


def test_a_search_takes_the_same_queries_for_ten_items_and_twenty() -> None:
    counts = []
    for length in (10, 20):
        scene = Scene(f"talk {length}")
        for number in range(length):
            scene.append("user", f"Message {number}")
        scene.ask(1_000).store()
        with CaptureQueriesContext(connection) as queries:
            found(scene, "message", within="run")
        counts.append(len(queries))
    assert counts[0] == counts[1]
