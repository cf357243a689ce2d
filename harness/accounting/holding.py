"""What it would have cost to send a schema that was held back, by what its run's requests paid for their prefix.

The rule, for one run. `extra` is a schema's tokens less those of its line in the index.

1. Every request that the schema was not in (deferred, not loaded) counts `extra` tokens. Requests that report no
   prompt tokens take no part, as with breaks.
2. Each of these requests charges them as it charged the tools, which stand first in its prefix:
   - read, where it read from the cache, and at least as much as the resident tools come to: a break that
     leaves the tools in the cache does not write them again;
   - else written, at the longest lifetime that it wrote at: of several lifetimes the longer stands first;
   - else, where it wrote nothing, uncached.
   So a run pays one write at its first request and one at each break that reaches the tools, and reads at all others.
   A first request that read its tools, because another run had left them in the cache, reads.
3. A schema that came later than its run's first request was in no cache before: its first request writes it, at the
   lifetime that the run's prefix has. (That a new tool would have broken the cache for all behind it is not counted.)
4. Money is tokens times that request's own price of that bucket. A request without a price adds tokens and no money,
   and is counted.

What searching cost is the other side. A request that only searched is a turn that would not have been: it costs all
that it cost, but what it left in the cache for the next request, which would have had to write it, costs it a
read (`passed_on`). Nor could schemas have been saved at a turn that would not have been: one read of them is taken
off again (`Ledger.again`). The texts of a search and its result are carried by later requests: written once, read,
and written again at each break (`of_text`).

All money is whole picodollars; nothing is rounded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

Bucket = Literal["read", "write_5m", "write_1h", "write_other", "uncached"]
UNCACHED: Final[Bucket] = "uncached"
LONGEST_FIRST: Final[tuple[Bucket, ...]] = ("write_1h", "write_5m", "write_other")
SHORTEST_FIRST: Final[tuple[Bucket, ...]] = ("write_5m", "write_1h", "write_other")


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """Picodollars a token; None where unknown."""

    read: int | None = None
    write_5m: int | None = None
    write_1h: int | None = None
    write_other: int | None = None
    uncached: int | None = None

    def of(self, bucket: Bucket) -> int | None:
        """The price of a bucket."""
        found: int | None = getattr(self, bucket)
        return found


class Paid(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a request paid for its prompt. `family` names its tokenizer; `broke`: it is a cache break; `rates`: None unpriced."""

    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    write_other: int = 0
    uncached: int = 0
    broke: bool = False
    family: str = ""
    rates: Rates | None = None

    @property
    def prompt(self) -> int:
        """Its prompt tokens."""
        return self.read + self.write_5m + self.write_1h + self.write_other + self.uncached

    def size(self, bucket: Bucket) -> int:
        """Tokens of a bucket."""
        found: int = getattr(self, bucket)
        return found


class Span(NamedTuple):
    """Requests of a run by place, from `first` up to but without `end`. `arrives`: nothing held the schema before."""

    first: int
    end: int
    arrives: bool = False


class Rate(NamedTuple):
    """How requests of a tokenizer's family charge, and their price in picodollars a token; None unpriced."""

    family: str
    bucket: Bucket
    pusd: int | None


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens that were, or would have been, charged at one price by a number of requests."""

    rate: Rate
    requests: int
    tokens: int

    @property
    def pusd(self) -> int | None:
        """Their cost."""
        return None if self.rate.pusd is None else self.tokens * self.rate.pusd


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens over a run and what they would have cost. In a sum over schemas a request counts once for each."""

    lines: tuple[Line, ...] = ()

    @property
    def requests(self) -> int:
        """Requests that the schema was not in."""
        return sum(line.requests for line in self.lines)

    @property
    def tokens(self) -> int:
        """Tokens that they would have carried."""
        return sum(line.tokens for line in self.lines)

    @property
    def unpriced(self) -> int:
        """How many of the requests have no price."""
        return sum(line.requests for line in self.lines if line.pusd is None)

    @property
    def pusd(self) -> int | None:
        """The cost at those that have one; None where there are requests and none has."""
        known = [line.pusd for line in self.lines if line.pusd is not None]
        return sum(known) if known or not self.lines else None


def add(parts: Iterable[Held]) -> Held:
    """The sum: lines of one price become one."""
    requests: Counter[Rate] = Counter()
    tokens: Counter[Rate] = Counter()
    for part in parts:
        for line in part.lines:
            requests[line.rate] += line.requests
            tokens[line.rate] += line.tokens
    return Held(lines=tuple(Line(rate=rate, requests=n, tokens=tokens[rate]) for rate, n in requests.items()))


