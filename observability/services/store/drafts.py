"""Things that many events tell of, while a batch is gathered: each merges what it is told, in any order."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from harness.runlog import Buckets, Match, RequestFinished, RunStarted, ServerFailure, ToolCalled, ToolSearched
from harness.usage import merge_raw, most
from observability.services.store import cleaning, projects

_MS = 2**42
_NUMBERS = re.compile(r"\d+")
KINDS = ("", "main", "sub_agent", "compaction")
"""Kinds of a run; the last that it was said to be stands. An empty one: not said."""
NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def earliest(one: datetime | None, other: datetime | None) -> datetime | None:
    """The earlier of two times, of which either may be unknown."""
    if one is None or other is None:
        return one or other
    return min(one, other)


def latest(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two times, of which either may be unknown."""
    if one is None or other is None:
        return one or other
    return max(one, other)


def first_known(one: str, other: str) -> str:
    """One of two values in a way that no order changes: the one that is not empty, else the larger."""
    return max(one, other)


def version_order(version: str) -> tuple[list[int], str]:
    """Sorts versions by their numbers."""
    return [int(number) for number in _NUMBERS.findall(version)[:6]], version


def title_rank(rank: int, at: datetime | None) -> int:
    """Orders titles: by rank; of rank 0 the earliest, of the others the latest."""
    ms = min(max(int((at or NO_TIME).timestamp() * 1000), 0), _MS - 1)
    return rank * _MS + (ms if rank else _MS - 1 - ms)


def shortest(one: str, other: str) -> str:
    """The shorter of two paths, then the first in order: an agent may change into a folder below."""
    if not one or not other:
        return one or other
    return min(one, other, key=lambda path: (len(path), path))


@dataclass(slots=True)
class Titled:
    """A title, and how good it is."""

    title: str = ""
    rank: int = -1

    def offer(self, title: str, rank: int) -> None:
        """Take a title where it is better."""
        if title and (rank, title) > (self.rank, self.title):
            self.title, self.rank = title, rank


@dataclass(slots=True)
class ConversationDraft:
    """What a batch knows of a conversation."""

    id: int
    uid: str
    source: str
    project: str = ""
    cwd: str = ""
    folder: str = ""
    """The project's key by the working directories."""
    branch: str = ""
    agent: str = ""
    agent_version: str = ""
    demo: bool = False
    title: Titled = field(default_factory=Titled)
    first: datetime | None = None
    last: datetime | None = None
    project_id: int = 0

    def told(self, event: RunStarted) -> None:
        """Take what the start of a run says: a sub-agent works in the same project; only the main run has the title."""
        cwd = cleaning.text(event.cwd)
        self.cwd, self.folder = shortest(self.cwd, cwd), projects.shorter(self.folder, projects.key_of(cwd))
        self.branch = first_known(self.branch, cleaning.text(event.branch))
        self.agent = first_known(self.agent, cleaning.text(event.agent))
        self.agent_version = max(self.agent_version, cleaning.text(event.agent_version), key=version_order)
        self.demo = self.demo or event.demo
        if event.title and event.kind == "main":
            self.title.offer(cleaning.text(event.title.strip(), 300), title_rank(event.title_rank, event.at))


@dataclass(slots=True)
class RunDraft:
    """What a batch knows of a run."""

    id: int
    uid: str
    conversation: ConversationDraft
    kind: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    title: Titled = field(default_factory=Titled)
    deferral: bool | None = None
    reports_activations: bool = False
    outcome: str = "unknown"
    totals: Any = None
    first: datetime | None = None
    last: datetime | None = None
    newest: datetime | None = None
    """The time taken last: events of one line share it."""

    TEXTS = ("parent_uid", "parent_call", "agent", "agent_version", "profile", "mode", "provider", "model")

    def told(self, event: RunStarted) -> None:
        """Take what its start says."""
        self.kind = max(self.kind, event.kind, key=KINDS.index)
        given = (event.parent_run, event.parent_call, event.agent, event.agent_version)
        for name, value in zip(
            self.TEXTS, (*given, event.profile, event.mode, event.provider, event.model), strict=True
        ):
            if value:
                order = version_order if name == "agent_version" else None
                self.texts[name] = max(self.texts.get(name, ""), cleaning.text(value), key=order)
        if event.title:
            self.title.offer(cleaning.text(event.title.strip(), 300), title_rank(event.title_rank, event.at))
        if event.deferral is not None:
            self.deferral = bool(self.deferral) or event.deferral
        self.reports_activations = self.reports_activations or event.reports_activations


