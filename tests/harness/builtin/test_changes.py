from __future__ import annotations

from tests.harness.builtin.conftest import Work


def test_nothing_was_changed_at_first(work: Work) -> None:
    work.put("file", "text")
    assert work.text("changes") == "Nothing has been changed so far."


def test_a_change_is_shown_against_what_was_there_at_first(work: Work) -> None:
    work.put("file", "one\ntwo\n")
    work("edit", path="file", old="two", new="2")
    work("edit", path="file", old="2", new="zwei")
    assert work.text("changes").splitlines() == ["--- a/file", "+++ b/file", "@@ -1,2 +1,2 @@", " one", "-two", "+zwei"]


def test_what_was_changed_and_changed_back_is_not_shown(work: Work) -> None:
    work.put("file", "one")
    work("edit", path="file", old="one", new="two")
    work("edit", path="file", old="two", new="one")
    assert work.text("changes") == "Nothing has been changed so far."


def test_new_moved_and_deleted_files_are_shown(work: Work) -> None:
    work.put("a", "a\n")
    work.put("b", "b\n")
    work("write", path="new", content="n\n")
    work("move", source="a", target="c")
    work("delete", path="b")
    heads = [line for line in work.text("changes").splitlines() if line.startswith(("---", "+++"))]
    assert heads == [
        *("--- a/a", "+++ /dev/null"),
        *("--- a/b", "+++ /dev/null"),
        *("--- /dev/null", "+++ b/c"),
        *("--- /dev/null", "+++ b/new"),
    ]


def test_what_a_command_changed_is_shown_too(work: Work) -> None:
    work.put("file", "one\n")
    work("bash", command="echo two >> file; echo new > other; mkdir .git; echo x > .git/x")
    heads = [line for line in work.text("changes").splitlines() if line.startswith("+++")]
    assert heads == ["+++ b/file", "+++ b/other"]


def test_a_file_that_a_command_made_counts_as_new_after_an_edit(work: Work) -> None:
    work("bash", command="echo one > file")
    work("edit", path="file", old="one", new="two")
    assert "--- /dev/null" in work.text("changes", path="file")


def test_binary_files_are_only_named(work: Work) -> None:
    work("bash", command="printf 'a\\0b' > file")
    assert work.text("changes") == "[file is new; it is no text, or too large to be shown]"
