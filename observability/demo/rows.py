"""The demo in the store: put there, and taken away again."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import msgspec
from django.db import models
from django.db.models import Exists, OuterRef

from observability.demo.stories import UIDS, demo_events
from observability.models import (
    Activation,
    Block,
    ContextItem,
    Conversation,
    HourlyRollup,
    ImportedFile,
    Project,
    QuarantinedLine,
    Request,
    Rewrite,
    Run,
    Search,
    ServerReport,
    Sighting,
    SurfaceEntry,
    SurfaceUse,
    ToolCall,
    ToolDefinition,
    ToolUse,
    UnknownRecord,
)
from observability.services.events import store_events
from observability.services.store.surface_uses import forget, lists_of
from observability.services.store.writing import writer

OF_A_CONVERSATION: Final[tuple[type[models.Model], ...]] = (
    Activation,
    ContextItem,
    Request,
    Rewrite,
    Run,
    Search,
    ServerReport,
    Sighting,
    SurfaceEntry,
    SurfaceUse,
    ToolCall,
    ToolUse,
)


class Removed(msgspec.Struct, frozen=True):
    """What was taken away."""

    conversations: int
    rows: int


def load_demo(now: datetime) -> int:
    """Store the demo as if it had ended at `now`; nothing changes where it is there. Returns its conversations."""
    if Conversation.objects.filter(demo=True, uid__in=UIDS).count() < len(UIDS):
        store_events(demo_events(now), source="demo")
    return len(UIDS)


def remove_demo() -> Removed:
    """Delete every row of demo conversations and what only they used. Everything else stays as it is."""
    with writer():
        found = list(Conversation.objects.filter(demo=True).values_list("id", "project_id"))
        ids = [conversation for conversation, _ in found]
        texts, definitions, lists = _texts(ids), _definitions(ids), lists_of(ids)
        rows = sum(_delete(model._default_manager.filter(conversation__in=ids)) for model in OF_A_CONVERSATION)
        rows += _delete(Conversation.objects.filter(id__in=ids))
        rows += _delete(HourlyRollup.objects.filter(demo=True)) + forget(lists)
        rows += _delete_files()
        projects = {project for _, project in found}
        rows += _delete_definitions(definitions, projects)
        rows += _delete_blocks(texts | definitions)
        rows += _delete_projects(projects)
    return Removed(len(ids), rows)


def _delete(rows: models.QuerySet[Any]) -> int:
    return rows.delete()[0]


def _texts(conversations: list[int]) -> set[bytes]:
    items = ContextItem.objects.filter(conversation__in=conversations, text_hash__isnull=False)
    return {bytes(text or b"") for text in items.values_list("text_hash", flat=True).distinct()}


def _definitions(conversations: list[int]) -> set[bytes]:
    entries = SurfaceEntry.objects.filter(conversation__in=conversations, definition__isnull=False)
    return {bytes(name or b"") for name in entries.values_list("definition", flat=True).distinct()}


def _delete_files() -> int:
    files = list(ImportedFile.objects.filter(demo=True).values_list("id", flat=True))
    inside = _delete(QuarantinedLine.objects.filter(file__in=files)) + _delete(
        UnknownRecord.objects.filter(file__in=files)
    )
    return inside + _delete(ImportedFile.objects.filter(id__in=files))


def _delete_definitions(hashes: set[bytes], projects: set[int]) -> int:
    """Definitions that no surface of their project names any more."""
    used = Exists(SurfaceEntry.objects.filter(definition=OuterRef("hash"), project=OuterRef("project")))
    return _delete(ToolDefinition.objects.filter(~used, hash__in=hashes, project__in=projects))


def _delete_blocks(hashes: set[bytes]) -> int:
    """Texts that nothing refers to any more, a few hundred at a time."""
    items = Exists(ContextItem.objects.filter(text_hash=OuterRef("hash")))
    tools = Exists(ToolDefinition.objects.filter(hash=OuterRef("hash")))
    entries = Exists(SurfaceEntry.objects.filter(definition=OuterRef("hash")))
    ordered = sorted(hashes)
    return sum(
        _delete(Block.objects.filter(~items, ~tools, ~entries, hash__in=ordered[start : start + 500]))
        for start in range(0, len(ordered), 500)
    )


def _delete_projects(ids: set[int]) -> int:
    kept = Exists(Conversation.objects.filter(project=OuterRef("id")))
    return _delete(Project.objects.filter(~kept, id__in=ids))
