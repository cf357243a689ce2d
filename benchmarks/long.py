"""Conversations that are hard on the context explorer, as run logs: very long ones, and a very full request."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks import made_up
from harness import tokens
from harness.catalogue import own
from harness.runlog import (
    AnyEvent,
    Buckets,
    ContextAppended,
    ContextRewritten,
    Item,
    Marker,
    Match,
    RequestFinished,
    RunStarted,
    SurfaceDeclared,
    Tool,
    ToolCalled,
    ToolSearched,
    encode,
)
from observability.demo import catalogue, texts

START: Final = datetime(2026, 11, 2, 8, tzinfo=UTC)
DEFERRED: Final = list(catalogue.office().values())
SEARCH_EVERY: Final = 40
BREAK_EVERY: Final = 90
REWRITE_EVERY: Final = 20
MODEL: Final = "claude-opus-5-5"
SAMPLE: Final = 2_000
"""Characters of a text that are counted here."""
AGENTS: Final = 40
"""Sub-agents of the conversation that is rewritten, with ten requests each."""


def write(folder: Path, asked: argparse.Namespace) -> dict[str, int]:
    """Three conversations: never rewritten, rewritten every 20 requests, and one that ends in 150,000 tokens in 2,000 items."""
    size = asked.long_mb * 10**6 // asked.long_requests
    talks = {
        "unbroken": Talk("unbroken", asked.long_requests, size),
        "rewritten": Talk("rewritten", asked.long_requests, size, rewrite_every=REWRITE_EVERY),
        "full": Talk("full", 650, 200),
    }
    found = {}
    for name, talk in talks.items():
        agents = talk.agents() if name == "rewritten" else ()
        with (folder / f"{name}.ndjson").open("wb") as file:
            found[f"{name}, bytes"] = sum(file.write(encode(event) + b"\n") for event in chain(talk.events(), agents))
    return found


class Talk:
    """A run: each request brings a text, a call and its result, the latter of `size` characters."""

    def __init__(self, name: str, requests: int, size: int, *, rewrite_every: int = 0, parent: str = "") -> None:
        self.conversation, self.run = parent or name, name
        self.requests, self.size, self.rewrite_every, self.parent = requests, size, rewrite_every, parent
        self.rng = Random(name)
        self.pool = "\n".join(texts.code(self.rng, name, 40) for name in texts.FILES * 20)
        self.seq, self.tokens, self.read = 0, 4_200, 0

    def events(self) -> Iterator[AnyEvent]:
        """All events of the run."""
        yield from self._opening()
        for number in range(1, self.requests + 1):
            if self.rewrite_every and number > 1 and number % self.rewrite_every == 1:
                yield ContextRewritten(**self._head(), kept_tools=[])
                self.tokens, self.read = 14_000, 9_000
                yield self._append(Item(kind="summary", text=texts.prose(self.rng, 9)))
            yield self._request(number)
            yield from self._turn(number)

    def agents(self) -> Iterator[AnyEvent]:
        """The events of its sub-agents."""
        for number in range(AGENTS):
            yield from Talk(f"{self.run}-{number}", 10, 2_000, parent=self.conversation).events()

    def _head(self) -> dict[str, Any]:
        self.seq += 1
        return {
            "id": f"{self.run}-{self.seq}",
            "conversation": self.conversation,
            "run": self.run,
            "at": START + timedelta(seconds=2 * self.seq),
            "seq": self.seq,
        }

    def _opening(self) -> Iterator[AnyEvent]:
        kind, parent = ("sub_agent", self.parent) if self.parent else ("main", None)
        yield RunStarted(**self._head(), kind=kind, parent_run=parent, agent="my-agent", cwd="/home/dev/lantern")  # type: ignore[arg-type]
        tools = [Tool(name=t.name, state="resident", definition=t.definition()) for t in own.OWN.values()]
        tools += [
            Tool(name=t.name, state="deferred", definition=t.definition(), server=t.server, listing=t.name)
            for t in DEFERRED
        ]
        yield SurfaceDeclared(**self._head(), tools=tools, complete=True, states=["resident", "deferred"])
        yield self._append(
            Item(kind="system", text=made_up.SYSTEM, label="block 1"),
            Item(kind="index", text="\n".join(tool.name for tool in DEFERRED)),
            Item(kind="context_file", text=texts.CONTEXT_FILE, label="NOTES.md", owner="project"),
            Item(kind="user", text=texts.prose(self.rng, 3)),
        )

    def _append(self, *items: Item) -> AnyEvent:
        for item in items:
            item.chars = len(item.text or "")
            self.tokens += _tokens(item)
        return ContextAppended(**self._head(), items=list(items))

    def _request(self, number: int) -> AnyEvent:
        total = self.tokens
        read = 0 if number % BREAK_EVERY == 0 else min(self.read, total)
        self.read = total
        return RequestFinished(
            **self._head(),
            request=f"{self.run}-r{number}",
            provider="anthropic",
            model=MODEL,
            buckets=Buckets(read=read, write_5m=total - read, output=180),
            markers=[Marker(place="tools"), Marker(place="system"), Marker(place="messages")],
        )

    def _turn(self, number: int) -> Iterator[AnyEvent]:
        call, request = f"{self.run}-c{number}", f"{self.run}-r{number}"
        searches = number % SEARCH_EVERY == 0
        name = "search_tools" if searches else "read"
        given = Item(kind="tool_call", text=f'{{"path":"{number}.py"}}', label=name, call=call, request=request)
        result = Item(kind="tool_result", text=f"{number}\n{self._text()}", call=call, label=name)
        said = Item(kind="assistant", text=f"{number}: {texts.prose(self.rng, 1)}", request=request)
        asked = [Item(kind="user", text=f"{number}: {texts.prose(self.rng, 1)}")] if number % 10 == 0 else []
        yield self._append(said, given, result, *asked)
        yield ToolCalled(**self._head(), call=call, tool=name, ok=True, request=request, result_chars=self.size)
        if searches:
            tool = DEFERRED[number // SEARCH_EVERY % len(DEFERRED)].name
            yield ToolSearched(**self._head(), call=call, query=tool.replace("_", " "), matches=[Match(tool=tool)])

    def _text(self) -> str:
        start = self.rng.randrange(max(1, len(self.pool) - self.size))
        return self.pool[start : start + self.size]


def _tokens(item: Item) -> int:
    """About as many as the explorer will count: by the beginning of the text."""
    text = item.text or ""
    known = tokens.count(text[:SAMPLE]) * len(text) // max(1, min(len(text), SAMPLE))
    content: tokens.Content = "call" if item.kind == "tool_call" else "text"
    return known * tokens.factor(MODEL, content).percent // 100 + tokens.frame(MODEL, item.kind).tokens
