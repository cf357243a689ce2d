"""What the requests of a period cost, bucket by bucket."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from observability import figures
from observability.pricing import UnitPrices, unit_prices
from observability.queries.conversation import Sums
from observability.queries.rollups import Slice, added

BUCKETS: Final = (
    ("read", "read", "Read"),
    ("write_5m", "write", "Written, 5 min"),
    ("write_1h", "write", "Written, 1 h"),
    ("write_other", "write", "Written, lifetime unknown"),
    ("uncached", "uncached", "Uncached"),
    ("output", "", "Output"),
)
"""Field, role of its colour, title."""
ALWAYS: Final = ("read", "write_5m", "uncached", "output")


@dataclass(frozen=True, kw_only=True)
class BillRow:
    """A bucket. `pusd` is None where the total cannot be split exactly."""

    field: str
    role: str
    title: str
    tokens: int
    pusd: int | None


@dataclass(frozen=True, kw_only=True)
class Bill:
    """The bill of a period. `without_cache` is what the same tokens would have cost uncached."""

    rows: list[BillRow]
    sums: Sums
    split: bool
    without_cache: int | None
    unpriced: list[tuple[str, int]]
    """Models without a price and their requests, most first."""

    @property
    def saved(self) -> int | None:
        """What the cache saved, its writes paid for; negative where it cost more than it saved."""
        if self.without_cache is None or self.sums.cost_pusd is None:
            return None
        return self.without_cache - self.sums.cost_pusd

    @property
    def tokens(self) -> int:
        """Prompt and output."""
        return self.sums.prompt + self.sums.output

    @property
    def priced_words(self) -> str:
        """How much of the total is priced."""
        if not self.sums.unpriced:
            return "All requests are priced."
        return f"{figures.percent(self.priced_share)} of requests are priced."

    @property
    def priced_share(self) -> Decimal | None:
        """The part of the requests that have a price."""
        return Decimal(self.sums.priced) / self.sums.requests if self.sums.requests else None


def bill(slices: list[Slice]) -> Bill:
    """The bill of these sums.

    Prices per bucket are applied to the sums of a day and a model; that split is shown only where
    its total is the exact sum of what each request cost (tiers of prompt size can make it differ).
    """
    sums, costs = added(each.sums for each in slices), _costs(slices)
    rows = [
        BillRow(field=field, role=role, title=title, tokens=tokens, pusd=costs[field] if costs else None)
        for field, role, title in BUCKETS
        if (tokens := getattr(sums, field)) or field in ALWAYS
    ]
    return Bill(
        rows=rows,
        sums=sums,
        split=bool(costs),
        without_cache=costs["without_cache"] if costs else None,
        unpriced=_unpriced(slices),
    )


def _costs(slices: Iterable[Slice]) -> Counter[str] | None:
    total: Counter[str] = Counter()
    for each in slices:
        if each.sums.unpriced == each.sums.requests:
            continue
        costs = _slice_costs(each)
        if costs is None:
            return None
        total += costs
    return total or None


def _slice_costs(each: Slice) -> Counter[str] | None:
    prices = unit_prices(each.model, "", each.at, 0)
    if prices is None:
        return None
    costs = Counter({field: _cost(getattr(each.sums, field), prices, field) for field, _, _ in BUCKETS})
    if sum(costs.values()) != each.sums.cost_pusd:
        return None
    costs["without_cache"] = _cost(each.sums.prompt, prices, "uncached") + costs["output"]
    return costs


def _cost(tokens: int, prices: UnitPrices, field: str) -> int:
    price: Decimal | None = getattr(prices, field)
    return int(tokens * price * 10**6) if price is not None else 0


def _unpriced(slices: Iterable[Slice]) -> list[tuple[str, int]]:
    models: Counter[str] = Counter()
    for each in slices:
        models[each.model] += each.sums.unpriced
    return [(model, count) for model, count in models.most_common(3) if count]