@dataclass(slots=True)
class Seen:
    """Where and when a batch saw a request."""

    run: RunDraft
    at: datetime | None
    seq: int


@dataclass(slots=True)
class RequestDraft:
    """What a batch knows of a request: its fragments, merged."""

    id: int
    texts: dict[str, str] = field(default_factory=dict)
    usage: Any = None
    buckets: Buckets | None = None
    convention: str = "exclusive"
    first: datetime | None = None
    last: datetime | None = None
    output_chars: int = 0
    markers: str = ""
    diagnosis_tokens: int | None = None
    prompts: set[tuple[Any, ...]] = field(default_factory=set)
    """What its fragments say of the prompt: more than one if they differ."""
    seen: dict[int, Seen] = field(default_factory=dict)
    last_usage: Any = None
    last_texts: tuple[str | None, ...] = ()

    def told(self, event: RequestFinished) -> None:
        """Take a fragment."""
        # Fragments of one request mostly repeat the very same object.
        if event.usage is not self.last_usage:
            self.last_usage = event.usage
            self.usage = merge_raw(self.usage, event.usage)
            self.prompts |= prompt_of(event.usage or {})
        if event.buckets is not None:
            self.prompts |= prompt_in(event.buckets)
            self.buckets = event.buckets if self.buckets is None else most(self.buckets, event.buckets)
        self.convention = max(self.convention, event.convention)
        self.first = earliest(self.first, event.at)
        self.last = latest(self.last, event.ended_at or event.at)
        self.output_chars = max(self.output_chars, event.output_chars)
        if event.diagnosis and event.diagnosis.missed_tokens is not None:
            self.diagnosis_tokens = max(self.diagnosis_tokens or 0, event.diagnosis.missed_tokens)

    def named(self, event: RequestFinished) -> None:
        """Take a fragment's texts, where they are not those of the one before."""
        diagnosis = event.diagnosis.reason if event.diagnosis else None
        given = (event.message_id, event.request_id, event.provider, event.model)
        raw = (*given, event.agent_version, event.stop_reason, diagnosis)
        if raw == self.last_texts:
            return
        self.last_texts = raw
        for name, bound, value in zip(REQUEST_TEXTS, REQUEST_TEXT_MOST, raw, strict=True):
            self.texts[name] = first_known(self.texts.get(name, ""), cleaning.text(value, bound))

    def saw(self, run: RunDraft, at: datetime | None, seq: int) -> None:
        """Note a run that it stands in."""
        seen = self.seen.get(run.id)
        if seen is None:
            self.seen[run.id] = Seen(run, at, seq)
        else:
            seen.at, seen.seq = earliest(seen.at, at), min(seen.seq, seq)


def prompt_of(usage: dict[str, Any]) -> set[tuple[Any, ...]]:
    """The prompt's counts in a usage object as reported, whichever names they have; none where it has none."""
    told = tuple(usage.get(name) or 0 for name in PROMPT_FIELDS)
    return {("usage", *told)} if any(told) else set()


def prompt_in(buckets: Buckets) -> set[tuple[Any, ...]]:
    """The prompt's counts in buckets that the sender gave; none where it gave none."""
    told = (buckets.uncached, buckets.read, buckets.write_5m, buckets.write_1h, buckets.write_other)
    return {("given", *told)} if any(told) else set()


