"""A tool's answer as the model gets it."""

from __future__ import annotations

from typing import Any

from harness.loop.toolbox import Media, ToolOutput

Block = dict[str, Any]


def shortened(text: str, most: int) -> str:
    """The text, or its begin and its end with a note of what was left out between."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    tail = most - head
    left = len(text) - most
    return f"{text[:head]}\n[… {left:,} of {len(text):,} characters left out here …]\n{text[-tail:]}"


def result_of(call: str, output: ToolOutput, most: int) -> Block:
    """The block that answers a call."""
    text = shortened(output.text, most) or ("(no message)" if output.failed else "(no output)")
    content = [{"type": "text", "text": text}, *map(_media, output.media)] if output.media else text
    block: Block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return {**block, "is_error": True} if output.failed else block


def _media(media: Media) -> Block:
    kind = "document" if media.media_type == "application/pdf" else "image"
    return {"type": kind, "source": {"type": "base64", "media_type": media.media_type, "data": media.data}}
