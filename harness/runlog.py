"""The run log: what one agent did, as newline-delimited JSON, one event a line.

The harness writes these events, every foreign log is translated into them, the
ingest API accepts them, and the store is built from them. `docs/run-log.md`
teaches the format with an example; `docs/run-log.schema.json` is generated from
the structs below.

Two rules make replays and partial logs safe:

* `id` is the idempotency key. The same event may arrive any number of times.
* Events about one thing complete each other. A `request.finished` with a known
  request key, or a `tool.called` or `tool.searched` with a known `call`, adds what
  the earlier one left out; counts are merged by their maximum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

import msgspec

from harness.errors import RunLogError

VERSION: Final = 1

YEARS: Final = range(1970, 2100)
"""Times outside of these are no times of a log: their order would not fit into `seq`."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]
Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
"""Tokens of one request. More than the bound is not a count."""
Size = Annotated[int, msgspec.Meta(ge=0, le=10**15)]
"""Characters, bytes or milliseconds."""
Order = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]

RunKind = Literal["main", "sub_agent", "compaction"]
ToolState = Literal["resident", "deferred", "withheld", "denied", "removed"]
"""Where a tool stands. A loaded tool is a deferred one with an activation; `removed` has left the surface."""
Trigger = Literal["direct_call", "search", "resume", "preload", "unknown"]
"""What loaded a deferred tool."""
ItemKind = Literal[
    "system",
    "tool_definition",
    "index",
    "context_file",
    "skill_listing",
    "skill",
    "startup",
    "user",
    "assistant",
    "thinking",
    "tool_call",
    "tool_result",
    "reminder",
    "media",
    "summary",
]
RewriteKind = Literal["compaction", "trim", "clear", "edit"]
Lifetime = Literal["5m", "1h", "30m", "unknown"]
Convention = Literal["exclusive", "inclusive"]
"""Whether the reported input count leaves out cached tokens (exclusive) or holds them (inclusive)."""
SearchForm = Literal["words", "select", "required_word"]
Outcome = Literal["completed", "failed", "cancelled", "unknown"]


