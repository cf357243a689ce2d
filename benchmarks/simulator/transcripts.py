"""Requests of Claude Code transcripts, with what was sent and what was reported. Read plainly, apart from the importer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

Block = dict[str, Any]
Message = dict[str, Any]


@dataclass
class Sent:
    """One request of a run."""

    line: int
    model: str
    started_at: datetime
    """The time of what the client had last: a prompt or a result."""
    first_event_at: datetime
    messages: list[Message]
    """What stood in the log before it, in the order of the log."""
    thinks: bool
    surface: int
    """Counts up when the client's tools changed."""
    aborted: bool = False
    """Sent, and interrupted before the log had any of its response."""
    facts: set[str] = field(default_factory=set)
    """What happened since the request before: prompt, resume, compaction, clear, tools, skill, missing."""
    uncached: int = 0
    read: int = 0
    written: int = 0
    hour: int = 0
    reply: list[Block] = field(default_factory=list)

    @property
    def prompt(self) -> int:
        """All tokens of the prompt, as reported."""
        return self.uncached + self.read + self.written


@dataclass
class Run:
    """A run being read."""

    name: str
    sent: list[Sent] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    facts: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    last_at: datetime | None = None
    thinks: bool = True
    surface: int = 0
    open: dict[tuple[str, str], Sent] = field(default_factory=dict)
    replies: dict[tuple[str, str], Message] = field(default_factory=dict)


def runs_of(path: Path) -> list[Run]:
    """The runs of a file, in the order they begin."""
    runs: dict[str, Run] = {}
    for number, record in _records(path):
        name = record.get("agentId") or ("side" if record.get("isSidechain") else "main")
        run = runs.setdefault(name, Run(name))
        _follow(run, record)
        if record.get("type") == "user":
            _said(run, record, number)
        elif record.get("type") == "assistant" and record["message"].get("model") != "<synthetic>":
            _answered(run, record, number)
    return [run for run in runs.values() if run.sent]


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, json.loads(line)


def _follow(run: Run, record: dict[str, Any]) -> None:
    """What the line says of the conversation itself: that it goes on elsewhere, starts anew, or was resumed."""
    uuid, parent = record.get("uuid"), record.get("parentUuid")
    if not uuid:
        return
    if parent is None and run.sent:
        run.messages.clear()
        run.facts.add("compaction" if record.get("subtype") == "compact_boundary" else "clear")
    elif parent is not None and run.seen and parent not in run.seen:
        run.facts.add("missing")
    data = record.get("data") or {}
    if data.get("hookEvent") == "SessionStart" and run.sent and run.messages and not run.facts & {"compaction"}:
        run.facts.add("resume")
        run.messages = [{"role": "user", "content": [{"type": "text", "text": f"resumed at {uuid}"}]}, *run.messages]
    run.seen.add(uuid)


def _said(run: Run, record: dict[str, Any], number: int) -> None:
    content = record["message"].get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])
    at = datetime.fromisoformat(record["timestamp"])
    texts = [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]
    if texts == ["[Request interrupted by user]"] and run.messages and run.last_at and run.sent:
        run.sent.append(_request(run, number, run.sent[-1].model, at, aborted=True))
    if any("Reconnected to" in text for text in texts):
        run.surface += 1
        run.facts.add("tools")
    if record.get("thinkingMetadata"):
        run.thinks = True
        run.facts.add("prompt")
    elif record.get("isMeta") and any(text.startswith("Base directory for this skill") for text in texts):
        run.thinks = False
        run.facts.add("skill")
    run.messages.append({"role": "user", "content": blocks})
    run.last_at = at


def _answered(run: Run, record: dict[str, Any], number: int) -> None:
    """A fragment: the first one of a message is where its request was sent."""
    message = record["message"]
    key = (message["id"], record.get("requestId") or "")
    if key not in run.open:
        at = datetime.fromisoformat(record["timestamp"])
        run.open[key] = _request(run, number, message["model"], at)
        run.sent.append(run.open[key])
        # Results of parallel calls stand between the fragments of one reply; they were sent after the whole of it.
        run.replies[key] = {"role": "assistant", "content": []}
        run.messages.append(run.replies[key])
    sent, usage = run.open[key], message["usage"]
    sent.uncached = max(sent.uncached, usage["input_tokens"])
    sent.read = max(sent.read, usage["cache_read_input_tokens"])
    sent.written = max(sent.written, usage["cache_creation_input_tokens"])
    sent.hour = max(sent.hour, (usage.get("cache_creation") or {}).get("ephemeral_1h_input_tokens", 0))
    sent.reply.extend(message["content"])
    run.replies[key]["content"].extend(message["content"])


def _request(run: Run, number: int, model: str, at: datetime, *, aborted: bool = False) -> Sent:
    sent = Sent(
        line=number,
        model=model,
        started_at=run.last_at or at,
        first_event_at=at,
        messages=list(run.messages),
        thinks=run.thinks,
        surface=run.surface,
        aborted=aborted,
    )
    if not aborted:
        sent.facts, run.facts = run.facts, set()
    return sent
