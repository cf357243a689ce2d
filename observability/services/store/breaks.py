"""The chain of a run's requests: ordinals, cold starts, and cache breaks with a first reason. Pure.

A break, within a chain: previous read + previous writes − this read ≥ 1,024 tokens. That
difference is what was lost; min(lost, written now) is what was rebuilt. The first request of
a chain is a cold start. Requests without prompt tokens take no part.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from observability.enums import BreakReason, Evidence
from observability.services.store.request_rows import RequestRow

LEAST_LOST = 1024
FIVE_MINUTES = timedelta(minutes=5)
HOUR = timedelta(hours=1)


@dataclass(slots=True)
class Place:
    """Where a request stands in its run."""

    ordinal: int = 0
    chain: int = 0
    cold: bool = False
    lost: int | None = None
    rebuilt: int | None = None
    reason: str = ""
    evidence: str = ""


@dataclass(slots=True)
class Before:
    """What the walk knows of the requests before: the last one's place, and the last with prompt tokens."""

    ordinal: int = 0
    chain: int = -1
    link: RequestRow | None = None


def walk(links: Iterable[RequestRow], rewrites: Sequence[int], before: Before) -> list[Place]:
    """The places of requests that follow `before`, in the order given. `rewrites`: their `seq`, sorted."""
    places = []
    for link in links:
        chain = bisect_left(rewrites, link.seq)
        place = Place(ordinal=before.ordinal + 1, chain=chain)
        if _prompt(link):
            _judge(place, link, before.link if before.chain == chain else None)
            before.link = link
            before.chain = chain
        before.ordinal = place.ordinal
        places.append(place)
    return places


def _judge(place: Place, link: RequestRow, last: RequestRow | None) -> None:
    if last is None:
        place.cold = True
        return
    lost = last.read + _written(last) - link.read
    if lost >= LEAST_LOST:
        place.lost, place.rebuilt = lost, min(lost, _written(link))
        place.reason, place.evidence = _reason(link, last)


def _reason(link: RequestRow, last: RequestRow) -> tuple[str, str]:
    if link.diagnosis:
        known = link.diagnosis if link.diagnosis in BreakReason.values else BreakReason.UNEXPLAINED
        return str(known), Evidence.PROVIDER.value
    if link.model != last.model:
        return BreakReason.MODEL_CHANGED.value, Evidence.RULE.value
    if _outlived(link, last):
        return BreakReason.LIFETIME.value, Evidence.RULE.value
    if link.agent_version != last.agent_version and last.agent_version:
        return BreakReason.CLIENT_UPDATED.value, Evidence.RULE.value
    return BreakReason.UNEXPLAINED.value, Evidence.NONE.value


def _outlived(link: RequestRow, last: RequestRow) -> bool:
    """Whether the pause was longer than the lifetime of what was lost. The tail's lifetime is that of the last write."""
    if link.started_at is None or last.started_at is None:
        return False
    pause = link.started_at - last.started_at
    only_hour = (last.write_1h or link.write_1h) and not last.write_5m and not link.write_5m
    return pause > (HOUR if only_hour else FIVE_MINUTES)


def _written(link: RequestRow) -> int:
    return link.write_5m + link.write_1h + link.write_other


def _prompt(link: RequestRow) -> int:
    return link.uncached + link.read + _written(link)
