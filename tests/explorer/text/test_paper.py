from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.text.paper import Paper, clean, cut, ended, width_of


def test_text_of_a_log_is_one_line_that_no_terminal_obeys() -> None:
    assert clean("a\x1b[31mred\x07\n\tb\x9b2J\u202e") == "a␛[31mred␇ b�2J�"


@given(st.text())
def test_no_text_brings_a_control_character(text: str) -> None:
    assert all(unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp") for char in clean(text))


def test_a_terminal_of_plain_letters_gets_signs_of_the_same_width() -> None:
    paper = Paper(encoding="ascii")
    assert paper.printable("12 ● 3 ◐ 4 ○ – −5 █▌ 文") == "12 * 3 ~ 4 o - -5 #= ??"


def test_a_terminal_that_can_show_everything_gets_everything() -> None:
    assert Paper(encoding="utf-8").printable("● ◐ ○ 文") == "● ◐ ○ 文"


def test_wide_characters_take_two_columns_and_combining_ones_none() -> None:
    assert width_of("文") == 2
    assert width_of("e\u0301") == 1


@given(st.text(alphabet="ab文\u0301é"), st.integers(3, 20))
def test_a_cut_text_fits(text: str, width: int) -> None:
    assert width_of(cut(text, width)) <= width
    assert width_of(ended(text, width)) <= width


def test_names_keep_both_ends_and_words_their_beginning() -> None:
    assert cut("mcp__tickets__assign", 10) == "mcp__…sign"
    assert ended("it hands over the task", 10) == "it hands …"


@pytest.mark.parametrize(("terminal", "used"), [(40, 80), (80, 80), (132, 132)])
def test_the_width_is_the_terminal_s_and_at_least_eighty(terminal: int, used: int) -> None:
    assert Paper(width=terminal).columns == used


def test_only_coloured_paper_gets_escapes() -> None:
    assert Paper().strong("Parts") == Paper().faint("Parts") == "Parts"
    assert Paper(colour=True).strong("Parts") == "\x1b[1mParts\x1b[0m"
