"""What requests cost: the one place that turns tokens into money.

Prices come from the data that genai-prices brings along (nothing is ever fetched), and from
the overlay file before it. A unit price is rounded to a whole picodollar a token, which is
the sixth decimal of dollars per million; after that all arithmetic is exact. Three rules differ from genai-prices on
purpose: a bucket that has tokens and no price of its own makes the request unpriced, where it
would fall back to a broader price; a write of one hour never takes the price of five minutes;
fees that are not for tokens, such as web searches, are not counted.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec
from django.conf import settings
from genai_prices.data_snapshot import find_provider_by_id, get_snapshot
from genai_prices.types import ConditionalPrice, ModelInfo, ModelPrice, StartDateConstraint, TieredPrices

from harness.runlog import Buckets, Lifetime
from observability import price_overlay
from observability.price_overlay import UsdPerMillion

BUNDLED: Final = f"genai-prices {version('genai-prices')}"
OVERLAY: Final = "overlay"

LONGEST_NAME: Final = 200
"""A longer model name is no model name."""
_VARIANT: Final = re.compile(r"\[[^\]]*\]$")
"""What Claude Code puts behind a model's name for its window, as in `claude-opus-5-5[1m]`."""
_NEWEST: Final = datetime(9999, 12, 31, 12, tzinfo=UTC)
"""A request without a time gets the newest price: the same on every import."""
_PUSD_PER_TOKEN: Final = 10**6
"""Picodollars a token in one dollar per million tokens."""


class Cost(msgspec.Struct, frozen=True):
    """In picodollars. `prompt` is all but the output."""

    total: int
    prompt: int
    output: int


class UnitPrices(msgspec.Struct, frozen=True, kw_only=True):
    """Dollars per million tokens for one request; None where unknown.

    `since` is the day from which the price holds, None where its source names none.
    `above` is the prompt size that was passed to reach this tier, 0 for the first one.
    """

    uncached: Decimal | None
    read: Decimal | None
    write_5m: Decimal | None
    write_1h: Decimal | None
    write_other: Decimal | None
    output: Decimal | None
    reasoning: Decimal | None
    source: str
    since: date | None
    above: int = 0


_Rates = tuple[int | None, int | None, int | None, int | None, int | None, int | None, int | None]
"""Picodollars a token: uncached, read, write 5m, write 1h, write other, output, reasoning."""
_Tier = tuple[int, _Rates, UnitPrices]
"""A prompt size that must be passed, and the prices from there on."""


def cost(model: str, provider: str, at: datetime | None, buckets: Buckets) -> Cost | None:
    """What a request cost; None where the model, or a bucket that has tokens, has no known price."""
    tiers = _tiers_at(model, provider, at)
    if tiers is None:
        return None
    uncached, read, five, hour, other, out, thought = _tier(tiers, buckets.prompt)[1]
    reasoning = min(buckets.reasoning, buckets.output)
    try:
        prompt = (
            (buckets.uncached and buckets.uncached * uncached)  # type: ignore[operator]  # a price of None raises
            + (buckets.read and buckets.read * read)  # type: ignore[operator]
            + (buckets.write_5m and buckets.write_5m * five)  # type: ignore[operator]
            + (buckets.write_1h and buckets.write_1h * hour)  # type: ignore[operator]
            + (buckets.write_other and buckets.write_other * other)  # type: ignore[operator]
        )
        plain = buckets.output - reasoning
        output = (plain and plain * out) + (reasoning and reasoning * thought)  # type: ignore[operator]
    except TypeError:
        return None
    return Cost(prompt + output, prompt, output)


def unit_prices(model: str, provider: str, at: datetime | None, prompt_tokens: int) -> UnitPrices | None:
    """The prices that a request of that size paid, with where they come from; None for an unknown model."""
    tiers = _tiers_at(model, provider, at)
    return None if tiers is None else _tier(tiers, prompt_tokens)[2]


def rewrite_premium(
    model: str, provider: str, at: datetime | None, tokens: int, lifetime: Lifetime, *, prompt_tokens: int = 0
) -> int | None:
    """What writing `tokens` cost above reading them, in picodollars; None where unpriced.

    `prompt_tokens` is the size of the request's prompt: it decides the tier.
    """
    tiers = _tiers_at(model, provider, at)
    if tiers is None:
        return None
    _, read, five, hour, other, _, _ = _tier(tiers, prompt_tokens)[1]
    write = {"5m": five, "1h": hour}.get(lifetime, other)
    return None if write is None or read is None else tokens * (write - read)


def start_price(model: str, provider: str, at: datetime | None, buckets: Buckets) -> int | None:
    """What a token at the very start of a prompt cost, in picodollars; None where unpriced.

    A cache is read from the start: where anything was read, the first token was. Else it was written,
    at the longest lifetime that the request wrote at; without a write it was paid in full.

    This is the price of the first token, by which sums over many requests go: they are kept as requests are stored,
    when the sizes of the tools may not be in the log yet. The explorer knows those of the run it looks at, and asks
    more (`harness.accounting.holding.tools_charge`): whether the read reached the last resident tool.
    """
    tiers = _tiers_at(model, provider, at)
    if tiers is None:
        return None
    uncached, read, five, hour, other, _, _ = _tier(tiers, buckets.prompt)[1]
    if buckets.read:
        return read
    if buckets.write_1h:
        return hour
    if buckets.write_5m:
        return five
    return other if buckets.write_other else uncached


def dollars(picodollars: int) -> Decimal:
    """An amount in dollars, exact."""
    return Decimal(picodollars).scaleb(-12)


