"""Attachments: what the client puts into the context beside the messages, and its bookkeeping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from harness.runlog import Item, ItemKind
from observability.sources.claude_code import content, fields, known, surface, texts
from observability.sources.claude_code.line import Line

Handler = Callable[[Line, dict[str, Any], str | None], None]
"""Takes the line, the attachment, and the text that was put into the context where the record gives it."""


def translate(line: Line) -> None:
    """Dispatch by the attachment's type. One that is not known is counted; its rendered text is still an item."""
    found = fields.obj(line.record, "attachment", "attachment")
    kind = fields.name(found or {}, "type", "attachment.type")
    if found is None or not kind:
        raise fields.wrong("attachment.type" if found is not None else "attachment", None, "text")
    rendered = _rendered(line)
    if kind not in known.ATTACHMENTS:
        line.unknown("attachment", kind)
    elif (keys := known.ATTACHMENTS[kind]) is not None:
        line.check(found, keys, f"attachment.{kind}")
    _HANDLERS.get(kind, _other)(line, found, rendered)


def _rendered(line: Line) -> str | None:
    """The exact text put into the context; None where the record does not say."""
    if line.record.get("rendered") is None:
        return None
    parts = fields.objects(line.record, "rendered", "rendered")
    return "\n".join(fields.text(part, "content", "rendered[].content") or "" for part in parts)


def _plain(kind: ItemKind, *names: str, owner: str | None = None) -> Handler:
    """A handler for an attachment that is one text: as rendered, else the first of these fields."""

    def handle(line: Line, found: dict[str, Any], rendered: str | None) -> None:
        text = rendered if rendered is not None else _first(found, names)
        if text:
            surface.items(line, [texts.item(kind, text, found["type"], owner)])

    return handle


def _first(found: dict[str, Any], names: tuple[str, ...]) -> str:
    """The text of the first field that has one: a text, a list of texts, or an object as lines."""
    return next((text for name in names if (text := _as_text(found.get(name)))), "")


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(part if isinstance(part, str) else content.as_json(part) for part in value)
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_as_text(part) or content.as_json(part)}" for key, part in value.items())
    return ""


def _other(line: Line, found: dict[str, Any], rendered: str | None) -> None:
    if rendered:
        surface.items(line, [texts.item("reminder", rendered, found["type"])])


def _nothing(line: Line, found: dict[str, Any], rendered: str | None) -> None:
    """Bookkeeping: nothing of it reaches the model."""


def _model(line: Line, found: dict[str, Any], rendered: str | None) -> None:
    identity = fields.obj(found, "identity", "attachment.identity") or {}
    model = fields.name(identity, "modelId", "attachment.identity.modelId")
    if model:
        line.facts["model"] = model
    _plain("startup", "text")(line, found, rendered)


def _skills(line: Line, found: dict[str, Any], rendered: str | None) -> None:
    text = rendered if rendered is not None else fields.text(found, "content", "attachment.content")
    if text:
        surface.items(line, [texts.item("skill_listing", text)])


def _hook(line: Line, found: dict[str, Any], rendered: str | None) -> None:
    """What a hook adds to the context. The output of most hooks is only shown to the person."""
    text = rendered if rendered is not None else _as_text(found.get("content"))
    name = fields.loose_text(found, "hookName") or fields.loose_text(found, "hookEvent") or ""
    if text.strip():
        item = texts.hook(text, name)
        item.label = name or item.label
        surface.items(line, [item])


def _instructions(line: Line, found: dict[str, Any], rendered: str | None) -> None:
    """Instruction files, one item each: from the rendered text, else from the files listed."""
    if rendered:
        surface.items(line, texts.context_files(rendered))
        return
    files = found.get("files")
    entries = [entry for entry in files if isinstance(entry, dict)] if isinstance(files, list) else []
    surface.items(line, [item for entry in entries or [found] if (item := _file(entry))])


def _file(entry: dict[str, Any]) -> Item | None:
    """One instruction file: its content is a text, or an object that holds it."""
    inner = entry.get("content")
    held = inner if isinstance(inner, dict) else entry
    text = fields.loose_text(held, "content")
    if not text:
        return None
    path = fields.loose_text(held, "path") or fields.loose_text(entry, "path")
    owner = fields.loose_text(held, "type") if held is not entry else fields.loose_text(entry, "memoryType")
    return texts.item("context_file", text, path, owner.lower() if owner else None)


def _queued(line: Line, found: dict[str, Any], rendered: str | None) -> None:
    text = rendered if rendered is not None else _as_text(found.get("prompt"))
    if text:
        surface.items(line, [texts.item("user", text, "queued")])


_HANDLERS: Final[dict[str, Handler]] = {
    "prompt_snapshot": lambda line, found, rendered: surface.snapshot(line, found),
    "deferred_tools_delta": surface.delta,
    "deferred_tools_record": lambda line, found, rendered: surface.record(line, found),
    "instructions": _instructions,
    "nested_memory": _instructions,
    "skill_listing": _skills,
    "model": _model,
    "hook_success": _hook,
    "hook_additional_context": _hook,
    "hook_system_message": _nothing,
    "credential_org": _nothing,
    "remote_session_change": _plain("reminder"),
    "environment": _plain("startup", "snapshot"),
    "date": _plain("startup", "date"),
    "session_context": _plain("startup", "context"),
    "agent_listing_delta": _plain("startup", "addedLines"),
    "mcp_instructions_delta": _plain("startup", "addedBlocks", owner="mcp"),
    "total_tokens_reminder": _plain("reminder", "text"),
    "task_reminder": _plain("reminder"),
    "queued_command": _queued,
}
"""What to do with each type; any other type counts where its record says what was rendered."""
