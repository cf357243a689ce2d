"""Many rows at once, past the ORM, on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from typing import Any, TypeVar

from django.db import connection, models

T = TypeVar("T")
Row = tuple[Any, ...]
FEW = 64
"""From this many rows on, PostgreSQL is faster with COPY."""
CHUNK = 900
"""Parameters of one `IN (…)`."""


@dataclass(frozen=True)
class Table:
    """Where rows go: a model's table, the columns written, and what makes two rows the same.

    With `replace`, a row that is there already gets the new values; with `earliest` too, only where
    the new one stands earlier by those columns in turn, an unknown value last; without either, it stays
    as it is. `rank` orders rows in the same way before they are written.
    """

    model: type[models.Model]
    columns: tuple[str, ...]
    conflict: tuple[str, ...]
    replace: bool = False
    earliest: tuple[str, ...] = ()

    @cached_property
    def name(self) -> str:
        """The quoted name of the table."""
        return connection.ops.quote_name(self.model._meta.db_table)

    @cached_property
    def quoted(self) -> str:
        """The quoted columns, separated by commas."""
        return ", ".join(connection.ops.quote_name(column) for column in self.columns)

    @cached_property
    def on_conflict(self) -> str:
        """The ON CONFLICT clause."""
        quote = connection.ops.quote_name
        target = ", ".join(map(quote, self.conflict))
        if not self.replace and not self.earliest:
            return f"ON CONFLICT ({target}) DO NOTHING"
        sets = ", ".join(f"{quote(c)} = excluded.{quote(c)}" for c in self.columns if c not in self.conflict)
        where = f" WHERE {_earlier(self.name, [quote(c) for c in self.earliest])}" if self.earliest else ""
        return f"ON CONFLICT ({target}) DO UPDATE SET {sets}{where}"


def _earlier(table: str, columns: Sequence[str]) -> str:
    """SQL: whether the new row stands before the one that is there. In SQL nothing compares with NULL, hence its own test."""
    new, old = f"excluded.{columns[0]}", f"{table}.{columns[0]}"
    before = f"({new} < {old} OR ({old} IS NULL AND {new} IS NOT NULL))"
    if len(columns) == 1:
        return before
    same = f"({new} = {old} OR ({old} IS NULL AND {new} IS NULL))"
    return f"({before} OR ({same} AND {_earlier(table, columns[1:])}))"


def rank(*values: Any) -> tuple[tuple[bool, Any], ...]:
    """Orders rows by the values of their `earliest` columns as the database does: an unknown one last."""
    return tuple((value is None, 0 if value is None else value) for value in values)


def write(table: Table, rows: Sequence[Row]) -> None:
    """Insert rows; see Table for what becomes of rows that are there already. No two rows may be the same."""
    if not rows:
        return
    if connection.vendor == "postgresql" and len(rows) >= FEW:
        _copy(table, rows)
        return
    marks = ", ".join(["%s"] * len(table.columns))
    sql = f"INSERT INTO {table.name} ({table.quoted}) VALUES ({marks}) {table.on_conflict}"  # noqa: S608 - our own names
    with connection.cursor() as cursor:
        cursor.executemany(sql, rows)


def update(model: type[models.Model], columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Set columns of rows that are there. Each row is its values in the order of `columns`, then its id."""
    if not rows:
        return
    quote = connection.ops.quote_name
    sets = ", ".join(f"{quote(column)} = %s" for column in columns)
    sql = f"UPDATE {quote(model._meta.db_table)} SET {sets} WHERE {quote('id')} = %s"  # noqa: S608 - our own names
    with connection.cursor() as cursor:
        cursor.executemany(sql, rows)


def _copy(table: Table, rows: Sequence[Row]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TEMP TABLE incoming ON COMMIT DROP AS SELECT {table.quoted} FROM {table.name} WITH NO DATA"  # noqa: S608
        )
        with cursor.cursor.copy(f"COPY incoming ({table.quoted}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        cursor.execute(
            f"INSERT INTO {table.name} ({table.quoted}) SELECT {table.quoted} FROM incoming {table.on_conflict}"  # noqa: S608
        )
        cursor.execute("DROP TABLE incoming")


def chunks(values: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """The values in lists of at most `size`."""
    chunk: list[T] = []
    for value in values:
        chunk.append(value)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


@cache
def on_sqlite() -> bool:
    """Whether the database is SQLite. Asked for every time of every row, hence remembered."""
    return connection.vendor == "sqlite"


def db_time(at: datetime | None) -> Any:
    """A time as the database's driver takes it."""
    if at is None or not on_sqlite():
        return at
    if at.tzinfo is not UTC:
        at = at.astimezone(UTC)
    return at.isoformat(" ")[:-6]


def db_bytes(value: Any) -> bytes | None:
    """A binary value as read: drivers give bytes or a memoryview."""
    return None if value is None else bytes(value)
