"""All that is stored of tools for a page, read together, and remembered until something is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from observability.queries.remembering import Remembered
from observability.queries.tools import uses
from observability.queries.tools.lists import Member, members
from observability.queries.tools.uses import Calls, Use, Wanted

REMEMBERED: Final = 24
"""Answers that are kept: a few periods, projects and agents. The largest is some hundred kilobytes."""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """Sums of a period. Nothing here may be changed: it is given out again."""

    carried: list[tuple[Member, Use]]
    """Requests that carried each tool in each state, by family of models."""
    runs: Counter[tuple[str, str]]
    """Runs by tool and state."""
    called: dict[str, Calls]
    loads: dict[str, Counter[str]]
    missed: Counter[str]


_answers: Final[Remembered[Stored]] = Remembered(REMEMBERED)


def stored(wanted: Wanted) -> Stored:
    """The sums; those that were read since the last writing are not read again."""
    return _answers.of(wanted.key, lambda: _read(wanted))


def _read(wanted: Wanted) -> Stored:
    every = [*uses.uses(wanted, "surface"), *uses.uses(wanted, "loaded")]
    of = members({each.list for each in every})
    runs = uses.tools_in(uses.runs(wanted, "surface"), of) + uses.tools_in(uses.runs(wanted, "loaded"), of)
    return Stored(
        carried=list(_by_member(every, of)),
        runs=runs,
        called=uses.calls(wanted),
        loads=uses.loads(wanted),
        missed=uses.missed(wanted),
    )


def _by_member(every: Sequence[Use], of: dict[int, tuple[Member, ...]]) -> Iterator[tuple[Member, Use]]:
    """The requests that carried each tool, of all lists together: there are many lists, and few kinds of members."""
    for family in {use.family for use in every}:
        mine = [use for use in every if use.family == family]
        sums: dict[Member, list[int]] = {}
        last: dict[Member, datetime] = {}
        for use in sorted(mine, key=lambda use: use.last):
            counts = (use.requests, use.unpriced, use.pusd)
            for member in of.get(use.list, ()):
                held = sums.get(member)
                if held is None:
                    sums[member] = [*counts]
                else:
                    held[0] += counts[0]
                    held[1] += counts[1]
                    held[2] += counts[2]
                last[member] = use.last
        model = mine[0].model
        for member, (requests, unpriced, pusd) in sums.items():
            yield member, Use(0, family, model, requests, unpriced, pusd, last[member])
