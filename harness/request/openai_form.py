"""The canonical body in the forms of OpenAI: Responses, and Chat Completions for whatever speaks it.

Pure dict to dict. Markers fall away: these providers cache without them. Equal bodies give
equal bytes, and a longer run continues the items of a shorter one, so that their caches find
the prefix.

What was sent by reference becomes a search that the client answers: `search_tools` turns into
the provider's own `tool_search`, its calls and results into `tool_search_call` and
`tool_search_output`, which holds the definitions. Deferred definitions are left out of `tools`:
there, their names and descriptions would stand in the prefix, where the index stands already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from harness import wire
from harness.catalogue.own import SEARCH_TOOLS
from harness.request.ledger import announced
from harness.request.messages import blocks_of, text_of

Item = dict[str, Any]

PASSED: Final = ("temperature", "top_p", "metadata", "service_tier", "prompt_cache_key", "reasoning", "text")
"""Fields that mean the same in both forms, or are OpenAI's own."""
PASSED_TO_CHAT: Final = ("temperature", "top_p", "metadata", "service_tier", "prompt_cache_key", "reasoning_effort")
_CHOICES: Final = {"auto": "auto", "any": "required", "none": "none"}


def to_openai_responses(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body for `responses.create`. Nothing is stored there: the whole run is sent each time."""
    form = _Responses(body)
    made: dict[str, Any] = {"model": body["model"], "max_output_tokens": body["max_tokens"], "store": False}
    made |= {name: body[name] for name in PASSED if name in body}
    if "tool_choice" in body:
        made |= _choice(body["tool_choice"], lambda name: {"type": "function", "name": name})
    if instructions := _system(body):
        made["instructions"] = instructions
    if tools := form.tools():
        made["tools"] = tools
    return {**made, "input": [item for message in body["messages"] for item in form.items(message)]}


def to_openai_chat(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body for `chat.completions.create`. Takes the strategies append and bridge.

    A server that only looks like OpenAI may know no `max_completion_tokens`; its provider renames it.
    """
    made: dict[str, Any] = {"model": body["model"], "max_completion_tokens": body["max_tokens"]}
    made |= {name: body[name] for name in PASSED_TO_CHAT if name in body}
    if "tool_choice" in body:
        made |= _choice(body["tool_choice"], lambda name: {"type": "function", "function": {"name": name}})
    tools = [tool for tool in body.get("tools", []) if not tool.get("defer_loading")]
    if tools:
        made["tools"] = [{"type": "function", "function": _function(tool)} for tool in tools]
    first = [{"role": "system", "content": text}] if (text := _system(body)) else []
    return {**made, "messages": first + [each for message in body["messages"] for each in _chat(message)]}


def _system(body: Mapping[str, Any]) -> str:
    return "\n\n".join(block["text"] for block in body.get("system", []))


def _function(tool: Mapping[str, Any]) -> Item:
    return {"name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"]}


def _choice(choice: Mapping[str, Any], named: Any) -> Item:
    made: Item = {}
    if choice.get("type") == "tool":
        made["tool_choice"] = named(choice["name"])
    elif choice.get("type") in _CHOICES:
        made["tool_choice"] = _CHOICES[choice["type"]]
    if choice.get("disable_parallel_tool_use"):
        made["parallel_tool_calls"] = False
    return made


