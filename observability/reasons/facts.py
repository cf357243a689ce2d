"""What is known of a break: the request, the one before it, what differs between them, and where a read could end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

FIVE_MINUTES: Final = timedelta(minutes=5)
HOUR: Final = timedelta(hours=1)
Tier = Literal["tools", "system", "messages"]
"""A part of a prompt, in the order in which providers hash them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """A request as the provider counted it, in tokens. `at` is its start; from it lifetimes are measured."""

    ordinal: int
    at: datetime | None = None
    model: str = ""
    version: str = ""
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    write_other: int = 0
    uncached: int = 0
    diagnosis: str = ""

    @property
    def written(self) -> int:
        """Written to the cache, at any lifetime."""
        return self.write_5m + self.write_1h + self.write_other

    @property
    def kept(self) -> int:
        """What it left readable: all that it read and wrote."""
        return self.read + self.written

    @property
    def prompt(self) -> int:
        """All prompt tokens."""
        return self.kept + self.uncached


@dataclass(frozen=True, slots=True)
class Change:
    """Something that stands in both requests, and not the same. `words` say what, `subject` names it."""

    tier: Tier
    subject: str
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """A break: `now` against `before`, the request before it in its chain.

    `earlier` are the requests of the chain up to `before`, in order. `ends` are places at which the tools and the
    system prompt may end, the surest first, in tokens. `changes` are proven by what the log holds of both requests.
    `blocks` were added between the two; None where they were not counted. `marked`: a marker on the tail of the
    request before is in the log. `loaded` are deferred tools whose schemas came in between. `least` is the least number of tokens that this model caches.
    """

    now: Sent
    before: Sent
    earlier: tuple[Sent, ...] = ()
    ends: tuple[int, ...] = ()
    changes: tuple[Change, ...] = ()
    blocks: int | None = None
    marked: bool = False
    loaded: tuple[str, ...] = ()
    least: int = 0

    @property
    def pause(self) -> timedelta | None:
        """From the start of the request before to the start of this one; None where a time is missing."""
        if self.now.at is None or self.before.at is None:
            return None
        return max(timedelta(), self.now.at - self.before.at)

    @property
    def tail_lifetime(self) -> timedelta:
        """The lifetime of the end of the conversation: that of the last write before this request."""
        last = next((sent for sent in reversed(self.earlier or (self.before,)) if sent.written), self.before)
        return HOUR if last.write_1h and not last.write_5m else FIVE_MINUTES

    @property
    def borrowed(self) -> bool:
        """Whether the chain began by reading what others had written: its lifetime is in no count of this chain."""
        chain = self.earlier or (self.before,)
        return chain[0].read > 0 and not chain[0].write_1h

    @property
    def prefix_lifetime(self) -> timedelta:
        """The longest lifetime that was written at in the chain: longer ones stand first in a prompt."""
        chain = self.earlier or (self.before,)
        return HOUR if any(sent.write_1h for sent in chain) else FIVE_MINUTES
