from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.search.documents import document
from harness.search.index import Index, rarity
from tests.harness.search.tools import OFFICE, tool


def test_a_rare_word_counts_more_than_a_frequent_one() -> None:
    index = Index([document(each) for each in OFFICE])
    assert index.rarity["assign"] > index.rarity["ticket"] > 0


def test_a_word_in_the_name_counts_more_than_in_the_description() -> None:
    index = Index([document(tool("plot", "a chart")), document(tool("chart", "a plot"))])
    scores = index.score({"plot": 1.0})
    assert scores[0] > scores[1] > 0


def test_a_weight_scales_a_score() -> None:
    index = Index([document(each) for each in OFFICE])
    assert index.score({"ticket": 0.5}).tolist() == pytest.approx((index.score({"ticket": 1.0}) / 2).tolist())


def test_words_that_no_tool_has_score_nothing() -> None:
    assert not Index([document(each) for each in OFFICE]).score({"zebra": 1.0}).any()


def test_there_may_be_no_tools() -> None:
    assert Index([]).score({"x": 1.0}).tolist() == []


@given(st.integers(1, 10_000), st.data())
def test_rarity_falls_with_every_tool_that_has_a_word(size: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, size))
    assert rarity(count - 1, size) > rarity(count, size) > 0
