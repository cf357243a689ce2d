"""Numbers as people read them: one rule for each kind, used by pages, charts and sentences.

Nothing is never 0: a value that is None is shown as "–" (or "unpriced"). A minus is a true minus.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

NOTHING: Final = "–"
UNPRICED: Final = "unpriced"
MINUS: Final = "−"
GAP: Final = "\u00a0"
"""A space that does not break, before a unit."""
PICO: Final = Decimal(10) ** 12

AGENTS: Final = {"claude-code": "Claude Code"}

_DATED = re.compile(r"-20\d{6}(?=$|\[|-v\d)")
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufff9-\ufffb]"
)


def number(value: int | None) -> str:
    """A whole number with thousands: 17,321."""
    return NOTHING if value is None else f"{value:,}".replace("-", MINUS)


def signed(value: int | None) -> str:
    """A whole number with its sign: +317, −12, 0."""
    return f"+{value:,}" if value is not None and value > 0 else number(value)


def compact(value: int | None) -> str:
    """A count for a headline: 412, 5.0k, 782k, 19.6M, 240M, 1.2B."""
    if value is None:
        return NOTHING
    size = Decimal(abs(value))
    if size < 1000:
        return number(value)
    for unit in ("k", "M", "B"):
        size /= 1000
        if size < Decimal("99.95"):
            return f"{MINUS if value < 0 else ''}{_rounded(size, 1):,}{unit}"
        if size < Decimal("999.5") or unit == "B":
            return f"{MINUS if value < 0 else ''}{_rounded(size, 0):,}{unit}"
    raise AssertionError("the last unit takes every size")


def percent(share: Decimal | None, decimals: int = 1) -> str:
    """A share of one, as a rate with one decimal: 91.3 %. None is "–", never 0 %."""
    return NOTHING if share is None else f"{_minus(_rounded(share * 100, decimals))}{GAP}%"


def times(ratio: Decimal | None) -> str:
    """How many times one is another, with one decimal: 12.3."""
    return NOTHING if ratio is None else f"{_rounded(ratio, 1):,.1f}"


def points(change: Decimal | None) -> str:
    """A change of a rate, in percentage points, without its sign: 1.4 pt."""
    return NOTHING if change is None else f"{_rounded(abs(change) * 100, 1)}{GAP}pt"


def ratio_of_ppm(ppm: int | None) -> Decimal | None:
    """A rate that is stored in millionths."""
    return None if ppm is None else Decimal(ppm) / 1_000_000


def money(pusd: int | None) -> str:
    """Picodollars: cents from $0.10, three decimals from $0.01, four below. None is "unpriced"."""
    if pusd is None:
        return UNPRICED
    amount, sign = Decimal(abs(pusd)) / PICO, MINUS if pusd < 0 else ""
    if amount == 0:
        return "$0.00"
    if amount < Decimal("0.00005"):
        return f"{sign}<$0.0001"
    decimals = 2 if amount >= Decimal("0.1") else 3 if amount >= Decimal("0.01") else 4
    return f"{sign}${_rounded(amount, decimals):,}"


def size(count: int | None) -> str:
    """Bytes: 912 B, 84 MB, 1.9 GB."""
    if count is None:
        return NOTHING
    amount = Decimal(count)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            break
        amount /= 1000
    decimals = 0 if unit == "B" or amount >= 10 else 1
    return f"{_rounded(amount, decimals):,}{GAP}{unit}"


def duration(seconds: float | None) -> str:
    """A length of time: 0.8 s, 42 s, 7 min, 3 h 05 min, 2 d 4 h."""
    if seconds is None:
        return NOTHING
    if seconds < 10:
        return f"{seconds:.1f}{GAP}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}{GAP}s"
    minutes, hours, days = whole // 60, whole // 3600, whole // 86400
    if hours < 1:
        return f"{minutes}{GAP}min"
    if days < 1:
        return f"{hours}{GAP}h {minutes % 60:02}{GAP}min"
    return f"{days}{GAP}d {hours % 24}{GAP}h"


def day(at: datetime | None) -> str:
    """A day in UTC: 27 Nov 2026."""
    return NOTHING if at is None else f"{_utc(at).day} {_utc(at):%b %Y}"


def weekday(at: datetime | None) -> str:
    """A day in UTC with its weekday: Fri 27 Nov."""
    return NOTHING if at is None else f"{_utc(at):%a} {_utc(at).day} {_utc(at):%b}"


def moment(at: datetime | None) -> str:
    """A minute in UTC: 27 Nov 2026, 17:44."""
    return NOTHING if at is None else f"{day(at)}, {_utc(at):%H:%M}"


def short_moment(at: datetime | None) -> str:
    """A minute in UTC, for a table: 27 Nov, 17:44; with its year in place of the minute where it is another year."""
    if at is None:
        return NOTHING
    this_year = datetime.now(UTC).year == _utc(at).year
    return f"{_utc(at).day} {_utc(at):%b, %H:%M}" if this_year else day(at)


def period(first: datetime, last: datetime) -> str:
    """Two days as a period, without repeating what they share: 23 to 29 Nov 2026."""
    first, last = _utc(first), _utc(last)
    if first.date() == last.date():
        return day(first)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {day(last)}"
    if first.year == last.year:
        return f"{first.day} {first:%b} to {day(last)}"
    return f"{day(first)} to {day(last)}"


def counted(value: int | None, noun: str) -> str:
    """A number and its noun: 1 request, 412 requests, 9 searches. The noun is given in the singular."""
    if value == 1:
        return f"1 {noun}"
    return f"{number(value)} {noun}{'es' if noun.endswith(('s', 'sh', 'ch', 'x')) else 's'}"


def model_name(model: str) -> str:
    """A model's name as people say it: opus-4-5 for claude-opus-4-5-20251101."""
    return _DATED.sub("", shown(model)).removeprefix("claude-")


def agent_name(agent: str) -> str:
    """An agent's name as people say it."""
    return AGENTS.get(agent, shown(agent))


def shown(text: object) -> str:
    """Text of a log for the eye: control and direction characters become visible marks."""
    return _UNSAFE.sub(lambda match: _mark(ord(match[0])), str(text))


def _mark(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "�"


def _rounded(value: Decimal, decimals: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def _minus(value: Decimal) -> str:
    return f"{value}".replace("-", MINUS)


def _utc(at: datetime) -> datetime:
    return at.astimezone(UTC)
