"""User lines: prompts, tool results, and what the client adds in the user's name."""

from __future__ import annotations

from typing import Any

from harness.runlog import ContextAppended, Item
from observability.sources.claude_code import content, fields, known, results, sidechains, surface, texts
from observability.sources.claude_code.line import Line


def translate(line: Line) -> None:
    """Items for each part of the message, and what they tell of calls, searches and the surface."""
    record = line.record
    message = fields.obj(record, "message", "message")
    if message is None:
        raise fields.wrong("message", None, "an object")
    line.check(message, known.MESSAGE, "message")
    _facts(line)
    summary = fields.flag(record, "isCompactSummary", "isCompactSummary")
    shown_only = fields.flag(record, "isVisibleInTranscriptOnly", "isVisibleInTranscriptOnly")
    items = _items(line, message.get("content"), summary=summary)
    if items and (summary or not shown_only):
        line.found.events.append(ContextAppended(**line.base("items"), items=items))


def _facts(line: Line) -> None:
    mode = fields.name(line.record, "permissionMode", "permissionMode")
    if mode:
        line.facts["mode"] = mode


def _items(line: Line, value: Any, *, summary: bool) -> list[Item]:
    if value is None:
        return []
    if value.__class__ is str:
        return _text(line, value, summary=summary)
    if value.__class__ is not list:
        raise fields.wrong("message.content", value, "text or a list")
    extra = results.extra_of(line, value)
    items: list[Item] = []
    for block in value:
        items += _block(line, block, extra, summary=summary)
    return items


def _block(line: Line, block: Any, extra: dict[str, Any], *, summary: bool) -> list[Item]:
    kind = content.kind_of(block, "message.content")
    line.check_block(block, kind)
    if kind == "tool_result":
        return results.translate(line, block, extra)
    if kind == "text":
        return _text(line, fields.text(block, "text", "content.text.text") or "", summary=summary)
    if kind in ("image", "document"):
        return [content.media(block, kind)]
    return [content.rest(line, block, kind)]


def _text(line: Line, text: str, *, summary: bool) -> list[Item]:
    if not text:
        return []
    if summary:
        return [texts.item("summary", text)]
    meta = fields.flag(line.record, "isMeta", "isMeta")
    items = texts.classify(text, meta, line.record.get("cwd") or "")
    for found in items:
        if found.kind == "index":
            surface.announce(line, text)
        elif found.kind == "user":
            _prompt(line, text)
    return items


def _prompt(line: Line, text: str) -> None:
    """The first prompt names the run; a sub-agent's prompt tells which call gave it."""
    if "prompt" not in line.facts and (title := texts.title(text)):
        line.facts["prompt"] = title
    sidechains.prompt(line, text)
