"""All that is stored of tools for a page, read together, and remembered until something is written."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from observability.models import StoreState
from observability.queries.tools import uses
from observability.queries.tools.uses import Calls, Combinations, Use, Wanted

REMEMBERED: Final = 24
"""Answers that are kept: a few periods, projects and agents. The largest is some hundred kilobytes."""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """Sums of a period. Nothing here may be changed: it is given out again."""

    declared: list[Use]
    loaded: list[Use]
    declared_runs: Combinations
    loaded_runs: Combinations
    called: dict[str, Calls]
    loads: dict[str, Counter[str]]
    missed: Counter[str]


_answers: OrderedDict[tuple[Any, ...], Stored] = OrderedDict()
_lock = threading.Lock()


def stored(wanted: Wanted) -> Stored:
    """The sums; those that were read since the last writing are not read again."""
    written = StoreState.objects.values_list("written", flat=True).first()
    if written is None:
        return _read(wanted)
    key = (written, *wanted.key)
    with _lock:
        found = _answers.get(key)
    if found is None:
        found = _read(wanted)
        with _lock:
            _answers[key] = found
            while len(_answers) > REMEMBERED:
                _answers.popitem(last=False)
    return found


def _read(wanted: Wanted) -> Stored:
    return Stored(
        declared=uses.uses(wanted, "surface"),
        loaded=uses.uses(wanted, "loaded"),
        declared_runs=uses.runs(wanted, "surface"),
        loaded_runs=uses.runs(wanted, "loaded"),
        called=uses.calls(wanted),
        loads=uses.loads(wanted),
        missed=uses.missed(wanted),
    )
