from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.search.words import folded, split, terms


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("getHTTPStatus2", ["get", "http", "status", "2"]),
        ("PDFs", ["pdfs"]),
        ("snake_case-and.dots", ["snake", "case", "and", "dots"]),
        ("XMLHttpRequest", ["xml", "http", "request"]),
        ("Größe", ["grosse"]),
        ("搜索工具", ["搜索", "索工", "工具"]),
    ],
)
def test_a_name_comes_in_pieces(text: str, pieces: list[str]) -> None:
    assert [piece for word in split(text) for piece in word] == pieces


def test_diacritics_are_folded_and_nothing_else() -> None:
    assert folded("naïve Zoë, Ångström, 한국") == "naive Zoe, Angstrom, 한국"


def test_stop_words_and_single_letters_say_nothing() -> None:
    assert terms("Could you please get me a list of the b") == ["get", "list"]


def test_encoded_data_is_no_word() -> None:
    assert terms("decode iVBoRw0KGgoAaANsUhEuGaAbXcY") == ["decod"]


@given(st.text(max_size=80))
def test_diacritics_change_no_term(text: str) -> None:
    assert terms(text) == terms(folded(text))


@given(st.text(max_size=200))
def test_any_text_has_terms_without_blanks(text: str) -> None:
    assert all(term and not term.isspace() for term in terms(text))
