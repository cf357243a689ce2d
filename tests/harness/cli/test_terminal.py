from __future__ import annotations

import io

import pytest

from harness.cli.terminal import TerminalWatcher, harmless, short
from harness.errors import Overloaded
from harness.providers import Said


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\n", "a\tb\n"),
        ("\x1b[2J", "␛[2J"),
        ("\r", "␍"),
        ("\x9b1m", "\\x9b1m"),
        ("a\u202eb", "a\\u202eb"),
        ("\x7f", "␡"),
    ],
)
def test_nothing_that_steers_a_terminal_is_left(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_a_long_text_is_one_short_line() -> None:
    assert short("a\n b " + "c" * 500, 10) == "a b ccccc…"


def test_text_of_the_main_run_stands_as_it_is_written() -> None:
    out = io.StringIO()
    watcher = TerminalWatcher(out)
    watcher.event("r", Said(text="I "))
    watcher.event("r", Said(text="look."))
    watcher.calling("r", "read", {"path": "a"})
    assert out.getvalue() == 'I look.\n→ read {"path":"a"}\n'


def test_a_line_that_is_of_no_run_is_not_indented() -> None:
    out = io.StringIO()
    TerminalWatcher(out, main="r").line("", "! the site is gone")
    assert out.getvalue() == "! the site is gone\n"


def test_tools_that_come_late_are_named() -> None:
    out = io.StringIO()
    TerminalWatcher(out, main="r").joined("r", ("book_ship",), ("trains: no licence",))
    assert out.getvalue() == "+ tools have come: book_ship\n! not there: trains: no licence\n"


def test_a_sub_agents_lines_are_indented_and_its_text_is_left_out() -> None:
    out = io.StringIO()
    watcher = TerminalWatcher(out, main="r")
    watcher.event("r.2", Said(text="quiet"))
    watcher.trying_again("r.2", Overloaded("busy"), 1.5)
    assert out.getvalue() == "  [2] ! busy; again in 1.5 s\n"
