"""Filters of what is open for reading."""

from __future__ import annotations

from django import template

from explorer.page import reader
from explorer.page.words import run_name as named
from explorer.queries.finding import Find
from harness.accounting import Row, Shape
from observability.models import Run

register = template.Library()


@register.filter
def find_query(found: Find) -> str:
    """The query that leads to where something was found."""
    return reader.find_query(found)


@register.filter
def row_link(row: Row, shape: Shape) -> str:
    """What leads to the pieces of a row of a category, behind the query of the request."""
    return reader.row_query(shape.kind, row.label, row.owner if shape.rows == "owner" else None)


@register.filter
def run_name(run: Run) -> str:
    """A run in a word or two."""
    return named(run)


@register.filter
def one_line(text: str) -> str:
    """A text with its line breaks as blanks."""
    return " ".join(text.split())


@register.filter
def whole(text: str) -> int:
    """A number that is kept as text."""
    return int(text)
