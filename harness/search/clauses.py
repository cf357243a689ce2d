"""Splits a request into the steps that it asks for, because each step may want another tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_BREAK: Final = re.compile(
    r"(?<=[.!?;,:])\s+|\n+|\s+(?:and|then|also|finally|additionally|next|afterwards)\b", re.IGNORECASE
)
LONGEST: Final = 2_000
"""Characters of a query that are read: a pasted file must not slow a search."""
MOST: Final = 24
"""Clauses of a query; what follows is one more."""


def clauses(query: str) -> Iterator[str]:
    """The sentences of a query and what stands between their commas, "and" and "then", in order."""
    yield from (part for part in _BREAK.split(query[:LONGEST], maxsplit=MOST) if part.strip())
