from __future__ import annotations

from harness.search.synonyms import STAND_INS


def test_words_of_a_group_stand_for_each_other() -> None:
    assert all(one in STAND_INS[other] for one, others in STAND_INS.items() for other in others)


def test_no_word_stands_for_itself() -> None:
    assert not any(one in others for one, others in STAND_INS.items())
