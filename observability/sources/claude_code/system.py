"""System lines: where the context was rewritten, and the client's own notes."""

from __future__ import annotations

from typing import Any

from harness.runlog import ContextAppended, ContextRewritten
from observability.sources.claude_code import fields, known, texts
from observability.sources.claude_code.line import Line


def translate(line: Line) -> None:
    """Dispatch by subtype; those that only tell people something give no event."""
    subtype = fields.name(line.record, "subtype", "subtype") or ""
    if subtype == "compact_boundary":
        _compacted(line)
    elif subtype == "microcompact_boundary":
        _trimmed(line)
    elif subtype == "local_command":
        _command(line)
    elif subtype not in known.SUBTYPES:
        line.unknown("record", f"system.{subtype}")


def _compacted(line: Line) -> None:
    place = "compactMetadata"
    told = fields.obj(line.record, place, place) or {}
    kept = None
    if told.get("preCompactDiscoveredTools") is not None:
        kept = fields.names(told, "preCompactDiscoveredTools", f"{place}.preCompactDiscoveredTools")
    line.found.events.append(
        ContextRewritten(
            **line.base("rewrite"),
            kind="compaction",
            trigger=fields.name(told, "trigger", f"{place}.trigger"),
            tokens_before=fields.whole(told, "preTokens", f"{place}.preTokens"),
            tokens_after=fields.whole(told, "postTokens", f"{place}.postTokens"),
            kept_tools=kept,
        )
    )


def _trimmed(line: Line) -> None:
    """Older results were cleared from the context; what was loaded stays loaded."""
    place = "microcompactMetadata"
    told = fields.obj(line.record, place, place) or {}
    before = fields.whole(told, "preTokens", f"{place}.preTokens")
    line.found.events.append(
        ContextRewritten(
            **line.base("rewrite"),
            kind="trim",
            trigger=fields.name(told, "trigger", f"{place}.trigger"),
            tokens_before=before,
            tokens_after=_less(before, fields.whole(told, "tokensSaved", f"{place}.tokensSaved")),
        )
    )


def _less(before: int | None, saved: int | None) -> int | None:
    return None if before is None or saved is None else max(0, before - saved)


def _command(line: Line) -> None:
    """A command of the client and its output: sent with the next prompt as the user's."""
    text: Any = fields.text(line.record, "content", "content")
    if text:
        line.found.events.append(ContextAppended(**line.base("items"), items=[texts.item("user", text, "command")]))
