"""Cache markers: where they stood, and what became of what they name.

Where the log holds none, `would_stand` says where the harness would set its own; they have no fate, and nothing else
is made of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from explorer.queries.composition import Composition
from harness.request.request import LIFETIMES as OURS
from harness.request.request import Place
from harness.request.strategies import takes_markers
from observability.enums import BreakReason
from observability.models import Request

LIFETIMES: Final = {"5m": "5 min", "1h": "1 h", "30m": "30 min", "unknown": "lifetime unknown"}
PLACES: Final = {
    "last resident tool": "tools",
    "tools": "tools",
    "last system block": "system",
    "system": "system",
    "end of the previous turn": "previous",
    "previous tail": "previous",
    "end of this turn": "tail",
    "tail": "tail",
}
"""Places that can be found in the request. A marker anywhere else stands in the table without one."""
SHORT: Final = {"tools": "", "system": "", "previous": "previous tail, ", "tail": "tail, "}
NEAR: Final = 0.03
"""Places of tools and system are estimated: within this part of itself, a place counts as read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A marker. `at` is its place in tokens, None where it cannot be found; `fate` is what became of it.

    One that `would` stand is in no log: it has no fate, and `why` says why it has no place.
    """

    number: int
    place: str
    lifetime: str
    at: int | None
    fate: str = ""
    words: str = ""
    would: bool = False
    why: str = ""

    @property
    def lost(self) -> bool:
        """Whether the entry that it names was gone."""
        return self.fate in ("expired", "lost")


def marks(now: Composition, before: Request | None) -> list[Mark]:
    """The markers of a request in the order sent."""
    return [_mark(number, marker, now, before) for number, marker in enumerate(_sent(now.request.markers), 1)]


def would_stand(now: Composition, before: Request | None) -> list[Mark]:
    """The harness's own markers, for a request whose log names none: its places and lifetimes, in its order.

    Empty where markers are recorded, and where the provider caches without any. A place is as sure as the sizes of
    what stands before it; where those are not known, the marker has none and says why.
    """
    request = now.request
    provider = request.provider or ("anthropic" if request.model.startswith("claude") else "")
    if _sent(request.markers) or not takes_markers(provider, request.model):
        return []
    return [_would(number, place, now, before) for number, place in enumerate(OURS, 1)]


def _would(number: int, place: Place, now: Composition, before: Request | None) -> Mark:
    known = PLACES[place]
    why = _missing(known, now, before)
    lifetime = LIFETIMES[OURS[place]]
    at = None if why else _place(known, now, before)
    words = f"{SHORT[known]}{lifetime}"
    return Mark(number=number, place=place, lifetime=lifetime, at=at, words=words, would=True, why=why)


def _missing(place: str, now: Composition, before: Request | None) -> str:
    """Why the harness would set no marker there, or why its place is not known; empty where it is."""
    if place in ("tools", "system") and not now.surface.resident_known:
        return "the log does not tell the resident tools"
    if place == "tools":
        return "" if _at(place, now, None) else "there is no resident tool"
    if place == "system":
        return "" if now.account.category("system") else "the log holds no system prompt"
    if place == "previous" and before is None:
        return "there is no request before this one"
    if place == "previous" and before and before.chain != now.request.chain:
        return "what was sent before was rewritten"
    return "" if _place(place, now, before) else "the prompt's size is not reported"


def _place(place: str, now: Composition, before: Request | None) -> int | None:
    """As `_at`, but a tail stands at the end of its prompt, however much of it this client had cached."""
    if place == "previous":
        return before.context_tokens if before else None
    return now.account.total if place == "tail" else _at(place, now, before)


def _sent(text: str) -> list[dict[str, Any]]:
    try:
        found = msgspec.json.decode(text) if text else []
    except msgspec.DecodeError:
        return []
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _mark(number: int, marker: dict[str, Any], now: Composition, before: Request | None) -> Mark:
    place = str(marker.get("place", ""))
    known = PLACES.get(place, "")
    at = _at(known, now, before)
    fate = _fate(known, at, now.request)
    lifetime = str(marker.get("lifetime", "5m"))
    lifetime = LIFETIMES.get(lifetime, lifetime)
    words = f"{SHORT.get(known, '')}{lifetime}{', ' if fate else ''}{fate}"
    return Mark(number=number, place=place, lifetime=lifetime, at=at, fate=fate, words=words)


def _at(place: str, now: Composition, before: Request | None) -> int | None:
    request = now.request
    if place == "tools":
        return _until(now, ("builtin_tool", "mcp_tool")) if now.surface.resident_known else None
    if place == "system":
        return _until(now, ("builtin_tool", "mcp_tool", "system")) + _index(now) if now.has_snapshot else None
    if place == "previous":
        return before.read + _written(before) if before and before.chain == request.chain else None
    return request.read + _written(request) if place == "tail" else None


def _until(now: Composition, kinds: Iterable[str]) -> int:
    return sum(category.count.tokens for kind in kinds if (category := now.account.category(kind)))


def _index(now: Composition) -> int:
    """The index, where it came with the system prompt and so is one of its blocks."""
    indexes = [item for item in now.standing.items if item.kind == "index"]
    if not indexes:
        return 0
    system = {item.seq for item in now.standing.items if item.kind == "system"}
    ids = {item.id for item in indexes if item.seq in system}
    return sum(part.tokens for part in now.parts if part.kind == "index" and part.item in ids)


def _written(request: Request) -> int:
    return request.write_5m + request.write_1h + request.write_other


def _fate(place: str, at: int | None, request: Request) -> str:
    if at is None:
        return ""
    slack = round(at * NEAR) if place in ("tools", "system") else 0
    if at - slack <= request.read and at:
        return "read"
    if place == "previous":
        return "expired" if request.break_reason == BreakReason.LIFETIME else "lost" if request.break_reason else ""
    return "written" if at <= request.read + _written(request) else ""
