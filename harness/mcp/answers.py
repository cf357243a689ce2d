"""A server's answer to a call, as a tool's answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)

from harness.catalogue import shown
from harness.loop.toolbox import Media, ToolOutput

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""What models take. Other pictures are only named."""


def output_of(result: CallToolResult) -> ToolOutput:
    """Texts one below the other, pictures beside them. Structured content stands in where there is no text."""
    media = tuple(_media(result.content))
    texts = [text for block in result.content if (text := _text(block))]
    if not texts and result.structured_content is not None:
        texts = [json.dumps(result.structured_content, ensure_ascii=False)]
    text = "\n".join(texts).encode("utf-8", "replace").decode()
    return ToolOutput(text=text, failed=result.is_error, media=media)


def _media(content: list[ContentBlock]) -> Iterator[Media]:
    for block in content:
        if isinstance(block, ImageContent) and block.mime_type in PICTURES:
            yield Media(media_type=block.mime_type, data=block.data)


def _text(block: ContentBlock) -> str:
    """What of a block is text; what a model cannot be given is named instead."""
    if isinstance(block, TextContent):
        return block.text
    if isinstance(block, ImageContent):
        return "" if block.mime_type in PICTURES else _named("picture", block.mime_type, block.data)
    if isinstance(block, AudioContent):
        return _named("sound", block.mime_type, block.data)
    if isinstance(block, ResourceLink):
        return f"[{shown(block.title or block.name)}: {shown(str(block.uri), 500)}]"
    return _resource(block)


def _resource(block: EmbeddedResource) -> str:
    inner: Any = block.resource
    if isinstance(inner, BlobResourceContents):
        return _named(shown(str(inner.uri), 500), inner.mime_type or "of no stated type", inner.blob)
    return str(inner.text)


def _named(what: str, kind: str, data: str) -> str:
    return f"[{what}, {shown(kind)}, {len(data) * 3 // 4:,} bytes: not shown]"
