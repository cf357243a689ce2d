"""What was read, what was not understood, and what was set aside."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from django.db.models import Count, Max, Min, Q, Sum

from observability import figures
from observability.enums import FileState, JobState
from observability.models import Conversation, ImportedFile, ImportJob, QuarantinedLine, UnknownRecord
from observability.sources.registry import SOURCES

LINES_SHOWN: Final = 50
UNKNOWN_SHOWN: Final = 100
JOBS_SHOWN: Final = 5
TITLES: Final = {"demo": "Demo", "api": "Run log, over the API", "": "Not recognised"}
BADGES: Final = {
    "reading": ("tick", "Reading", ""),
    "read": ("tick", "Read", ""),
    "trouble": ("cross", "Some cannot be read", "bad"),
    "nothing": ("waiting", "Nothing read yet", ""),
}
JOB_BADGES: Final = {
    JobState.WAITING: ("waiting", ""),
    JobState.RUNNING: ("waiting", "on"),
    JobState.DONE: ("tick", ""),
    JobState.FAILED: ("cross", "bad"),
}
COUNTS: Final = (("files", "file"), ("lines", "line"), ("requests", "new request"))


@dataclass(frozen=True, kw_only=True)
class SourceRow:
    """A log format and what came of its files. Sources without files have None for what only files have."""

    name: str
    title: str
    place: str
    glyph: str
    state: str
    tone: str
    last_at: datetime | None
    files: int | None
    bytes: int | None
    requests: int
    records: int | None
    unknown: int
    quarantined: int


@dataclass(frozen=True, kw_only=True)
class OddLine:
    """A line that was set aside, or read with a flag (`kept`)."""

    place: str
    reason: str
    preview: str
    kept: bool


@dataclass(frozen=True, kw_only=True)
class UnknownRow:
    """A record type, attachment type or key that is not known."""

    source: str
    kind: str
    name: str
    seen: int
    files: int
    first_at: datetime | None


@dataclass(frozen=True)
class BadFile:
    """A file or folder that cannot be read, and why."""

    place: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class JobRow:
    """An import begun from the web."""

    id: int
    paths: str
    glyph: str
    state: str
    tone: str
    told: str
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Everything that the page shows."""

    rows: list[SourceRow]
    lines: list[OddLine]
    aside: int
    flagged: int
    unknown: list[UnknownRow]
    bad_files: list[BadFile]
    bad_count: int
    jobs: list[JobRow]
    busy: bool

    @property
    def requests(self) -> int:
        """Requests of all sources, each counted once."""
        return sum(row.requests for row in self.rows)

    @property
    def records(self) -> int:
        """Lines that carry a request's usage."""
        return sum(row.records or 0 for row in self.rows)

    @property
    def files(self) -> int:
        """Files of all sources."""
        return sum(row.files or 0 for row in self.rows)

    @property
    def bytes(self) -> int:
        """Bytes read."""
        return sum(row.bytes or 0 for row in self.rows)

    @property
    def not_understood(self) -> int:
        """Records and keys not understood."""
        return sum(row.unknown for row in self.rows)

    @property
    def unknown_kinds(self) -> int:
        """Kinds of record or key that are listed."""
        return len(self.unknown)


def nothing_read() -> bool:
    """Whether there is not a single conversation, demo included."""
    return not Conversation.objects.exists()


def sources() -> Sources:
    """Read the page."""
    lines = QuarantinedLine.objects.order_by("kept", "-id").values_list(
        "file__path", "line", "reason", "preview", "kept"
    )
    counts = QuarantinedLine.objects.aggregate(
        aside=Count("id", filter=Q(kept=False)), flagged=Count("id", filter=Q(kept=True))
    )
    bad = ImportedFile.objects.filter(state=FileState.UNREADABLE).order_by("path")
    jobs = [_job(job) for job in ImportJob.objects.order_by("-id")[:JOBS_SHOWN]]
    return Sources(
        rows=_rows(),
        lines=[_odd(*line) for line in lines[:LINES_SHOWN]],
        aside=counts["aside"],
        flagged=counts["flagged"],
        unknown=_unknown(),
        bad_files=[
            BadFile(home_path(path), figures.shown(why)) for path, why in bad.values_list("path", "error")[:LINES_SHOWN]
        ],
        bad_count=bad.count(),
        jobs=jobs,
        busy=any(job.glyph == "waiting" for job in jobs),
    )


