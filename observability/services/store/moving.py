"""What a conversation's rows are counted under changes, when more of it becomes known."""

from __future__ import annotations

from dataclasses import dataclass

from observability import models
from observability.services.store import definitions, request_rows
from observability.services.store.rollups import Difference

TABLES = (
    models.Run,
    models.ContextItem,
    models.Rewrite,
    models.SurfaceEntry,
    models.ServerReport,
    models.Search,
    models.Activation,
    models.ToolCall,
    models.SurfaceUse,
    models.ToolUse,
    models.Sighting,
    models.ImportedFile,
)


@dataclass(frozen=True)
class Group:
    """What the sums of a conversation stand under, beside hour and model."""

    project: int
    agent: str
    demo: bool


def regroup(conversation: int, *, was: Group, now: Group, kinds: dict[int, str]) -> None:
    """Move a conversation's rows to another project, agent or run kind. `kinds`: of its stored runs, as they are now."""
    if was.project != now.project:
        for table in TABLES:
            table._default_manager.filter(conversation=conversation).update(project=now.project)
        definitions.move(conversation, old=was.project, new=now.project)
    _move_sums(conversation, was, now, kinds)
    models.Request.objects.filter(conversation=conversation).update(project=now.project, agent=now.agent)
    for uses in (models.SurfaceUse, models.ToolUse):
        uses._default_manager.filter(conversation=conversation).update(agent=now.agent, demo=now.demo)
    if was.project != now.project and not models.Conversation.objects.filter(project=was.project).exists():
        models.Project.objects.filter(id=was.project).delete()


def _move_sums(conversation: int, was: Group, now: Group, kinds: dict[int, str]) -> None:
    difference = Difference()
    old_kinds = dict(models.Run.objects.filter(conversation=conversation).values_list("id", "kind"))
    for row in request_rows.load(conversation=conversation):
        difference.add(row, run_kind=old_kinds[row.run_id], demo=was.demo, sign=-1)
        row.project_id, row.agent = now.project, now.agent
        difference.add(row, run_kind=kinds.get(row.run_id, old_kinds[row.run_id]), demo=now.demo)
    difference.write()
