"""Rows for tests that are about reading. Keyword arguments only; each function fills what a test does not name."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count
from typing import Any

from observability.enums import FileState, SearchOutcome, ServerState
from observability.identity import conversation_id, file_id, project_id, request_id, run_id
from observability.models import (
    Activation,
    Conversation,
    HourlyRollup,
    ImportedFile,
    Project,
    QuarantinedLine,
    Request,
    Rewrite,
    Run,
    Search,
    ServerReport,
    Sighting,
    SurfaceEntry,
    UnknownRecord,
)

AT = datetime(2026, 5, 20, 10, 30, tzinfo=UTC)
MODEL = "claude-opus-4-5-20251101"
_number = count(1)


def a_project(*, key: str = "/code/orchard", name: str = "orchard") -> Project:
    """A project; the same one for the same key."""
    return Project.objects.get_or_create(id=project_id(key), defaults={"key": key, "name": name})[0]


def a_conversation(*, uid: str = "", project: Project | None = None, **given: Any) -> Conversation:
    """A conversation of five requests, 90 % of its prompt read from the cache."""
    uid = uid or f"talk-{next(_number)}"
    usual = {
        "title": f"Prune the trees {uid}",
        "source": "claude_code",
        "agent": "claude-code",
        "model": MODEL,
        "started_at": AT,
        "last_at": AT,
        "requests": 5,
        "uncached": 1_000,
        "read": 90_000,
        "write_5m": 9_000,
        "prompt": 100_000,
        "rate_ppm": 900_000,
        "cost_pusd": 10**12,
        "idle_raw": 20_000,
    }
    return Conversation.objects.create(
        id=conversation_id(uid), uid=uid, project=project or a_project(), **{**usual, **given}
    )


def a_run(*, conversation: Conversation, uid: str = "", **given: Any) -> Run:
    """A main run."""
    uid = uid or conversation.uid
    return Run.objects.create(
        id=run_id(conversation.uid, uid), uid=uid, conversation=conversation, project=conversation.project, **given
    )


def a_request(*, conversation: Conversation, **given: Any) -> Request:
    """A request of the main run, at AT."""
    number = next(_number)
    usual = {"model": MODEL, "started_at": AT, "seq": number, "ordinal": 1, "read": 18_000, "write_5m": 2_000}
    return Request.objects.create(
        id=request_id(f"request-{number}"),
        conversation=conversation,
        project=conversation.project,
        **{"run_id": run_id(conversation.uid, conversation.uid), **usual, **given},
    )


def a_break(*, conversation: Conversation, reason: str = "tools_changed", **given: Any) -> Request:
    """A request that is a cache break."""
    usual = {"lost": 20_000, "rebuilt": 18_000, "rebuilt_pusd": 5 * 10**11, "break_reason": reason}
    return a_request(conversation=conversation, **{**usual, **given})


def a_rollup(*, at: datetime = AT, project: Project | None = None, **given: Any) -> HourlyRollup:
    """An hour of ten requests: 900,000 read, 90,000 written, 10,000 uncached."""
    usual = {
        "agent": "claude-code",
        "model": MODEL,
        "requests": 10,
        "read": 900_000,
        "write_5m": 90_000,
        "uncached": 10_000,
        "output": 4_000,
        "cost_pusd": 10**12,
    }
    hour = at.replace(minute=0, second=0, microsecond=0)
    return HourlyRollup.objects.create(hour=hour, project=project or a_project(), **{**usual, **given})


def a_search(*, conversation: Conversation, **given: Any) -> Search:
    """A tool search that found nothing."""
    number = next(_number)
    usual = {"at": AT, "query": "prune a tree", "outcome": SearchOutcome.MISS, "matches": []}
    return Search.objects.create(
        conversation=conversation,
        project=conversation.project,
        call_key=number,
        call=f"call-{number}",
        **{"run_id": run_id(conversation.uid, conversation.uid), **usual, **given},
    )


def a_server_report(*, conversation: Conversation, **given: Any) -> ServerReport:
    """A tool server that failed."""
    number = next(_number)
    usual = {"at": AT, "seq": number, "server": "weather", "state": ServerState.FAILED}
    return ServerReport.objects.create(
        conversation=conversation,
        project=conversation.project,
        key=number,
        **{"run_id": run_id(conversation.uid, conversation.uid), **usual, **given},
    )


def a_file(*, path: str = "", **given: Any) -> ImportedFile:
    """A log that was read to its end."""
    path = path or f"/home/pat/.claude/projects/orchard/{next(_number)}.jsonl"
    usual = {"source": "claude_code", "state": FileState.READ, "offset": 2_000, "request_lines": 8, "last_at": AT}
    return ImportedFile.objects.create(id=file_id(path), path=path, **{**usual, **given})


def a_quarantined_line(*, file: ImportedFile, **given: Any) -> QuarantinedLine:
    """A line that was set aside."""
    usual = {"line": next(_number), "reason": "not JSON", "preview": "{oops", "at": AT}
    return QuarantinedLine.objects.create(file=file, **{**usual, **given})


def an_unknown_record(*, file: ImportedFile, **given: Any) -> UnknownRecord:
    """A record type that the reader does not know, seen three times."""
    usual = {"source": file.source, "kind": "record", "name": "weather-report", "seen": 3, "first_at": AT}
    return UnknownRecord.objects.create(file=file, **{**usual, **given})


def an_activation(*, conversation: Conversation, **given: Any) -> Activation:
    """A deferred tool that was loaded by a direct call."""
    number = next(_number)
    usual = {"at": AT, "seq": number, "tool": f"tool-{number}", "trigger": "direct_call"}
    return Activation.objects.create(
        conversation=conversation,
        project=conversation.project,
        **{"run_id": run_id(conversation.uid, conversation.uid), **usual, **given},
    )


def a_rewrite(*, conversation: Conversation, **given: Any) -> Rewrite:
    """A compaction of the main run's context."""
    number = next(_number)
    usual = {"at": AT, "seq": number, "kind": "compaction", "tokens_before": 150_000}
    return Rewrite.objects.create(
        conversation=conversation,
        project=conversation.project,
        key=number,
        **{"run_id": run_id(conversation.uid, conversation.uid), **usual, **given},
    )


def a_surface(*, conversation: Conversation, seq: int, state: str, tools: list[str], **given: Any) -> None:
    """Tools in one state from a point of the main run on; an empty name says that their list starts anew."""
    for tool in tools:
        SurfaceEntry.objects.create(
            conversation=conversation,
            project=conversation.project,
            key=next(_number),
            seq=seq,
            tool=tool,
            state=state,
            **{"run_id": run_id(conversation.uid, conversation.uid), **given},
        )


def a_sighting(*, conversation: Conversation, request: Request) -> Sighting:
    """A request that stands in the log of a conversation."""
    return Sighting.objects.create(
        conversation=conversation,
        project=conversation.project,
        run_id=run_id(conversation.uid, conversation.uid),
        request=request,
        at=AT,
    )
