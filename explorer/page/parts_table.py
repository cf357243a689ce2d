"""The table of parts: prefix and conversation, each with its categories and their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from explorer.page.reader import row_query
from explorer.ribbon.plan import ROLES
from harness.accounting import Account, Category, Row, Shape
from harness.tokens import Provenance
from observability.figures import counted, number

ROWS: Final = 5
"""Rows of a category that are shown; the rest is one row."""
LISTED: Final = ("mcp_tool", "context_file", "startup", "skill", "tool_result", "reminder")
"""Categories whose rows are shown here; tools have tables of their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A line of the table. `mark` is its provenance where it differs from the column's; `link` leads to its pieces."""

    title: str
    note: str
    tokens: int
    share: Decimal | None
    width: str
    role: str
    anchor: str
    mark: Provenance | None
    link: str
    owner: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A category and its rows."""

    line: Line
    rows: list[Line]


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Prefix or conversation."""

    title: str
    tokens: int
    share: Decimal | None
    entries: list[Entry]


def groups(account: Account) -> list[Group]:
    """The account as a table."""
    largest = max((each.count.tokens for each in account.categories), default=0) or 1
    found = []
    for title, prefix in (("Prefix", True), ("Conversation", False)):
        members = [each for each in account.categories if each.shape.prefix == prefix]
        size = sum(each.count.tokens for each in members)
        if members:
            entries = [_entry(account, each, largest) for each in members]
            found.append(Group(title=title, tokens=size, share=account.share(size), entries=entries))
    return found


def _entry(account: Account, category: Category, largest: int) -> Entry:
    line = Line(
        title=category.shape.title,
        note=_note(category),
        tokens=category.count.tokens,
        share=account.share(category.count.tokens),
        width=f"{category.count.tokens * 100 / largest:.3f}%",
        role=ROLES[category.shape.kind],
        anchor=category.shape.kind,
        mark=_mark(account, category.count.provenance),
        link=row_query(category.shape.kind),
    )
    return Entry(line=line, rows=_rows(account, category) if _has_rows(category) else [])


def _has_rows(category: Category) -> bool:
    """Whether its rows say more than the category does: the one block of a system prompt does not."""
    if len(category.rows) > 1:
        return category.shape.kind in (*LISTED, "system")
    return category.shape.kind in LISTED and bool(category.rows[0].label)


def _note(category: Category) -> str:
    note = counted(category.number, category.shape.noun)
    if category.unknown == category.number and category.unknown:
        return f"{note}, not readable in this log"
    return f"{note}, {number(category.unknown)} not readable" if category.unknown else note


def _rows(account: Account, category: Category) -> list[Line]:
    rows = sorted(category.rows, key=lambda row: -row.count.tokens)
    shape = category.shape
    shown = [_row(account, shape, row) for row in rows[:ROWS]]
    rest = rows[ROWS:]
    if len(rest) == 1:
        return [*shown, _row(account, shape, rest[0])]
    return [*shown, _rest(account, shape, rest)] if rest else shown


def _row(account: Account, shape: Shape, row: Row) -> Line:
    return Line(
        title=row.label or "without a name",
        note=number(row.number) if row.number > 1 else "",
        tokens=row.count.tokens,
        share=account.share(row.count.tokens),
        width="",
        role="",
        anchor="",
        mark=_mark(account, row.count.provenance),
        link=row_query(shape.kind, row.label, row.owner if shape.rows == "owner" else None),
        owner=row.owner,
    )


def _rest(account: Account, shape: Shape, rows: Sequence[Row]) -> Line:
    size = sum(row.count.tokens for row in rows)
    return Line(
        title=f"{len(rows)} others",
        note="",
        tokens=size,
        share=account.share(size),
        width="",
        role="",
        anchor="",
        mark=None,
        link=row_query(shape.kind),
    )


def _mark(account: Account, provenance: Provenance) -> Provenance | None:
    return None if provenance == account.parts.provenance else provenance
