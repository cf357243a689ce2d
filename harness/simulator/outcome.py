"""What became of one request, and why."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

import msgspec

from harness.runlog import Buckets
from harness.simulator.rules import Rates, Tier

MarkerState = Literal["read", "written", "passed", "under_minimum"]
"""`read`: its own block was found. `written`: it got a new entry. `passed`: it lies before what was read."""
Why = Literal["expired", "not_yet_readable", "lookback", "under_minimum", "other_model"]
Change = Literal["model", "setting", "changed", "added", "removed"]


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """The entry that was read. `distance`: blocks between the marker and it, 0 for the marker's own."""

    block: str
    tokens: int
    marker: str
    distance: int
    lifetime: str


class MarkerOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One marker: where it stands, the tokens up to it, and what it did."""

    block: str
    lifetime: str
    tokens: int
    state: MarkerState


class Missed(msgspec.Struct, frozen=True, kw_only=True):
    """The longest prefix that was there and could not be read, for one reason."""

    why: Why
    block: str
    tokens: int
    detail: str


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Where the request first differs from the nearest one before it. `tier` and `index` are those of the block."""

    change: Change
    tier: Tier
    index: int
    block: str
    settings: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Disjoint token counts of one request: read + writes + uncached = prompt, always."""

    model: str
    read: int
    write_5m: int
    write_1h: int
    write_other: int
    uncached: int
    hit: Hit | None = None
    markers: tuple[MarkerOutcome, ...] = ()
    missed: tuple[Missed, ...] = ()
    """The longest first. Empty where nothing longer than what was read existed."""
    difference: Difference | None = None
    """None for the first request, and where blocks were only appended."""

    @property
    def written(self) -> int:
        """Tokens written, at any lifetime."""
        return self.write_5m + self.write_1h + self.write_other

    @property
    def prompt(self) -> int:
        """All tokens of the prompt."""
        return self.read + self.written + self.uncached

    @property
    def buckets(self) -> Buckets:
        """The counts as the run log has them."""
        return Buckets(
            uncached=self.uncached,
            read=self.read,
            write_5m=self.write_5m,
            write_1h=self.write_1h,
            write_other=self.write_other,
        )

    def cost(self, rates: Rates) -> Decimal:
        """What the prompt costs, in tokens at the base price of input."""
        return (
            self.read * rates.read
            + self.write_5m * rates.write_5m
            + self.write_1h * rates.write_1h
            + self.write_other * rates.write_other
            + self.uncached * rates.uncached
        )

    def explain(self) -> str:
        """One sentence: what was read, and why no more."""
        said = f"read {self.read:,} up to {self.hit.block}" if self.hit else "read nothing"
        reasons = [f"{each.block}: {each.detail}" for each in self.missed[:1]]
        if self.difference:
            changed = ", ".join(self.difference.settings) or self.difference.block
            reasons.append(f"{self.difference.change}: {changed}")
        return f"{said}; {'; '.join(reasons)}" if reasons else said