def home_path(path: str) -> str:
    """A path as people say it: from the home folder where it lies in there, harmless to look at."""
    home = os.path.expanduser("~")
    inside = path == home or path.startswith(home.rstrip("/") + "/")
    return figures.shown(f"~{path[len(home.rstrip('/')) :]}" if inside and home != "/" else path)


def _rows() -> list[SourceRow]:
    files = {
        row["source"]: row
        for row in ImportedFile.objects.values("source").annotate(
            files=Count("id"),
            bytes=Sum("offset"),
            records=Sum("request_lines"),
            newest=Max("last_at"),
            first=Min("path"),
            last=Max("path"),
            bad=Count("id", filter=Q(state=FileState.UNREADABLE)),
            reading=Count("id", filter=Q(state=FileState.READING)),
        )
    }
    told = {
        row["source"]: row
        for row in Conversation.objects.values("source").annotate(requests_=Sum("requests"), newest=Max("last_at"))
    }
    aside = dict(
        QuarantinedLine.objects.filter(kept=False).values_list("file__source").annotate(times=Count("id")).order_by()
    )
    unknown = dict(UnknownRecord.objects.values_list("source").annotate(times=Sum("seen")).order_by())
    names = sorted({*files, *told}, key=lambda name: (not name, name == "demo", title(name)))
    return [_row(name, files.get(name), told.get(name), unknown.get(name, 0), aside.get(name, 0)) for name in names]


def title(name: str) -> str:
    """A source's name for people."""
    known = SOURCES.get(name)
    return known.title if known else TITLES.get(name, figures.shown(name))


def _row(
    name: str, files: Mapping[str, Any] | None, told: Mapping[str, Any] | None, unknown: int, quarantined: int
) -> SourceRow:
    glyph, state, tone = BADGES[_state(files)] if files else BADGES["read"]
    return SourceRow(
        name=name,
        title=title(name),
        place=_common(files["first"], files["last"]) if files else "",
        glyph=glyph,
        state=state,
        tone=tone,
        last_at=told["newest"] if told else files["newest"] if files else None,
        files=files["files"] if files else None,
        bytes=files["bytes"] if files else None,
        requests=told["requests_"] if told else 0,
        records=files["records"] if files else None,
        unknown=unknown,
        quarantined=quarantined,
    )


def _state(files: Mapping[str, Any]) -> str:
    if files["bad"]:
        return "trouble"
    return "reading" if files["reading"] else "read"


def _common(first: str, last: str) -> str:
    """The folder that holds all paths between two in order of the alphabet."""
    if first == last:
        return home_path(first)
    return home_path(os.path.commonpath([first, last]) if Path(first).is_absolute() else first)


def _odd(path: str | None, line: int, reason: str, preview: str, kept: bool) -> OddLine:  # noqa: FBT001 - a row as read
    place = f"{short_path(path)}:{line:,}" if path else "API" + (f", line {line:,}" if line else "")
    return OddLine(place=place, reason=figures.shown(reason), preview=figures.shown(preview), kept=kept)


def short_path(path: str) -> str:
    """The last folder and the file: enough to find it, short enough for a table."""
    parts = Path(path).parts
    return figures.shown("/".join(parts[-2:]) if len(parts) > 2 else path)


def _unknown() -> list[UnknownRow]:
    rows = (
        UnknownRecord.objects.values("source", "kind", "name")
        .annotate(times=Sum("seen"), files=Count("file", distinct=True), first=Min("first_at"))
        .order_by("-times", "kind", "name")[:UNKNOWN_SHOWN]
    )
    return [
        UnknownRow(
            source=title(row["source"]),
            kind=figures.shown(row["kind"]),
            name=figures.shown(row["name"]),
            seen=row["times"],
            files=row["files"],
            first_at=row["first"],
        )
        for row in rows
    ]


def _job(job: ImportJob) -> JobRow:
    glyph, tone = JOB_BADGES[JobState(job.state)]
    return JobRow(
        id=job.pk,
        paths=", ".join(_job_path(path) for path in job.paths),
        glyph=glyph,
        state=str(JobState(job.state).label),
        tone=tone,
        told=figures.shown(job.error) or _told(job.counts),
        created_at=job.created_at,
    )


def _job_path(path: object) -> str:
    return home_path(str(path))


def _told(counts: dict[str, Any]) -> str:
    known: Iterable[tuple[int, str]] = ((counts[key], noun) for key, noun in COUNTS if isinstance(counts.get(key), int))
    said = [figures.counted(value, noun) for value, noun in known]
    if isinstance(aside := counts.get("quarantined"), int) and aside:
        said.append(f"{figures.number(aside)} set aside")
    return ", ".join(said)
