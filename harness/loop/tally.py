"""What a conversation has used so far, in one place for all its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from harness import usage as usages
from harness.errors import UsageError
from harness.runlog import Buckets, Convention


class Tally:
    """Sums over all requests. `unread`: requests whose usage was missing or could not be read."""

    def __init__(self) -> None:
        self.buckets = Buckets()
        self.requests = self.unread = 0
        self.loaded: Counter[str] = Counter()
        self.searches = self.misses = 0

    def add(self, usage: Mapping[str, Any] | None, convention: Convention) -> int:
        """Add a request. Returns the tokens that the model had before it; 0 where the usage does not tell."""
        self.requests += 1
        try:
            read = usages.normalise(usage or {}, convention)
        except UsageError:
            self.unread += 1
            return 0
        self.unread += usage is None
        self.buckets = usages.add(self.buckets, read.buckets)
        return read.context_tokens

    def searched(self, *, missed: bool) -> None:
        """Count a search for tools."""
        self.searches += 1
        self.misses += missed

    @property
    def rate(self) -> Decimal | None:
        """The cache rate; None where no prompt token is known."""
        return usages.cache_rate(self.buckets)

    def line(self) -> str:
        """One line for the end of a run."""
        rate = "–" if self.rate is None else f"{self.rate:.1%}"
        buckets = self.buckets
        parts = [
            f"cache rate {rate} of {buckets.prompt:,} prompt tokens in {_many(self.requests, 'request')}"
            f" ({buckets.read:,} read, {buckets.written:,} written, {buckets.uncached:,} uncached)",
            self._activations(),
            f"{self.misses} of {_many(self.searches, 'search')} found nothing",
        ]
        return "; ".join(parts)

    def _activations(self) -> str:
        total = sum(self.loaded.values())
        how = ", ".join(f"{count} by {trigger.replace('_', ' ')}" for trigger, count in sorted(self.loaded.items()))
        return f"{_many(total, 'tool')} loaded{f' ({how})' if how else ''}"


def _many(count: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"
