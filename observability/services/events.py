"""Run-log events into the store: what the ingest API and the demo use."""

from __future__ import annotations

from collections.abc import Iterable

from harness.runlog import AnyEvent
from observability.services.store.batch import Batch
from observability.services.store.writing import Written, write, writer

Stored = Written


def store_events(events: Iterable[AnyEvent], *, source: str) -> Stored:
    """Store events in one transaction. When this returns they are on disk; storing them again changes nothing."""
    batch = Batch(source)
    batch.add_all(events)
    with writer():
        return write(batch)
