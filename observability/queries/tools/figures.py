"""The figures of each tool: sums over the lists that requests carried, joined with calls, loadings and misses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final

from harness.tokens import Count, Provenance
from harness.tools import server_of
from harness.usage import rate_of
from observability.queries.tools.lists import Member
from observability.queries.tools.sizes import Sizes, sizes
from observability.queries.tools.stored import Stored, stored
from observability.queries.tools.uses import Calls, Use, Wanted

OFTEN: Final = Decimal("0.8")
"""From this share of the runs where it was deferred, a tool that was loaded is better resident."""
LEAST_RUNS: Final = 3
"""Of fewer runs no share is taken for a rule."""
SURENESS: Final[tuple[Provenance, ...]] = ("unknown", "reported", "measured", "estimated")
"""From what is not known to what is known least well."""


@dataclass(slots=True)
class Sums:
    """Requests in one state. `tokens` is what the tool took in them; `pusd` what that cost, of those with a price."""

    requests: int = 0
    runs: int = 0
    tokens: int = 0
    pusd: int = 0
    unpriced: int = 0

    def add(self, use: Use, size: int) -> None:
        """Add requests that each carried so many tokens of it."""
        self.requests += use.requests
        self.tokens += use.requests * size
        self.pusd += use.pusd * size
        self.unpriced += use.unpriced

    @property
    def cost(self) -> int | None:
        """What they cost, in picodollars; None where none of them has a price."""
        return None if self.requests and self.unpriced >= self.requests else self.pusd


@dataclass(slots=True)
class ToolFigures:
    """A tool over the period. Tokens of schemas rest on what `provenance` says; costs on the requests' own prices.

    `deferred` counts every request with the tool in its index, those in which it was loaded among them; its tokens
    are those of its line. `whole` is what its schema would have taken in the same requests.
    """

    tool: str
    server: str = ""
    group: str = ""
    resident: Sums = field(default_factory=Sums)
    deferred: Sums = field(default_factory=Sums)
    whole: Sums = field(default_factory=Sums)
    loaded: Sums = field(default_factory=Sums)
    withheld: Sums = field(default_factory=Sums)
    denied: Sums = field(default_factory=Sums)
    called: Calls = Calls()
    loads: Counter[str] = field(default_factory=Counter)
    missed: int = 0
    last: datetime | None = None
    schema: int | None = None
    """Tokens of its schema a request, where requests carried it or could have."""
    line: int | None = None
    """Tokens of its line in an index."""
    definitions: set[bytes] = field(default_factory=set)
    provenance: Provenance = "unknown"

    @property
    def tokens(self) -> int:
        """All that it took: its schema where resident or loaded, its line where deferred."""
        return self.resident.tokens + self.deferred.tokens + self.loaded.tokens

    @property
    def carried(self) -> int:
        """Requests that carried it in any form; those where it was loaded carried its line as well."""
        return self.resident.requests + self.deferred.requests

    @property
    def unpriced(self) -> int:
        """Of them, requests without a price."""
        return self.resident.unpriced + self.deferred.unpriced

    @property
    def pusd(self) -> int | None:
        """What that cost, in picodollars; None where no request has a price."""
        if self.carried and self.unpriced >= self.carried:
            return None
        return self.resident.pusd + self.deferred.pusd + self.loaded.pusd

    @property
    def loaded_share(self) -> Decimal | None:
        """Of the runs where it was deferred, those that loaded it."""
        return rate_of(read=self.loaded.runs, prompt=self.deferred.runs)

    @property
    def unused(self) -> bool:
        """Whether it was resident and never called."""
        return self.resident.requests > 0 and not self.called.calls

    @property
    def often(self) -> bool:
        """Whether it was loaded in nearly every run where it was deferred."""
        share = self.loaded_share
        return share is not None and self.deferred.runs >= LEAST_RUNS and share >= OFTEN

    @property
    def extra(self) -> int | None:
        """Tokens that being resident would have added where it was deferred, less than 0 where it would have saved.

        None where its schema is unknown or it was never deferred.
        """
        if self.schema is None or not self.deferred.requests:
            return None
        return self.whole.tokens - self.deferred.tokens - self.loaded.tokens

    @property
    def extra_pusd(self) -> int | None:
        """The same in picodollars; None where no request has a price."""
        if self.extra is None or self.deferred.unpriced >= self.deferred.requests:
            return None
        return self.whole.pusd - self.deferred.pusd - self.loaded.pusd


def figures_of(wanted: Wanted) -> list[ToolFigures]:
    """Every tool that the period knows of."""
    held = stored(wanted)
    gathered = _Gathered(_sizes(held, wanted))
    for member, use in held.carried:
        gathered.take(member, use)
    gathered.count_runs(held.runs)
    gathered.join(held.called, held.loads, held.missed)
    return list(gathered.tools.values())


def _sizes(held: Stored, wanted: Wanted) -> Sizes:
    every = {(member.tool, member.definition) for member, _ in held.carried}
    undefined = {tool for tool, address in every if address is None}
    return sizes({address for _, address in every if address}, undefined, wanted.scope.project)


class _Gathered:
    """Tools by name, while they are gathered."""

    def __init__(self, known: Sizes) -> None:
        self.tools: dict[str, ToolFigures] = {}
        self.known = known

    def take(self, each: Member, use: Use) -> None:
        """Add requests that carried a tool."""
        row = self._row(each)
        schema = self.known.schema(each.tool, each.definition, use.model)
        if each.state == "deferred":
            line = self.known.line(each.tool, each.listing, use.model)
            row.deferred.add(use, line.tokens)
            row.line = max(row.line or 0, line.tokens)
            row.whole.add(use, schema.tokens)
        elif each.state in ("resident", "loaded"):
            (row.resident if each.state == "resident" else row.loaded).add(use, schema.tokens)
        else:
            (row.denied if each.state == "denied" else row.withheld).add(use, 0)
        row.last = max(row.last or use.last, use.last)
        _note_schema(row, schema, each.definition)

    def _row(self, each: Member) -> ToolFigures:
        row = self.tools.get(each.tool)
        if row is None:
            row = self.tools[each.tool] = ToolFigures(each.tool)
        row.server, row.group = max(row.server, each.server), max(row.group, each.group)
        return row

    def count_runs(self, runs: Counter[tuple[str, str]]) -> None:
        """Add the numbers of runs."""
        for (tool, state), number in runs.items():
            sums: Sums = getattr(self.tools[tool], state)
            sums.runs = number

    def join(self, called: dict[str, Calls], loads: dict[str, Counter[str]], missed: Counter[str]) -> None:
        """Add what happened to tools, those among them that no list names. A miss of what nobody knows is no tool."""
        for tool, made in called.items():
            row = self.tools.setdefault(tool, ToolFigures(tool, server=server_of(tool)))
            row.called, row.last = made, max(filter(None, (row.last, made.last)), default=None)
        for tool, by_trigger in loads.items():
            self.tools.setdefault(tool, ToolFigures(tool, server=server_of(tool))).loads = by_trigger
        for tool, number in missed.items():
            if tool in self.tools:
                self.tools[tool].missed = number


def _note_schema(row: ToolFigures, schema: Count, definition: bytes | None) -> None:
    if schema.provenance == "unknown":
        return
    row.schema = max(row.schema or 0, schema.tokens)
    row.provenance = max(row.provenance, schema.provenance, key=SURENESS.index)
    if definition:
        row.definitions.add(definition)
