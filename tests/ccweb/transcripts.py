"""Lines of a Claude Code transcript."""

from __future__ import annotations

from typing import Any

USAGE = {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 5}


def answer(key: str) -> dict[str, Any]:
    """A response of the model: one request."""
    message = {"id": key, "model": "claude-opus-4-8", "role": "assistant", "content": [], "usage": USAGE}
    return {
        "type": "assistant",
        "uuid": f"u-{key}",
        "requestId": f"r-{key}",
        "sessionId": "c1",
        "timestamp": "2026-11-27T10:00:00.000Z",
        "cwd": "/home/ada/shop",
        "version": "2.1.0",
        "message": message,
    }
