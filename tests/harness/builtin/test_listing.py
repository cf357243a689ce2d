from __future__ import annotations

import os

import pytest

from harness.builtin import listing
from harness.builtin.patterns import Pattern
from harness.loop.toolbox import ToolFault
from tests.harness.builtin.conftest import Work


def test_a_folder_shows_names_sizes_and_folders(work: Work) -> None:
    work.put("b.txt", "12345")
    work.put("a/c.txt", "")
    assert work.text("list_folder") == "a/\nb.txt  5"
    assert work.text("list_folder", depth=2) == "a/\n  c.txt  0\nb.txt  5"


def test_a_long_listing_is_cut(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "ENTRIES", 3)
    for number in range(5):
        work.put(f"{number}", "")
    lines = work.text("list_folder").splitlines()
    assert lines[3:] == ["[cut after 3 entries; name a folder in it, or a smaller depth]"]


def test_a_folder_that_is_not_there_is_told(work: Work) -> None:
    work.put("docs/x", "")
    assert work.fault("list_folder", path="doc") == "path: there is no folder doc; there is docs"


def test_files_are_found_by_pattern_the_newest_first(work: Work) -> None:
    for age, name in enumerate(["src/old.py", "src/a/new.py", "src/x.txt"]):
        os.utime(work.put(name, ""), (age, age))
    assert work.text("glob", pattern="src/**/*.py") == "src/a/new.py\nsrc/old.py"
    assert work.text("glob", pattern="*.py", path="src") == "src/old.py"


def test_folders_of_tools_are_left_out_and_named(work: Work) -> None:
    work.put("node_modules/x.js", "")
    text = work.text("glob", pattern="**/*.js")
    assert text == "No file fits **/*.js.\n[not looked into: node_modules]"
    assert work.text("glob", pattern="*.js", path="node_modules") == "node_modules/x.js"


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "a.py", True),
        ("*.py", "a/b.py", False),
        ("**/*.py", "b.py", True),
        ("**/*.py", "a/b/c.py", True),
        ("a/**", "a/b/c", True),
        ("a/**", "a", False),
        ("a/**/c", "a/c", True),
        ("**/a/**/b", "x/a/y/z/b", True),
        ("*.{ts,tsx}", "a.tsx", True),
        ("[ab].c", "b.c", True),
        ("?.c", "ab.c", False),
    ],
)
def test_a_pattern_fits_as_in_a_shell(pattern: str, path: str, fits: bool) -> None:
    assert Pattern(pattern, "pattern").fits(path) is fits


def test_a_pattern_takes_no_longer_for_many_stars() -> None:
    pattern = "/".join(["**/*a*a*a*a*a*"] * 20)
    assert Pattern(pattern, "pattern").fits("/".join(["a" * 200] * 30))
    assert not Pattern(f"{pattern}b", "pattern").fits("/".join(["a" * 200] * 30))


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "{a,b}" * 10, ""])
def test_a_pattern_that_leads_out_or_is_endless_is_refused(pattern: str) -> None:
    with pytest.raises(ToolFault, match=r"^glob: "):
        Pattern(pattern, "glob")