class Event(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What every event carries.

    `at` is the time of the event in UTC; None where the log gives none. `seq` orders the
    events of one run; where it is None, `at` does. `project` names the project where the
    sender knows it; otherwise the working directory of the run does.
    """

    id: Name
    conversation: Name
    run: Name
    at: datetime | None = None
    seq: Order | None = None
    project: str | None = None
    v: int = msgspec.field(default_factory=lambda: VERSION)


class RunStarted(Event, tag="run.started", kw_only=True, omit_defaults=True):
    """A run began, or more of it became known: fields that are None add nothing."""

    kind: RunKind = "main"
    parent_run: str | None = None
    parent_call: str | None = None
    """The tool call of the parent run that started this one."""
    agent: str | None = None
    agent_version: str | None = None
    profile: str | None = None
    mode: str | None = None
    provider: str | None = None
    model: str | None = None
    title: str | None = None
    title_rank: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    """Of several titles the one with the highest rank wins (then the latest)."""
    cwd: str | None = None
    branch: str | None = None
    deferral: bool | None = None
    """Whether tool deferral is on; None where unknown."""
    demo: bool = False
    reports_activations: bool = False
    """True where the log itself says which tools were loaded; else they are derived from searches and calls."""


class Tool(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One tool on a surface. `definition` is the whole object as sent to the provider."""

    name: str
    state: ToolState
    definition: dict[str, Any] | None = None
    group: str | None = None
    server: str | None = None
    reason: str | None = None
    listing: str | None = None
    """The line that stands for a deferred tool in the index, as sent."""


class SurfaceDeclared(Event, tag="surface.declared", kw_only=True, omit_defaults=True):
    """The tools of a run. `complete`: those of `states` that are not listed are not there."""

    tools: list[Tool] = []
    complete: bool = False
    states: list[ToolState] = []
    problems: list[str] = []
    """What was wrong with tools as their servers sent them: those left out, and those changed to be taken in."""


class ServerFailure(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A tool server that could not be reached."""

    name: str
    code: str | None = None
    error: str | None = None


class SurfaceChanged(Event, tag="surface.changed", kw_only=True, omit_defaults=True):
    """Tools that were added, changed or removed since."""

    tools: list[Tool] = []
    pending_servers: list[str] = []
    failed_servers: list[ServerFailure] = []
    needs_auth_servers: list[str] = []


class Item(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One piece of context, in the order sent.

    `chars` is the length of the text as sent, in characters, whether or not `text` is given.
    `media` items have `media_bytes` and never a text. `call` ties a tool call to its result.
    """

    kind: ItemKind
    text: str | None = None
    chars: Size = 0
    label: str | None = None
    owner: str | None = None
    call: str | None = None
    request: str | None = None
    """Key of the request that produced it (assistant, thinking, tool_call)."""
    tokens: Count | None = None
    media_bytes: Size | None = None
    hidden_chars: Size = 0
    """Characters that were sent but are not readable here, such as an encrypted thinking signature."""


class ContextAppended(Event, tag="context.appended", kw_only=True, omit_defaults=True):
    """Items were added at the end of the context. `replaces`: earlier items of these kinds no longer stand."""

    items: list[Item] = []
    replaces: list[ItemKind] = []


class ContextRewritten(Event, tag="context.rewritten", kw_only=True, omit_defaults=True):
    """The conversation part of the context was replaced; what comes next starts a new epoch.

    `kept_tools`: deferred tools that stay loaded; None where the log does not say.
    """

    kind: RewriteKind = "compaction"
    trigger: str | None = None
    tokens_before: Count | None = None
    tokens_after: Count | None = None
    kept_tools: list[str] | None = None


class Marker(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A cache marker: the block it stands on and the lifetime asked for."""

    place: str
    lifetime: Lifetime = "5m"


class Buckets(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """The disjoint token counts of one request. Prompt tokens are the sum of all but output and reasoning."""

    uncached: Count = 0
    read: Count = 0
    write_5m: Count = 0
    write_1h: Count = 0
    write_other: Count = 0
    output: Count = 0
    reasoning: Count = 0

    @property
    def written(self) -> int:
        """Tokens written to the cache, at any lifetime."""
        return self.write_5m + self.write_1h + self.write_other

    @property
    def prompt(self) -> int:
        """All prompt tokens processed."""
        return self.uncached + self.read + self.written


class CacheDiagnosis(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The provider's own reason for a cache miss."""

    reason: str
    missed_tokens: Count | None = None


class RequestFinished(Event, tag="request.finished", kw_only=True, omit_defaults=True):
    """A provider call, or a fragment of its record.

    `request` is its key: equal keys are one request, in whatever file they stand.
    `usage` is the object as reported. `buckets` may be left out; they are then derived from
    `usage` with `convention`.
    """

    request: Name
    message_id: str | None = None
    request_id: str | None = None
    provider: str | None = None
    model: str | None = None
    ended_at: datetime | None = None
    first_token_at: datetime | None = None
    usage: dict[str, Any] | None = None
    convention: Convention = "exclusive"
    buckets: Buckets | None = None
    markers: list[Marker] = []
    diagnosis: CacheDiagnosis | None = None
    stop_reason: str | None = None
    output_chars: Size = 0
    """Characters of visible output in this fragment: tells a placeholder count from a short answer."""
    agent_version: str | None = None
    error: str | None = None


class Match(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One result of a search."""

    tool: str
    score: float | None = None


class ToolSearched(Event, tag="tool.searched", kw_only=True, omit_defaults=True):
    """A search for tools: its query, its result, or both."""

    call: Name
    query: str | None = None
    form: SearchForm | None = None
    tool: str | None = None
    """The name of the search tool."""
    limit: Count | None = None
    matches: list[Match] | None = None
    """None while the result is not known; empty for a miss."""
    searchable: Count | None = None
    pending_servers: list[str] = []
    failed_servers: list[ServerFailure] = []
    error: str | None = None
    note: str | None = None


class ToolActivated(Event, tag="tool.activated", kw_only=True, omit_defaults=True):
    """Deferred tools were loaded."""

    names: list[str]
    trigger: Trigger = "unknown"
    search: str | None = None
    """The `call` of the search that led to it."""


class ToolCalled(Event, tag="tool.called", kw_only=True, omit_defaults=True):
    """A tool call: its start, its result, or both. `ok` is None while the result is not known."""

    call: Name
    tool: str | None = None
    ok: bool | None = None
    duration_ms: Size | None = None
    result_chars: Size | None = None
    request: str | None = None
    error: str | None = None
    child_run: str | None = None


class RunFinished(Event, tag="run.finished", kw_only=True, omit_defaults=True):
    """A run ended. `totals`: the client's own sums for the session, as a cross-check, by model."""

    outcome: Outcome = "unknown"
    reason: str | None = None
    """Why it did not come to its end by itself."""
    totals: dict[str, Any] | None = None


AnyEvent = (
    RunStarted
    | SurfaceDeclared
    | SurfaceChanged
    | ContextAppended
    | ContextRewritten
    | RequestFinished
    | ToolSearched
    | ToolActivated
    | ToolCalled
    | RunFinished
)

_encoder = msgspec.json.Encoder(order="deterministic")
_decoder = msgspec.json.Decoder(AnyEvent)


def encode(event: Event) -> bytes:
    """One event as JSON, without the line's end."""
    return _encoder.encode(event)


def decode(line: bytes | str) -> AnyEvent:
    """One line as an event. Raises RunLogError that names the field at fault."""
    try:
        event = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunLogError(str(error)) from error
    if event.v != VERSION:
        raise RunLogError(f"version {event.v} is not known here; this reader knows version {VERSION} - at `$.v`")
    return in_utc(event)


def in_utc(event: AnyEvent) -> AnyEvent:
    """The event with its times in UTC; one without an offset, or that is no time of a log, is refused."""
    event.at = _utc(event.at, "at")
    if isinstance(event, RequestFinished):
        event.ended_at = _utc(event.ended_at, "ended_at")
        event.first_token_at = _utc(event.first_token_at, "first_token_at")
    return event


def _utc(at: datetime | None, field: str) -> datetime | None:
    if at is None:
        return None
    if at.tzinfo is None:
        raise RunLogError(f"time has no offset from UTC - at `$.{field}`")
    if at.year not in YEARS:
        raise RunLogError(f"a time of the year {at.year} is no time of a log - at `$.{field}`")
    return at.astimezone(UTC)


def read(lines: Iterable[bytes]) -> Iterator[AnyEvent]:
    """The events of an NDJSON stream; blank lines are passed over. Raises RunLogError with the line number."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield decode(line)
        except RunLogError as error:
            raise RunLogError(f"line {number}: {error}") from error


def json_schema() -> dict[str, Any]:
    """The JSON Schema of one line."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"ccweb run log, version {VERSION}",
        **msgspec.json.schema(AnyEvent),
    }
