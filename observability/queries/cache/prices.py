"""The bill by model: the prices in force, and what the requests of a period cost at them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from observability import figures
from observability.pricing import UnitPrices, unit_prices
from observability.queries.rollups import Slice, added


@dataclass(frozen=True, kw_only=True)
class PriceRow:
    """A model. `prices` are dollars per million tokens at the end of the period, None for a model without a price.

    `changed`: they were others at some time in the period. `tiers`: a larger prompt pays more than shown.
    """

    model: str
    prices: UnitPrices | None
    changed: bool
    tiers: bool
    requests: int
    unpriced: int
    pusd: int | None

    @property
    def cells(self) -> list[Decimal | None]:
        """Uncached, read, written for 5 minutes and for 1 hour, output."""
        if self.prices is None:
            return []
        known = self.prices
        return [known.uncached, known.read, known.write_5m, known.write_1h, known.output]


LARGE = 10**7
"""A prompt that is beyond every tier."""


def price_rows(slices: Sequence[Slice]) -> list[PriceRow]:
    """The models of a period, the dearest first."""
    by_model: dict[str, list[Slice]] = defaultdict(list)
    for each in slices:
        by_model[each.model].append(each)
    rows = [_row(model, mine) for model, mine in by_model.items()]
    return sorted(rows, key=lambda row: (row.pusd is None, -(row.pusd or 0), row.model))


def _row(model: str, mine: Sequence[Slice]) -> PriceRow:
    sums = added(each.sums for each in mine)
    known = [unit_prices(model, "", each.at, 0) for each in mine]
    last = known[-1] if known else None
    return PriceRow(
        model=figures.model_name(model) or "unknown",
        prices=last,
        changed=any(prices != last for prices in known),
        tiers=last is not None and unit_prices(model, "", mine[-1].at, LARGE) != last,
        requests=sums.requests,
        unpriced=sums.unpriced,
        pusd=sums.cost_pusd,
    )