class _Responses:
    """One body. A result is told from its call by the id, so that calls are remembered in passing."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._tools = body.get("tools", [])
        self._by_name = {tool["name"]: tool for tool in self._tools}
        self._searches = any(tool.get("defer_loading") for tool in self._tools)
        self._found: set[str] = set()

    def tools(self) -> list[Item]:
        """The tools that are not deferred; the search in the provider's own form where any are."""
        return [self._tool(tool) for tool in self._tools if not tool.get("defer_loading")]

    def _tool(self, tool: Mapping[str, Any]) -> Item:
        if self._searches and tool["name"] == SEARCH_TOOLS.name:
            return {
                "type": "tool_search",
                "execution": "client",
                "description": tool["description"],
                "parameters": tool["input_schema"],
            }
        return _named(tool)

    def items(self, message: Mapping[str, Any]) -> Iterator[Item]:
        """A message as items, in its order; texts and pictures that follow each other stay together."""
        role = message["role"]
        if role == "system":
            yield from self._system(message)
            return
        parts: list[Item] = []
        for block in message["content"]:
            if part := _part(block):
                parts.append(part)
                continue
            if items := self._items(block):
                yield from _said(role, parts)
                parts = []
                yield from items
        yield from _said(role, parts)

    def _system(self, message: Mapping[str, Any]) -> Iterator[Item]:
        definitions = [*self._values(message), *self._referred(announced(message))]
        if definitions:
            yield {"type": "additional_tools", "role": "developer", "tools": definitions}
        if text := text_of(message["content"]):
            yield _told(text)

    def _values(self, message: Mapping[str, Any]) -> list[Item]:
        added = [block["tool"] for block in blocks_of(message, "tool_addition")]
        return [_named(tool["definition"]) for tool in added if tool["type"] == "tool_definition"]

    def _referred(self, names: Iterator[str]) -> list[Item]:
        return [_named(self._by_name[name]) for name in names if name in self._by_name]

    def _items(self, block: Mapping[str, Any]) -> list[Item]:
        if block["type"] == "provider_item":
            # An item of the provider's own, such as encrypted reasoning: it goes back as it came.
            return [dict(block["item"])]
        if block["type"] == "tool_use":
            return [self._call(block)]
        return self._result(block) if block["type"] == "tool_result" else []

    def _call(self, block: Mapping[str, Any]) -> Item:
        if self._searches and block["name"] == SEARCH_TOOLS.name:
            self._found.add(block["id"])
            return {
                "type": "tool_search_call",
                "call_id": block["id"],
                "execution": "client",
                "arguments": block["input"],
                "status": "completed",
            }
        arguments = wire.dumps(block["input"]).decode()
        return {"type": "function_call", "call_id": block["id"], "name": block["name"], "arguments": arguments}

    def _result(self, block: Mapping[str, Any]) -> list[Item]:
        call = block["tool_use_id"]
        if call not in self._found:
            return [{"type": "function_call_output", "call_id": call, "output": _output(block)}]
        names = (str(each.get("tool_name")) for each in blocks_of(block, "tool_reference"))
        output = {
            "type": "tool_search_output",
            "call_id": call,
            "execution": "client",
            "status": "completed",
            "tools": self._referred(names),
        }
        # The output has no place for words, and a miss must say that it is one.
        return [output, *([_told(text)] if (text := text_of(block.get("content"))) else [])]


def _told(text: str) -> Item:
    return {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": text}]}


def _named(tool: Mapping[str, Any]) -> Item:
    return {"type": "function", **_function(tool), "strict": False}


def _said(role: str, parts: list[Item]) -> Iterator[Item]:
    """Parts as a message. What the model said goes back as plain texts: in parts it would need the provider's ids."""
    if role == "assistant":
        yield from ({"type": "message", "role": role, "content": part["text"]} for part in parts if part.get("text"))
    elif parts:
        yield {"type": "message", "role": role, "content": parts}


def _part(block: Mapping[str, Any]) -> Item | None:
    if block["type"] == "text":
        return {"type": "input_text", "text": block["text"]}
    if block["type"] == "image" and (address := _address(block)):
        return {"type": "input_image", "image_url": address, "detail": "auto"}
    return None


def _address(block: Mapping[str, Any]) -> str:
    source = block.get("source", {})
    if source.get("type") == "base64":
        return f"data:{source['media_type']};base64,{source['data']}"
    return str(source.get("url", ""))


def _output(block: Mapping[str, Any]) -> Any:
    """The text of a result; its parts where it holds a picture. An error is said to be one."""
    content = block.get("content", "")
    head = "Error: " if block.get("is_error") else ""
    if isinstance(content, list) and any(blocks_of(block, "image")):
        return [part for each in content if (part := _part(each))]
    return head + text_of(content)


def _chat(message: Mapping[str, Any]) -> Iterator[Item]:
    if message["role"] == "assistant":
        yield _answer(message)
        return
    for block in blocks_of(message, "tool_result"):
        yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": _words(block)}
    parts = [part for block in message["content"] if (part := _chat_part(block))]
    if parts:
        texts = [part["text"] for part in parts if part["type"] == "text"]
        whole = len(texts) == len(parts)
        yield {"role": message["role"], "content": "\n".join(texts) if whole else parts}


def _words(block: Mapping[str, Any]) -> str:
    return ("Error: " if block.get("is_error") else "") + text_of(block.get("content"))


def _chat_part(block: Mapping[str, Any]) -> Item | None:
    if block["type"] == "text":
        return {"type": "text", "text": block["text"]}
    if block["type"] == "image" and (address := _address(block)):
        return {"type": "image_url", "image_url": {"url": address}}
    return None


def _answer(message: Mapping[str, Any]) -> Item:
    made: Item = {"role": "assistant", "content": text_of(list(blocks_of(message, "text"))) or None}
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": wire.dumps(block["input"]).decode()},
        }
        for block in blocks_of(message, "tool_use")
    ]
    return {**made, "tool_calls": calls} if calls else made
