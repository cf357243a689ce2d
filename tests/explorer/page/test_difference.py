from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.page.difference import AROUND, MOST, Stretch, difference

TEXTS = st.lists(st.sampled_from(["one ", "two ", "three, ", "\n", "four."]), max_size=60).map("".join)


def joined(found: list[Stretch] | None, *kinds: str) -> str:
    assert found is not None
    return "".join(each.text for each in found if each.kind in kinds)


def test_words_that_were_put_in_are_told_from_the_rest() -> None:
    assert difference("explore, review", "explore, migrate, review") == [
        Stretch("same", "explore, "),
        Stretch("in", "migrate, "),
        Stretch("same", "review"),
    ]


def test_a_word_that_was_exchanged_is_taken_out_and_put_in() -> None:
    assert difference("a b c", "a x c") == [
        Stretch("same", "a "),
        Stretch("out", "b "),
        Stretch("in", "x "),
        Stretch("same", "c"),
    ]


def test_a_long_stretch_that_did_not_change_is_cut_and_says_by_how_much() -> None:
    found = difference("word " * 1_000 + "old", "word " * 1_000 + "new")
    assert found is not None
    assert found[0] == Stretch("gap", str(5_000 - AROUND))
    assert found[1] == Stretch("same", ("word " * 1_000)[-AROUND:])


def test_long_texts_are_compared_by_lines() -> None:
    old = "".join(f"{number} is a line of some words\n" for number in range(MOST))
    found = difference("first\n" + old + "last\n", "first\n" + old.replace("7 is", "7 was") + "last\n")
    assert "27 is a line of some words\n" in joined(found, "out")


def test_texts_that_are_too_long_are_not_compared() -> None:
    old, new = ("".join(f"{number} {end}\n" for number in range(MOST + 1)) for end in ("old", "new"))
    assert difference(old, new) is None


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_from_the_difference(old: str, new: str) -> None:
    found = difference(old, new)
    if not any(each.kind == "gap" for each in found or []):
        assert joined(found, "same", "out") == old
        assert joined(found, "same", "in") == new
