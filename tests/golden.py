"""Texts that are held against what was looked at once: CCWEB_WRITE_GOLDEN=1 writes them anew, to be looked at again."""

from __future__ import annotations

import os
from pathlib import Path


def hold(file: Path, text: str, *, between: tuple[str, str] = ("", "")) -> None:
    """Fail unless a file holds a text: between two marks that stand in it, or as a whole."""
    start, end = between
    whole = file.read_text() if file.exists() else ""
    head, _, rest = whole.partition(start) if start else ("", "", whole)
    held, _, tail = rest.partition(end) if end else (rest, "", "")
    if os.environ.get("CCWEB_WRITE_GOLDEN"):
        file.write_text(f"{head}{start}{text}{end}{tail}")
        return
    assert held == text, f"{file.name} holds another text; see tests/golden.py"
