"""What holding schemas back saved and cost in all runs of a conversation, a row for each run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from explorer.page.holding import signed_money
from explorer.page.words import run_name
from explorer.queries.holding import HeldBack, net_of
from observability.figures import NOTHING, counted, money
from observability.queries.conversation import MAIN

FEW: Final = 8
"""Runs up to which a page sums over all of them unasked: each takes 10 to 25 ms where it held 120 tools back."""
LISTED: Final = 20
"""Runs that are listed; the rest is one row."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sums:
    """One run or several. Money is None where a part of it is not known; `net` is signed."""

    requests: int
    tokens: int
    saved: int | None
    searches: int
    searching: int | None
    net: int | None

    @property
    def net_signed(self) -> str:
        """The net with its sign; a dash where it is not known."""
        return NOTHING if self.net is None else signed_money(self.net)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRow:
    """A run. `query` leads to it; empty for the main one."""

    name: str
    query: str
    sums: Sums


@dataclass(frozen=True, kw_only=True, slots=True)
class Whole:
    """The runs that held something back, the one that is shown first. `rest` are those that no row lists."""

    runs: int
    rows: list[RunRow]
    rest: Sums | None
    total: Sums

    @property
    def more(self) -> int:
        """How many runs no row lists."""
        return self.runs - len(self.rows)

    @property
    def said(self) -> str:
        """The totals in a line."""
        return (
            f"{counted(self.runs, 'run')} of this conversation held schemas back: saved {_money(self.total.saved)}, "
            f"searching cost {_money(self.total.searching)}, net {self.total.net_signed}"
        )


def whole(back: HeldBack, others: Sequence[HeldBack]) -> Whole | None:
    """All runs of a conversation, `back` among them; None where that alone held anything back."""
    if not others:
        return None
    found = [each for each in (back, *others) if each.tools]
    return Whole(
        runs=len(found),
        rows=[_row(each) for each in found[:LISTED]],
        rest=_sums(found[LISTED:]) if found[LISTED:] else None,
        total=_sums(found),
    )


def _row(back: HeldBack) -> RunRow:
    query = "" if back.run.kind == MAIN else urlencode({"run": back.run.uid})
    return RunRow(name=run_name(back.run), query=query, sums=_sums([back]))


def _sums(found: Sequence[HeldBack]) -> Sums:
    return Sums(
        requests=sum(each.requests for each in found),
        tokens=sum(each.total.tokens for each in found),
        saved=_sum(each.saved_pusd for each in found),
        searches=sum(each.searching.searches for each in found),
        searching=_sum(each.searching.pusd for each in found),
        net=net_of(found),
    )


def _money(pusd: int | None) -> str:
    return NOTHING if pusd is None else money(pusd)


def _sum(amounts: Iterable[int | None]) -> int | None:
    known = list(amounts)
    return None if None in known else sum(amount for amount in known if amount is not None)
