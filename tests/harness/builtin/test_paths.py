from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import builtin
from harness.builtin.paths import entry, inside
from harness.loop.toolbox import ToolFault
from tests.harness.builtin.conftest import Work, context_for

SECRET = "what stands outside"
PARTS = ["..", ".", "", "a", "out", "out_file", "in", "loop", "deep", "~", "a\0b", "etc", "passwd", "\udc80", "é" * 200]


@contextmanager
def folders() -> Iterator[tuple[Path, Path]]:
    """A working folder with links that lead in, out and round, and a folder beside it."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name).resolve()
        work, outside = top / "work", top / "outside"
        (work / "a" / "deep").mkdir(parents=True)
        outside.mkdir()
        (outside / "secret").write_text(SECRET)
        (work / "a" / "file").write_text("inside")
        for link, target in {"out": outside, "out_file": outside / "secret", "in": work / "a"}.items():
            (work / link).symlink_to(target)
            (work / "a" / link).symlink_to(target)
        (work / "loop").symlink_to(work / "loop")
        yield work, outside


def paths(top: Path) -> st.SearchStrategy[str]:
    starts = ["", "/", f"{top}/", f"{top}/work/", f"{top}/outside/", "file:///"]
    parts = st.lists(st.sampled_from([*PARTS, "work", "outside", "secret", "file"]) | st.text(max_size=3), max_size=6)
    return st.builds(lambda start, names: start + "/".join(names), st.sampled_from(starts), parts)


def test_no_path_that_is_taken_leads_out_of_the_folder() -> None:
    with folders() as (work, _):

        @given(paths(work.parent))
        @settings(max_examples=300)
        def holds(path: str) -> None:
            with suppress(ToolFault):
                assert Path(os.path.realpath(inside(work, path))).is_relative_to(work)
            with suppress(ToolFault):
                assert Path(os.path.realpath(entry(work, path).parent)).is_relative_to(work)

        holds()


@given(st.data())
@settings(max_examples=60)
def test_no_file_tool_reads_or_changes_what_is_outside_the_folder(data: st.DataObject) -> None:
    with folders() as (work, outside):
        one, other = data.draw(paths(work.parent)), data.draw(paths(work.parent))
        calls: dict[str, dict[str, object]] = {
            "read": {"path": one},
            "write": {"path": one, "content": "changed"},
            "edit": {"path": one, "old": "what", "new": "changed"},
            "edit_many": {"path": one, "edits": [{"old": "what", "new": "changed"}]},
            "list_folder": {"path": one, "depth": 3},
            "glob": {"pattern": "**", "path": one},
            "search": {"pattern": "stands", "path": one},
            "move": {"source": one, "target": other},
            "delete": {"path": one, "recursive": True},
            "changes": {"path": one},
        }
        name = data.draw(st.sampled_from(sorted(calls)))
        assert SECRET not in asyncio.run(answer(work, name, calls[name]))
        assert [each.name for each in outside.iterdir()] == ["secret"]
        assert (outside / "secret").read_text() == SECRET


async def answer(folder: Path, name: str, arguments: dict[str, object]) -> str:
    async with builtin.opened(folder) as tools:
        try:
            return (await tools.box[name].run(arguments, context_for(folder))).text
        except (ToolFault, OSError) as fault:
            return str(fault)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../x", "'..'"),
        ("a/../b", "'..'"),
        ("/etc/passwd", "outside the working folder"),
        ("", "empty"),
        ("a\0", "NUL"),
        ("\ud800", "no file name"),
    ],
)
def test_a_path_is_refused_with_the_reason(work: Work, path: str, reason: str) -> None:
    fault = work.fault("read", path=path)
    assert fault.startswith("path: ")
    assert reason in fault


def test_a_link_that_leads_out_is_named(work: Work, tmp_path: Path) -> None:
    (work.folder / "link").symlink_to(tmp_path)
    assert "through the link 'link'" in work.fault("write", path="link/x", content="")


def test_a_link_that_stays_inside_is_followed(work: Work) -> None:
    work.put("a/file", "text")
    (work.folder / "link").symlink_to(work.folder / "a")
    assert "text" in work.text("read", path="link/file")


def test_an_absolute_path_inside_is_taken(work: Work) -> None:
    work.put("file", "text")
    assert "text" in work.text("read", path=str(work.folder / "file"))


def test_a_missing_file_is_told_with_names_that_are_alike(work: Work) -> None:
    work.put("src/settings.py", "")
    assert work.fault("read", path="src/setings.py") == (
        "path: there is no file src/setings.py; there is src/settings.py"
    )
