"""A request that is ready to be sent: its body, its bytes, and where its markers stand."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final, Literal

import msgspec

from harness import runlog, wire

Place = Literal["last resident tool", "last system block", "end of the previous turn", "end of this turn"]
Ttl = Literal["5m", "1h"]

LIFETIMES: Final[dict[Place, Ttl]] = {
    "last resident tool": "1h",
    "last system block": "1h",
    "end of the previous turn": "5m",
    "end of this turn": "5m",
}
"""The lifetime of each marker. The longer ones stand first, as providers ask."""


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A marker. `path` leads to its block in the body: `("messages", 12, 1)` or `("tools", 22)`.

    `position` counts blocks from 0 in the order tools, system, messages; deferred definitions,
    which are no part of the prefix, are not counted.
    """

    place: Place
    lifetime: Ttl
    path: tuple[str | int, ...]
    position: int

    def logged(self) -> runlog.Marker:
        """As the run log has it."""
        return runlog.Marker(place=self.place, lifetime=self.lifetime)


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One request in canonical form, which is Anthropic's.

    `body` shares its parts with the requests before and after it: read it, never change it.
    `ordinal` counts the requests of a run from 1. `resident_count` is how many of `tools` come
    first and never change; `loaded` names the deferred tools that were loaded by then. `betas`
    are the provider's features that the body uses and that must be asked for.
    """

    body: dict[str, Any]
    markers: tuple[Placed, ...]
    ordinal: int
    resident_count: int
    loaded: tuple[str, ...] = ()
    betas: tuple[str, ...] = ()
    parts: tuple[bytes, ...] = ()
    """The bytes of the body, in pieces."""

    def bytes(self) -> bytes:
        """The body as JSON. The same for the same run in any process."""
        return b"".join(self.parts)


def cache_control(place: Place) -> dict[str, str]:
    """The marker of a place, as it stands in a body."""
    return {"type": "ephemeral", "ttl": LIFETIMES[place]}


def prefix_hash(request: Request) -> str:
    """A hash of what comes before the messages: model, tools and system, without markers.

    Requests of equal hash can read each other's cache. Sub-agents of one type, provider and
    model have one hash, whatever their profile: a profile is no part of a request.
    """
    body = request.body
    shared = [body["model"], [_bare(each) for each in body.get("tools", [])]]
    return blake2b(wire.dumps([*shared, [_bare(each) for each in body.get("system", [])]]), digest_size=16).hexdigest()


def _bare(block: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key != "cache_control"}
