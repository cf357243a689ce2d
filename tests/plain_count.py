"""An independent count of Claude Code logs, written plainly: it shares no code with the importer."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

FIELDS = {
    "uncached": "input_tokens",
    "cache_read": "cache_read_input_tokens",
    "written": "cache_creation_input_tokens",
    "output": "output_tokens",
}


def requests(*files: Path) -> dict[tuple[str, str], dict[str, object]]:
    """By (message id, request id): the largest count of each field, the first time and the conversations."""
    found: dict[tuple[str, str], dict[str, object]] = {}
    for file in files:
        for line in file.read_text("utf-8").split("\n"):
            if line.strip():
                _take(found, json.loads(line))
    return found


def _take(found: dict[tuple[str, str], dict[str, object]], record: dict) -> None:
    message = record.get("message")
    if record.get("type") != "assistant" or not message.get("usage") or message["model"] == "<synthetic>":
        return
    usage = message["usage"]
    counts = {ours: usage.get(theirs) or 0 for ours, theirs in FIELDS.items()}
    split = usage.get("cache_creation") or {}
    counts["cache_write_5m"] = split.get("ephemeral_5m_input_tokens", 0)
    counts["cache_write_1h"] = split.get("ephemeral_1h_input_tokens", 0)
    old = found.setdefault((message["id"], record.get("requestId", "")), defaultdict(int))
    for name, count in counts.items():
        old[name] = max(old[name], count)
    old["first"] = min(old["first"] or record["timestamp"], record["timestamp"])
    old["model"], old["conversation"] = message["model"], record["sessionId"]


def totals(counted: dict[tuple[str, str], dict[str, object]]) -> dict[str, int]:
    """The sums, under the names of the report."""
    names = ("uncached", "cache_read", "cache_write_5m", "cache_write_1h", "output")
    sums = {name: sum(request[name] for request in counted.values()) for name in names}
    unsplit = sum(r["written"] for r in counted.values() if not (r["cache_write_5m"] or r["cache_write_1h"]))
    sums["cache_write_5m"] += unsplit
    return {"requests": len(counted), **sums}
