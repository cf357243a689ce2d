"""The items of a category, a row each: blocks of the system prompt, files, skills, servers, results by tool."""

from __future__ import annotations

from typing import Final

from explorer.page import ContextPage
from explorer.text.paper import clean
from explorer.text.table import Line, figure
from harness.accounting import Row
from observability.figures import number, percent

WITH_TABLES: Final = ("builtin_tool", "loaded_tool", "index")
"""Categories whose items have tables of their own."""


def item_rows(page: ContextPage, kind: str) -> list[Line]:
    """All rows of a category, the largest first. None where they would only repeat it."""
    category = page.now.account.category(kind)
    if category is None or kind in WITH_TABLES:
        return []
    rows = sorted(category.rows, key=lambda row: -row.count.tokens)
    if len(rows) == 1 and not rows[0].label:
        return []
    owners = _owners(page, kind)
    return [_line(page, row, owners.get(row.label, "")) for row in rows]


def _line(page: ContextPage, row: Row, owner: str) -> Line:
    name = clean(row.label) or "without a name"
    if row.number > 1:
        name += f"  {number(row.number)}"
    unknown = row.count.provenance == "unknown"
    share = "–" if unknown else clean(percent(page.now.account.share(row.count.tokens)))
    return Line(name, [figure(row.count.tokens, row.count.provenance), share, clean(row.owner or owner)], indent=2)


def _owners(page: ContextPage, kind: str) -> dict[str, str]:
    """Who owns the items of a label; several owners as they come."""
    found: dict[str, list[str]] = {}
    for item in page.now.standing.items:
        if item.kind == kind and item.owner and item.owner not in found.setdefault(item.label, []):
            found[item.label].append(item.owner)
    return {label: ", ".join(owners) for label, owners in found.items()}
