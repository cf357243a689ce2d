"""Where requests were seen, and whose they are."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from observability import models
from observability.services.store import bulk
from observability.services.store.batch import Batch
from observability.services.store.bulk import db_time
from observability.services.store.drafts import NO_TIME, earliest

TABLE = bulk.Table(
    models.Sighting,
    ("project_id", "request_id", "conversation_id", "run_id", "at", "seq"),
    ("request_id", "run_id"),
    replace=True,
)


@dataclass(slots=True)
class Sight:
    """A sighting, stored or new."""

    project_id: int
    request_id: int
    conversation_id: int
    run_id: int
    at: datetime | None
    seq: int
    uid: str = ""

    def order(self) -> tuple[datetime, str, int, int]:
        """The owner is the least: the earliest, then the smallest conversation uid."""
        return self.at or NO_TIME, self.uid, self.seq, self.run_id


def store(batch: Batch, stored: set[int]) -> dict[int, list[Sight]]:
    """Write the batch's sightings; give all of its requests, with those that were stored before."""
    held: dict[tuple[int, int], Sight] = {}
    for chunk in bulk.chunks(stored):
        for s in models.Sighting.objects.filter(request__in=chunk):
            held[(s.request_id, s.run_id)] = Sight(s.project_id, s.request_id, s.conversation_id, s.run_id, s.at, s.seq)
    new = [sight for sight in _of_batch(batch) if _take(held, sight)]
    bulk.write(TABLE, [(s.project_id, s.request_id, s.conversation_id, s.run_id, db_time(s.at), s.seq) for s in new])
    return _by_request(list(held.values()))


def _of_batch(batch: Batch) -> list[Sight]:
    return [
        Sight(c.project_id, draft.id, c.id, run_id, seen.at, seen.seq, c.uid)
        for draft in batch.requests.values()
        for run_id, seen in draft.seen.items()
        for c in (seen.run.conversation,)
    ]


def _take(held: dict[tuple[int, int], Sight], sight: Sight) -> bool:
    """Merge a sighting into those held; True where it says something new."""
    place = (sight.request_id, sight.run_id)
    old = held.get(place)
    held[place] = sight
    if old is None:
        return True
    sight.at, sight.seq = earliest(old.at, sight.at), min(old.seq, sight.seq)
    return (old.at, old.seq) != (sight.at, sight.seq)


def _by_request(sights: list[Sight]) -> dict[int, list[Sight]]:
    unnamed = {s.conversation_id for s in sights if not s.uid}
    names = dict(models.Conversation.objects.filter(id__in=unnamed).values_list("id", "uid")) if unnamed else {}
    grouped: dict[int, list[Sight]] = defaultdict(list)
    for sight in sights:
        sight.uid = sight.uid or names.get(sight.conversation_id, "")
        grouped[sight.request_id].append(sight)
    return grouped
