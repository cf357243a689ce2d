"""A conversation that can be spoilt: its next request, its log, and the provider's cache before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

from harness.runlog import (
    AnyEvent,
    Buckets,
    CacheDiagnosis,
    ContextAppended,
    Item,
    Marker,
    RequestFinished,
    RunStarted,
    SurfaceDeclared,
    Tool,
)
from harness.simulator import ANTHROPIC, Simulator

START: Final = datetime(2026, 11, 1, tzinfo=UTC)
MODEL: Final = "claude-sonnet-4-5"
OTHER: Final = "claude-opus-4-1"
HOUR: Final[dict[str, str]] = {"type": "ephemeral", "ttl": "1h"}
FIVE: Final[dict[str, str]] = {"type": "ephemeral"}
MINUTE: Final = 60


@dataclass
class Talk:
    """A conversation: what its next request is made of, its log so far, and the provider's cache."""

    name: str
    rng: Random
    telling: bool
    model: str = MODEL
    version: str = "1.0"
    thinking: bool = False
    hour_tail: bool = False
    hour_head: bool = True
    """Whether tools and system prompt are kept for an hour; else for five minutes, as the tail is."""
    warm: bool = False
    """Whether another run had left tools and system prompt in the cache."""
    follows: bool = True
    """Whether a marker stands on the tail of the request before."""
    diagnosis: str = ""
    clock: float = 0
    asked: int = 0
    old_tail: int = -1
    tools: list[dict[str, Any]] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    events: list[AnyEvent] = field(default_factory=list)
    provider: Simulator = field(
        default_factory=lambda: Simulator(ANTHROPIC, count=lambda block, _: len(str(block.value)) // 4)
    )

    def words(self, number: int) -> str:
        """So many words that were never said before."""
        return " ".join(f"{self.rng.getrandbits(32):08x}" for _ in range(number))

    def tool(self, name: str) -> dict[str, Any]:
        """A tool with a description of its own."""
        return {"name": name, "description": self.words(150), "input_schema": {"type": "object", "properties": {}}}

    def head(self) -> dict[str, Any]:
        """The envelope of the next event."""
        number = len(self.events) + 1
        at = START + timedelta(seconds=self.clock)
        return {"id": f"{self.name}/{number}", "conversation": self.name, "run": "main", "seq": number, "at": at}

    def begin(self) -> None:
        """Its tools and system prompt, as a telling log has them."""
        self.tools = [self.tool(f"tool_{number}") for number in range(6)]
        self.system = [self.words(700), self.words(300)]
        self.events.append(RunStarted(**self.head(), agent="Planted", model=self.model))
        self.tell_tools()
        self.tell_system()
        if self.warm:
            self.provider.warm({**self._body(), "messages": []}, at=START)

    def tell_tools(self) -> None:
        """Write the tools down, where the log has them."""
        if self.telling:
            tools = [Tool(name=tool["name"], state="resident", definition=tool) for tool in self.tools]
            self.events.append(SurfaceDeclared(**self.head(), tools=tools, complete=True, states=["resident"]))

    def tell_system(self) -> None:
        """Write the system prompt down, where the log has it."""
        if self.telling:
            items = [Item(kind="system", label=f"block {n}", text=text) for n, text in enumerate(self.system, 1)]
            self.events.append(ContextAppended(**self.head(), items=items, replaces=["system"]))

    def say(self, blocks: int = 2, words: int = 300) -> None:
        """A turn: a reply of some blocks, and the user's next message."""
        if self.messages:
            reply = [self.words(max(8, words // blocks)) for _ in range(blocks)]
            self._append("assistant", reply)
        self._append("user", [self.words(words)])

    def _append(self, role: str, texts: list[str]) -> None:
        self.messages.append({"role": role, "content": [{"type": "text", "text": text} for text in texts]})
        kind: Any = role
        self.events.append(ContextAppended(**self.head(), items=[Item(kind=kind, text=text) for text in texts]))

    def ask(self, after: float = 20) -> None:
        """Send the next request, so many seconds after the one before."""
        self.clock += after
        self.asked += 1
        done = self.provider.send(self._body(), at=START + timedelta(seconds=self.clock))
        counts = {name: getattr(done, name) for name in ("uncached", "read", "write_5m", "write_1h", "write_other")}
        self.events.append(
            RequestFinished(
                **self.head(),
                request=f"{self.name}/request {self.asked}",
                model=self.model,
                provider="anthropic",
                agent_version=self.version,
                buckets=Buckets(output=50, **counts),
                diagnosis=CacheDiagnosis(reason=self.diagnosis) if self.diagnosis else None,
                markers=self._markers(),
            )
        )
        self.diagnosis, self.old_tail = "", len(self.messages) - 1

    def _markers(self) -> list[Marker]:
        if not self.telling:
            return []
        places = [
            "last resident tool",
            "last system block",
            *(["end of the previous turn"] if self._marks_old() else []),
        ]
        return [Marker(place=place) for place in (*places, "end of this turn")]

    def _marks_old(self) -> bool:
        return self.follows and 0 <= self.old_tail < len(self.messages) - 1

    def _body(self) -> dict[str, Any]:
        messages = list(self.messages)
        head = HOUR if self.hour_head or self.hour_tail else FIVE
        for place in {len(messages) - 1, *([self.old_tail] if self._marks_old() else [])} if messages else ():
            *first, last = messages[place]["content"]
            marked = {**last, "cache_control": HOUR if self.hour_tail else FIVE}
            messages[place] = {**messages[place], "content": [*first, marked]}
        *tools, last_tool = self.tools
        *system, last_text = ({"type": "text", "text": text} for text in self.system)
        return {
            "model": self.model,
            "tools": [*tools, {**last_tool, "cache_control": head}],
            "system": [*system, {**last_text, "cache_control": head}],
            "messages": messages,
            **({"thinking": {"type": "enabled", "budget_tokens": 2_000}} if self.thinking else {}),
        }
