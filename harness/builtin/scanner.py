"""Searches files by a regular expression, as a program of its own: `python scanner.py < request > result`.

Some expressions take for ever on some lines, and nothing inside Python can stop them; a process
can be ended. It imports the standard library only, so that it starts quickly. The request is a
JSON object, see `Request`; so is the result: `lines`, `matches`, `files`, `large` (files that
were too large) and `more`, or `error` where the expression is none.
"""

from __future__ import annotations

import json
import re
import sys
from collections import deque
from typing import Any, TypedDict

LARGEST_FILE = 32 * 1024 * 1024
LONGEST_LINE = 400
LARGEST_ANSWER = 200_000


class Request(TypedDict):
    """What to search. `files` are paths in `folder`; `context` is lines around each match."""

    pattern: str
    ignore_case: bool
    folder: str
    files: list[str]
    context: int
    limit: int


class Scan:
    """A search on its way: what was found so far."""

    def __init__(self, request: Request) -> None:
        self.expression = re.compile(request["pattern"], re.IGNORECASE if request["ignore_case"] else 0)
        self.request = request
        self.lines: list[str] = []
        self.matches = self.files = self.large = self.size = 0
        self.more = False

    def run(self) -> None:
        """Search file by file until there is enough."""
        for name in self.request["files"]:
            if self.more:
                return
            try:
                with open(f"{self.request['folder']}/{name}", "rb") as file:
                    self._file(name, file)
            except OSError:
                continue

    def _file(self, name: str, file: Any) -> None:
        start = file.read(8192)
        if b"\0" in start:
            return
        file.seek(0)
        before = self.matches
        self._lines(name, file)
        self.files += self.matches > before

    def _lines(self, name: str, file: Any) -> None:
        around = self.request["context"]
        earlier: deque[tuple[int, str]] = deque(maxlen=around)
        after, last, read = 0, 0, 0
        for number, raw in enumerate(file, 1):
            read += len(raw)
            if read > LARGEST_FILE:
                self.large += 1
                return
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            found = self.expression.search(line)
            if found:
                if self.matches == self.request["limit"] or self.size > LARGEST_ANSWER:
                    self.more = True
                    return
                self.matches += 1
                if around and last and number - len(earlier) > last + 1:
                    self._add("--")
                for at, text in earlier:
                    self._add(f"{name}-{at}- {cut(text, 0)}")
                earlier.clear()
                self._add(f"{name}:{number}: {cut(line, found.start())}")
                after, last = around, number
            elif after:
                self._add(f"{name}-{number}- {cut(line, 0)}")
                after, last = after - 1, number
            elif around:
                earlier.append((number, line))

    def _add(self, line: str) -> None:
        self.lines.append(line)
        self.size += len(line) + 1


def cut(line: str, at: int) -> str:
    """A line as it is shown: of a long one, the part around a place."""
    if len(line) <= LONGEST_LINE:
        return line
    start = max(0, min(at - LONGEST_LINE // 4, len(line) - LONGEST_LINE))
    left, right = "…" * (start > 0), "…" * (start + LONGEST_LINE < len(line))
    return f"{left}{line[start : start + LONGEST_LINE]}{right}"


def main() -> None:
    """Read the request, search, and write the result."""
    request: Request = json.load(sys.stdin)
    try:
        scan = Scan(request)
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        json.dump({"error": str(error) or type(error).__name__}, sys.stdout)
        return
    scan.run()
    kept = ("lines", "matches", "files", "large", "more")
    json.dump({each: getattr(scan, each) for each in kept}, sys.stdout)


if __name__ == "__main__":
    main()
