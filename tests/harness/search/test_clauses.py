from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.search.clauses import LONGEST, MOST, clauses


def test_a_request_is_taken_apart_into_its_steps() -> None:
    found = [clause.strip() for clause in clauses("Read the log; plot it and mail it to Ann. Then stop")]
    assert found == ["Read the log;", "plot it", "mail it to Ann.", "Then stop"]


def test_a_dot_within_a_word_ends_nothing() -> None:
    assert list(clauses("open notes.v2.txt")) == ["open notes.v2.txt"]


@given(st.text(alphabet=" .,ab\n", max_size=300))
def test_there_are_never_many_and_none_is_blank(query: str) -> None:
    found = list(clauses(query))
    assert len(found) <= MOST + 1
    assert all(clause.strip() for clause in found)


def test_a_pasted_file_is_read_at_its_beginning_only() -> None:
    assert sum(map(len, clauses("long " * LONGEST))) <= LONGEST
