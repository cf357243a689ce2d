"""Results of tool calls."""

from __future__ import annotations

from typing import Any, Final

from harness.runlog import Item, ToolCalled
from observability.sources.claude_code import content, fields, searches
from observability.sources.claude_code.line import Line

_ERROR_TAG: Final = "<tool_use_error>"
MOST_ERROR: Final = 200


def extra_of(line: Line, blocks: list[Any]) -> dict[str, Any]:
    """What the client noted beside a result; in printed streams the key is in snake case.

    It speaks of one result: beside several it says nothing of any.
    """
    extra = line.record.get("toolUseResult")
    if extra is None:
        extra = line.record.get("tool_use_result")
    if not isinstance(extra, dict):
        return {}
    one = sum(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks) == 1
    return extra if one else {}


def translate(line: Line, block: dict[str, Any], extra: dict[str, Any]) -> list[Item]:
    """The items of one result; its call and, for a search, its matches become events."""
    call = fields.name(block, "tool_use_id", "content.tool_result.tool_use_id")
    failed = fields.flag(block, "is_error", "content.tool_result.is_error")
    text, references, attached = _read(line, block, call)
    if call:
        plain = block.get("content").__class__ is str
        result = searches.Result(call, text, references, plain, failed, extra)
        _called(line, result)
        if searches.is_result(line, result):
            searches.answered(line, result)
    return [Item(kind="tool_result", text=text, chars=len(text), call=call), *attached]


def _read(line: Line, block: dict[str, Any], call: str | None) -> tuple[str, list[str], list[Item]]:
    """A result's text, the tools it refers to, and its media."""
    value = block.get("content")
    if value is None:
        return "", [], []
    if value.__class__ is str:
        return value, [], []
    if value.__class__ is not list:
        raise fields.wrong("content.tool_result.content", value, "text or a list")
    texts: list[str] = []
    references: list[str] = []
    attached: list[Item] = []
    for part in value:
        _read_part(line, part, call, texts, references, attached)
    return "\n".join(texts), references, attached


def _read_part(
    line: Line, part: Any, call: str | None, texts: list[str], references: list[str], attached: list[Item]
) -> None:
    kind = content.kind_of(part, "content.tool_result.content")
    line.check_block(part, kind)
    if kind == "text":
        texts.append(fields.text(part, "text", "content.text.text") or "")
    elif kind == "tool_reference":
        references.append(fields.name(part, "tool_name", "content.tool_reference.tool_name") or "")
    elif kind in ("image", "document"):
        attached.append(content.media(part, kind, call))
    else:
        texts.append(content.as_json(part))


def _called(line: Line, result: searches.Result) -> None:
    text, extra = result.text, result.extra
    failed = result.failed or text.startswith(searches.RESULT_MISSING)
    line.found.events.append(
        ToolCalled(
            **line.base(f"result:{result.call}"),
            call=result.call,
            ok=not failed,
            result_chars=len(text),
            duration_ms=_duration(extra),
            error=_error(text) if failed else None,
            child_run=fields.loose_name(extra, "agentId"),
        )
    )


def _duration(extra: dict[str, Any]) -> int | None:
    """In milliseconds: of a sub-agent in all, else of the tool."""
    of_agent = fields.loose_whole(extra, "totalDurationMs", fields.MOST_DURATION)
    return of_agent if of_agent is not None else fields.loose_whole(extra, "durationMs", fields.MOST_DURATION)


def _error(text: str) -> str:
    """The client's own words for an error; a tool's output stays in the context item alone."""
    if text.startswith(_ERROR_TAG):
        return text[len(_ERROR_TAG) :].split("\n", 1)[0].split("</", 1)[0][:MOST_ERROR]
    return searches.RESULT_MISSING if text.startswith(searches.RESULT_MISSING) else "error"
