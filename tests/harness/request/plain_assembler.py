"""A small assembler that knows no deferral, no strategies and no sharing: all tools, all texts, all messages, each time.

It is the other side of a comparison and shares no code with the harness. It is written for
markers in the four places, since a request without deferral has them too.
"""

from __future__ import annotations

import json
from typing import Any

HOUR = {"type": "ephemeral", "ttl": "1h"}
FIVE_MINUTES = {"type": "ephemeral", "ttl": "5m"}


def plain_request(
    tools: list[dict[str, Any]],
    system: list[str],
    messages: list[dict[str, Any]],
    *,
    model: str,
    max_tokens: int,
    sent: int = 0,
) -> bytes:
    """The bytes of a request whose first `sent` messages were the whole of the request before it."""
    body: dict[str, Any] = {"model": model, "max_tokens": max_tokens}
    if tools:
        body["tools"] = sorted((dict(tool) for tool in tools), key=lambda tool: tool["name"])
        body["tools"][-1]["cache_control"] = HOUR
    if system:
        body["system"] = [{"type": "text", "text": text} for text in system]
        body["system"][-1]["cache_control"] = HOUR
    body["messages"] = [
        {"role": message["role"], "content": [dict(block) for block in in_blocks(message["content"])]}
        for message in messages
    ]
    for count in {sent, len(messages)} - {0}:
        body["messages"][count - 1]["content"][-1]["cache_control"] = FIVE_MINUTES
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def in_blocks(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
