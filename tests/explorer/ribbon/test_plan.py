from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from explorer.queries.pieces import Part
from explorer.ribbon import Plan, plan
from explorer.ribbon.plan import Band, _merged
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def drawn(scene: Scene, ordinal: int | None = None) -> Plan:
    return plan(scene.store().compose(ordinal))


def bands(picture: Plan) -> list[Band]:
    return sorted([*picture.bands, *([picture.residual] if picture.residual else [])], key=lambda band: band.start)


def test_bands_follow_each_other_from_the_first_token_to_the_last() -> None:
    picture = drawn(whole())
    assert bands(picture)[0].start == 0
    assert all(one.end == other.start for one, other in pairwise(bands(picture)))
    assert bands(picture)[-1].end == pytest.approx(picture.whole, abs=20)


def test_tools_come_first_then_the_system_prompt_then_the_index() -> None:
    picture = drawn(whole(), 1)
    assert [band.role for band in picture.bands][:5] == ["tools", "tools", "system", "system", "index"]


def test_a_loaded_schema_stands_in_the_conversation_where_it_was_loaded() -> None:
    roles = [band.role for band in drawn(whole(), 2).bands]
    assert roles.index("user") < roles.index("loaded")


def test_what_the_log_does_not_hold_is_drawn_first() -> None:
    picture = drawn(Scene().append("user", "Hello").ask(9_000))
    assert picture.residual_first
    assert bands(picture)[0].role == "residual"


def test_with_a_snapshot_the_residual_closes() -> None:
    picture = drawn(Scene().system("Be careful").resident("Read").append("user", "Hello").ask(9_000))
    assert bands(picture)[-1].role == "residual"


def test_the_cache_lies_under_the_tokens_it_concerns() -> None:
    picture = drawn(Scene().append("user", "Hello").ask(1_000, read=700, uncached=10))
    assert [(band.role, band.start, band.size) for band in picture.cache] == [
        ("read", 0, 700),
        ("write", 700, 290),
        ("uncached", 990, 10),
    ]


def test_parts_that_exceed_the_total_are_drawn_at_their_size() -> None:
    picture = drawn(Scene().append("user", "word " * 1_000).ask(100))
    assert picture.whole > 1_500
    assert (picture.total, picture.residual) == (100, None)


def test_turns_are_numbered_and_the_conversation_begins_with_the_first() -> None:
    scene = Scene().system("Be careful").append("user", "One").ask(90).append("assistant", "Yes").append("user", "Two")
    picture = drawn(scene.ask(100))
    assert [number for number, _ in picture.turns] == [1, 2]
    assert picture.turns[0][1] == picture.conversation.start == picture.prefix.end


def test_the_held_back_block_has_a_cell_for_each_server() -> None:
    scene = Scene().deferred("mcp__a__x", "mcp__a__y", "Fetch").record("mcp__a__x", "mcp__a__y", "Fetch").ask(9_000)
    held = drawn(scene).held
    assert held is not None
    assert [(server, len(sizes)) for server, sizes in held.cells] == [("a", 2), ("built in", 1)]


def test_without_any_schema_there_is_no_held_back_block() -> None:
    assert drawn(Scene().deferred("Fetch").ask(9_000)).held is None


def test_markers_stand_where_the_log_says_and_only_where_it_does() -> None:
    scene = Scene().system("Be careful").append("user", "Hello")
    scene.ask(1_000, uncached=4, markers=scene.markers("last system block", "tail", "somewhere else"))
    marks = drawn(scene).marks
    assert [(mark.number, mark.at is None) for mark in marks] == [(1, False), (2, False), (3, True)]
    assert marks[1].at == 996
    assert drawn(Scene("plain").ask(1_000)).marks == []


def test_thin_neighbours_are_drawn_together_and_none_is_lost() -> None:
    thin = [Part("tool_call", "Read", 1, place + 1, place) for place in range(10_000)]
    together = _merged(thin, 0, 8)
    assert len(together) == 1_250
    assert sum(band.size for band in together) == 10_000


def test_over_many_bands_each_kind_is_drawn_as_large_as_it_is() -> None:
    sizes = {"tool_call": 2, "assistant": 3, "tool_result": 5}
    thin = [Part(kind, "", size, 1, place) for place in range(1_000) for kind, size in sizes.items()]
    drawn = Counter[str]()
    for band in _merged(thin, 0, 10):
        drawn[band.anchor] += band.size
    assert {kind: round(size / 1_000) for kind, size in drawn.items()} == sizes
