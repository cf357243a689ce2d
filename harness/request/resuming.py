"""The messages of a resumed run, made fit for the surface and the strategy that it has now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from harness.request.messages import Block, Message
from harness.request.strategies import Strategy
from harness.surface import Surface


def adapted(history: Iterable[Message], strategy: Strategy, surface: Surface) -> list[Message]:
    """The messages, with what the provider would now refuse said in words.

    A reference to a tool that is gone is an error, and so is one where no definition is deferred.
    """
    known = {tool.name for tool in surface.deferred} if strategy == "reference" else set()
    return [_message(message, strategy, known) for message in history]


def _message(message: Message, strategy: Strategy, known: set[str]) -> Message:
    blocks = [each for block in message["content"] for each in _block(block, strategy, known)]
    if blocks == message["content"]:
        return message
    changed = any(each["type"] == "tool_addition" for each in blocks)
    role = message["role"] if message["role"] != "system" or changed else "user"
    return {"role": role, "content": blocks}


def _block(block: Block, strategy: Strategy, known: set[str]) -> Iterator[Block]:
    if block["type"] == "tool_addition" and not _stands(block, strategy, known):
        yield {"type": "text", "text": f"Loaded earlier: {_name(block)}"}
    elif block["type"] == "tool_result" and isinstance(block.get("content"), list):
        yield {**block, "content": _content(block["content"], known)}
    else:
        yield block


def _stands(block: Block, strategy: Strategy, known: set[str]) -> bool:
    tool = block.get("tool")
    if isinstance(tool, dict) and tool.get("type") == "tool_reference":
        return tool.get("name") in known
    return strategy == "inline"


def _name(block: Block) -> str:
    tool = block.get("tool")
    held = tool.get("definition", tool) if isinstance(tool, dict) else {}
    return str(held.get("name")) if isinstance(held, dict) else ""


def _content(content: list[Any], known: set[str]) -> list[Any]:
    """The content of a result less references to what is gone; where nothing else is left, words in their place."""
    gone = [each for each in content if _is_reference(each) and each.get("tool_name") not in known]
    rest = [each for each in content if each not in gone]
    if gone and not rest:
        return [{"type": "text", "text": f"Loaded earlier: {', '.join(str(each.get('tool_name')) for each in gone)}"}]
    return rest


def _is_reference(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_reference"
