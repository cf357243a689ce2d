from __future__ import annotations

import pytest

from observability.models import StoreState
from observability.queries.remembering import Remembered

pytestmark = pytest.mark.django_db


class Counting:
    """Says how often it was read."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> int:
        self.times += 1
        return self.times


def written(number: int) -> None:
    StoreState.objects.update_or_create(id=StoreState.THE_ONE, defaults={"written": number})


def test_an_answer_holds_until_something_is_written() -> None:
    answers, read = Remembered[int](2), Counting()
    written(1)
    assert [answers.of("a", read), answers.of("a", read)] == [1, 1]
    written(2)
    assert answers.of("a", read) == 2


def test_each_question_has_its_own_answer() -> None:
    answers, read = Remembered[int](2), Counting()
    written(1)
    assert [answers.of("a", read), answers.of("b", read), answers.of("a", read)] == [1, 2, 1]


def test_the_oldest_answer_is_forgotten_first() -> None:
    answers, read = Remembered[int](2), Counting()
    written(1)
    assert [answers.of(asked, read) for asked in "abcca"] == [1, 2, 3, 3, 4]


def test_nothing_is_remembered_of_a_store_that_nothing_was_written_to() -> None:
    answers, read = Remembered[int](2), Counting()
    assert [answers.of("a", read), answers.of("a", read)] == [1, 2]