def differ(prompts: set[tuple[Any, ...]]) -> bool:
    """Whether they are different. A usage object and the buckets beside it tell of one prompt in two ways."""
    return len(prompts) > len({kind for kind, *_ in prompts})


REQUEST_TEXTS = ("message_id", "request_id", "provider", "model", "agent_version", "stop_reason", "diagnosis")
REQUEST_TEXT_MOST = (200, 200, 100, 200, 100, 100, 100)
PROMPT_FIELDS = ("input_tokens", "prompt_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


@dataclass(slots=True)
class CallDraft:
    """What a batch knows of a tool call."""

    run: RunDraft
    call: str
    tool: str = ""
    at: datetime | None = None
    seq: int = 2**63 - 1
    ok: bool | None = None
    duration_ms: int | None = None
    result_chars: int | None = None
    request_id: int | None = None
    error: str = ""
    child_run: str = ""

    def told(self, event: ToolCalled, seq: int, request_id: int | None) -> None:
        """Take its start or its result."""
        self.tool = first_known(self.tool, cleaning.name(event.tool or ""))
        self.at, self.seq = earliest(self.at, event.at), min(self.seq, seq)
        if event.ok is not None:
            self.ok = event.ok if self.ok is None else self.ok and event.ok
        self.duration_ms = larger(self.duration_ms, event.duration_ms)
        self.result_chars = larger(self.result_chars, event.result_chars)
        self.request_id = larger(self.request_id, request_id)
        self.error = first_known(self.error, cleaning.text(event.error, 500))
        self.child_run = first_known(self.child_run, cleaning.text(event.child_run, 200))


@dataclass(slots=True)
class SearchDraft:
    """What a batch knows of a search for tools."""

    run: RunDraft
    call: str
    texts: dict[str, str] = field(default_factory=dict)
    at: datetime | None = None
    seq: int = 2**63 - 1
    limit: int | None = None
    matches: list[Match] | None = None
    searchable: int | None = None
    pending: set[str] = field(default_factory=set)
    failed: dict[str, ServerFailure] = field(default_factory=dict)

    def told(self, event: ToolSearched, seq: int) -> None:
        """Take its query or its result."""
        for name, value in (("query", event.query), ("form", event.form), ("tool", event.tool)):
            self.texts[name] = first_known(self.texts.get(name, ""), cleaning.text(value))
        for name, value in (("error", event.error), ("note", event.note)):
            self.texts[name] = first_known(self.texts.get(name, ""), cleaning.text(value))
        self.at, self.seq = earliest(self.at, event.at), min(self.seq, seq)
        self.limit = larger(self.limit, event.limit)
        self.searchable = larger(self.searchable, event.searchable)
        self.matches = more_matches(self.matches, event.matches)
        self.pending.update(map(cleaning.name, event.pending_servers))
        self.blame(event.failed_servers)

    def blame(self, servers: list[ServerFailure]) -> None:
        """Take servers that failed; of two reports on one, the order of import must not choose."""
        for server in servers:
            name = cleaning.name(server.name)
            said = (server.code or "", server.error or "")
            held = self.failed.get(name)
            if held is None or said > (held.code or "", held.error or ""):
                self.failed[name] = server


@dataclass(slots=True)
class DefinitionDraft:
    """A tool's definition, as a conversation of the batch has it."""

    conversation: ConversationDraft
    hash: bytes
    name: str
    server: str
    chars: int
    first: datetime | None


def more_matches(one: list[Match] | None, other: list[Match] | None) -> list[Match] | None:
    """Of two results of one search the longer, then by their names and scores; None is no result."""
    if one is None or other is None:
        return other if one is None else one
    return max(one, other, key=lambda found: (len(found), [(match.tool, match.score or 0) for match in found]))


def larger(one: int | None, other: int | None) -> int | None:
    """The larger of two counts, of which either may be unknown."""
    if one is None or other is None:
        return one if other is None else other
    return max(one, other)
