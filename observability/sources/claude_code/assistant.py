"""Assistant lines: fragments of a request, one content block each."""

from __future__ import annotations

from typing import Any, Final

from harness import usage as usages
from harness.errors import UsageError
from harness.runlog import CacheDiagnosis, ContextAppended, Item, RequestFinished, ToolCalled
from observability.errors import BadLine
from observability.sources.claude_code import content, fields, known, searches, sidechains
from observability.sources.claude_code.line import Line
from observability.sources.claude_code.state import MOST_MESSAGES, remember

SYNTHETIC: Final = "<synthetic>"
"""The model name on messages that the client wrote itself."""
PROVIDER: Final = "anthropic"


def translate(line: Line) -> None:
    """A fragment of a request with its items and calls.

    A synthetic message is no request. The client leaves its own error messages out of later
    prompts and keeps the others (such as "No response requested."), so only those are items.
    """
    message = fields.obj(line.record, "message", "message")
    if message is None:
        raise fields.wrong("message", None, "an object")
    line.check(message, known.MESSAGE, "message")
    model = fields.name(message, "model", "message.model")
    if model == SYNTHETIC:
        _synthetic(line, message)
        return
    usage = _usage(line, message)
    request = _key(line, message)
    items = [_block(line, block, request) for block in fields.sequence(message, "content", "message.content")]
    if items:
        line.found.events.append(ContextAppended(**line.base("items"), items=items))
    agent = fields.name(line.record, "attributionAgent", "attributionAgent")
    if agent:
        line.facts["profile"] = agent
    if usage is not None:
        _finished(line, message, model, usage, request, items)


def _synthetic(line: Line, message: dict[str, Any]) -> None:
    blocks = fields.objects(message, "content", "message.content")
    if fields.flag(line.record, "isApiErrorMessage", "isApiErrorMessage"):
        return
    found = [text for block in blocks if (text := fields.text(block, "text", "content.text.text"))]
    items = [Item(kind="assistant", text=text, chars=len(text), label="synthetic") for text in found]
    if items:
        line.found.events.append(ContextAppended(**line.base("items"), items=items))


def _usage(line: Line, message: dict[str, Any]) -> dict[str, Any] | None:
    """The usage as reported, once it is known to be readable. Raises BadLine that names the field."""
    usage = fields.obj(message, "usage", "message.usage")
    if usage is None:
        return None
    line.check(usage, known.USAGE, "usage")
    if line.at is None:
        raise BadLine("timestamp is missing, and no line before it had one")
    if usage == line.memory.usage:
        return line.memory.usage
    try:
        usages.anthropic(usage)
    except UsageError as error:
        raise BadLine(f"message.usage: {error}") from error
    fields.sane(usage, "message.usage")
    line.memory.usage = usage
    return usage


def _key(line: Line, message: dict[str, Any]) -> str:
    """The key of a request: the provider's message id and request id, else the line's own name."""
    message_id = fields.name(message, "id", "message.id")
    if not message_id:
        return line.name
    return _same_request(line, message_id, fields.name(line.record, "requestId", "requestId") or "")


def _same_request(line: Line, message: str, request: str) -> str:
    """The key of a message's request. Some fragments lack the request id: they belong to the one near them."""
    memory = line.state.messages
    known = memory.get(message)
    if known == "" or (known and not request):
        return f"{message}:{known}"
    if known != request:
        remember(memory, message, request, MOST_MESSAGES)
    return f"{message}:{request}"


def _finished(
    line: Line, message: dict[str, Any], model: str | None, usage: dict[str, Any], request: str, items: list[Item]
) -> None:
    line.found.events.append(
        RequestFinished(
            **line.base("req"),
            request=request,
            message_id=message.get("id"),
            request_id=line.record.get("requestId"),
            provider=PROVIDER,
            model=model,
            usage=usage,
            convention="exclusive",
            diagnosis=_diagnosis(message),
            stop_reason=fields.name(message, "stop_reason", "message.stop_reason"),
            output_chars=sum(item.chars for item in items),
            agent_version=line.record.get("version"),
        )
    )
    line.found.request_lines += 1


def _diagnosis(message: dict[str, Any]) -> CacheDiagnosis | None:
    told = message.get("diagnostics")
    if told is None:
        return None
    reason = (fields.obj(message, "diagnostics", "message.diagnostics") or {}).get("cache_miss_reason")
    if reason is None:
        return None
    place = "message.diagnostics.cache_miss_reason"
    if reason.__class__ is str:
        return CacheDiagnosis(reason=reason[: fields.MOST_NAME])
    if reason.__class__ is not dict:
        raise fields.wrong(place, reason, "an object")
    name = fields.name(reason, "type", f"{place}.type")
    missed = fields.whole(reason, "cache_missed_input_tokens", f"{place}.cache_missed_input_tokens")
    return CacheDiagnosis(reason=name, missed_tokens=missed) if name else None


def _block(line: Line, block: Any, request: str) -> Item:
    kind = content.kind_of(block, "message.content")
    line.check_block(block, kind)
    if kind == "tool_use":
        return _tool_use(line, block, request)
    if kind == "text":
        text = fields.text(block, "text", "content.text.text") or ""
        return Item(kind="assistant", text=text, chars=len(text), request=request)
    if kind == "thinking":
        return _thinking(block, request)
    if kind == "redacted_thinking":
        hidden = fields.text(block, "data", "content.redacted_thinking.data") or ""
        return Item(kind="thinking", hidden_chars=len(hidden), label="redacted", request=request)
    item = content.rest(line, block, kind)
    item.request = request
    return item


def _thinking(block: dict[str, Any], request: str) -> Item:
    """Thinking may come without its text: then its signature is all there is."""
    text = fields.text(block, "thinking", "content.thinking.thinking") or ""
    signature = fields.text(block, "signature", "content.thinking.signature") or ""
    return Item(
        kind="thinking", text=text, chars=len(text), hidden_chars=0 if text else len(signature), request=request
    )


def _tool_use(line: Line, block: dict[str, Any], request: str) -> Item:
    call = fields.name(block, "id", "content.tool_use.id")
    tool = fields.name(block, "name", "content.tool_use.name") or ""
    given = fields.obj(block, "input", "content.tool_use.input") or {}
    if call:
        line.found.events.append(ToolCalled(**line.base(f"call:{call}"), call=call, tool=tool, request=request))
        if tool in searches.TOOLS:
            searches.called(line, call, tool, given)
        elif tool in sidechains.AGENT_TOOLS and (prompt := fields.loose_text(given, "prompt")):
            sidechains.given(line, call, prompt)
    text = content.as_json(given)
    return Item(kind="tool_call", text=text, chars=len(text), label=tool, call=call, request=request)
