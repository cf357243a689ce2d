"""All rows of the store, in a form that two databases can be compared by."""

from __future__ import annotations

from typing import Any

from django.db import models as django_models

from observability import models

MADE_UP = {"read_at", "at_read", "mtime_ns", "inode", "created_at", "written"}
"""Columns that tell of the reading, not of what was read."""


def all_rows() -> dict[str, list[str]]:
    """Of each table its rows, without ids that only count up, sorted."""
    tables = [getattr(models, name) for name in models.__all__]
    return {table.__name__: sorted(map(repr, _rows(table))) for table in tables}


def _rows(table: type[django_models.Model]) -> list[dict[str, Any]]:
    counted = isinstance(table._meta.pk, django_models.BigAutoField)
    left_out = MADE_UP | ({"id"} if counted else set()) | ({"at"} if table is models.QuarantinedLine else set())
    rows = table._default_manager.values()
    return [{name: _plain(value) for name, value in row.items() if name not in left_out} for row in rows]


def _plain(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value
