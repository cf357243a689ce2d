"""A conversation moves to another project, when more of it becomes known."""

from __future__ import annotations

from observability import models
from observability.services.store import rollups

TABLES = (
    models.Run,
    models.ContextItem,
    models.Rewrite,
    models.SurfaceEntry,
    models.ServerReport,
    models.Search,
    models.Activation,
    models.ToolCall,
    models.Sighting,
    models.ImportedFile,
)


def to_project(*, conversation: int, old: int, new: int) -> None:
    """Move every row of a conversation, and its share of the rollups, to another project."""
    for table in TABLES:
        table._default_manager.filter(conversation=conversation).update(project=new)
    rollups.move(conversation, new)
    models.Request.objects.filter(conversation=conversation).update(project=new)
    if not models.Conversation.objects.filter(project=old).exists():
        models.Project.objects.filter(id=old).delete()
