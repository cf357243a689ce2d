"""What a reader remembers between lines, in constant memory."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, TypeVar

import msgspec

VERSION: Final = 1
MOST_SIDECHAIN_LINES: Final = 4096
MOST_RUNS: Final = 256
MOST_CALLS: Final = 512
MOST_MESSAGES: Final = 64

V = TypeVar("V")


class State(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The reader's memory. Each mapping is bounded: the oldest entry leaves first."""

    version: int = VERSION
    top: int = 0
    """The largest time seen, in milliseconds since 1970."""
    last: datetime | None = None
    """The time of the last line that had one."""
    sidechains: dict[str, str] = {}
    """Line → run, for sidechains that are interleaved with the main run and have no agent id."""
    runs: dict[str, dict[str, Any]] = {}
    """Run → the facts that were already told of it."""
    searches: dict[str, None] = {}
    """Calls of a search tool without a result yet."""
    tasks: dict[str, str] = {}
    """Hash of a prompt given to a sub-agent → the call that gave it."""
    messages: dict[str, str] = {}
    """The last messages → their request id, empty where their first fragment had none."""
    children: dict[str, None] = {}
    """Calls whose sub-agent was already told."""
    side: str = ""
    """Hash of the side file that was read last."""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(State)


def save(state: State) -> bytes:
    """The state as bytes."""
    return _encoder.encode(state)


def load(data: bytes) -> State:
    """The state from bytes. Bytes of another version or none give an empty one: all events can be repeated."""
    if not data:
        return State()
    try:
        state = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return State()
    return state if state.version == VERSION else State()


def remember(memory: dict[str, V], key: str, value: V, most: int) -> None:
    """Keep an entry; above `most` entries the oldest one is dropped."""
    memory[key] = value
    if len(memory) > most:
        del memory[next(iter(memory))]
