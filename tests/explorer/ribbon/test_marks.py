from __future__ import annotations

import pytest

from explorer.ribbon.marks import marks, would_stand
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def test_where_no_marker_is_recorded_the_harness_s_own_places_are_told() -> None:
    scene = Scene().append("user", "Hello").ask(900, uncached=10)
    now = scene.store().compose()
    found = would_stand(now, None)
    assert [(mark.place, mark.lifetime, mark.at) for mark in found] == [("end of this turn", "5 min", 890)]
    assert marks(now, None) == []


def test_the_tail_of_the_turn_before_is_where_that_request_ended_in_the_cache() -> None:
    scene = Scene().append("user", "Hello").ask(900, uncached=10).append("user", "More")
    now = scene.ask(1_000, read=890, uncached=10).store().compose()
    before = scene.compose(1).request
    assert [mark.at for mark in would_stand(now, before)] == [890, 990]


def test_recorded_markers_are_not_guessed_again() -> None:
    scene = Scene().append("user", "Hello")
    now = scene.ask(900, markers=scene.markers("end of this turn")).store().compose()
    assert would_stand(now, None) == []
    assert len(marks(now, None)) == 1


def test_a_provider_that_caches_by_itself_has_none() -> None:
    scene = Scene(model="gpt-5.1").append("user", "Hello").ask(900)
    assert would_stand(scene.store().compose(), None) == []
