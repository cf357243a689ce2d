from __future__ import annotations

import pytest

from explorer.queries.versions import Change, Versions, item_change, tool_versions
from observability.models import ContextItem, Request, Run
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def versions(ordinal: int) -> Versions | None:
    return tool_versions(Run.objects.get(), Request.objects.get(ordinal=ordinal), "Read")


def change(text: str) -> Change | None:
    item = ContextItem.objects.get(kind="system", chars=len(text))
    return item_change(Run.objects.get(), Request.objects.get(ordinal=1), item)


def test_a_definition_that_stays_has_one_version() -> None:
    Scene().resident("Read").ask(100).resident("Read").ask(110).store()
    assert versions(2) is None


def test_a_definition_that_changed_says_at_which_request_and_by_how_much() -> None:
    Scene().resident("Read", words=5).ask(100).resident("Read", words=9).ask(150).store()
    found = versions(2)
    assert found is not None
    assert (found.number, found.shown.request, found.shown.provenance) == (2, 2, "measured")
    assert found.shown.tokens is not None and found.shown.tokens > 0


def test_a_change_says_whether_the_cache_broke_there() -> None:
    scene = Scene().resident("Read", words=5).ask(9_000).resident("Read", words=9).ask(9_100)
    scene.resident("Read", words=5).ask(9_200, read=9_100).store()
    broke = [found.shown.broke for ordinal in (2, 3) if (found := versions(ordinal))]
    assert broke == [True, False]


def test_before_it_changed_the_next_change_is_shown() -> None:
    Scene().resident("Read", words=5).ask(100).resident("Read", words=9).ask(150).store()
    assert versions(1) == versions(2)


def test_of_several_changes_the_last_one_before_the_request_is_shown() -> None:
    scene = Scene()
    for words in (5, 9, 2):
        scene.resident("Read", words=words).ask(100)
    scene.store()
    shown = [found.shown.request for ordinal in (1, 2, 3) if (found := versions(ordinal))]
    assert shown == [2, 2, 3]


def test_a_system_prompt_that_took_the_place_of_another_is_a_change() -> None:
    Scene().system("Be careful").ask(100).system("Be quick").ask(110).store()
    found = change("Be quick")
    assert found is not None and found.request == 2


def test_the_first_of_its_name_and_one_that_says_the_same_are_none() -> None:
    Scene().system("Be careful").ask(100).store()
    assert change("Be careful") is None


def test_a_text_that_was_not_kept_is_counted_by_its_characters(settings: pytest.FixtureRequest) -> None:
    settings.STORE_TEXT = "none"  # type: ignore[attr-defined]
    Scene().system("Be careful. " * 9).ask(100).system("Be quick. " * 50).ask(110).store()
    found = change("Be quick. " * 50)
    assert found is not None and found.provenance == "estimated"
