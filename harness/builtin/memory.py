"""The tools memory_search, memory_save and memory_forget, on SQLite's full-text search."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Final

import platformdirs

from harness.loop.toolbox import Arguments, Context, ToolFault, ToolOutput

LONGEST: Final = 8000
"""Characters of an entry."""
FOUND: Final = 5
MOST_WORDS: Final = 50

_SCHEMA: Final = """
CREATE VIRTUAL TABLE IF NOT EXISTS entries
USING fts5(text, tags, saved_at UNINDEXED, tokenize = 'porter unicode61 remove_diacritics 2')
"""
_SEARCH: Final = "SELECT rowid, text, tags, saved_at FROM entries WHERE entries MATCH ? ORDER BY bm25(entries, 1.0, 2.0), rowid LIMIT ?"


def usual_file(folder: Path) -> Path:
    """Where the memory of a working folder is kept: outside of it, in the user's own data."""
    digest = blake2b(os.fsencode(folder.resolve()), digest_size=8).hexdigest()
    return Path(platformdirs.user_data_dir("ccweb", appauthor=False)) / "memory" / f"{digest}.sqlite3"


class Memory:
    """The tools, over one file that later runs find again; in memory only, where there is no file.

    Several processes may use one file. The file is made when it is first needed.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._opened: sqlite3.Connection | None = None

    def memory_search(self, arguments: Arguments, context: Context) -> ToolOutput:
        """The entries that have any of the words, the best first."""
        words = re.findall(r"\w+", arguments["query"].encode("utf-8", "replace").decode())[:MOST_WORDS]
        if not words:
            raise ToolFault("query: there is no word in it")
        wanted = " OR ".join(f'"{word}"' for word in words)
        rows = self._run(_SEARCH, (wanted, int(arguments.get("limit", FOUND))))
        if rows:
            return ToolOutput(text="\n".join(_line(row) for row in rows))
        ((count,),) = self._run("SELECT count(*) FROM entries", ())
        if not count:
            return ToolOutput(text="Nothing has been saved yet.")
        return ToolOutput(text=f"None of the {count:,} entries has any of these words. Try other words for the same.")

    def memory_save(self, arguments: Arguments, context: Context) -> ToolOutput:
        """Keep a text. One that is there already is not kept twice."""
        text = arguments["text"].encode("utf-8", "replace").decode().strip()
        tags = " ".join(arguments.get("tags", ())).encode("utf-8", "replace").decode()
        if not text or len(text) > LONGEST:
            raise ToolFault(f"text: it has {len(text):,} characters; an entry has 1 to {LONGEST:,}")
        there = self._run("SELECT rowid FROM entries WHERE text = ?", (text,))
        if there:
            return ToolOutput(text=f"This is entry {there[0][0]} already.")
        now = datetime.now(UTC).strftime("%Y-%m-%d")
        number = self._added(text, tags, now)
        return ToolOutput(text=f"Saved as entry {number}.")

    def memory_forget(self, arguments: Arguments, context: Context) -> ToolOutput:
        """Remove an entry."""
        number = int(arguments["id"])
        if number >= 2**63 or not self._run("SELECT 1 FROM entries WHERE rowid = ?", (number,)):
            raise ToolFault(f"id: there is no entry {number}; memory_search shows the entries with their numbers")
        self._run("DELETE FROM entries WHERE rowid = ?", (number,))
        return ToolOutput(text=f"Removed entry {number}.")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _run(self, query: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        """The rows of one statement, committed. Raises ToolFault where the file cannot be used."""
        with self._lock:
            return self._run_locked(query, values)

    def _run_locked(self, query: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        try:
            with self._connection() as connection:
                return connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise ToolFault(f"The memory cannot be used: {error}") from error

    def _added(self, text: str, tags: str, now: str) -> int:
        """The number of a new entry. SQLite's RETURNING does not tell it for such a table."""
        with self._lock:
            self._run_locked("INSERT INTO entries (text, tags, saved_at) VALUES (?, ?, ?)", (text, tags, now))
            ((number,),) = self._run_locked("SELECT last_insert_rowid()", ())
        return int(str(number))

    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            if self._file is not None:
                self._file.parent.mkdir(parents=True, exist_ok=True)
            opened = sqlite3.connect(self._file or ":memory:", timeout=5.0, check_same_thread=False)
            try:
                opened.execute(_SCHEMA)
            except sqlite3.Error:
                opened.close()
                raise
            self._opened = opened
        return self._opened


def _line(row: tuple[object, ...]) -> str:
    number, text, tags, saved_at = row
    return f"{number}. ({saved_at}{f'; {tags}' if tags else ''}) {text}"
