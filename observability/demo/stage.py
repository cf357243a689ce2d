"""A run of the demo: it writes run-log events and keeps count of what a provider would have reported.

Prompts are counted from the very texts that the events carry, plus a small part that no log
shows. The cache is simulated: tools and system prompt stay for an hour, the conversation for
five minutes after its last use, and a change of the tools loses all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final

from harness import tokens
from harness.accounting import Piece, count_of, shape_of
from harness.runlog import (
    AnyEvent,
    Buckets,
    CacheDiagnosis,
    ContextAppended,
    ContextRewritten,
    Item,
    ItemKind,
    Marker,
    Match,
    Outcome,
    RequestFinished,
    RunFinished,
    RunKind,
    RunStarted,
    SearchForm,
    ServerFailure,
    SurfaceChanged,
    SurfaceDeclared,
    Tool,
    ToolActivated,
    ToolCalled,
    ToolSearched,
    Trigger,
)
from observability.identity import canonical_json

HIDDEN: Final = 214
"""Tokens that a provider adds and no log shows."""
MESSAGES_LIVE: Final = timedelta(minutes=5)
PREFIX_LIVES: Final = timedelta(hours=1)
MARKERS: Final = (
    Marker(place="last resident tool", lifetime="1h"),
    Marker(place="last system block", lifetime="1h"),
    Marker(place="end of the previous turn", lifetime="5m"),
    Marker(place="end of this turn", lifetime="5m"),
)


@dataclass
class Cache:
    """What the provider holds of a prefix: shared by runs that send the same one."""

    prefix_used: datetime | None = None


@dataclass
class Stage:
    """One run. `now` is its clock; every step moves it on."""

    conversation: str
    run: str
    now: datetime
    rng: Random
    model: str
    provider: str = "anthropic"
    cache: Cache = field(default_factory=Cache)
    inclusive: bool = False
    """Whether this provider's input count holds its cached tokens."""
    events: list[AnyEvent] = field(default_factory=list)
    tools: dict[str, Tool] = field(default_factory=dict)
    loaded: set[str] = field(default_factory=set)
    request: str = ""
    _prefix: int = 0
    _known_prefix: int = 0
    _messages: int = 0
    _cached_messages: int = 0
    _messages_used: datetime | None = None
    _tools_changed: bool = False
    _output: int = 0
    _count: int = 0

    # What every event needs -----------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)

    def _head(self) -> dict[str, Any]:
        self._count += 1
        return {
            "id": f"{self.run}:{self._count}",
            "conversation": self.conversation,
            "run": self.run,
            "project": "demo: lantern",
            "at": self.now,
            "seq": int(self.now.timestamp() * 1000) << 21 | self._count,
        }

    def _tokens(self, kind: ItemKind, text: str) -> int:
        shape = shape_of(kind)
        piece = Piece(kind=shape.kind, o200k=tokens.count(text)) if shape else None
        return count_of(piece, self.model).tokens if piece else 0

    def _tool_tokens(self) -> int:
        sent = [t for t in self.tools.values() if t.state == "resident" or t.name in self.loaded]
        by = tokens.factor(self.model, "schema")
        return sum(tokens.measured(tokens.count(canonical_json(t.definition)), by).tokens for t in sent)

    # The run ----------------------------------------------------------------------

    def start(self, title: str, *, kind: RunKind = "main", deferral: bool = True, **more: Any) -> None:
        """Begin the run."""
        self.events.append(
            RunStarted(
                **self._head(),
                kind=kind,
                title=title,
                agent="ccweb demo",
                agent_version="1.0",
                provider=self.provider,
                model=self.model,
                cwd="/home/demo/lantern",
                branch="main",
                deferral=deferral,
                demo=True,
                reports_activations=True,
                **more,
            )
        )

    def finish(self, outcome: Outcome = "completed") -> None:
        """End the run."""
        self.events.append(RunFinished(**self._head(), outcome=outcome))

    # The surface ------------------------------------------------------------------

    def declare(self, tools: list[Tool]) -> None:
        """Say which tools there are; this list is complete."""
        self.tools = {tool.name: tool for tool in tools}
        self.events.append(SurfaceDeclared(**self._head(), tools=tools, complete=True, states=["resident", "deferred"]))

    def change(self, tools: list[Tool], *, failed: list[ServerFailure] | None = None) -> None:
        """Add or change tools, or say that a server failed. A change of resident tools loses the cache."""
        self.tools |= {tool.name: tool for tool in tools}
        self._tools_changed |= any(tool.state == "resident" for tool in tools)
        self.events.append(SurfaceChanged(**self._head(), tools=tools, failed_servers=failed or []))

    def load(self, names: list[str], trigger: Trigger, search: str | None = None) -> None:
        """Load deferred tools: their schemas go behind what is cached."""
        self.loaded |= set(names)
        self.events.append(ToolActivated(**self._head(), names=names, trigger=trigger, search=search))

    # The context ------------------------------------------------------------------

    def append(self, kind: ItemKind, text: str, **more: Any) -> None:
        """Put a text at the end of the context."""
        item = Item(kind=kind, text=text, chars=len(text), **more)
        self.events.append(ContextAppended(**self._head(), items=[item]))
        if kind in ("system", "context_file", "skill_listing", "startup", "index"):
            self._prefix += self._tokens(kind, text)
        else:
            self._messages += self._tokens(kind, text)

    def rewrite(self, summary: str, kept: list[str], before: int) -> None:
        """Compact the conversation to a summary; `kept` tools stay loaded."""
        self.loaded = set(kept)
        after = self._tokens("summary", summary)
        self.events.append(
            ContextRewritten(**self._head(), trigger="auto", tokens_before=before, tokens_after=after, kept_tools=kept)
        )
        self._messages = self._cached_messages = 0
        self.append("summary", summary, label="Summary")

    # Requests ---------------------------------------------------------------------

    def ask(self, *parts: tuple[ItemKind, str], **more: Any) -> Buckets:
        """Send what stands in the context; `parts` are what comes back. Returns the bill."""
        self.request = f"{self.run}:request-{self._count}"
        buckets, diagnosis = self._bill()
        output = sum(self._tokens(kind, text) for kind, text in parts) + self.rng.randrange(4, 12)
        buckets = Buckets(**{**_fields(buckets), "output": output})
        started = self.now
        head = self._head()
        self.wait(2 + output / 60)
        self.events.append(
            RequestFinished(
                **head,
                request=self.request,
                provider=self.provider,
                model=self.model,
                first_token_at=started + timedelta(seconds=1.2),
                ended_at=self.now,
                usage=self._usage(buckets),
                convention="inclusive" if self.inclusive else "exclusive",
                buckets=buckets,
                markers=[] if self.inclusive else list(MARKERS),
                diagnosis=diagnosis,
                stop_reason="tool_use" if any(kind == "tool_call" for kind, _ in parts) else "end_turn",
                output_chars=sum(len(text) for _, text in parts),
                agent_version="1.0",
            )
        )
        for kind, text in parts:
            self.append(kind, text, request=self.request, **(more if kind == "tool_call" else {}))
        return buckets

    def _bill(self) -> tuple[Buckets, CacheDiagnosis | None]:
        prefix = self._prefix + self._tool_tokens() + HIDDEN
        total = prefix + self._messages + self.rng.randrange(2, 18)
        fresh = self._lives(self.cache.prefix_used, PREFIX_LIVES) and not self._tools_changed
        read = min(prefix, self._known_prefix or prefix) if fresh else 0
        if fresh and self._lives(self._messages_used, MESSAGES_LIVE):
            read += self._cached_messages
        uncached = self.rng.randrange(3, 10)
        diagnosis = None
        if self._tools_changed:
            diagnosis = CacheDiagnosis(reason="tools_changed", missed_tokens=prefix + self._cached_messages)
        self.cache.prefix_used = self._messages_used = self.now
        self._known_prefix, self._cached_messages = prefix, total - prefix - uncached
        self._tools_changed = False
        return self._split(total, read, uncached, prefix, hour=not fresh), diagnosis

    def _lives(self, used: datetime | None, lifetime: timedelta) -> bool:
        return used is not None and self.now - used < lifetime

    def _split(self, total: int, read: int, uncached: int, prefix: int, *, hour: bool) -> Buckets:
        """The bill of a prompt: what was not read is written, the prefix for an hour where it is new."""
        written = total - read - uncached
        if self.inclusive:
            return Buckets(uncached=uncached + written, read=read)
        long = min(prefix, written) if hour else 0
        return Buckets(uncached=uncached, read=read, write_1h=long, write_5m=written - long)

    def _usage(self, buckets: Buckets) -> dict[str, Any]:
        if self.inclusive:
            return {
                "prompt_tokens": buckets.prompt,
                "completion_tokens": buckets.output,
                "prompt_tokens_details": {"cached_tokens": buckets.read},
            }
        return {
            "input_tokens": buckets.uncached,
            "cache_read_input_tokens": buckets.read,
            "cache_creation_input_tokens": buckets.written,
            "cache_creation": {
                "ephemeral_5m_input_tokens": buckets.write_5m,
                "ephemeral_1h_input_tokens": buckets.write_1h,
            },
            "output_tokens": buckets.output,
        }

    # Tools ------------------------------------------------------------------------

    def call(self, tool: str, result: str, *, say: str = "", think: str = "", ok: bool = True, **given: Any) -> str:
        """One turn: a request that calls a tool, and the tool's result. Returns the call's id."""
        call = f"{self.run}:call-{self._count}"
        parts: list[tuple[ItemKind, str]] = [("thinking", think)] if think else []
        parts += [("assistant", say)] if say else []
        self.ask(*parts, ("tool_call", canonical_json({"name": tool, "input": given})), label=tool, call=call)
        took = self.rng.randrange(40, 4_000)
        self.wait(took / 1000)
        self._answer(call, tool, result, ok=ok, took=took)
        return call

    def _answer(self, call: str, tool: str, result: str, *, ok: bool, took: int, child: str | None = None) -> None:
        self.append("tool_result", result, label=tool, call=call)
        self.events.append(
            ToolCalled(
                **self._head(),
                call=call,
                tool=tool,
                ok=ok,
                duration_ms=took,
                result_chars=len(result),
                request=self.request,
                error=None if ok else result[:200],
                child_run=child,
            )
        )

    def delegate(self, task: str, title: str) -> str:
        """Call for a sub-agent; its result comes later through `returned`. Returns the call's id."""
        call = f"{self.run}:call-{self._count}"
        given = canonical_json({"name": "start_agent", "input": {"kind": "explore", "task": task, "title": title}})
        item = Item(
            kind="tool_call", text=given, chars=len(given), label="start_agent", call=call, request=self.request
        )
        self.events.append(ContextAppended(**self._head(), items=[item]))
        self._messages += self._tokens("tool_call", given)
        return call

    def returned(self, call: str, child: str, result: str, took: int) -> None:
        """What a sub-agent handed over."""
        self._answer(call, "start_agent", result, ok=True, took=took, child=child)

    def search(
        self,
        query: str,
        found: list[str],
        *,
        form: SearchForm = "words",
        failed: list[ServerFailure] | None = None,
        note: str | None = None,
        say: str = "",
    ) -> None:
        """Search for tools and load what was found, unless it was resident."""
        answer = "Loaded: " + ", ".join(found) if found else (note or "No tool was found.")
        call = self.call("search_tools", answer, say=say, query=query)
        deferred = [tool for tool in self.tools.values() if tool.state == "deferred"]
        self.events.append(
            ToolSearched(
                **self._head(),
                call=call,
                query=query,
                form=form,
                tool="search_tools",
                limit=5,
                matches=[Match(tool=name, score=round(9.4 - 1.7 * rank, 2)) for rank, name in enumerate(found)],
                searchable=len(deferred),
                failed_servers=failed or [],
                note=note,
            )
        )
        new = [name for name in found if self.tools[name].state == "deferred" and name not in self.loaded]
        if new:
            self.load(new, "search", call)


def _fields(buckets: Buckets) -> dict[str, int]:
    return {name: getattr(buckets, name) for name in buckets.__struct_fields__}
