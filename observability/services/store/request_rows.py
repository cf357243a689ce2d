"""A request's row while it is worked on: lighter than a model instance, with the same names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from operator import attrgetter
from typing import Any

from harness.runlog import Buckets
from observability.models import Request
from observability.services.store import bulk


@dataclass(slots=True)
class RequestRow:
    """See observability.models.Request for what each field means."""

    id: int
    project_id: int = 0
    conversation_id: int = 0
    run_id: int = 0
    message_id: str = ""
    request_id: str = ""
    provider: str = ""
    model: str = ""
    agent: str = ""
    agent_version: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    seq: int = 0
    usage: str = "{}"
    convention: str = "exclusive"
    flags: str = ""
    uncached: int = 0
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    write_other: int = 0
    output: int = 0
    reasoning: int = 0
    context_tokens: int = 0
    output_chars: int = 0
    output_recorded: bool = True
    stop_reason: str = ""
    markers: str = ""
    diagnosis: str = ""
    diagnosis_tokens: int | None = None
    cost_pusd: int | None = None
    prompt_pusd: int | None = None
    ordinal: int = 0
    chain: int = 0
    cold: bool = False
    lost: int | None = None
    rebuilt: int | None = None
    rebuilt_pusd: int | None = None
    break_reason: str = ""
    break_evidence: str = ""
    break_confidence: str = ""
    break_survived: str = ""
    break_subject: str = ""
    break_detail: str = ""
    surface_id: int = 0
    loaded_id: int = 0

    @property
    def buckets(self) -> Buckets:
        """Its disjoint token counts."""
        return Buckets(
            uncached=self.uncached,
            read=self.read,
            write_5m=self.write_5m,
            write_1h=self.write_1h,
            write_other=self.write_other,
            output=self.output,
            reasoning=self.reasoning,
        )


COLUMNS = tuple(field.name for field in fields(RequestRow))
TABLE = bulk.Table(Request, COLUMNS, ("id",), replace=True)
_values = attrgetter(*COLUMNS)
_START, _END = COLUMNS.index("started_at"), COLUMNS.index("ended_at")


def load(**where: Any) -> list[RequestRow]:
    """Stored rows that a filter finds."""
    return [RequestRow(*values) for values in Request.objects.filter(**where).values_list(*COLUMNS)]


def write(rows: Iterable[RequestRow]) -> None:
    """Store rows as they are."""
    bulk.write(TABLE, [_stored(_values(row)) for row in rows])


def _stored(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if not bulk.on_sqlite():
        return values
    return (*values[:_START], bulk.db_time(values[_START]), bulk.db_time(values[_END]), *values[_END + 1 :])
