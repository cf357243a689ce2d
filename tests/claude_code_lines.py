"""Lines of Claude Code transcripts, built in the exact shapes that the client writes.

Each builder gives one record as a dict; `dump` makes a file's bytes of them. Ids and times
count up within a `Log`, so that a test names only what it is about:

    log = Log()
    data = dump([log.user("hello"), log.assistant([text("hi")], usage=usage_of(read=10))])
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

Record = dict[str, Any]
Content = list[Record]

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


def dump(records: Iterable[Record]) -> bytes:
    """A file's bytes: one line for each record."""
    return b"".join(encode(record) + b"\n" for record in records)


def encode(record: Record) -> bytes:
    """One line, without its end."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def usage_of(
    uncached: int = 2, *, read: int = 0, write_5m: int = 0, write_1h: int = 0, output: int = 40, **more: Any
) -> Record:
    """A usage object as the provider reports it."""
    return {
        "input_tokens": uncached,
        "cache_creation_input_tokens": write_5m + write_1h,
        "cache_read_input_tokens": read,
        "cache_creation": {"ephemeral_5m_input_tokens": write_5m, "ephemeral_1h_input_tokens": write_1h},
        "output_tokens": output,
        "service_tier": "standard",
        **more,
    }


# Content blocks ----------------------------------------------------------------


def text(value: str) -> Record:
    """A text block."""
    return {"type": "text", "text": value}


def thinking(value: str = "", signature: str = "c2lnbmF0dXJl") -> Record:
    """A thinking block; newer versions leave the text empty."""
    return {"type": "thinking", "thinking": value, "signature": signature}


def tool_use(name: str, given: Record | None = None, call: str = "toolu_1") -> Record:
    """A tool call."""
    return {"type": "tool_use", "id": call, "name": name, "input": given or {}, "caller": {"type": "direct"}}


def search_call(query: str, *, call: str = "toolu_s", tool: str = "ToolSearch", limit: int | None = None) -> Record:
    """A call of the search tool."""
    given: Record = {"query": query} if limit is None else {"query": query, "max_results": limit}
    return tool_use(tool, given, call)


def references(*names: str) -> Content:
    """The content of a hit."""
    return [{"type": "tool_reference", "tool_name": name} for name in names]


def image(data: str = "iVBORw0KGgo=", media_type: str = "image/png") -> Record:
    """An image in base64."""
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def tool(name: str, description: str = "Does something.", **more: Any) -> Record:
    """A whole tool definition as sent."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    return {"name": name, "description": description, "input_schema": schema, **more}


# Records -----------------------------------------------------------------------


