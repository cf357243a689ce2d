from __future__ import annotations

import pytest

from explorer.page.through_time import of_page
from explorer.ribbon.marks import Mark, marks, would_stand
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def places(found: list[Mark]) -> dict[str, int | str | None]:
    """Of each marker where it stands, or why it has no place."""
    return {mark.place: mark.why or mark.at for mark in found}


def test_where_no_marker_is_recorded_the_harness_s_own_places_are_told() -> None:
    scene = Scene().append("user", "Hello").ask(900, uncached=10)
    now = scene.store().compose()
    assert places(would_stand(now, None)) == {
        "last resident tool": "the log does not tell the resident tools",
        "last system block": "the log does not tell the resident tools",
        "end of the previous turn": "there is no request before this one",
        "end of this turn": 900,
    }
    assert marks(now, None) == []


def test_with_tools_and_system_prompt_known_all_four_stand_where_the_harness_sets_them() -> None:
    scene = Scene().resident("Read", "Edit").system("You are terse.").append("user", "Hello").ask(900, uncached=10)
    now = scene.append("user", "More").ask(1_000, read=890, uncached=10).store().compose()
    found = would_stand(now, scene.compose(1).request)
    tools, system = (now.account.category(kind) for kind in ("builtin_tool", "system"))
    assert tools and system
    ends = [tools.count.tokens, tools.count.tokens + system.count.tokens, 900, 1_000]
    assert [mark.at for mark in found] == ends
    assert [mark.lifetime for mark in found] == ["1 h", "1 h", "5 min", "5 min"]
    assert all(mark.would and not mark.fate for mark in found)


def test_a_run_without_a_resident_tool_or_a_system_prompt_has_no_marker_on_them() -> None:
    now = Scene().resident("Read").removed("Read").append("user", "Hello").ask(900).store().compose()
    told = places(would_stand(now, None))
    assert told["last resident tool"] == "there is no resident tool"
    assert told["last system block"] == "the log holds no system prompt"


def test_after_a_rewrite_no_marker_stands_on_the_tail_before() -> None:
    scene = Scene().append("user", "Hello").ask(900).rewrite("It said hello.").ask(500)
    found = would_stand(scene.store().compose(), scene.compose(1).request)
    assert places(found)["end of the previous turn"] == "what was sent before was rewritten"


def test_a_tail_stands_at_the_end_of_its_prompt_though_this_client_cached_nothing() -> None:
    scene = Scene().append("user", "Hello").ask(900, uncached=900).append("user", "More")
    now = scene.ask(1_000, uncached=1_000).store().compose()
    assert [mark.at for mark in would_stand(now, scene.compose(1).request)][2:] == [900, 1_000]


def test_markers_that_would_stand_are_drawn_as_such_and_change_nothing_else() -> None:
    page = Scene().append("user", "Hello").ask(900).store().page()
    assert {flag.kind for drawing in (page.wide, page.tall) for flag in drawing.flags} == {"-would"}
    assert page.plan.marks == []
    assert of_page(page).stretches == []


def test_recorded_markers_are_not_guessed_again() -> None:
    scene = Scene().append("user", "Hello")
    now = scene.ask(900, markers=scene.markers("end of this turn")).store().compose()
    assert would_stand(now, None) == []
    assert len(marks(now, None)) == 1


def test_a_provider_that_caches_by_itself_has_none() -> None:
    scene = Scene(model="gpt-5.1").append("user", "Hello").ask(900)
    assert would_stand(scene.store().compose(), None) == []
