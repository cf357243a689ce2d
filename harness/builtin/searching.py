"""The tool search: a regular expression in the content of files, in a process that can be ended."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Final

from harness.builtin import scanner
from harness.builtin.paths import in_words, inside, regular
from harness.builtin.patterns import Pattern
from harness.builtin.walking import Walk
from harness.catalogue import shown
from harness.loop.toolbox import Arguments, Context, ToolFault, ToolOutput

LONGEST: Final = 20.0
"""Seconds that a search may take."""
MATCHES: Final = 100
"""Matches of an answer, where the call names no number."""
MOST_MATCHES: Final = 2000


async def search(arguments: Arguments, context: Context) -> ToolOutput:
    """The matching lines with path and number, and with lines around them where asked for."""
    files, notes = await asyncio.to_thread(_files, arguments, context.folder)
    request = scanner.Request(
        pattern=arguments["pattern"],
        ignore_case=bool(arguments.get("ignore_case", False)),
        folder=str(context.folder),
        files=files,
        context=int(arguments.get("context", 0)),
        limit=min(int(arguments.get("limit", MATCHES)), MOST_MATCHES),
    )
    found = await _scanned(request)
    if "error" in found:
        raise ToolFault(f"pattern: {shown(arguments['pattern'])} is no regular expression: {found['error']}")
    return ToolOutput(text="\n".join([*found["lines"], *_summary(found, request), *notes]))


def _files(arguments: Arguments, folder: Path) -> tuple[list[str], list[str]]:
    """The files to search, and what is to be said of how they were found."""
    start = inside(folder, arguments.get("path", "."))
    if not start.is_dir():
        regular(folder, start)
        return [in_words(folder, start)], []
    pattern = Pattern(arguments["glob"], "glob", anywhere=True) if "glob" in arguments else None
    above = "" if start == folder else f"{in_words(folder, start)}/"
    walk = Walk(folder, start)
    found = [path for path in walk if pattern is None or pattern.fits(path.removeprefix(above))]
    return found, walk.notes()


async def _scanned(request: scanner.Request) -> dict[str, Any]:
    program = [sys.executable, "-I", str(Path(scanner.__file__))]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*program, stdin=pipe, stdout=pipe, stderr=pipe)
    try:
        async with asyncio.timeout(LONGEST):
            out, error = await process.communicate(json.dumps(request).encode())
    except TimeoutError as late:
        raise ToolFault(
            f"The search was stopped after {LONGEST:.0f} seconds. Name a folder or a glob, or use a pattern that has"
            " fewer ways to match: a repetition inside a repetition, such as (a+)+, may take for ever."
        ) from late
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise ToolFault(f"The search failed: {shown(error[-500:].decode('utf-8', 'replace'), 300)}")
    found: dict[str, Any] = json.loads(out)
    return found


def _summary(found: dict[str, Any], request: scanner.Request) -> list[str]:
    lines = []
    if not found["matches"]:
        searched = f"{len(request['files']):,} file{'s' * (len(request['files']) != 1)}"
        hint = "; it is matched line by line" if "\\n" in request["pattern"] else ""
        lines.append(f"No match of {shown(request['pattern'])} in {searched}{hint}.")
    if found["more"]:
        lines.append(f"[more than {found['matches']:,} matches; use a narrower pattern, path or glob]")
    if found["large"]:
        lines.append(f"[{found['large']:,} files searched only to {scanner.LARGEST_FILE:,} bytes]")
    return lines
