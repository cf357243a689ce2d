from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from explorer.text.paper import Paper, width_of
from explorer.text.table import Line, Table, bar, figure


def test_numbers_stand_to_the_right_and_words_to_the_left() -> None:
    table = Table(("Tool", "Tokens", "<Server"), [Line("read", ["1,234", "docs"]), Line("write", ["9", "files"])])
    assert table.lines(Paper()) == ["Tool   Tokens  Server", "read    1,234  docs", "write       9  files"]


def test_a_name_that_is_too_long_has_a_line_of_its_own() -> None:
    table = Table(("Tool", "Tokens"), [Line("x" * 75, ["1,234,567"])])
    assert table.lines(Paper(width=80))[1:] == ["x" * 75, "1,234,567".rjust(80)]


def test_a_name_may_take_the_blank_before_its_figure() -> None:
    table = Table(("Tool", "Tokens"), [Line("x" * 69, ["1"]), Line("y", ["1,234,567,890"])])
    assert table.lines(Paper(width=80))[1:] == ["x" * 69 + "1".rjust(11), "y" + "1,234,567,890".rjust(79)]


def test_a_name_wider_than_the_paper_is_cut() -> None:
    lines = Table(("Tool", "Tokens"), [Line("x" * 200, ["1"])]).lines(Paper(width=80))
    assert max(map(len, lines)) == 80


def test_words_in_the_last_column_give_way_before_names_do() -> None:
    line = Table(("Tool", "N", "<Why"), [Line("n" * 40, ["1", "w" * 200])]).lines(Paper(width=80))[1]
    assert line.startswith("n" * 40 + "  1  www")
    assert len(line) == 80


@example("a" * 8, "a" * 29, 10**12)
@given(st.text(alphabet="ab文é", max_size=120), st.text(alphabet="ab文", max_size=120), st.integers(0, 10**12))
def test_no_line_is_wider_than_the_paper(name: str, words: str, value: int) -> None:
    table = Table(
        ("Tool", "Tokens", "<Owner", "<Why"), [Line(name, [figure(value, "measured"), words, words], indent=2)]
    )
    assert all(width_of(line) <= 80 for line in table.lines(Paper(width=80)))


def test_a_figure_says_where_it_comes_from() -> None:
    assert figure(1_234, "reported") == "1,234 ●"
    assert figure(1_234, "estimated", sign=True) == "+1,234 ○"


def test_what_is_unknown_is_no_zero() -> None:
    assert figure(0, "unknown") == figure(None) == "–  "


def test_a_bar_is_as_long_as_its_share() -> None:
    assert [bar(value, 16, 8) for value in (16, 8, 1, 0)] == ["████████", "████", "▌", ""]


def test_the_least_bar_can_be_seen() -> None:
    assert bar(1, 1_000_000) == "▏"
