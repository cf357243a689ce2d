from __future__ import annotations

import pytest

from harness.search.queries import Asked, understood


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("send a letter", Asked(form="words", words="send a letter")),
        ("select:a,b", Asked(form="select", names=("a", "b"))),
        (' SELECT: "a" , `b`,, a', Asked(form="select", names=("a", "b"))),
        ("+mail find Ann", Asked(form="required_word", words="mail find Ann", required=("mail",))),
        ("call +49 30 1234", Asked(form="words", words="call +49 30 1234")),
        ("C++ and a+b", Asked(form="words", words="C++ and a+b")),
        ("please select: one", Asked(form="words", words="please select: one")),
    ],
)
def test_a_query_has_a_form(query: str, asked: Asked) -> None:
    assert understood(query) == asked
