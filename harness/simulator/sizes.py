"""How many tokens a block is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from harness import tokens, wire
from harness.simulator.prefix import Block, defined
from harness.tokens import Content

Counter = Callable[[Block, str], int]
"""Tokens of a block for a model."""

_MEDIA: Final = frozenset(("image", "document"))
_FRAMED: Final[Mapping[str, str]] = {"tool_use": "tool_call", "tool_result": "tool_result"}


def measured(block: Block, model: str) -> int:
    """By the offline tokenizer, times the model's factor, with what stands around calls and results."""
    total = sum(_text(wire.dumps(each).decode(), model, "schema") for each in block.loads)
    if block.tier == "tools":
        return total + _text(wire.dumps(block.value).decode(), model, "schema")
    kind = str(block.value.get("type") or "")
    if kind in _FRAMED:
        total += tokens.frame(model, _FRAMED[kind]).tokens
    return total + _value(block.value, model)


def _value(value: Mapping[str, Any], model: str) -> int:
    kind = value.get("type")
    if kind in _MEDIA:
        return tokens.media(len(wire.dumps(value.get("source")))).tokens
    if kind in ("text", "thinking"):
        return _text(str(value.get(kind) or ""), model, "text")
    if kind in ("tool_use", "server_tool_use"):
        return _text(wire.dumps(value.get("input")).decode(), model, "call")
    if kind == "tool_result":
        return _content(value.get("content"), model)
    if definition := defined(value):
        return _text(wire.dumps(definition).decode(), model, "schema")
    return _text(wire.dumps(value).decode(), model, "text")


def _content(content: Any, model: str) -> int:
    if isinstance(content, str):
        return _text(content, model, "text")
    return sum(_value(part, model) for part in content or () if isinstance(part, dict))


def _text(text: str, model: str, content: Content) -> int:
    return tokens.measured(tokens.count(text), tokens.factor(model, content)).tokens
