"""The chain of a run's requests: ordinals, cold starts and cache breaks. Pure. Why a break came is `explaining`'s.

A break, within a chain: previous read + previous writes − this read ≥ 1,024 tokens. That
difference is what was lost; min(lost, written now) is what was rebuilt. The first request of
a chain is a cold start. Requests without prompt tokens take no part.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from observability.services.store.request_rows import RequestRow

LEAST_LOST = 1024


@dataclass(slots=True)
class Place:
    """Where a request stands in its run."""

    ordinal: int = 0
    chain: int = 0
    cold: bool = False
    lost: int | None = None
    rebuilt: int | None = None


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


def _written(link: RequestRow) -> int:
    return link.write_5m + link.write_1h + link.write_other


def _prompt(link: RequestRow) -> int:
    return link.uncached + link.read + _written(link)
