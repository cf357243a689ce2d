"""Small logs of runs with tools, as run-log events."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from harness import runlog
from observability.services.events import store_events

AT = datetime(2026, 5, 20, 10, tzinfo=UTC)
MODEL = "claude-opus-4-5-20251101"


def definition(name: str, *, words: int = 20) -> dict[str, Any]:
    """A tool's definition of about so many tokens."""
    return {"name": name, "description": "prune " * words, "input_schema": {"type": "object"}}


def tool(name: str, state: str = "resident", *, words: int = 20, known: bool = True, server: str = "") -> runlog.Tool:
    """A tool of a surface; `known` False leaves its definition out."""
    given = definition(name, words=words) if known else None
    return runlog.Tool(name=name, state=state, definition=given, server=server or None)


class ToolLog:
    """A conversation, told event by event and stored at the end."""

    def __init__(self, uid: str, *, agent: str = "acme", project: str = "orchard", at: datetime = AT) -> None:
        self.uid, self.at, self.number = uid, at, 0
        self.events: list[runlog.AnyEvent] = [runlog.RunStarted(**self.head(), agent=agent, project=project)]

    def head(self) -> dict[str, Any]:
        """The envelope of the next event, a second after the last."""
        self.number += 1
        at = self.at + timedelta(seconds=self.number)
        return {"id": f"{self.uid}-{self.number}", "conversation": self.uid, "run": "main", "at": at}

    def surface(self, *tools: runlog.Tool, complete: bool = False) -> ToolLog:
        """Declare tools; with `complete`, no others are resident."""
        states = ["resident"] if complete else []
        event = runlog.SurfaceDeclared(**self.head(), tools=list(tools), complete=complete, states=states)
        self.events.append(event)
        return self

    def requests(self, number: int = 1, *, read: int = 1000, model: str = MODEL) -> ToolLog:
        """Requests that read so many tokens from the cache."""
        usage = {"input_tokens": 10, "cache_read_input_tokens": read, "output_tokens": 5}
        for _ in range(number):
            head = self.head()
            self.events.append(runlog.RequestFinished(**head, request=head["id"], model=model, usage=usage))
        return self

    def call(self, name: str, *, ok: bool = True) -> ToolLog:
        """A call."""
        head = self.head()
        self.events.append(runlog.ToolCalled(**head, call=head["id"], tool=name, ok=ok))
        return self

    def search(self, query: str, *found: str, form: str = "words") -> ToolLog:
        """A search and what it returned."""
        head, matches = self.head(), [runlog.Match(tool=name) for name in found]
        self.events.append(runlog.ToolSearched(**head, call=head["id"], query=query, form=form, matches=matches))
        return self

    def store(self) -> None:
        """Store all of it."""
        store_events(self.events, source="api")
