from __future__ import annotations

import pytest

from tests.harness.builtin.conftest import Work


def test_a_file_is_written_with_the_folders_above_it(work: Work) -> None:
    assert work.text("write", path="a/b/c.txt", content="x\ny\n") == "Created a/b/c.txt: 2 lines, 4 characters."
    assert (work.folder / "a/b/c.txt").read_text() == "x\ny\n"


def test_a_file_that_is_replaced_keeps_its_rights(work: Work) -> None:
    file = work.put("script", "old")
    file.chmod(0o755)
    assert work.text("write", path="script", content="new").startswith("Replaced script")
    assert file.stat().st_mode & 0o777 == 0o755


def test_half_a_pair_is_refused_by_name(work: Work) -> None:
    assert work.fault("write", path="x", content="a\ud800").startswith("content: character 1")
    assert not (work.folder / "x").exists()


def test_a_file_in_the_way_of_a_folder_is_told(work: Work) -> None:
    work.put("a", "")
    assert work.fault("write", path="a/b", content="") == "path: a cannot be a folder: a file is in its place"


def test_a_text_that_occurs_once_is_replaced(work: Work) -> None:
    file = work.put("file", "one\ntwo\n")
    assert work.text("edit", path="file", old="two", new="2") == "Edited file: line 2."
    assert file.read_text() == "one\n2\n"


def test_a_text_that_occurs_twice_needs_all(work: Work) -> None:
    file = work.put("file", "a\nb\na\n")
    assert "old: it occurs 2 times, on lines 1, 3" in work.fault("edit", path="file", old="a", new="c")
    assert work.text("edit", path="file", old="a", new="c", all=True) == "Edited file: 2 replacements."
    assert file.read_text() == "c\nb\nc\n"


def test_a_text_that_does_not_occur_is_told_with_the_nearest_line(work: Work) -> None:
    work.put("file", "x\n    begin here\n    end\n")
    assert "line 2 is like its beginning" in work.fault("edit", path="file", old="begin here\nend", new="")


@pytest.mark.parametrize(("old", "new", "field"), [("", "x", "old"), ("one", "one", "new")])
def test_an_edit_that_does_nothing_is_refused(work: Work, old: str, new: str, field: str) -> None:
    work.put("file", "one")
    assert work.fault("edit", path="file", old=old, new=new).startswith(f"{field}: ")


def test_line_ends_of_windows_stay(work: Work) -> None:
    file = work.put("file", b"one\r\ntwo\r\n")
    work("edit", path="file", old="one\ntwo", new="1\n2")
    assert file.read_bytes() == b"1\r\n2\r\n"


def test_a_file_that_is_not_in_utf8_is_not_edited(work: Work) -> None:
    file = work.put("file", b"caf\xe9")
    assert "not in UTF-8" in work.fault("edit", path="file", old="caf", new="x")
    assert file.read_bytes() == b"caf\xe9"


def test_of_several_edits_all_are_done_or_none(work: Work) -> None:
    file = work.put("file", "one two")
    edits = [{"old": "one", "new": "1"}, {"old": "three", "new": "3"}]
    assert work.fault("edit_many", path="file", edits=edits).startswith("edits[1].old: ")
    assert file.read_text() == "one two"
    work("edit_many", path="file", edits=[edits[0], {"old": "1 two", "new": "12"}])
    assert file.read_text() == "12"


def test_a_move_never_replaces(work: Work) -> None:
    work.put("a", "a")
    work.put("b", "b")
    assert work.fault("move", source="a", target="b") == "target: b is there already, and would be lost"
    assert work.text("move", source="a", target="new/a") == "Moved a to new/a."
    assert (work.folder / "new/a").read_text() == "a"


def test_a_folder_cannot_be_moved_into_itself(work: Work) -> None:
    work.put("a/file", "")
    assert "a/b is inside a" in work.fault("move", source="a", target="a/b")


def test_a_folder_that_is_not_empty_needs_recursive(work: Work) -> None:
    work.put("a/file", "")
    assert "not empty (1 file); set recursive" in work.fault("delete", path="a")
    assert work.text("delete", path="a", recursive=True) == "Deleted the folder a (1 file)."


def test_deleting_a_link_leaves_what_it_leads_to(work: Work) -> None:
    work.put("a/file", "")
    (work.folder / "link").symlink_to(work.folder / "a")
    assert work.text("delete", path="link", recursive=True) == "Deleted link."
    assert (work.folder / "a/file").exists()


@pytest.mark.parametrize("path", [".", "./."])
def test_the_working_folder_itself_is_never_deleted(work: Work, path: str) -> None:
    assert "is the working folder itself" in work.fault("delete", path=path, recursive=True)
