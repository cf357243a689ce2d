"""Content blocks: their text, and media, which never become text."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from harness.runlog import Item
from observability.sources.claude_code import fields
from observability.sources.claude_code.line import Line

_encode = msgspec.json.Encoder().encode


def as_json(value: object) -> str:
    """A value as compact JSON, for what has no text of its own."""
    try:
        return _encode(value).decode()
    except OverflowError:  # a number of more than 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def kind_of(block: object, place: str) -> str:
    """The type of a content block. Raises BadLine where it is not an object with a type."""
    if not isinstance(block, dict):
        raise fields.wrong(f"{place}[]", block, "an object")
    kind = block.get("type")
    if kind.__class__ is not str:
        raise fields.wrong(f"{place}[].type", kind, "text")
    return kind


def decoded_size(data: str) -> int:
    """How many bytes a base64 text stands for."""
    return max(0, len(data) * 3 // 4 - data[-2:].count("="))


def media(block: dict[str, Any], kind: str, call: str | None = None) -> Item:
    """An image or document. One given by address or file id has no size here."""
    source = fields.obj(block, "source", f"content.{kind}.source") or {}
    data = fields.loose_text(source, "data") or ""
    label = fields.loose_text(source, "media_type") or kind
    if source.get("type") == "text":
        return Item(kind="user", text=data, chars=len(data), label=label, call=call)
    return Item(kind="media", label=label, call=call, media_bytes=decoded_size(data))


def rest(line: Line, block: dict[str, Any], kind: str, call: str | None = None) -> Item:
    """A block of another type: its JSON, under its own type as label."""
    text = as_json(block)
    own = fields.loose_text(block, "tool_use_id") or call
    return Item(
        kind="tool_result" if kind.endswith("_tool_result") else _side(line),
        text=text,
        chars=len(text),
        label=kind,
        call=own,
    )


def _side(line: Line) -> Any:
    return "assistant" if line.kind == "assistant" else "user"
