"""A story: what a model says and calls, turn by turn, what its tools answer, and when the user speaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from harness.providers.script import Call, Script, Turn

SECONDS_A_CHARACTER = 1 / 220
"""How fast a model writes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a tool answers to one call, and after how many seconds."""

    text: str
    seconds: float = 0.4
    failed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """What the user says, after a pause in seconds; from then on `missing` servers are away and `pinned` tools resident."""

    says: str
    after: float = 0
    missing: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()


@dataclass(kw_only=True)
class Pen:
    """Writes the turns of one run. `answers` are those of the whole conversation, by call."""

    name: str
    rng: Random
    answers: dict[str, Answer] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)

    def call(
        self,
        tool: str,
        result: str,
        /,
        *,
        say: str = "",
        think: str = "",
        seconds: float = 0.4,
        failed: bool = False,
        **given: Any,
    ) -> None:
        """A turn that calls a tool."""
        call = Call(tool=tool, arguments=given, id=f"{self.name}-{len(self.turns) + 1}")
        self.answers[str(call.id)] = Answer(text=result, seconds=seconds, failed=failed)
        self.turn(call, say=say, think=think)

    def search(self, query: str, *, say: str = "") -> None:
        """A turn that searches for tools. What is found is the harness's own affair."""
        self.turn(Call(tool="search_tools", arguments={"query": query}), say=say)

    def turn(self, *calls: Call, say: str = "", think: str = "") -> None:
        """A turn with any number of calls; with none, the model's last words of a part."""
        written = len(say) + len(think) + sum(len(str(call.arguments)) for call in calls)
        self.turns.append(
            Turn(
                text=say,
                thinking=think,
                calls=calls,
                first_event_after=round(self.rng.uniform(0.8, 2.4), 2),
                takes=round(1 + written * SECONDS_A_CHARACTER, 2),
            )
        )

    def finish(self, summary: str) -> None:
        """The turn that hands over the result."""
        self.turn(Call(tool="finish", arguments={"summary": summary}))


@dataclass(kw_only=True)
class Story(Pen):
    """A conversation. `ago`: seconds before now at which it began. `stopped`: seconds after which the user stops it.

    `compact_from`: prompt tokens from which on the harness asks for a summary; the story has the turn that gives it.
    """

    ago: float
    model: str
    parts: list[Part]
    provider: str = "anthropic"
    deferral: bool = True
    thinking: bool = False
    stopped: float | None = None
    compact_from: int | None = None
    agents: dict[str, Pen] = field(default_factory=dict)

    def user(self, says: str, **more: Any) -> None:
        """The user speaks again, after the model's last words."""
        self.parts.append(Part(says=says, **more))

    def agent(self, task: str, title: str, write: Callable[[Pen], None]) -> Call:
        """A call that starts a sub-agent, whose own turns `write` writes."""
        name = f"{self.name}-agent-{len(self.agents) + 1}"
        self.agents[task] = pen = Pen(name=name, rng=Random(name), answers=self.answers)  # noqa: S311 - the same demo each time
        write(pen)
        return Call(tool="spawn_agent", arguments={"task": task, "profile": "explore", "title": title}, id=name)

    def script(self) -> Script:
        """All turns, for the scripted provider."""
        return Script(turns=tuple(self.turns), agents={task: tuple(pen.turns) for task, pen in self.agents.items()})