class Log:
    """Builds the records of one run: each is a second later than the one before and its child."""

    def __init__(
        self,
        session: str = "11111111-1111-4111-8111-111111111111",
        *,
        agent: str | None = None,
        version: str = "2.1.287",
        cwd: str = "/home/dev/shop",
        model: str = "claude-sonnet-4-5-20250929",
        start: datetime = START,
        prefix: str = "",
    ) -> None:
        self.session = session
        self.agent = agent
        self.version = version
        self.cwd = cwd
        self.model = model
        self.start = start
        self.prefix = prefix or f"{session[:8]}-{agent or 'main'}"
        self.lines = 0
        self.parent: str | None = None

    def record(self, kind: str, **more: Any) -> Record:
        """A record with an envelope."""
        self.lines += 1
        uuid = f"{self.prefix}-{self.lines:06}"
        envelope: Record = {
            "parentUuid": self.parent,
            "isSidechain": self.agent is not None,
            "type": kind,
            "uuid": uuid,
            "timestamp": self.now(),
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": self.version,
            "gitBranch": "main",
        }
        if self.agent is not None:
            envelope["agentId"] = self.agent
        self.parent = uuid
        return {**envelope, **more}

    def now(self) -> str:
        """The time of the record that was built last, as the client writes it."""
        at = self.start + timedelta(seconds=self.lines)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def user(self, content: str | Content, **more: Any) -> Record:
        """A user line: a prompt as text or blocks."""
        return self.record("user", message={"role": "user", "content": content}, **more)

    def meta(self, content: str | Content, **more: Any) -> Record:
        """A user line that the client wrote."""
        return self.user(content, isMeta=True, **more)

    def assistant(
        self,
        content: Content,
        *,
        usage: Record | None = None,
        message: str | None = None,
        request: str | None = None,
        stop: str | None = "end_turn",
        message_keys: Record | None = None,
        **more: Any,
    ) -> Record:
        """An assistant line. Lines with the same `message` and `request` are fragments of one request."""
        message = message or f"msg_{self.prefix}_{self.lines:06}"
        body: Record = {
            "model": self.model,
            "id": message,
            "type": "message",
            "role": "assistant",
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage_of() if usage is None else usage,
            **(message_keys or {}),
        }
        return self.record("assistant", message=body, requestId=request or message.replace("msg", "req"), **more)

    def synthetic(self, value: str, **more: Any) -> Record:
        """A message that the client wrote in the model's name."""
        keys = {"model": "<synthetic>"}
        record = self.assistant([text(value)], usage=usage_of(0, output=0), message_keys=keys, **more)
        del record["requestId"]
        return record

    def tool_result(
        self, content: str | Content | None, *, call: str = "toolu_1", error: bool | None = None, extra: Any = None
    ) -> Record:
        """A user line with the result of a call; `extra` is its toolUseResult."""
        block: Record = {"tool_use_id": call, "type": "tool_result", "content": content}
        if error is not None:
            block["is_error"] = error
        record = self.user([block])
        if extra is not None:
            record["toolUseResult"] = extra
        return record

    def search_result(
        self, *names: str, query: str, total: int | None = 21, call: str = "toolu_s", **extra: Any
    ) -> Record:
        """A hit of a tool search."""
        told = {"matches": list(names), "query": query, "total_deferred_tools": total, **extra}
        return self.tool_result(references(*names), call=call, extra=told)

    def search_miss(
        self, query: str, *, note: str = "", total: int = 21, call: str = "toolu_s", **extra: Any
    ) -> Record:
        """A miss of a tool search; `note` follows the fixed sentence."""
        told = {"matches": [], "query": query, "total_deferred_tools": total, **extra}
        return self.tool_result("No matching deferred tools found" + note, call=call, extra=told)

    def attachment(self, kind: str, *, rendered: str | None = None, **keys: Any) -> Record:
        """An attachment; `rendered` is the text that was put into the context."""
        record = self.record("attachment", attachment={"type": kind, **keys})
        if rendered is not None:
            record["rendered"] = [{"content": rendered}]
            record["renderedRole"] = "system"
        return record

    def prompt_snapshot(self, system: list[str], tools: list[Record] | None = None, **keys: Any) -> Record:
        """The system prompt and, in the second snapshot of a start, the resident tools."""
        if tools is not None:
            keys["tools"] = [{"name": t["name"], "description": t["description"], "schema": t} for t in tools]
        return self.attachment("prompt_snapshot", systemPrompt=system, inlineTools=True, **keys)

    def deferred_tools_delta(
        self, added: Iterable[str] = (), *, rendered: str | None = None, lines: list[str] | None = None, **keys: Any
    ) -> Record:
        """A change of the deferred index."""
        names = list(added)
        keys.setdefault("removedNames", [])
        return self.attachment(
            "deferred_tools_delta",
            rendered=rendered,
            addedNames=names,
            addedLines=names if lines is None else lines,
            **keys,
        )

    def deferred_tools_record(self, *tools: Record) -> Record:
        """The client's note of definitions of deferred tools."""
        entries = [{**t, "defer_loading": True} for t in tools]
        return self.attachment("deferred_tools_record", entries=entries, nameOnlyAnnouncements=[])

    def announcement(self, *names: str) -> Record:
        """The older announcement of deferred tools, as a message."""
        body = "\n".join(names)
        return self.meta(f"<available-deferred-tools>\n{body}\n</available-deferred-tools>")

    def compact_boundary(self, before: int = 160_000, *, trigger: str = "auto", **told: Any) -> Record:
        """The point at which the conversation was compacted."""
        logical, self.parent = self.parent, None
        return self.record(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            isMeta=False,
            level="info",
            logicalParentUuid=logical,
            compactMetadata={"trigger": trigger, "preTokens": before, **told},
        )

    def summary(self, value: str = "This session continues an earlier one.") -> Record:
        """What stands for the conversation after a compaction."""
        return self.user(value, isVisibleInTranscriptOnly=True, isCompactSummary=True)

    def agent_progress(self, call: str, child: str, usage: Record | None = None) -> Record:
        """An older progress line: it repeats a message of the sub-agent."""
        repeated = {"role": "assistant", "model": self.model, "id": "msg_child", "content": [text("found it")]}
        message = {"type": "assistant", "uuid": "child-line", "message": {**repeated, "usage": usage or {}}}
        data = {"type": "agent_progress", "agentId": child, "prompt": "look", "message": message}
        return self.record("progress", data=data, toolUseID="agent_msg", parentToolUseID=call)

    def title(self, value: str, *, custom: bool = False) -> Record:
        """A title that the client or the person gave the session."""
        kind, key = ("custom-title", "customTitle") if custom else ("ai-title", "aiTitle")
        return {"type": kind, key: value, "sessionId": self.session}

    def cost_state(self, **by_model: Record) -> Record:
        """The client's own sums."""
        return {"type": "cost-state", "sessionId": self.session, "totalCostUSD": 0.5, "modelUsage": by_model}


def agent_meta(call: str, *, kind: str = "Explore", description: str = "Look around", depth: int = 1) -> str:
    """The side file of a sub-agent."""
    return json.dumps({"agentType": kind, "description": description, "toolUseId": call, "spawnDepth": depth})


def claude_md(*files: tuple[str, str, str]) -> str:
    """The reminder that carries instruction files: (path, what it is, content) of each."""
    body = "\n\n".join(f"Contents of {path} ({what}):\n\n{content}" for path, what, content in files)
    return (
        "<system-reminder>\nAs you answer, you can use this context:\n# claudeMd\n"
        f"Codebase and user instructions are shown below.\n\n{body}\n# currentDate\nToday's date is 2026-11-02.\n"
        "</system-reminder>"
    )
