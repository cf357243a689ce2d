"""Links between tables that are written in bulk and in any order."""

from __future__ import annotations

from typing import Any

from django.db import models

NO_LIST = 0
"""Names the list of no tools; there is no row of it."""


def link(to: str, *, related_name: str = "+", null: bool = False, index: bool = False) -> Any:
    """A foreign key without a constraint in the database: the row it points to may come later."""
    return models.ForeignKey(
        to, on_delete=models.DO_NOTHING, db_constraint=False, db_index=index, null=null, related_name=related_name
    )


def tool_list() -> Any:
    """A link to a list of tools; never null, so that it can be part of what makes a row the same."""
    return models.ForeignKey(
        "observability.ToolList",
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        default=NO_LIST,
        related_name="+",
    )


def money() -> models.BigIntegerField[int | None, int | None]:
    """An amount in picodollars (10⁻¹² USD), exact under addition in every database; null where unpriced."""
    return models.BigIntegerField(null=True)


def tokens() -> models.BigIntegerField[int, int]:
    """A count of tokens."""
    return models.BigIntegerField(default=0)
