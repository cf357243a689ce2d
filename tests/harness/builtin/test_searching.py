from __future__ import annotations

import time

import pytest

from harness.builtin import searching
from tests.harness.builtin.conftest import Work


def test_matches_come_with_path_and_line(work: Work) -> None:
    work.put("a.py", "x\ndef main():\n")
    work.put("b/c.txt", "main\n")
    assert work.text("search", pattern="main") == "a.py:2: def main():\nb/c.txt:1: main"
    assert work.text("search", pattern="MAIN", ignore_case=True, glob="*.txt") == "b/c.txt:1: main"
    assert work.text("search", pattern="main", path="a.py") == "a.py:2: def main():"


def test_lines_around_a_match_are_shown_once(work: Work) -> None:
    work.put("f", "".join(f"{number}\n" for number in range(10)))
    assert work.text("search", pattern="2|3|8", context=1).splitlines() == [
        "f-2- 1",
        "f:3: 2",
        "f:4: 3",
        "f-5- 4",
        "--",
        "f-8- 7",
        "f:9: 8",
        "f-10- 9",
    ]


def test_more_matches_than_the_limit_are_told(work: Work) -> None:
    work.put("f", "x\n" * 10)
    lines = work.text("search", pattern="x", limit=3).splitlines()
    assert lines[3:] == ["[more than 3 matches; use a narrower pattern, path or glob]"]


def test_no_match_says_how_much_was_searched(work: Work) -> None:
    work.put("f", "x")
    assert work.text("search", pattern="y") == "No match of y in 1 file."


def test_an_expression_that_is_none_is_refused_with_the_place(work: Work) -> None:
    assert "missing ), unterminated subpattern at position 0" in work.fault("search", pattern="(")


def test_an_expression_that_takes_for_ever_is_stopped(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "LONGEST", 0.5)
    work.put("f", "a" * 40 + "!")
    begun = time.monotonic()
    assert "stopped after" in work.fault("search", pattern="(a+)+$")
    assert time.monotonic() - begun < 5


def test_binary_files_and_long_lines_do_not_flood(work: Work) -> None:
    work.put("binary", b"needle\0")
    work.put("long", "x" * 100_000 + "needle" + "x" * 100_000)
    text = work.text("search", pattern="needle")
    assert text.startswith("long:1: …")
    assert "needle" in text
    assert len(text) < 500
