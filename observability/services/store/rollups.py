"""Hourly sums, kept in step with the requests by the difference that each change makes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from django.db import connection

from observability.models import HourlyRollup
from observability.services.store.bulk import db_time
from observability.services.store.drafts import NO_TIME
from observability.services.store.request_rows import RequestRow

KEY = ("project_id", "hour", "agent", "model", "run_kind", "demo")
SUMS = (
    *("requests", "hits", "uncached", "read", "write_5m", "write_1h", "write_other", "output"),
    *("output_not_recorded", "cost_pusd", "unpriced", "breaks", "rebuilt", "rebuilt_pusd"),
)
Key = tuple[int, datetime, str, str, str, bool]


class Difference:
    """What a batch changes in the sums."""

    def __init__(self) -> None:
        self.sums: dict[Key, list[int]] = defaultdict(lambda: [0] * len(SUMS))

    def add(self, row: RequestRow, *, run_kind: str, demo: bool, sign: int = 1) -> None:
        """Add a request's share; take it away with sign −1."""
        hour = (row.started_at or NO_TIME).replace(minute=0, second=0, microsecond=0)
        sums = self.sums[(row.project_id, hour, row.agent, row.model, run_kind, demo)]
        for place, value in enumerate(_share(row)):
            sums[place] += sign * value

    def write(self) -> None:
        """Apply it, and delete sums that came to nothing."""
        rows = [
            (project, db_time(hour), *rest, *sums)
            for (project, hour, *rest), sums in sorted(self.sums.items())
            if any(sums)
        ]
        if rows:
            with connection.cursor() as cursor:
                cursor.executemany(_statement(), rows)
        if any(sums[0] < 0 for sums in self.sums.values()):
            HourlyRollup.objects.filter(requests=0).delete()


def _share(row: RequestRow) -> Iterable[int]:
    broke = row.lost is not None
    return (
        *(1, int(row.read > 0), row.uncached, row.read, row.write_5m, row.write_1h, row.write_other, row.output),
        *(int(not row.output_recorded), row.cost_pusd or 0, int(row.cost_pusd is None)),
        *(int(broke), row.rebuilt or 0, row.rebuilt_pusd or 0),
    )


def _statement() -> str:
    quote = connection.ops.quote_name
    table = quote(HourlyRollup._meta.db_table)
    columns = ", ".join(map(quote, (*KEY, *SUMS)))
    sets = ", ".join(f"{quote(c)} = {table}.{quote(c)} + excluded.{quote(c)}" for c in SUMS)
    marks = ", ".join(["%s"] * len((*KEY, *SUMS)))
    target = ", ".join(map(quote, KEY))
    return f"INSERT INTO {table} ({columns}) VALUES ({marks}) ON CONFLICT ({target}) DO UPDATE SET {sets}"  # noqa: S608
