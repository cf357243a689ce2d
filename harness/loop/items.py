"""From messages to the items of the run log, and what stands in the log for a surface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from harness import wire
from harness.loop.prompts import OPENING
from harness.request.messages import SUM_UP, SUMMED, text_of
from harness.request.strategies import BRIDGED, told
from harness.runlog import Item, ItemKind, Tool
from harness.surface import Surface, SurfaceTool, index_entry, index_text
from harness.surface.late import LATE

Block = Mapping[str, Any]


def tools_of(surface: Surface) -> list[Tool]:
    """The tools of a surface, each with its state and definition."""
    return entries(surface.tools)


def entries(tools: Iterable[SurfaceTool]) -> list[Tool]:
    """Some tools of a surface."""
    return [
        Tool(
            name=tool.spec.name,
            state=tool.state,
            definition=tool.spec.definition(),
            group=tool.spec.group or None,
            server=tool.spec.server or None,
            reason=tool.reason,
            listing=index_entry(tool.spec) if tool.state == "deferred" else None,
        )
        for tool in tools
    ]


def prefix_items(system: Iterable[str], surface: Surface) -> list[Item]:
    """The system prompt and the index."""
    items = [_item("system", text, label=f"block {number}") for number, text in enumerate(system, 1)]
    return [*items, _item("index", text)] if (text := index_text(surface)) else items


CONVERSATION: Final[tuple[ItemKind, ...]] = (
    *("user", "assistant", "thinking", "tool_call", "tool_result", "reminder", "media", "summary"),
)
"""The kinds that `conversation_items` gives anew."""


def conversation_items(messages: Iterable[Mapping[str, Any]], names: Mapping[str, str]) -> list[Item]:
    """All that the messages hold now, but for the start-up text and names of late tools, which still stand."""
    found: list[Item] = []
    for number, message in enumerate(messages):
        if message["role"] == "assistant":
            found += assistant_items(message["content"], None)
        elif (said := told_items(message)) or message["role"] == "system":
            found += said
        else:
            content = message["content"]
            opens = number == 0 and str(content[0].get("text", "")).startswith(OPENING)
            given = user_items(content[1:] if opens else content, names)
            found += [item for item in given if item.kind in CONVERSATION]
    return found


ANNOUNCED: Final = "loaded tools"
"""The label of what makes loaded tools known."""


def told_items(message: Mapping[str, Any]) -> list[Item]:
    """What stands for a message that makes loaded tools known; nothing for any other."""
    return [_item("reminder", text, label=ANNOUNCED)] if (text := told(message)) else []


def assistant_items(content: Iterable[Block], request: str | None) -> list[Item]:
    """What a reply added to the context."""
    return [item for block in content for item in _said(block, request)]


def _said(block: Block, request: str | None) -> Iterator[Item]:
    kind = block["type"]
    if kind == "text":
        yield _item("assistant", str(block["text"]), request=request)
    elif kind == "thinking":
        text, signature = str(block.get("thinking", "")), str(block.get("signature", ""))
        # The signature is what is sent where the text is not.
        yield _item("thinking", text, request=request, hidden_chars=0 if text else len(signature))
    elif kind == "tool_use":
        text = wire.dumps(block["input"]).decode()
        yield _item("tool_call", text, label=str(block["name"]), call=str(block["id"]), request=request)
    else:
        yield Item(kind="thinking", label=str(kind), hidden_chars=len(wire.dumps(block)), request=request)


def user_items(content: Iterable[Block], names: Mapping[str, str]) -> list[Item]:
    """What a message of the user, or of tools, added. `names` are the tools by call."""
    return [item for block in content for item in _given(block, names)]


def _given(block: Block, names: Mapping[str, str]) -> Iterator[Item]:
    kind = block["type"]
    if kind == "text":
        text = str(block["text"])
        yield _item(_kind(text), text)
    elif kind == "tool_result":
        call = str(block["tool_use_id"])
        yield _item("tool_result", _result(block), label=names.get(call), call=call)
        yield from (_media(each, call) for each in block["content"] if _is_media(each))
    elif _is_media(block):
        yield _media(block, None)


def _kind(text: str) -> ItemKind:
    """What a text that is not the model's stands for."""
    if text.startswith(f"{LATE}\n"):
        return "index"
    return "summary" if text.startswith(f"{SUMMED}\n") else "reminder" if text == SUM_UP else "user"


def _result(block: Block) -> str:
    """The text of a result. Definitions are left out: the log has them as tools that were loaded."""
    content = block.get("content")
    if not isinstance(content, list):
        return str(content or "")
    names = [str(each["tool_name"]) for each in content if each.get("type") == "tool_reference"]
    texts = [each for each in content if not str(each.get("text", "")).startswith(BRIDGED)]
    return "\n".join([*names, *filter(None, [text_of(texts)])])


def _is_media(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("type") in ("image", "document")


def _media(block: Block, call: str | None) -> Item:
    source = block.get("source") or {}
    return Item(
        kind="media", label=source.get("media_type"), call=call, media_bytes=len(str(source.get("data", ""))) * 3 // 4
    )


def _item(kind: Any, text: str, **more: Any) -> Item:
    return Item(kind=kind, text=text, chars=len(text), **more)
