from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.search.stemming import stem


@pytest.mark.parametrize(
    "words",
    [
        "booking books booked book",
        "translation translate translates translating",
        "queries query querying",
        "hopping hops hop",
        "summarization summarize summarizing",
        "agreed agree agrees",
        "classes class",
        "controlling controlled control",
    ],
)
def test_forms_of_a_word_have_one_stem(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1


@pytest.mark.parametrize("words", ["sky ski skin", "organ origin", "plane plan planet", "message massage"])
def test_other_words_keep_apart(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == len(words.split())


@pytest.mark.parametrize("word", ["id", "pdf", "größe", "会议", "h264", ""])
def test_short_and_foreign_words_stay(word: str) -> None:
    assert stem(word) == word


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_a_stem_is_never_longer_by_more_than_its_mended_end(word: str) -> None:
    assert len(stem(word)) <= len(word) + 1
    assert bool(stem(word)) == bool(word)
