"""A request body as it was captured, in the form of any provider, brought into the canonical one.

    pieces_of(canonical(body))

Forms: Anthropic Messages (canonical already), OpenAI Responses and Chat Completions, Bedrock
Converse. What has no counterpart is kept as it is, to be counted as the JSON that it is. Nothing in
a capture is trusted: whatever is not of its form is left out, and nothing is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

Block = Mapping[str, Any]
Made = dict[str, Any]

NAMELESS: Final = "tool"
"""A tool of the provider's own that names no type."""
_TOLD: Final = ("system", "developer")
_TEXTS: Final = ("text", "input_text", "output_text", "refusal", "summary_text")
_DATA: Final = "data:"


def canonical(body: Block) -> Made:
    """The body in Anthropic's form: `model`, `tools`, `system` and `messages`."""
    if isinstance(body.get("messages"), list) and "inferenceConfig" in body:
        return _converse(body)
    if "input" in body or "instructions" in body:
        return _responses(body)
    if _is_chat(body):
        return _chat(body)
    return dict(body)


def _is_chat(body: Block) -> bool:
    """Whether it is a Chat Completions body: Anthropic has no such roles at the start, and names tools directly."""
    roles = {message.get("role") for message in _objects(body.get("messages"))}
    calls = any("tool_calls" in message for message in _objects(body.get("messages")))
    functions = any(isinstance(tool.get("function"), Mapping) for tool in _objects(body.get("tools")))
    first = next((message.get("role") for message in _objects(body.get("messages"))), None)
    return bool(functions or calls or "tool" in roles or first in _TOLD)


# Tools -------------------------------------------------------------------------------------------


def _tools(given: Any) -> list[Made]:
    return [made for tool in _objects(given) for made in _tool(tool)]


def _tool(tool: Block) -> Iterator[Made]:
    if tool.get("type") == "namespace":
        for each in _objects(tool.get("tools")):
            yield from _tool(each)
        return
    nested = tool.get("function")
    held: Block = nested if isinstance(nested, Mapping) else tool
    if held.get("name") is None:
        # A tool of the provider's own, such as a search of the web: it is counted as what was sent.
        yield {**tool, "name": str(tool.get("type") or NAMELESS)}
        return
    made: Made = {"name": held["name"], "description": held.get("description") or ""}
    made["input_schema"] = held.get("parameters", held.get("input_schema", {}))
    if tool.get("defer_loading"):
        made["defer_loading"] = True
    yield made


def _brought(tools: Any) -> Made:
    """A message that loads tools by value."""
    return _message("user", [{"type": "tool_definition", "definition": tool} for tool in _tools(tools)])


# Responses ---------------------------------------------------------------------------------------


def _responses(body: Block) -> Made:
    given = body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else _objects(given)
    first = body.get("instructions")
    return _made(body, [first] if isinstance(first, str) and first else [], map(_item, items))


def _item(item: Block) -> Made:
    kind, call = item.get("type"), str(item.get("call_id") or item.get("id") or "")
    if kind in ("function_call", "custom_tool_call", "tool_search_call"):
        name = "tool_search" if kind == "tool_search_call" else item.get("name")
        return _message("assistant", [_call(call, name, item.get("arguments", item.get("input")))])
    if kind in ("function_call_output", "custom_tool_call_output"):
        return _message("user", [_answer(call, item.get("output"))])
    if kind in ("tool_search_output", "additional_tools"):
        return _brought(item.get("tools"))
    if kind == "reasoning":
        return _message("assistant", [_thinking(item)])
    if kind not in (None, "message"):
        return _message("assistant", [dict(item)])
    return _message(_role(item.get("role")), _parts(item.get("content")))


def _thinking(item: Block) -> Made:
    texts = [str(part.get("text") or "") for part in _objects(item.get("content"))]
    return {"type": "thinking", "thinking": "\n".join(texts), "signature": item.get("encrypted_content") or ""}


# Chat Completions --------------------------------------------------------------------------------