class Ledger:
    """How each request of a run charges text of one place, so that any stretch of it can be priced at once."""

    def __init__(self, run: Sequence[Paid], charges: Sequence[Bucket | None], arrival: Callable[[int], Bucket]) -> None:
        """`charges` has one bucket a request, None for one without a prompt; `arrival` says what new text pays at a place."""
        self.charges = tuple(charges)
        self._run, self._arrival = run, arrival
        self._counted = [place for place, charge in enumerate(charges) if charge is not None]
        self._places = _by_rate(run, charges)
        self.cached = any(rate.bucket != UNCACHED for rate in self._places)
        """Whether the run has a cache at all."""

    @property
    def requests(self) -> int:
        """Requests that take part."""
        return len(self._counted)

    @property
    def unpriced(self) -> int:
        """Requests that take part and have no price."""
        return sum(len(places) for rate, places in self._places.items() if rate.pusd is None)

    def rates(self, spans: Iterable[Span]) -> Counter[Rate]:
        """How many requests of some stretches charge at each rate."""
        found: Counter[Rate] = Counter()
        for span in spans:
            for rate, places in self._places.items():
                found[rate] += bisect_left(places, span.end) - bisect_left(places, span.first)
            if span.arrives:
                self._arrive(found, span)
        return +found

    def held(self, spans: Iterable[Span], extra: Mapping[str, int]) -> Held:
        """What `extra` tokens (by family) cost over some stretches."""
        return Held(
            lines=tuple(
                Line(rate=rate, requests=requests, tokens=requests * extra[rate.family])
                for rate, requests in self.rates(spans).items()
            )
        )

    def again(self, place: int, extra: Mapping[str, int]) -> Held:
        """What `extra` tokens cost at one request where another request had paid for writing them: a read, or the same in full."""
        if place >= len(self.charges) or self.charges[place] is None:
            return Held()
        paid = self._run[place]
        rate = _rate(paid, "read" if self.cached else UNCACHED)
        return Held(lines=(Line(rate=rate, requests=1, tokens=extra[paid.family]),))

    def _arrive(self, found: Counter[Rate], span: Span) -> None:
        at = bisect_left(self._counted, span.first)
        place = self._counted[at] if at < len(self._counted) else span.end
        charge = self.charges[place] if place < span.end else None
        if charge is not None:
            paid = self._run[place]
            found[_rate(paid, charge)] -= 1
            found[_rate(paid, self._arrival(place))] += 1


def of_tools(run: Sequence[Paid], resident: int) -> Ledger:
    """The ledger of schemas. `resident` is what the resident tools come to; 0 where the log does not hold them."""
    charges = [tools_charge(paid, resident) for paid in run]
    usual = prefix_lifetime(run)

    def arrival(place: int) -> Bucket:
        charge = charges[place]
        return usual if charge is None or charge == "read" else charge

    return Ledger(run, charges, arrival)


def of_text(run: Sequence[Paid]) -> Ledger:
    """The ledger of what stands at the end of the conversation: new text is written, then read until the next break."""
    return Ledger(run, [_text_charge(paid) for paid in run], lambda place: _written(run[place], SHORTEST_FIRST))


def tools_charge(paid: Paid, resident: int) -> Bucket | None:
    """How a request charged its tools; None where it reports no prompt.

    Sums over many requests are kept as these are stored, before `resident` is known, and go by the first token alone
    (`observability.pricing.start_price`): they differ where a read ended within the resident tools.
    """
    if paid.read and paid.read >= resident:
        return "read"
    return _written(paid, LONGEST_FIRST) if paid.prompt else None


def prefix_lifetime(run: Sequence[Paid]) -> Bucket:
    """The lifetime that a run's prefix is written at: the longest of the first request that wrote; uncached if none did."""
    return next((found for paid in run if (found := _written(paid, LONGEST_FIRST)) != "uncached"), "uncached")


def passed_on(now: Paid, after: Paid | None) -> int | None:
    """What a request paid, above a read, for tokens that the next one read: that one would have paid it instead.

    These are the tokens by which the next request read more, as far as this one wrote them or paid them in full.
    None where unpriced.
    """
    left = 0 if after is None else max(0, after.read - now.read)
    paid = 0
    for bucket in (*LONGEST_FIRST, UNCACHED):
        part = min(left, now.size(bucket))
        if part:
            price = now.rates.of(bucket) if now.rates else None
            read = now.rates.read if now.rates else None
            if price is None or read is None:
                return None
            paid += part * (price - read)
            left -= part
    return paid


def _text_charge(paid: Paid) -> Bucket | None:
    if paid.read and not paid.broke:
        return "read"
    return _written(paid, SHORTEST_FIRST) if paid.prompt else None


def _written(paid: Paid, order: Sequence[Bucket]) -> Bucket:
    return next((bucket for bucket in order if paid.size(bucket)), UNCACHED)


def _by_rate(run: Sequence[Paid], charges: Sequence[Bucket | None]) -> dict[Rate, list[int]]:
    """The places of each rate. Neighbours mostly share one: it is looked up only where it changes."""
    found: dict[Rate, list[int]] = {}
    last: tuple[Rates | None, str, Bucket | None] = None, "", None
    places: list[int] = []
    for place, (paid, charge) in enumerate(zip(run, charges, strict=True)):
        if charge is None:
            continue
        if last[2] != charge or last[0] is not paid.rates or last[1] != paid.family:
            last = paid.rates, paid.family, charge
            places = found.setdefault(_rate(paid, charge), [])
        places.append(place)
    return found


def _rate(paid: Paid, bucket: Bucket) -> Rate:
    return Rate(paid.family, bucket, paid.rates.of(bucket) if paid.rates else None)
