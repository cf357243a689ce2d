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
from observability.figures import NOTHING, counted, number, percent

AROUND: Final = {
    "frame": "around a call and its result",
    "result": "of that, around the result",
    "prompt": "added to a prompt",
}
HEAD: Final = ("", "observations", "runs", "in use", "built in", "fitted", "<band")
BRIEF: Final = {"text": "text", "call": "tool call", "schema": "schema"}


def render_fits(refits: Sequence[Refit], paper: Paper) -> str:
    """Each family: its observations, a row for each value, its errors, and whether the fit may be used."""
    return paper.printable("\n\n".join("\n".join(_family(each, paper)) for each in refits))


def fits_as_json(refits: Sequence[Refit], written: str | None) -> dict[str, Any]:
    """The families as `harness.accounting.refit.Refit` has them; `kept` is a sentence where something was written."""
    return {"families": [msgspec.to_builtins(each) for each in refits], "kept": written}


def _family(found: Refit, paper: Paper) -> list[str]:
    if not found.observations:
        return [f"{found.family}: no observations. What is built in stays."]
    table = Table(HEAD)
    before = built_in(found.family)
    now = built_in(found.family, tokens.in_use())
    for name in (*CONTENTS, *AROUND):
        table.rows.append(_row(found, name, before, now))
    return [
        *paper.wrapped(f"{found.family}: {_observed(found)}"),
        *table.lines(paper),
        *paper.wrapped(f"Median error, and 90th percentile: {_errors(found)}."),
        *paper.wrapped(f"{'May be used' if found.better else 'Not to be used'}: {found.why}."),
    ]


def _observed(found: Refit) -> str:
    growths = found.observations - found.whole
    words = f"{counted(growths, 'growth')} and {counted(found.whole, 'whole prompt')} of {counted(found.runs, 'run')}"
    return f"{words}; in {number(found.reported_output)} of them the model's own part is as reported."


def _row(found: Refit, name: str, before: Fitted, now: Fitted) -> Line:
    seen, runs = found.support.get(name, (0, 0))
    cells = [number(seen), number(runs), _value(now, name), _value(before, name)]
    trial = found.trial
    if trial is None or name not in trial.free:
        return Line(BRIEF.get(name, AROUND.get(name, name)), [*cells, NOTHING, "too few observations"])
    band = ""
    if name in BRIEF:
        low, high = (getattr(trial.fitted, name) * edge for edge in trial.band)
        band = f"{low:.2f} to {high:.2f}"
    return Line(BRIEF.get(name, AROUND.get(name, name)), [*cells, _value(trial.fitted, name), band])


def _value(values: Fitted, name: str) -> str:
    value: float = getattr(values, name)
    return f"{value:.2f}" if name in BRIEF else number(round(value))


def _errors(found: Refit) -> str:
    unseen = _error(found.trial.held_out) if found.trial else NOTHING
    return f"fitted, on runs that the fit did not see, {unseen}; built in, {_error(found.built_in)}"


def _error(errors: Errors | None) -> str:
    if errors is None:
        return NOTHING
    return f"{percent(Decimal(errors.median))} and {percent(Decimal(errors.p90))}"