def _tiers_at(model: str, provider: str, at: datetime | None) -> tuple[_Tier, ...] | None:
    moment = at or _NEWEST
    tiers, by_the_hour = _tiers_of_day(settings.PRICES_FILE, model, provider, moment.toordinal())
    return _tiers_of_moment(model, provider, moment) if by_the_hour else tiers


def _tier(tiers: tuple[_Tier, ...], prompt_tokens: int) -> _Tier:
    for tier in tiers:
        if prompt_tokens > tier[0]:
            return tier
    return tiers[-1]


@lru_cache(maxsize=8)
def _overlay(file: Path) -> price_overlay.Overlay:
    return price_overlay.load(file)


@lru_cache(maxsize=8192)
def _tiers_of_day(file: Path, model: str, provider: str, day: int) -> tuple[tuple[_Tier, ...] | None, bool]:
    """The tiers, and whether they depend on the hour (then the tiers are left out)."""
    entry = _overlay(file).entry(_plain(model), provider, date.fromordinal(day))
    if entry is not None:
        return _overlay_tiers(entry), False
    info = _model_info(model, provider)
    if info is None:
        return None, False
    if _by_the_hour(info):
        return None, True
    noon = datetime.combine(date.fromordinal(day), datetime.min.time(), UTC).replace(hour=12)
    return _bundled_tiers(*_in_force(info, noon)), False


def _tiers_of_moment(model: str, provider: str, moment: datetime) -> tuple[_Tier, ...] | None:
    info = _model_info(model, provider)
    return None if info is None else _bundled_tiers(*_in_force(info, moment))


def _plain(model: str) -> str:
    return _VARIANT.sub("", model)


@lru_cache(maxsize=1024)
def _model_info(model: str, provider: str) -> ModelInfo | None:
    """The bundled model; None where there is none of that name."""
    name = _plain(model).lower()
    if not name or len(name) > LONGEST_NAME or len(provider) > LONGEST_NAME:
        return None
    known = get_snapshot().providers
    if provider or name.startswith("claude-"):
        found = find_provider_by_id(known, provider or "anthropic")
    else:
        found = next((p for p in known if p.model_match is not None and p.model_match.is_match(name)), None)
    return None if found is None else found.find_model(name, all_providers=known)


def _by_the_hour(info: ModelInfo) -> bool:
    return isinstance(info.prices, list) and any(
        price.constraint is not None and not isinstance(price.constraint, StartDateConstraint) for price in info.prices
    )


def _in_force(info: ModelInfo, moment: datetime) -> tuple[ModelPrice, date | None]:
    """The prices at a moment: the last whose condition holds, else the first."""
    if isinstance(info.prices, ModelPrice):
        return info.prices, None
    active = [p for p in info.prices if p.constraint is None or p.constraint.active(moment)]
    chosen: ConditionalPrice = active[-1] if active else info.prices[0]
    since = chosen.constraint.start_date if isinstance(chosen.constraint, StartDateConstraint) else None
    return chosen.prices, since


def _bundled_tiers(price: ModelPrice, since: date | None) -> tuple[_Tier, ...]:
    starts = {tier.start for p in vars(price).values() if isinstance(p, TieredPrices) for tier in p.tiers}
    return tuple(
        _made(_bundled_prices(price, start), BUNDLED, since, start) for start in (*sorted(starts, reverse=True), 0)
    )


def _bundled_prices(price: ModelPrice, start: int) -> UsdPerMillion:
    write = _of_tier(price.cache_write_mtok, start)
    output = _of_tier(price.output_mtok, start)
    return UsdPerMillion(
        uncached=_of_tier(price.input_mtok, start),
        read=_of_tier(price.cache_read_mtok, start),
        write_5m=write if price.cache_write_5m_mtok is None else _of_tier(price.cache_write_5m_mtok, start),
        write_1h=_of_tier(price.cache_write_1h_mtok, start),
        write_other=write,
        output=output,
        reasoning=output if price.output_reasoning_mtok is None else _of_tier(price.output_reasoning_mtok, start),
    )


def _of_tier(price: Decimal | TieredPrices | None, start: int) -> Decimal | None:
    if isinstance(price, TieredPrices):
        return next((tier.price for tier in reversed(price.tiers) if start >= tier.start), price.base)
    return price


def _overlay_tiers(entry: price_overlay.Entry) -> tuple[_Tier, ...]:
    steps = sorted(entry.above, key=lambda step: step.prompt_tokens, reverse=True)
    found = [_made(step.usd_per_million, OVERLAY, entry.since, step.prompt_tokens) for step in steps]
    return (*found, _made(entry.usd_per_million, OVERLAY, entry.since, 0))


def _made(prices: UsdPerMillion, source: str, since: date | None, above: int) -> _Tier:
    if prices.reasoning is None:
        prices = msgspec.structs.replace(prices, reasoning=prices.output)
    shown = UnitPrices(**msgspec.structs.asdict(prices), source=source, since=since, above=above)
    rates: _Rates = (
        per_token(prices.uncached),
        per_token(prices.read),
        per_token(prices.write_5m),
        per_token(prices.write_1h),
        per_token(prices.write_other),
        per_token(prices.output),
        per_token(prices.reasoning),
    )
    return above, rates, shown


def per_token(usd_per_million: Decimal | None) -> int | None:
    """Dollars per million tokens as picodollars a token, rounded to a whole one."""
    return None if usd_per_million is None else round(usd_per_million * _PUSD_PER_TOKEN)
