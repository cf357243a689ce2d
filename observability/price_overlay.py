"""The overlay file: prices of one's own, for private models, agreed rates and what genai-prices lacks.

`docs/prices.md` shows the form. An entry replaces the bundled prices of its model whole: what
it does not name is unknown, so that no total ever mixes two price lists.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import msgspec

from observability.errors import PricesUnreadable


class UsdPerMillion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Dollars per million tokens, by bucket. None: not known."""

    uncached: Decimal | None = None
    read: Decimal | None = None
    write_5m: Decimal | None = None
    write_1h: Decimal | None = None
    write_other: Decimal | None = None
    output: Decimal | None = None
    reasoning: Decimal | None = None
    """Where output tokens of reasoning have a price of their own."""


class Above(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Prices of a whole request whose prompt is larger than `prompt_tokens`."""

    prompt_tokens: int
    usd_per_million: UsdPerMillion


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The prices of one model from a day on. A `model` that ends with `*` stands for every name that begins so."""

    model: str
    usd_per_million: UsdPerMillion
    provider: str = ""
    since: date | None = None
    above: tuple[Above, ...] = ()

    def covers(self, model: str, provider: str) -> bool:
        """Whether this entry is about that model."""
        if self.provider and self.provider.lower() != provider.lower():
            return False
        if self.model.endswith("*"):
            return model.lower().startswith(self.model[:-1].lower())
        return model.lower() == self.model.lower()

    @property
    def rank(self) -> tuple[bool, bool, int, date]:
        """Of several entries in force the highest wins: with a provider, exact, longest, latest."""
        return bool(self.provider), not self.model.endswith("*"), len(self.model), self.since or date.min


class Overlay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    models: tuple[Entry, ...] = ()

    def entry(self, model: str, provider: str, day: date) -> Entry | None:
        """The entry in force for a model on a day, or None."""
        known = [e for e in self.models if e.covers(model, provider) and (e.since or date.min) <= day]
        return max(known, key=lambda e: e.rank, default=None)


def load(file: Path) -> Overlay:
    """The overlay in `file`; an empty one where there is no file. Raises PricesUnreadable with a whole sentence."""
    try:
        overlay = msgspec.json.decode(file.read_bytes(), type=Overlay)
    except FileNotFoundError:
        return Overlay()
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PricesUnreadable(f"The prices in {file.name} cannot be read: {error}.") from error
    for entry in overlay.models:
        _check(entry, file.name)
    return overlay


def _check(entry: Entry, name: str) -> None:
    for prices in (entry.usd_per_million, *(step.usd_per_million for step in entry.above)):
        for field in prices.__struct_fields__:
            price: Decimal | None = getattr(prices, field)
            if price is not None and not (price.is_finite() and 0 <= price <= 10**6):
                raise PricesUnreadable(f"The prices in {name} cannot be read: {field} of {entry.model} is {price}.")
