from __future__ import annotations

import os

import pytest

from harness.builtin import reading
from tests.harness.builtin.conftest import Work


def test_lines_come_with_their_numbers(work: Work) -> None:
    work.put("file", "one\ntwo\n")
    assert work.text("read", path="file") == "     1\tone\n     2\ttwo"


def test_a_part_says_where_the_next_begins(work: Work) -> None:
    work.put("file", "".join(f"{number}\n" for number in range(1, 11)))
    lines = work.text("read", path="file", offset=3, limit=2).splitlines()
    assert lines == ["     3\t3", "     4\t4", "[lines 3 to 4 of 10 lines; go on with offset 5]"]


def test_a_part_behind_the_end_is_refused(work: Work) -> None:
    work.put("file", "one\n")
    assert work.fault("read", path="file", offset=5) == "offset: file has 1 lines; line 5 is past its end"


def test_an_empty_file_is_said_to_be_empty(work: Work) -> None:
    work.put("file", "")
    assert work.text("read", path="file") == "file is empty."


@pytest.mark.parametrize("content", [b"a\0b", b"\x89PNG\r\n", b"%PDF-1.7"])
def test_what_is_no_text_is_refused_with_its_size(work: Work, content: bytes) -> None:
    work.put("file", content)
    assert f"({len(content)} bytes); only text files" in work.fault("read", path="file")


def test_a_long_line_is_cut_and_its_length_told(work: Work) -> None:
    work.put("file", "x" * 1_000_000 + "\nnext")
    text = work.text("read", path="file")
    assert len(text) < 2200
    assert "line of 1,000,001 bytes, cut" in text
    assert "     2\tnext" in text


def test_an_answer_ends_before_it_is_too_long(work: Work) -> None:
    work.put("file", ("x" * 1999 + "\n") * 1000)
    text = work.text("read", path="file")
    assert len(text) < reading.LARGEST_ANSWER + 100
    assert "go on with offset" in text


def test_a_folder_and_a_pipe_are_no_files(work: Work) -> None:
    (work.folder / "folder").mkdir()
    os.mkfifo(work.folder / "pipe")
    assert "is a folder; list_folder" in work.fault("read", path="folder")
    assert "device, pipe or socket" in work.fault("read", path="pipe")
