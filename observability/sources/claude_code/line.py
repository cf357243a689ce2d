"""One line on its way into events."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, TypedDict

from observability.sources.base import Gathered
from observability.sources.claude_code.known import BLOCKS
from observability.sources.claude_code.state import State

MOST_NAMES: Final = 20
"""Unknown keys of one place that are counted by name: a line cannot flood the list."""
MOST_NAME: Final = 120
"""Characters of an unknown name that are kept."""

MAIN: Final = "main"


class Base(TypedDict):
    """What every event of a line carries."""

    id: str
    conversation: str
    run: str
    at: datetime | None
    seq: int


class Memory:
    """What a reader remembers from line to line for speed alone: fragments of one request repeat its usage."""

    __slots__ = ("usage",)

    def __init__(self) -> None:
        self.usage: dict[str, Any] = {}


class Line:
    """A decoded line with its place in the run log.

    `name` is the line's uuid, or a hash of its bytes where it has none: equal in every copy.
    `facts` are things this line says about its run; they become one `run.started`.
    """

    __slots__ = ("at", "conversation", "facts", "found", "kind", "memory", "name", "record", "run", "seq", "state")

    def __init__(self, record: dict[str, Any], kind: str, found: Gathered, state: State, memory: Memory) -> None:
        self.record = record
        self.kind = kind
        self.found = found
        self.state = state
        self.memory = memory
        self.name = ""
        self.conversation = ""
        self.run = MAIN
        self.at: datetime | None = None
        self.seq = 0
        self.facts: dict[str, Any] = {}

    def base(self, prefix: str) -> Base:
        """The envelope of an event; `prefix` tells events of one line apart."""
        return {
            "id": f"{prefix}:{self.name}",
            "conversation": self.conversation,
            "run": self.run,
            "at": self.at,
            "seq": self.seq,
        }

    def unknown(self, kind: str, name: str) -> None:
        """Count something that is not known here."""
        self.found.unknown[kind, name[:MOST_NAME]] += 1

    def check(self, value: dict[str, Any], known: frozenset[str], place: str) -> None:
        """Count the keys of an object that are not known."""
        if value.keys() <= known:
            return
        for key in sorted(value.keys() - known)[:MOST_NAMES]:
            self.unknown("key", f"{place}.{key}")

    def check_block(self, block: dict[str, Any], kind: str) -> None:
        """Count a content block that is not known, or its keys."""
        known = BLOCKS.get(kind)
        if known is None:
            self.unknown("key", f"content.{kind}")
        elif not block.keys() <= known:
            self.check(block, known, f"content.{kind}")
