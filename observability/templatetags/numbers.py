"""Filters that show numbers, money and times. The rules are those of `observability.figures`."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from harness.usage import rate_of
from observability import figures

register = template.Library()
register.filter("tokens", figures.number)
register.filter("number", figures.number)
register.filter("signed", figures.signed)
register.filter("compact", figures.compact)
register.filter("money", figures.money)
register.filter("bytes", figures.size)
register.filter("duration", figures.duration)
register.filter("day", figures.day)
register.filter("weekday", figures.weekday)
register.filter("moment", figures.moment)
register.filter("short_moment", figures.short_moment)
register.filter("counted", figures.counted)
register.filter("shown", figures.shown)


@register.filter
def rate(share: Decimal | None) -> str:
    """A share of one: 91.3 %, or "–" for None."""
    return figures.percent(share)


@register.filter
def rate_exact(share: Decimal | None) -> str:
    """A rate inside its formula, with two decimals."""
    return figures.percent(share, 2)


@register.filter
def rate_whole(share: Decimal | None) -> str:
    """A rate on an axis, without decimals."""
    return figures.percent(share, 0)


@register.filter
def money_or_dash(pusd: int | None) -> str:
    """An amount that cannot be had is "–", where that does not mean unpriced."""
    return figures.NOTHING if pusd is None else figures.money(pusd)


@register.filter
def rate_ppm(ppm: int | None) -> str:
    """A rate stored in millionths: 91.3 %, or "–" for None."""
    return figures.percent(figures.ratio_of_ppm(ppm))


@register.filter
def rate_of_prompt(read: int, prompt: int) -> str:
    """The cache rate of two sums: {{ read|rate_of_prompt:prompt }}."""
    return figures.percent(rate_of(read=read, prompt=prompt))


@register.filter
def zero_as_dash(value: int | None) -> str:
    """A count in a table where nothing happened most of the time: "–" for 0."""
    return figures.number(value or None)


@register.filter
def rate_parts(share: Decimal | None) -> SafeString:
    """A rate as a headline, its unit small: 92.0<span class="u">%</span>."""
    if share is None:
        return format_html("{}", figures.NOTHING)
    return format_html('{}<span class="u">%</span>', figures.percent(share).removesuffix(f"{figures.GAP}%"))


@register.filter
def iso(at: datetime | None) -> str:
    """A time for a `datetime` attribute."""
    return "" if at is None else at.isoformat()


@register.filter
def per_million(price: Decimal | None) -> str:
    """Dollars per million tokens: at least two decimals, and as many more as it has; a dash where unknown."""
    if price is None:
        return figures.NOTHING
    places = max(2, -int(price.normalize().as_tuple().exponent))
    return f"${price:,.{places}f}"
