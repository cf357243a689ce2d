from __future__ import annotations

import asyncio
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from harness import builtin
from harness.builtin.memory import Memory
from harness.loop.toolbox import ToolFault
from tests.harness.builtin.conftest import Work, context_for


def test_what_was_saved_is_found_by_other_forms_of_its_words(work: Work) -> None:
    work("memory_save", text="Deployed on Fridays only", tags=["release"])
    work("memory_save", text="Tests need Redis")
    assert "Deployed on Fridays only" in work.text("memory_search", query="When are we deploying?")
    assert work.text("memory_search", query="release").startswith("1. (")


def test_a_search_without_a_match_says_how_many_entries_there_are(work: Work) -> None:
    assert work.text("memory_search", query="deploy") == "Nothing has been saved yet."
    work("memory_save", text="Tests need Redis")
    assert work.text("memory_search", query="deploy").startswith("None of the 1 entries")


def test_the_same_text_is_kept_once(work: Work) -> None:
    assert work.text("memory_save", text="x") == "Saved as entry 1."
    assert work.text("memory_save", text=" x ") == "This is entry 1 already."


def test_an_entry_is_forgotten_by_its_number(work: Work) -> None:
    work("memory_save", text="x")
    assert work.text("memory_forget", id=1) == "Removed entry 1."
    assert "id: there is no entry 1" in work.fault("memory_forget", id=1)
    assert "id: there is no entry" in work.fault("memory_forget", id=2**70)


def test_a_later_run_finds_what_was_saved(work: Work, tmp_path: Path) -> None:
    work("memory_save", text="kept for later")

    async def later() -> str:
        async with builtin.opened(work.folder, memory=tmp_path / "memory.sqlite3") as tools:
            return (await tools.box["memory_search"].run({"query": "later"}, context_for(work.folder))).text

    assert "kept for later" in asyncio.run(later())


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "memory").write_bytes(b"no database at all" * 100)
    memory = Memory(tmp_path / "memory")
    try:
        memory.memory_search({"query": "x"}, context_for(tmp_path))
    except ToolFault as fault:
        assert "The memory cannot be used: file is not a database" in str(fault)
    else:
        raise AssertionError


@given(st.text(max_size=30))
@settings(max_examples=100)
def test_no_query_breaks_the_search(query: str) -> None:
    memory = Memory(None)
    try:
        memory.memory_search({"query": query}, context_for(Path()))
    except ToolFault as fault:
        assert str(fault) == "query: there is no word in it"
    finally:
        memory.close()
