"""The messages of a resumed run, made fit for the surface and the strategy that it has now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from harness.request.messages import Block, Message, blocks_of
from harness.request.strategies import Strategy, announcement, explained
from harness.surface import Surface
from harness.tools import ToolSpec


def adapted(history: Iterable[Message], strategy: Strategy, surface: Surface, *, changes: bool) -> list[Message]:
    """The messages, with what the provider would now refuse said in words.

    A reference to a tool that is gone is an error, and so is one where no definition is deferred.
    `changes`: the model takes a message that adds tools.
    """
    deferred = {tool.name: tool for tool in surface.deferred}
    return [_message(message, strategy, deferred, changes=changes) for message in history]


def _message(message: Message, strategy: Strategy, deferred: Mapping[str, ToolSpec], *, changes: bool) -> Message:
    names = [_name(block) for block in blocks_of(message, "tool_addition")]
    if names:
        return _added(message, names, strategy, deferred, changes=changes)
    if strategy == "bridge":
        return {**message, "content": [_bridged(block, deferred) for block in message["content"]]}
    known = set(deferred) if strategy == "reference" else set[str]()
    return {**message, "content": [_block(block, known) for block in message["content"]]}


def _added(
    message: Message, names: list[str], strategy: Strategy, deferred: Mapping[str, ToolSpec], *, changes: bool
) -> Message:
    """A message that added tools, as the strategy would say it now; names alone where it says nothing of the kind."""
    rest = [block for block in message["content"] if block["type"] != "tool_addition"]
    tools = [deferred[name] for name in names if name in deferred]
    if strategy == "append" or len(tools) < len(names):
        return {"role": "user", "content": [*rest, {"type": "text", "text": f"Loaded earlier: {', '.join(names)}"}]}
    if _stands(message, strategy):
        return message
    said = announcement(tools, strategy, changes=changes)
    return {**said, "content": [*rest, *said["content"]]}


def _stands(message: Message, strategy: Strategy) -> bool:
    """Whether it is sent as it was: what was defined by value may have changed since, and stays."""
    kinds = {block["tool"].get("type") for block in blocks_of(message, "tool_addition")}
    return strategy == "inline" and kinds == {"tool_definition"}


def _block(block: Block, known: set[str]) -> Block:
    if block["type"] == "tool_result" and isinstance(block.get("content"), list):
        return {**block, "content": _content(block["content"], known)}
    return block


def _bridged(block: Block, deferred: Mapping[str, ToolSpec]) -> Block:
    """A result with the definitions of what it refers to; with words alone where any of that is gone."""
    names = [str(each.get("tool_name")) for each in blocks_of(block, "tool_reference")]
    if block["type"] != "tool_result" or not names or any(name not in deferred for name in names):
        return _block(block, set())
    rest = [each for each in block["content"] if not _is_reference(each)]
    return explained({**block, "content": rest}, [deferred[name] for name in names])


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
