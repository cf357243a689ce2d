"""One file of a transcript: lines in, run-log events out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final

from harness.runlog import RunKind, RunStarted
from observability.errors import BadLine
from observability.sources.base import Gathered, Place
from observability.sources.claude_code import (
    assistant,
    attachments,
    decoding,
    fields,
    known,
    records,
    sidechains,
    system,
    user,
)
from observability.sources.claude_code import state as states
from observability.sources.claude_code.line import MAIN, Line, Memory
from observability.sources.claude_code.side import Side

AGENT: Final = "claude-code"
MOST_PATH: Final = 600
LINE_BITS: Final = 21
_LINE_MASK: Final = (1 << LINE_BITS) - 1
TIME_MISSING: Final = "timestamp is missing; the time of the line before was taken"
NO_TIME: Final = "timestamp is missing, and no line before it had one"

_TRANSLATORS: Final[dict[str, Callable[[Line], None]]] = {
    "assistant": assistant.translate,
    "user": user.translate,
    "attachment": attachments.translate,
    "system": system.translate,
    "progress": records.progress,
    "ai-title": records.title,
    "custom-title": records.title,
    "summary": records.title,
    "mode": records.mode,
    "permission-mode": records.mode,
    "cost-state": records.totals,
}
_TIMED: Final = frozenset(("assistant", "user", "attachment", "system", "progress"))
"""Records that always have a time of their own."""


class ClaudeCodeReader:
    """Reads the lines of one transcript file. See `observability.sources.base.Reader`."""

    def __init__(self, place: Place, state: bytes) -> None:
        self.found = Gathered()
        self._state = states.load(state)
        self._memory = Memory()
        self._stem = place.path.stem
        self._side = Side.read(place)
        if self._side.hash != self._state.side:
            self._state.side = self._side.hash
            self._state.runs.clear()

    def state(self) -> bytes:
        """What was remembered, for a later reader."""
        return states.save(self._state)

    def feed(self, line: bytes, number: int) -> None:
        """Read one line; a bad one leaves no event behind. Blank lines are passed over."""
        if not line or line.isspace():
            return
        found = self.found
        events, flags = len(found.events), len(found.flags)
        try:
            self._read(line, number)
        except BadLine:
            del found.events[events:], found.flags[flags:]
            raise
        except RecursionError as error:
            del found.events[events:], found.flags[flags:]
            raise BadLine("nested too deep") from error

    def _read(self, raw: bytes, number: int) -> None:
        record, odd = decoding.decode(raw)
        if odd:
            self.found.flags.append((number, odd))
        kind = record.get("type")
        if kind.__class__ is not str:
            raise BadLine("type is missing") if kind is None else fields.wrong("type", kind, "text")
        line = Line(record, kind, self.found, self._state, self._memory)
        self._count_unknown(line)
        self._place(line, raw, number)
        before = len(self.found.events)
        _TRANSLATORS.get(kind, records.nothing)(line)
        if line.facts or len(self.found.events) > before:
            self._tell_run(line)

    def _count_unknown(self, line: Line) -> None:
        keys = known.TOP.get(line.kind)
        if keys is not None:
            line.check(line.record, keys, line.kind)
        elif line.kind not in known.RECORDS_WITHOUT_KEYS:
            line.unknown("record", line.kind)

    def _place(self, line: Line, raw: bytes, number: int) -> None:
        """Name the line and give it its conversation, run, time and place in the order."""
        record = line.record
        line.name = fields.name(record, "uuid", "uuid") or blake2b(raw.strip(), digest_size=16).hexdigest()
        line.conversation = fields.name(record, "sessionId", "sessionId") or self._stem
        self._time(line, number)
        parent = fields.name(record, "parentUuid", "parentUuid")
        agent = fields.name(record, "agentId", "agentId")
        sidechain = fields.flag(record, "isSidechain", "isSidechain")
        if agent:
            line.run = agent
        elif sidechain:
            line.run = sidechains.run_of(line, parent)

    def _time(self, line: Line, number: int) -> None:
        state = self._state
        stamp = fields.text(line.record, "timestamp", "timestamp")
        if stamp:
            state.last, ms, odd = decoding.moment(stamp)
            state.top = max(state.top, ms)
        else:
            odd = _without_time(line.kind, state.last)
        if odd:
            self.found.flags.append((number, odd))
        line.at = state.last
        line.seq = (state.top << LINE_BITS) | (number & _LINE_MASK)

    def _tell_run(self, line: Line) -> None:
        """Tell what is new about the line's run: once at its first line, then only what changed."""
        key = f"{line.conversation}\n{line.run}"
        told = self._state.runs.get(key)
        version = fields.name(line.record, "version", "version")
        if told is not None and not line.facts and (version is None or told.get("version") == version):
            return
        facts = dict(line.facts)
        if version:
            facts["version"] = version
        if told is None:
            facts.update(self._first(line))
            told = {}
            states.remember(self._state.runs, key, told, states.MOST_RUNS)
        new = {name: value for name, value in facts.items() if _is_new(told, name, value)}
        if new:
            told.update({**new, "prompt": ""} if "prompt" in new else new)  # that it was told is enough
            self.found.events.append(_started(line, new, nested=self._side.nested))

    def _first(self, line: Line) -> dict[str, Any]:
        """What is told once: where the run works, and what its side file says."""
        record = line.record
        first: dict[str, Any] = {
            "agent": AGENT,
            "cwd": (fields.text(record, "cwd", "cwd") or "")[:MOST_PATH] or None,
            "branch": (fields.text(record, "gitBranch", "gitBranch") or "")[:MOST_PATH] or None,
        }
        if line.run != MAIN and line.run == line.record.get("agentId"):
            first.update(self._side.facts)
        return first


def _is_new(told: dict[str, Any], name: str, value: Any) -> bool:
    if name == "prompt":
        return "prompt" not in told
    return value is not None and told.get(name) != value


def kind_of_run(run: str) -> RunKind:
    """What a run is, by its name."""
    if run == MAIN:
        return "main"
    return "compaction" if run.startswith("acompact") else "sub_agent"


def _without_time(kind: str, last: datetime | None) -> str | None:
    if kind not in _TIMED:
        return None
    return NO_TIME if last is None else TIME_MISSING


def _started(line: Line, facts: dict[str, Any], *, nested: bool) -> RunStarted:
    """The facts as an event. A prompt is a title of the lowest rank."""
    title, rank = facts.get("title"), facts.get("title_rank", 0)
    return RunStarted(
        **line.base("run"),
        kind=kind_of_run(line.run),
        parent_run=None if line.run == MAIN or nested else MAIN,
        parent_call=facts.get("parent_call"),
        agent=facts.get("agent"),
        agent_version=facts.get("version"),
        profile=facts.get("profile"),
        mode=facts.get("mode"),
        provider=assistant.PROVIDER if "agent" in facts else None,
        model=facts.get("model"),
        title=title or facts.get("prompt"),
        title_rank=rank if title else 0,
        cwd=facts.get("cwd"),
        branch=facts.get("branch"),
        deferral=facts.get("deferral"),
    )
