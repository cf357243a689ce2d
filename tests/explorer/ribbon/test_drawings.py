from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.ribbon import Plan, tall, wide
from explorer.ribbon.plan import Band
from explorer.ribbon.shapes import nice_step, short
from explorer.ribbon.tall import _Entry, stacked
from explorer.ribbon.wide import apart


def a_plan(*sizes: int, total: int | None = None) -> Plan:
    bands, at = [], 0
    for size in sizes:
        bands.append(Band("results", at, size, "", ref="1"))
        at += size
    return Plan(
        whole=max(at, total or 0, 1),
        total=total,
        bands=bands,
        residual=None,
        residual_first=False,
        prefix=Band("", 0, 0, ""),
        conversation=Band("", 0, at, ""),
        items=len(sizes),
        cuts=[],
        turns=[(number, number * at // 400) for number in range(1, 300)],
    )


def test_lengths_are_parts_of_the_whole() -> None:
    assert [block.long for block in wide(a_plan(250, 750)).blocks] == ["25.000%", "75.000%"]
    assert [block.long for block in tall(a_plan(250, 750)).blocks] == ["155.00", "465.00"]


def test_numbers_of_turns_keep_their_distance() -> None:
    assert len(wide(a_plan(1_000)).turns) <= 40


def test_a_total_below_the_parts_is_marked() -> None:
    drawing = wide(a_plan(500, total=400))
    assert drawing.over == "80.000%"
    assert "400 reported" in drawing.end.strong


@pytest.mark.parametrize("total", [16_791, 16_819, None])
def test_the_words_at_the_end_of_the_axis_stand_clear_of_its_ticks(total: int | None) -> None:
    drawing = wide(a_plan(16_819, total=total))
    last = float(drawing.axis[-1].at.rstrip("%")) / 100
    narrowest, letter = 720, 7
    assert last * narrowest < narrowest - len(drawing.end.strong) * letter


def test_only_a_part_that_can_be_hit_is_a_link() -> None:
    assert [bool(block.ref) for block in wide(a_plan(1, 999)).blocks] == [False, True]


@given(st.integers(1, 10**9))
def test_an_axis_has_a_few_round_steps(whole: int) -> None:
    step = nice_step(whole)
    assert whole / step <= 8
    assert str(step).rstrip("0") in ("1", "2", "5")


@pytest.mark.parametrize(("tokens", "words"), [(0, "0"), (500, "500"), (10_000, "10k"), (2_500, "2.5k")])
def test_places_on_the_axis_are_short(tokens: int, words: str) -> None:
    assert short(tokens) == words


@given(st.lists(st.tuples(st.floats(0, 620), st.floats(10, 60)), max_size=8))
def test_what_stands_beside_the_picture_does_not_overlap(wanted: list[tuple[float, float]]) -> None:
    entries = stacked(sorted((_Entry(y, height) for y, height in wanted), key=lambda entry: entry.y))
    assert all(one.y + one.height <= other.y + 0.001 for one, other in zip(entries, entries[1:], strict=False))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 0.2)), max_size=4))
def test_labels_under_the_brackets_keep_clear_of_each_other(labels: list[tuple[float, float]]) -> None:
    ordered = sorted(labels)
    places = apart(ordered)
    ends = [place + width for place, (_, width) in zip(places, ordered, strict=True)]
    assert all(end <= after + 0.001 for end, after in zip(ends, [*places[1:], 1.0], strict=False))
