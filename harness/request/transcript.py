"""The messages of a run with their bytes, and the rolling pair of markers on the last two tails."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

import msgspec

from harness import wire
from harness.request.messages import Message, markable
from harness.request.request import LIFETIMES, Place, Placed, cache_control

Spot = tuple[int, int]
"""A block: the number of its message, and its number there."""


class Marked(msgspec.Struct, frozen=True, kw_only=True):
    """The messages of one request. Positions of markers count from the first message."""

    messages: list[Message]
    parts: tuple[bytes, ...]
    markers: tuple[Placed, ...]


class Transcript:
    """Messages, each encoded once when it comes. Two of them are encoded again for every request: those with markers."""

    def __init__(self, *, marks: bool = True) -> None:
        self._marks = marks
        self.messages: list[Message] = []
        self._parts: list[bytes] = []
        self._starts: list[int] = [0]
        self._anchor: Spot | None = None

    def append(self, message: Message) -> None:
        """Add one at the end."""
        self._parts.append((b"," if self._parts else b"") + wire.dumps(message))
        self._starts.append(self._starts[-1] + len(message["content"]))
        self.messages.append(message)

    def replace(self, messages: Iterable[Message]) -> None:
        """Begin anew with these messages: nothing that was sent before is followed by what comes now."""
        self.messages = list(messages)
        self._parts = [(b"," if at else b"") + wire.dumps(each) for at, each in enumerate(self.messages)]
        self._starts = list(accumulate((len(each["content"]) for each in self.messages), initial=0))
        self._anchor = None

    def marked(self) -> Marked:
        """The messages for a request, which is taken as sent: its tail is where the next one's first marker goes."""
        tail = self._tail()
        spots: dict[Spot, Place] = {}
        if self._anchor is not None:
            spots[self._anchor] = "end of the previous turn"
        if tail is not None:
            spots[tail] = "end of this turn"
        self._anchor = tail
        messages, parts = self.messages.copy(), self._parts.copy()
        for (at, number), place in spots.items():
            messages[at] = _mark(messages[at], number, place)
            parts[at] = (b"," if at else b"") + wire.dumps(messages[at])
        placed = tuple(
            Placed(
                place=place,
                lifetime=LIFETIMES[place],
                path=("messages", at, number),
                position=self._starts[at] + number,
            )
            for (at, number), place in spots.items()
        )
        return Marked(messages=messages, parts=tuple(parts), markers=placed)

    def aside(self, message: Message) -> Marked:
        """The messages for a request with one more at its end, which is then taken back."""
        anchor = self._anchor
        self.append(message)
        marked = self.marked()
        for held in (self.messages, self._parts, self._starts):
            held.pop()
        self._anchor = anchor
        return marked

    def _tail(self) -> Spot | None:
        """The last block that may have a marker; None where none is sent."""
        for at in range(len(self.messages) - 1, -1, -1) if self._marks else ():
            content = self.messages[at]["content"]
            for number in range(len(content) - 1, -1, -1):
                if markable(content[number]):
                    return at, number
        return None


def _mark(message: Message, number: int, place: Place) -> Message:
    content = list(message["content"])
    content[number] = {**content[number], "cache_control": cache_control(place)}
    return {**message, "content": content}
