"""Rows straight into SQLite, for tables of a size that no import would reach in a minute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import connection, models


def insert(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows that give the named columns; all others get their defaults."""
    rest = [f for f in model._meta.concrete_fields if f.attname not in names and not isinstance(f, models.AutoField)]
    columns = ", ".join(f'"{_column(model, name)}"' for name in [*names, *(f.attname for f in rest)])
    defaults = tuple(_plain(f.get_db_prep_save(f.get_default(), connection)) for f in rest)
    places = ", ".join(["%s"] * (len(names) + len(rest)))
    statement = f'INSERT INTO "{model._meta.db_table}" ({columns}) VALUES ({places})'
    with connection.cursor() as cursor:
        cursor.executemany(statement, [(*row, *defaults) for row in rows])


def _column(model: type[models.Model], name: str) -> str:
    return next(f.column or "" for f in model._meta.concrete_fields if f.attname == name)


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def when(moment: datetime) -> str:
    """A time as SQLite keeps it."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")


def run(statement: str) -> None:
    """One statement."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
