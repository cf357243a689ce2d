"""Sums that are kept beside the rows that they are of, by the difference that each change makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, models

from observability.services.store.bulk import db_time


@dataclass(frozen=True)
class Sums:
    """A table of sums: what a row is named by, what else it says (that follows from its name), and what it counts.

    The first of the counts tells whether there is anything to keep.
    """

    model: type[models.Model]
    key: tuple[str, ...]
    about: tuple[str, ...]
    counts: tuple[str, ...]

    def statement(self) -> str:
        """Adds to a row, or makes it."""
        quote = connection.ops.quote_name
        table = quote(self.model._meta.db_table)
        names = (*self.key, *self.about, *self.counts)
        marks = ", ".join(["%s"] * len(names))
        sets = ", ".join(f"{quote(c)} = {table}.{quote(c)} + excluded.{quote(c)}" for c in self.counts)
        columns, target = ", ".join(map(quote, names)), ", ".join(map(quote, self.key))
        return f"INSERT INTO {table} ({columns}) VALUES ({marks}) ON CONFLICT ({target}) DO UPDATE SET {sets}"  # noqa: S608


class Difference:
    """What a batch changes in sums."""

    def __init__(self, kept: Sums) -> None:
        self.kept = kept
        self.counts: dict[tuple[Any, ...], list[int]] = {}
        self.about: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    def add(self, key: tuple[Any, ...], about: tuple[Any, ...], counts: Sequence[int]) -> None:
        """Add to a row; negative counts take away."""
        held = self.counts.setdefault(key, [0] * len(counts))
        for place, count in enumerate(counts):
            held[place] += count
        self.about[key] = about

    def write(self) -> None:
        """Apply it, and delete rows that came to nothing."""
        rows = [
            (*map(_stored, key), *self.about[key], *counts)
            for key, counts in sorted(self.counts.items(), key=lambda item: repr(item[0]))
            if any(counts)
        ]
        if rows:
            with connection.cursor() as cursor:
                cursor.executemany(self.kept.statement(), rows)
        if any(counts[0] < 0 for counts in self.counts.values()):
            self.kept.model._default_manager.filter(**{self.kept.counts[0]: 0}).delete()


def _stored(value: Any) -> Any:
    return db_time(value) if isinstance(value, datetime) else value
