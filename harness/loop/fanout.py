"""The gate of a fan-out: the first sub-agent of a shape goes ahead, so that its siblings find its prefix in the cache.

An entry can be read once the response of the request that wrote it has begun. Eight sub-agents
that start together would each write the same prefix; behind the gate one writes and seven read.
Siblings wait for the first event of the one ahead. Where it fails or is cancelled, the next goes
ahead. No wait is longer than the gate's bound, so that a slow first one costs a cache hit and
never the fan-out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

LIFETIME: Final = 3600.0
"""Seconds that the prefix of a shape is taken to be cached after it was last used: the markers on it ask for 1 h."""


class Shape(NamedTuple):
    """What makes two sub-agents' prefixes equal. A profile is no part of it."""

    kind: str
    provider: str
    model: str


class Pass:
    """One sub-agent's way through the gate. Tell it what became of the request; only the one ahead is listened to."""

    def __init__(self, gate: Gate, shape: Shape, waited_for: asyncio.Event | None = None) -> None:
        self._gate, self._shape, self._waited_for = gate, shape, waited_for

    def began(self) -> None:
        """Its first event has come: the prefix can be read."""
        self._gate.opened(self._shape)

    def ended(self) -> None:
        """It failed, was cancelled or is over. Where nothing had begun, the next goes ahead."""
        if self._waited_for is not None:
            self._gate.given_up(self._shape, self._waited_for)
            self._waited_for = None


class Gate:
    """Lets sub-agents through. `wait`: the longest that one waits, in seconds. `time`: a clock in seconds."""

    def __init__(self, *, wait: float = 8.0, time: Callable[[], float] | None = None) -> None:
        self._wait, self._time = wait, time
        self._open_until: dict[Shape, float] = {}
        self._ahead: dict[Shape, asyncio.Event] = {}

    async def enter(self, shape: Shape) -> Pass:
        """Wait until this one may start."""
        until = self._now() + self._wait
        while not self._is_open(shape):
            ahead = self._ahead.get(shape)
            if ahead is None:
                self._ahead[shape] = asyncio.Event()
                return Pass(self, shape, self._ahead[shape])
            left = until - self._now()
            if left <= 0 or not await _within(left, ahead):
                break
        return Pass(self, shape)

    def opened(self, shape: Shape) -> None:
        """The prefix of this shape is in the cache from now on, whoever wrote it."""
        self._open_until[shape] = self._now() + LIFETIME
        if (waited_for := self._ahead.pop(shape, None)) is not None:
            waited_for.set()

    def given_up(self, shape: Shape, waited_for: asyncio.Event) -> None:
        """The one ahead will not open the gate."""
        if self._ahead.get(shape) is waited_for:
            del self._ahead[shape]
        waited_for.set()

    def _is_open(self, shape: Shape) -> bool:
        return self._open_until.get(shape, float("-inf")) > self._now()

    def _now(self) -> float:
        return self._time() if self._time is not None else asyncio.get_running_loop().time()


async def _within(seconds: float, event: asyncio.Event) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True
