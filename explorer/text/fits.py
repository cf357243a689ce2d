"""Fits of token factors, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec

from explorer.text.paper import Paper
from explorer.text.table import Line, Table
from harness import tokens
from harness.accounting.fit import Fitted
from harness.accounting.refit import CONTENTS, Errors, Refit, built_in
from observability.figures import NOTHING, number, percent

AROUND: Final = {"frame": "around a call and its result", "result": "of that, around the result"}
HEAD: Final = ("", "observations", "runs", "in use", "built in", "fitted", "<band")


def render(refits: Sequence[Refit], paper: Paper) -> str:
    """Each family: its observations, a row for each value, and whether the fit may be used."""
    return "\n\n".join(paper.fit(_family(each, paper)) if hasattr(paper, "fit") else _family(each, paper) for each in refits)


def as_json(refits: Sequence[Refit], written: str | None) -> dict[str, Any]:
    """All of it; `kept` is a sentence where something was written."""
    return {"families": [msgspec.to_builtins(each) for each in refits], "kept": written}
