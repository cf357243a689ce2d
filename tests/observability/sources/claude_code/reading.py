"""Shortcuts for tests of the reader."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, TypeVar

from harness.runlog import ContextAppended, Event, Item
from observability.sources.base import Gathered, Place
from observability.sources.claude_code import ClaudeCode
from tests.claude_code_lines import encode

E = TypeVar("E", bound=Event)
FILE = PurePath("projects/shop/11111111-1111-4111-8111-111111111111.jsonl")


def read(*records: dict[str, Any], path: PurePath = FILE, side: dict[str, str] | None = None) -> Gathered:
    """What a reader finds in these records."""
    reader = ClaudeCode().reader(Place(path, side or {}), b"")
    for number, record in enumerate(records, 1):
        reader.feed(encode(record), number)
    return reader.found


def read_line(line: bytes) -> Gathered:
    """What a reader finds in one line of bytes."""
    reader = ClaudeCode().reader(Place(FILE), b"")
    reader.feed(line, 1)
    return reader.found


def events(found: Gathered, kind: type[E]) -> list[E]:
    """The events of one kind."""
    return [event for event in found.events if isinstance(event, kind)]


def one(found: Gathered, kind: type[E]) -> E:
    """The only event of a kind."""
    (event,) = events(found, kind)
    return event


def items(found: Gathered) -> list[Item]:
    """All items of context, in order."""
    return [item for event in events(found, ContextAppended) for item in event.items]


def kinds(found: Gathered) -> list[str]:
    """The kinds of all items, in order."""
    return [item.kind for item in items(found)]