def _chat(body: Block) -> Made:
    messages = _objects(body.get("messages"))
    told = next((at for at, each in enumerate(messages) if each.get("role") not in _TOLD), len(messages))
    system = [part["text"] for each in messages[:told] for part in _parts(each.get("content")) if "text" in part]
    return _made(body, system, map(_chat_message, messages[told:]))


def _chat_message(message: Block) -> Made:
    role, content = message.get("role"), message.get("content")
    if role in ("tool", "function"):
        return _message("user", [_answer(str(message.get("tool_call_id") or ""), content)])
    calls = [
        _call(str(each.get("id") or ""), held.get("name"), held.get("arguments"))
        for each in _objects(message.get("tool_calls"))
        if isinstance(held := each.get("function"), Mapping)
    ]
    return _message(_role(role), [*_parts(content), *calls])


# Converse ----------------------------------------------------------------------------------------


def _converse(body: Block) -> Made:
    config = body.get("toolConfig")
    specs = [each.get("toolSpec") for each in _objects(config.get("tools") if isinstance(config, Mapping) else None)]
    tools = [{**spec, "parameters": spec.get("inputSchema")} for spec in specs if isinstance(spec, Mapping)]
    system = [str(each["text"]) for each in _objects(body.get("system")) if "text" in each]
    messages = (
        _message(
            _role(each.get("role")), [made for part in _objects(each.get("content")) for made in _converse_part(part)]
        )
        for each in _objects(body.get("messages"))
    )
    return _made({**body, "tools": tools}, system, messages)


def _converse_part(part: Block) -> Iterator[Made]:
    use, result = part.get("toolUse"), part.get("toolResult")
    if "text" in part:
        yield {"type": "text", "text": part["text"]}
    elif isinstance(use, Mapping):
        yield _call(str(use.get("toolUseId") or ""), use.get("name"), use.get("input"))
    elif isinstance(result, Mapping):
        content = [made for each in _objects(result.get("content")) for made in _converse_part(each)]
        yield {"type": "tool_result", "tool_use_id": str(result.get("toolUseId") or ""), "content": content}
    elif "cachePoint" not in part:
        yield dict(part)


# What they share ---------------------------------------------------------------------------------


def _made(body: Block, system: Iterable[str], messages: Iterable[Made]) -> Made:
    texts = [{"type": "text", "text": text} for text in system]
    held = {"model": body.get("model") or "", "tools": _tools(body.get("tools")), "system": texts}
    return {**held, "messages": [each for each in messages if each["content"]]}


def _message(role: str, content: list[Made]) -> Made:
    return {"role": role, "content": content}


def _role(role: Any) -> str:
    return "system" if role in _TOLD else "assistant" if role == "assistant" else "user"


def _call(call: str, name: Any, given: Any) -> Made:
    return {"type": "tool_use", "id": call, "name": str(name or ""), "input": _arguments(given)}


def _arguments(given: Any) -> Any:
    """Arguments as a value: they may come as JSON in a text."""
    if not isinstance(given, str):
        return given
    try:
        return msgspec.json.decode(given)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return given


def _answer(call: str, output: Any) -> Made:
    return {"type": "tool_result", "tool_use_id": call, "content": _parts(output)}


def _parts(content: Any) -> list[Made]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [_part(each) for each in _objects(content)]


def _part(part: Block) -> Made:
    if part.get("type") in _TEXTS:
        return {"type": "text", "text": str(part.get("text") or part.get("refusal") or "")}
    data = _data(part)
    return {"type": "image", "source": data} if data is not None else dict(part)


def _data(part: Block) -> Made | None:
    """The source of a picture, a file or a sound; None where a part is none of them."""
    held = next((part[key] for key in ("image_url", "input_audio", "file", "file_data") if key in part), None)
    if isinstance(held, Mapping):
        held = next((held[key] for key in ("url", "data", "file_data") if key in held), "")
    if held is None and part.get("type") not in ("input_image", "input_file"):
        return None
    head, comma, data = str(held or "").partition(",")
    if not head.startswith(_DATA) or not comma:
        return {"type": "url", "url": head if not comma else ""}
    return {"type": "base64", "media_type": head.removeprefix(_DATA).partition(";")[0], "data": data}


def _objects(value: Any) -> list[Block]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
