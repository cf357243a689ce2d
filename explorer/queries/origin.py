"""Where an item came from: the log, the request that wrote it, the call that it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from explorer.queries.composition import Composition
from explorer.queries.tool_sizes import SizedTool
from observability.models import ContextItem, ImportedFile, Project, Request, Run, ToolCall, ToolDefinition
from observability.queries.sources import home_path, title

HALVES: Final = ("tool_call", "tool_result")
FILES: Final = 4
"""Log files of a conversation that are named at most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Log:
    """The log that a conversation was read from: its format, and its files where there are any. `files_in_all` may be more."""

    source: str
    files: list[str]
    files_in_all: int

    @property
    def more(self) -> int:
        """How many files are not named."""
        return self.files_in_all - len(self.files)


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """The other half of a tool call. `ref` is the item's, None where this request holds it not; `child` the uid of a
    sub-agent's run that the call began."""

    answers: bool
    ref: str | None
    tool: str
    ok: bool | None = None
    duration_ms: int | None = None
    error: str = ""
    child: str = ""

    @property
    def seconds(self) -> float | None:
        """How long the call took."""
        return None if self.duration_ms is None else self.duration_ms / 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """What is known of where an item came from. `written_by` is the number of the request whose answer it is."""

    log: Log
    written_by: int | None = None
    call: Call | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """Which projects have a definition in their logs: the names of some, and how many there are."""

    projects: list[str] = field(default_factory=list)
    number: int = 0


def log_of(run: Run) -> Log:
    """The log of a run's conversation; its own file first, where its name tells."""
    paths = list(ImportedFile.objects.filter(conversation=run.conversation_id).values_list("path", flat=True))
    paths.sort(key=lambda path: (run.uid not in path.rsplit("/", 1)[-1], path))
    source = run.conversation.source
    return Log(source=title(source), files=[home_path(path) for path in paths[:FILES]], files_in_all=len(paths))


def item_origin(run: Run, now: Composition, item: ContextItem) -> Origin:
    """Where an item came from."""
    call = _call(run, now, item, item.call) if item.call is not None and item.kind in HALVES else None
    return Origin(log=log_of(run), written_by=_written_by(run, item), call=call)


def _written_by(run: Run, item: ContextItem) -> int | None:
    if item.request_id is None:
        return None
    return Request.objects.filter(pk=item.request_id, run=run).values_list("ordinal", flat=True).first()


def _call(run: Run, now: Composition, item: ContextItem, key: int) -> Call:
    other = "tool_result" if item.kind == "tool_call" else "tool_call"
    mate = next((each for each in now.standing.items if each.call == key and each.kind == other), None)
    made = ToolCall.objects.filter(run=run, call_key=key).first()
    tool = (made.tool if made else "") or item.label or (mate.label if mate else "")
    ref = str(mate.id) if mate else None
    if made is None:
        return Call(answers=item.kind == "tool_result", ref=ref, tool=tool)
    return Call(
        answers=item.kind == "tool_result",
        ref=ref,
        tool=tool,
        ok=made.ok,
        duration_ms=made.duration_ms,
        error=made.error,
        child=made.child_run,
    )


def known_in(sized: SizedTool) -> Known:
    """The projects whose logs hold exactly this definition."""
    if sized.definition is None:
        return Known()
    projects = ToolDefinition.objects.filter(hash=sized.definition.hash).values_list("project_id", flat=True)
    names = Project.objects.filter(pk__in=list(projects)).order_by("name").values_list("name", flat=True)
    return Known(projects=list(names[:3]), number=len(names))
