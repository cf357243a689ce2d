"""Cache breaks of a conversation, with what is known about why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import F, OuterRef, Subquery

from observability.enums import BreakReason, Confidence, Evidence, Survived
from observability.models import Request

MOST: Final = 1000
"""Breaks that are read at most: the dearest ones of a conversation that has more."""
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Break:
    """A request that read less from the cache than it could have.

    `lost` is what it could have read and did not, `rebuilt` the part of it that was written again.
    `idle_seconds` passed since the request before it ended; None where a time is missing.
    """

    run: int
    ordinal: int
    at: datetime | None
    seq: int
    read: int
    lost: int
    rebuilt: int
    rebuilt_pusd: int | None
    reason: str
    evidence: str
    confidence: str
    survived: str
    subject: str
    detail: str
    diagnosis: str
    diagnosis_tokens: int | None
    model: str
    agent_version: str
    before_model: str
    before_version: str
    idle_seconds: float | None

    @property
    def readable(self) -> int:
        """What could have been read: what the request before it had read and written."""
        return self.read + self.lost

    @property
    def reason_label(self) -> str:
        """The reason in words; one that is not known here as it stands."""
        return dict(BreakReason.choices).get(self.reason, self.reason)

    @property
    def evidence_label(self) -> str:
        """What the reason rests on, in words."""
        return dict(Evidence.choices).get(self.evidence, self.evidence)

    @property
    def sure_label(self) -> str:
        """How sure the reason is, in a word; empty where there is none."""
        return "" if self.confidence == Confidence.NONE else self.confidence

    @property
    def survived_label(self) -> str:
        """The part that was still readable, in words; empty where it was not looked at."""
        return dict(Survived.choices).get(self.survived, "")


def breaks(conversation: int) -> list[Break]:
    """The breaks of a conversation in the order of their time; the MOST dearest where there are more."""
    found = Request.objects.filter(conversation_id=conversation).exclude(break_reason="")
    rows = list(
        found.annotate(before=_id_before()).order_by(F("rebuilt").desc(nulls_last=True), "id").values(*_FIELDS)[:MOST]
    )
    before: dict[int, Mapping[str, Any]] = {
        row["id"]: row
        for row in Request.objects.filter(id__in=[row["before"] for row in rows if row["before"]]).values(
            "id", "model", "agent_version", "started_at", "ended_at"
        )
    }
    every = [_break(row, before.get(row["before"], {})) for row in rows]
    return sorted(every, key=lambda item: (item.at is None, item.at or _NEVER, item.run, item.seq))


def cold_starts(conversation: int, run: int) -> list[int]:
    """The ordinals of the cold starts of a run: the first request after each rewrite of its context."""
    rows = Request.objects.filter(conversation_id=conversation, run_id=run, cold=True)
    return list(rows.order_by("seq").values_list("ordinal", flat=True)[:MOST])


_FIELDS = (
    "id",
    "run_id",
    "ordinal",
    "started_at",
    "seq",
    "read",
    "lost",
    "rebuilt",
    "rebuilt_pusd",
    "break_reason",
    "break_evidence",
    "break_confidence",
    "break_survived",
    "break_subject",
    "break_detail",
    "diagnosis",
    "diagnosis_tokens",
    "model",
    "agent_version",
    "before",
)


def _id_before() -> Subquery:
    before = Request.objects.filter(
        conversation_id=OuterRef("conversation_id"), run_id=OuterRef("run_id"), seq__lt=OuterRef("seq")
    )
    return Subquery(before.order_by("-seq").values("id")[:1])


def _break(row: Mapping[str, Any], before: Mapping[str, Any]) -> Break:
    return Break(
        run=row["run_id"],
        ordinal=row["ordinal"],
        at=row["started_at"],
        seq=row["seq"],
        read=row["read"],
        lost=row["lost"] or 0,
        rebuilt=row["rebuilt"] or 0,
        rebuilt_pusd=row["rebuilt_pusd"],
        reason=row["break_reason"],
        evidence=row["break_evidence"],
        confidence=row["break_confidence"],
        survived=row["break_survived"],
        subject=row["break_subject"],
        detail=row["break_detail"],
        diagnosis=row["diagnosis"],
        diagnosis_tokens=row["diagnosis_tokens"],
        model=row["model"],
        agent_version=row["agent_version"],
        before_model=before.get("model", ""),
        before_version=before.get("agent_version", ""),
        idle_seconds=_idle(before.get("ended_at") or before.get("started_at"), row["started_at"]),
    )


def _idle(before: datetime | None, at: datetime | None) -> float | None:
    return None if before is None or at is None else max(0.0, (at - before).total_seconds())
