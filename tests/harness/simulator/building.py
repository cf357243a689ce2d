"""Requests for the tests of the simulator, whose blocks say themselves how many tokens they are."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from harness.simulator import ANTHROPIC, Block, Outcome, Rules, Simulator

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
MODEL = "claude-opus-4-8"
FIVE = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}


def planted(block: Block, _model: str) -> int:
    """The size that a block names: `word/size` in its text or description."""
    text = str(block.value.get("description") or block.value.get("text") or block.value.get("content") or "x/1")
    return int(text.rsplit("/", 1)[1]) + sum(int(str(each["description"]).rsplit("/", 1)[1]) for each in block.loads)


def simulator(rules: Rules = ANTHROPIC) -> Simulator:
    return Simulator(rules, count=planted)


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def tool(name: str, size: int, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"{name}/{size}", "input_schema": {"type": "object"}, **more}


def text(name: str, size: int, marker: Mapping[str, str] | None = None) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": f"{name}/{size}"}
    return block if marker is None else {**block, "cache_control": dict(marker)}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": MODEL, "max_tokens": 100, "messages": list(messages), **more}


def send(sim: Simulator, request: dict[str, Any], seconds: float = 0) -> Outcome:
    """Sent then, and answered a second later."""
    return sim.send(request, at=after(seconds), first_event_at=after(seconds + 1))


def counts(outcome: Outcome) -> tuple[int, int, int, int]:
    return outcome.uncached, outcome.read, outcome.write_5m, outcome.write_1h
