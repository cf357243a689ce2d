"""A run that a test writes event by event, through the run log, and then looks at."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from explorer.page import ContextPage, context_page
from explorer.queries.composition import Composition, compose
from explorer.queries.moment import moment
from harness.runlog import (
    AnyEvent,
    Buckets,
    ContextAppended,
    ContextRewritten,
    Item,
    ItemKind,
    Marker,
    Match,
    RequestFinished,
    RunKind,
    RunStarted,
    SurfaceChanged,
    SurfaceDeclared,
    Tool,
    ToolActivated,
    ToolCalled,
    ToolSearched,
    Trigger,
)
from observability.models import Request, Run
from observability.services.events import store_events

MODEL = "claude-opus-5"
START = datetime(2026, 11, 27, 14, 0, tzinfo=UTC)


def definition(name: str, words: int = 40) -> dict[str, Any]:
    """A tool's definition of some size."""
    text = " ".join(f"{name} does thing {number}." for number in range(words))
    return {"name": name, "description": text, "input_schema": {"type": "object", "properties": {}}}


class Scene:
    """Events of one run in order. `conversation` and `run` may be shared with other scenes."""

    def __init__(
        self,
        conversation: str = "talk",
        run: str = "main",
        *,
        kind: RunKind = "main",
        project: str = "lantern",
        model: str = MODEL,
    ) -> None:
        self.conversation, self.run, self.project, self.model = conversation, run, project, model
        self.events: list[AnyEvent] = []
        self.asked = 0
        self.seq = 0
        self.events.append(RunStarted(**self._head(), kind=kind, agent="Test", model=model, cwd="/srv/lantern"))

    def _head(self) -> dict[str, Any]:
        self.seq += 1
        return {
            "id": f"{self.conversation}/{self.run}/{self.seq}",
            "conversation": self.conversation,
            "run": self.run,
            "project": self.project,
            "at": START + timedelta(seconds=10 * self.seq),
            "seq": self.seq,
        }

    def resident(self, *names: str, words: int = 40, server: str | None = None) -> Scene:
        """A whole list of the resident tools, with their definitions."""
        tools = [Tool(name=n, state="resident", definition=definition(n, words), server=server) for n in names]
        self.events.append(SurfaceDeclared(**self._head(), tools=tools, complete=True, states=["resident"]))
        return self

    def deferred(self, *names: str, index: bool = True) -> Scene:
        """Names that are deferred, and the index that tells of them."""
        tools = [Tool(name=name, state="deferred", listing=f"{name}: does it") for name in names]
        self.events.append(SurfaceChanged(**self._head(), tools=tools))
        return self.append("index", "\n".join(f"{name}: does it" for name in names)) if index else self

    def record(self, *names: str, words: int = 40) -> Scene:
        """Definitions of deferred tools become known; nothing is sent."""
        tools = [Tool(name=name, state="deferred", definition=definition(name, words)) for name in names]
        self.events.append(SurfaceChanged(**self._head(), tools=tools))
        return self

    def removed(self, *names: str) -> Scene:
        """Tools leave the surface."""
        self.events.append(SurfaceChanged(**self._head(), tools=[Tool(name=n, state="removed") for n in names]))
        return self

    def system(self, *texts: str) -> Scene:
        """A system prompt, in the place of the one before."""
        items = [Item(kind="system", text=text, chars=len(text), label=f"block {n}") for n, text in enumerate(texts, 1)]
        self.events.append(ContextAppended(**self._head(), items=items, replaces=["system"]))
        return self

    def append(self, kind: ItemKind, text: str | None, **more: Any) -> Scene:
        """One item."""
        item = Item(kind=kind, text=text, **({"chars": len(text or "")} | more))
        self.events.append(ContextAppended(**self._head(), items=[item]))
        return self

    def items(self, *items: Item, replaces: Iterable[ItemKind] = ()) -> Scene:
        """Items together, in the place of what stood of some kinds."""
        self.events.append(ContextAppended(**self._head(), items=list(items), replaces=list(replaces)))
        return self

    def ends(self, *kinds: ItemKind) -> Scene:
        """What stood of some kinds stands no more."""
        return self.items(replaces=kinds)

    def ask(self, total: int, *, read: int = 0, uncached: int = 0, reasoning: int = 0, **more: Any) -> Scene:
        """A request with a prompt of `total`; what is neither read nor uncached was written for 5 minutes."""
        self.asked += 1
        buckets = Buckets(
            read=read, uncached=uncached, write_5m=total - read - uncached, output=20, reasoning=reasoning
        )
        self.events.append(
            RequestFinished(
                **self._head(), request=self.request, model=more.pop("model", self.model), buckets=buckets, **more
            )
        )
        return self

    @property
    def request(self) -> str:
        """The key of the last request."""
        return f"{self.conversation}/{self.run}/request {self.asked}"

    def call(self, tool: str, text: str, result: str) -> Scene:
        """A tool call and its result."""
        call = f"call {self.seq}"
        self.append("tool_call", text, label=tool, call=call, request=self.request)
        self.append("tool_result", result, call=call)
        self.events.append(ToolCalled(**self._head(), call=call, tool=tool, ok=True, request=self.request))
        return self

    def search(self, query: str, *names: str, call: str = "") -> Scene:
        """A search that loads tools; `call` is that of a call that was told of before."""
        found = [Match(tool=name) for name in names]
        head = self._head()
        self.events.append(ToolSearched(**head, call=call or f"search {head['seq']}", query=query, matches=found))
        return self

    def activate(self, *names: str, trigger: Trigger = "preload") -> Scene:
        """Tools are loaded, as the log itself says."""
        self.events.append(ToolActivated(**self._head(), names=list(names), trigger=trigger))
        return self

    def rewrite(self, summary: str, kept: list[str] | None = None, **more: Any) -> Scene:
        """The conversation is replaced by a summary."""
        self.events.append(ContextRewritten(**self._head(), kept_tools=kept, **more))
        return self.append("summary", summary)

    def markers(self, *places: str) -> list[Marker]:
        """Cache markers for a request."""
        return [Marker(place=place, lifetime="1h" if "block" in place else "5m") for place in places]

    def store(self) -> Scene:
        """Store what was written so far."""
        store_events(self.events, source="test")
        return self

    def compose(self, ordinal: int | None = None) -> Composition:
        """A request of the run, taken apart; the last one without a number."""
        run = Run.objects.get(uid=self.run, conversation__uid=self.conversation)
        request = Request.objects.get(run=run, ordinal=ordinal or self.asked)
        return compose(run, request)

    def page(self, ordinal: int | None = None, *, server: str = "", totals: bool = False) -> ContextPage:
        """The page of a request."""
        at = moment(self.conversation, run_uid=self.run, ordinal=ordinal or self.asked)
        assert at is not None
        return context_page(at, server=server, totals=totals)


def whole() -> Scene:
    """A conversation whose whole text is in its log: 15 resident tools, an index, a search, three requests."""
    scene = Scene()
    scene.system("You are careful. " * 200, "You work in /srv/lantern. " * 20)
    scene.resident(*(f"Tool{number}" for number in range(12)), "mcp__docs__read", "mcp__docs__list")
    scene.deferred("mcp__tickets__assign", "mcp__tickets__close", "WebFetch")
    scene.record("mcp__tickets__assign", "mcp__tickets__close")
    scene.append("context_file", "Keep to the style guide. " * 100, label="NOTES.md", owner="project")
    scene.append("skill_listing", "- release: cuts a release\n" * 10).append("startup", "Today is 27 Nov 2026.")
    scene.append("user", "Please assign ticket 7 to Ada.").ask(10_000)
    scene.call("ToolSearch", '{"query":"assign a ticket"}', "mcp__tickets__assign")
    scene.search("assign a ticket", "mcp__tickets__assign").ask(10_700, read=10_000)
    scene.call("mcp__tickets__assign", '{"ticket":7,"to":"Ada"}', "done")
    return scene.ask(10_800, read=10_700)
