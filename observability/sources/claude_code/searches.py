"""Tool searches: the call and every known shape of the result."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from harness.runlog import Match, SearchForm, ServerFailure, ToolSearched
from observability.sources.claude_code import fields
from observability.sources.claude_code.line import Line
from observability.sources.claude_code.state import MOST_CALLS, remember

TOOLS: Final = frozenset(("ToolSearch", "MCPSearch"))
"""Names of the search tool: the second is that of versions 2.0.73 to early 2.1."""

NO_MATCH: Final = "No matching deferred tools found"
FAILED_NOTE: Final = "Note: these configured MCP servers failed to connect"
PENDING_NOTE: Final = "Some MCP servers are still connecting"
REFERENCES_REMOVED: Final = "[Tool references removed - tool search not enabled]"
RESULT_MISSING: Final = "[Tool result missing due to internal error]"

_SURE: Final = (NO_MATCH, FAILED_NOTE, PENDING_NOTE, REFERENCES_REMOVED)
MOST_TEXT: Final = 4000
"""Characters of a result's text that are looked at for server names."""
MOST_NOTE: Final = 500

_failure = re.compile(r"([^\s,;:()][^,;:()]{0,200}?) \(([A-Z][A-Z0-9_]{1,60})\)")
_pending = re.compile(re.escape(PENDING_NOTE) + r": ([^\n]+?)(?:\.\s|\.?$)", re.MULTILINE)


def form_of(query: str) -> SearchForm:
    """How a query asks: exact names, words of which one is required, or words."""
    if query.lstrip().lower().startswith("select:"):
        return "select"
    if any(word.startswith("+") and len(word) > 1 for word in query.split()):
        return "required_word"
    return "words"


def called(line: Line, call: str, tool: str, given: dict[str, Any]) -> None:
    """A search was asked for. Its input was written by the model: other types count as absent."""
    query = fields.loose_text(given, "query")
    remember(line.state.searches, call, None, MOST_CALLS)
    line.found.events.append(
        ToolSearched(
            **line.base(f"search:{call}"),
            call=call,
            tool=tool,
            query=query,
            form=form_of(query) if query is not None else None,
            limit=fields.loose_whole(given, "max_results"),
        )
    )


class Result(NamedTuple):
    """A tool result, of a search or not. `plain`: its content is one string, not a list of blocks."""

    call: str
    text: str
    references: list[str]
    plain: bool
    failed: bool
    extra: dict[str, Any]


def is_result(line: Line, result: Result) -> bool:
    """Whether a result is one of a search: by its shape, or because the call was seen."""
    return (
        result.call in line.state.searches
        or bool(result.references)
        or result.text.startswith(_SURE)
        or (result.extra.get("matches").__class__ is list and result.extra.get("query").__class__ is str)
    )


def answered(line: Line, result: Result) -> None:
    """The result of a search.

    The matches are the tool references; where there are none, the client's own list; where there
    is neither and the result is a plain text, nothing was found. A text without references
    (older versions, or a resume without tool search) leaves them unknown.
    """
    line.state.searches.pop(result.call, None)
    query = fields.loose_text(result.extra, "query")
    head = result.text[:MOST_TEXT]
    error = _error(head, failed=result.failed)
    line.found.events.append(
        ToolSearched(
            **line.base(f"found:{result.call}"),
            call=result.call,
            query=query,
            form=form_of(query) if query is not None else None,
            matches=None if error else _matches(result),
            searchable=fields.loose_whole(result.extra, "total_deferred_tools"),
            pending_servers=_pending_servers(head, result.extra),
            failed_servers=_failed_servers(head),
            error=error,
            note=_note(head),
        )
    )


def _error(text: str, *, failed: bool) -> str | None:
    if text.startswith(RESULT_MISSING):
        return RESULT_MISSING
    return (text[:MOST_NOTE] or "failed") if failed else None


def _matches(result: Result) -> list[Match] | None:
    told = result.extra.get("matches")
    named: list[Any] = result.references or (told if isinstance(told, list) else [])
    found = [Match(tool=name) for name in named if name.__class__ is str and 0 < len(name) <= fields.MOST_NAME]
    if found or result.text.startswith((NO_MATCH, FAILED_NOTE, PENDING_NOTE)):
        return found
    if result.text.startswith(REFERENCES_REMOVED):
        return None
    return [] if result.plain or isinstance(told, list) else None


def _pending_servers(text: str, extra: dict[str, Any]) -> list[str]:
    told = extra.get("pending_mcp_servers")
    if isinstance(told, list):
        return [name for name in told if name.__class__ is str]
    found = _pending.search(text)
    return [name.strip() for name in found[1].split(",") if name.strip()] if found else []


def _failed_servers(text: str) -> list[ServerFailure]:
    """`name (CODE): error` of each server after the note that some could not be reached."""
    start = text.find(FAILED_NOTE)
    if start < 0:
        return []
    told = text[start:].partition("session: ")[2].partition(PENDING_NOTE)[0]
    heads = list(_failure.finditer(told))
    ends = [head.start() for head in heads[1:]] + [len(told)]
    return [
        ServerFailure(name=head[1].strip(), code=head[2], error=told[head.end() : end].strip(" :,;\n") or None)
        for head, end in zip(heads, ends, strict=True)
    ]


def _note(text: str) -> str | None:
    if text.startswith(NO_MATCH):
        text = text.removeprefix(NO_MATCH).lstrip(". \n")
    return text[:MOST_NOTE] or None
