"""Sessions as Claude Code writes them, made up: the shapes of its present version, with texts of our own.

A session opens with the prompt snapshot and the index of deferred tools. Each request comes as
three fragments that share a message id, each tool result twice in its line, as in real logs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import msgspec

from benchmarks import made_up
from harness.catalogue import own
from observability.demo import catalogue, texts

START = datetime(2026, 9, 1, 8, tzinfo=UTC)
_encode = msgspec.json.encode


@dataclass
class Session:
    """One made-up session. `lines` gives it as compact JSON, a line each, without line ends."""

    seed: str
    requests: int
    rng: Random = field(init=False)
    uid: str = field(init=False)
    now: datetime = field(init=False)
    parent: str | None = None
    _read: int = 0

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)
        self.uid = self._uuid()
        self.now = START + timedelta(minutes=self.rng.randrange(60 * 24 * 80))

    def lines(self) -> Iterator[bytes]:
        """All lines of the session."""
        yield from self._opening()
        yield self._line("user", message={"role": "user", "content": texts.prose(self.rng, 3)}, promptSource="typed")
        for number in range(self.requests):
            yield from self._request(number)

    def _uuid(self) -> str:
        return str(UUID(int=self.rng.getrandbits(128), version=4))

    def _token(self, prefix: str) -> str:
        return f"{prefix}_01{self.rng.getrandbits(128):x}"[:28]

    def _line(self, kind: str, **more: Any) -> bytes:
        uuid = self._uuid()
        self.now += timedelta(milliseconds=self.rng.randrange(40, 4_000))
        record = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "type": kind,
            **more,
            "uuid": uuid,
            "timestamp": self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "userType": "external",
            "entrypoint": "cli",
            "cwd": "/home/dev/lantern",
            "sessionId": self.uid,
            "version": "2.1.287",
            "gitBranch": "main",
        }
        self.parent = uuid
        return _encode(record)

    def _opening(self) -> Iterator[bytes]:
        tools = [tool.definition() for tool in own.OWN.values()]
        deferred = list(catalogue.office().values())
        yield self._attachment(
            type="deferred_tools_delta",
            addedNames=[tool.name for tool in deferred],
            addedLines=[tool.name for tool in deferred],
            removedNames=[],
            readdedNames=[],
            wireHiddenNames=[],
            pendingMcpServers=[],
            needsAuthMcpServers=[],
            failedMcpServers=[],
        )
        yield self._attachment(
            type="prompt_snapshot",
            systemPrompt=[made_up.SYSTEM, texts.CONTEXT_FILE],
            tools=[{"name": tool["name"], "description": tool["description"], "schema": tool} for tool in tools],
        )

    def _attachment(self, **attachment: Any) -> bytes:
        return self._line("attachment", attachment=attachment)

    def _request(self, number: int) -> Iterator[bytes]:
        message, request, call = self._token("msg"), self._token("req"), self._token("toolu")
        usage = self._usage()
        path = self.rng.choice(texts.FILES)
        blocks: list[dict[str, Any]] = [
            {
                "type": "thinking",
                "thinking": self.rng.choice(texts.THOUGHTS),
                "signature": f"{self.rng.getrandbits(1600):x}",
            },
            {"type": "text", "text": texts.prose(self.rng, 2)},
            {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": path, "offset": number}},
        ]
        for block in blocks:
            yield self._line("assistant", message=_message(message, block, usage), requestId=request)
        yield self._result(call, path)

    def _usage(self) -> dict[str, Any]:
        written = self.rng.randrange(200, 4_000)
        usage = {
            "input_tokens": self.rng.randrange(2, 12),
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": self._read,
            "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
            "output_tokens": self.rng.randrange(60, 900),
            "service_tier": "standard",
        }
        self._read += written
        return usage

    def _result(self, call: str, path: str) -> bytes:
        text = texts.code(self.rng, path, self.rng.randrange(2, 14))
        return self._line(
            "user",
            message={"role": "user", "content": [{"tool_use_id": call, "type": "tool_result", "content": text}]},
            toolUseResult={"type": "text", "file": {"filePath": path, "content": text, "numLines": text.count("\n")}},
            sourceToolAssistantUUID=self.parent,
        )


def _message(uid: str, block: dict[str, Any], usage: dict[str, Any]) -> dict[str, Any]:
    return {
        "model": "claude-opus-5-5",
        "id": uid,
        "type": "message",
        "role": "assistant",
        "content": [block],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": usage,
    }
