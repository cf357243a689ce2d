"""A provider's prompt cache, request by request. Pure: the caller brings the requests and the times."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from harness.simulator import explaining, sizes
from harness.simulator.cache import CacheState, Entry
from harness.simulator.outcome import Hit, MarkerOutcome, MarkerState, Outcome
from harness.simulator.pinning import Pins
from harness.simulator.prefix import Prefix, prefix_of
from harness.simulator.refusals import with_markers
from harness.simulator.rules import Rules, plain

REMEMBERED: Final = 64
"""Earlier requests that a new one is compared with."""


class _Sized(msgspec.Struct, frozen=True, kw_only=True):
    """A request with the tokens up to the end of each block, and what may be read or written of it."""

    prefix: Prefix
    totals: Sequence[int]
    prompt: int
    marked: Sequence[int]
    """Indexes of markers, those under the minimum left out."""


class _Found(msgspec.Struct, frozen=True, kw_only=True):
    """What the markers found: the entry by marker, and the marker with the longest."""

    by_marker: Mapping[int, int]
    marker: int | None = None

    @property
    def index(self) -> int:
        """The last block that is read; -1 for none."""
        return -1 if self.marker is None else self.by_marker[self.marker]


class Simulator:
    """Requests in, what each reads and writes out.

    `rules`: the provider's. `count`: tokens of a block; by default the offline tokenizer with
    the model's factor. `state`: what is cached already. Send requests in the order they start.
    """

    def __init__(self, rules: Rules, *, count: sizes.Counter = sizes.measured, state: CacheState | None = None) -> None:
        self.rules = rules
        self.state = CacheState() if state is None else state
        self._count = count
        self._counted: dict[tuple[str, str], int] = {}
        self._pins = Pins()
        self._before: deque[Prefix] = deque(maxlen=REMEMBERED)

    def send(
        self,
        body: Mapping[str, Any],
        *,
        at: datetime,
        first_event_at: datetime | None = None,
        prompt: int | None = None,
        tail: int = 0,
    ) -> Outcome:
        """What a request reads and writes that starts `at` and whose response begins at `first_event_at`.

        Without `first_event_at` its entries can be read at once. `prompt` pins the tokens to a
        reported total, of which `tail` follow the last block and are never cached; what a pinned
        request shares with later ones stays pinned. Raises RefusedRequest for what the provider
        answers with an error.
        """
        sized = self._size(body, prompt, tail)
        found = self._look_up(sized, at)
        outcome = self._outcome(sized, found, at)
        self._remember(sized, found, at, first_event_at or at)
        return outcome

    def warm(self, body: Mapping[str, Any], *, at: datetime, prompt: int | None = None, tail: int = 0) -> None:
        """Take a request as sent and answered before, by whomever."""
        sized = self._size(body, prompt, tail)
        self._remember(sized, self._look_up(sized, at), at, at)

    def pin(self, model: str, key: str, tokens: int) -> None:
        """Fix the tokens up to the block with this key, as a report showed them."""
        self._pins.pin(model, key, tokens)

    def _size(self, body: Mapping[str, Any], prompt: int | None, tail: int) -> _Sized:
        prefix = prefix_of(body, self.rules)
        prefix = msgspec.structs.replace(prefix, blocks=with_markers(body, prefix.blocks, self.rules))
        counts = [self._tokens(prefix, index) for index in range(len(prefix.blocks))]
        totals = self._pins.totals(prefix, counts, None if prompt is None else max(0, prompt - tail))
        last = totals[-1] if totals else 0
        least = self.rules.minimum_for(prefix.model)
        implicit = self.rules.mechanism == "implicit"
        marked = [
            index for index, block in enumerate(prefix.blocks) if (block.marked or implicit) and totals[index] >= least
        ]
        return _Sized(prefix=prefix, totals=totals, prompt=last + tail if prompt is None else prompt, marked=marked)

    def _tokens(self, prefix: Prefix, index: int) -> int:
        block = prefix.blocks[index]
        name = (prefix.model, f"{block.tier}{block.digest}")
        if name not in self._counted:
            self._counted[name] = max(0, self._count(block, prefix.model))
        return self._counted[name]

    def _look_up(self, sized: _Sized, at: datetime) -> _Found:
        """For each marker the nearest usable entry at it or before it, as far as a marker looks."""
        model, by_marker = plain(sized.prefix.model), dict[int, int]()
        for marker in sized.marked:
            for index in range(marker, max(-1, marker - self.rules.lookback), -1):
                entry = self.state.get(model, sized.prefix.blocks[index].key)
                if entry is not None and entry.usable(at):
                    by_marker[marker] = index
                    break
        best = max(by_marker, key=lambda marker: (by_marker[marker], -marker), default=None)
        return _Found(by_marker=by_marker, marker=best)

    def _outcome(self, sized: _Sized, found: _Found, at: datetime) -> Outcome:
        read = self._read(sized, found)
        writes = self._writes(sized, read)
        return Outcome(
            model=sized.prefix.model,
            read=read,
            **writes,
            uncached=sized.prompt - read - sum(writes.values()),
            hit=self._hit(sized, found),
            markers=self._markers(sized, found),
            missed=explaining.missed_by(sized.prefix, sized.totals, found.index, at, self.state, self.rules),
            difference=explaining.difference(sized.prefix, tuple(self._before), self.rules.reach),
        )

    def _read(self, sized: _Sized, found: _Found) -> int:
        whole = sized.totals[found.index] if found.index >= 0 else 0
        return whole - whole % self.rules.increment

    def _writes(self, sized: _Sized, read: int) -> dict[str, int]:
        """What is written at each lifetime.

        With A the tokens read, B those up to the last marker of 1 h and C those up to the last
        marker at all: B − A at 1 h, C − B at the shorter lifetime. Longer lifetimes come first.
        """
        writes = {"write_5m": 0, "write_1h": 0, "write_other": 0}
        if not self.rules.bills_writes:
            return writes
        done = read
        for marker in sized.marked:
            lifetime = self.rules.lifetime_of(sized.prefix.blocks[marker].ttl)
            bucket = f"write_{lifetime}" if f"write_{lifetime}" in writes else "write_other"
            writes[bucket] += max(0, sized.totals[marker] - done)
            done = max(done, sized.totals[marker])
        return writes

    def _hit(self, sized: _Sized, found: _Found) -> Hit | None:
        if found.marker is None:
            return None
        block = sized.prefix.blocks[found.index]
        entry = self.state.get(plain(sized.prefix.model), block.key)
        return Hit(
            block=block.label,
            tokens=sized.totals[found.index],
            marker=sized.prefix.blocks[found.marker].label,
            distance=found.marker - found.index,
            lifetime=entry.lifetime if entry else "",
        )

    def _markers(self, sized: _Sized, found: _Found) -> tuple[MarkerOutcome, ...]:
        return tuple(
            MarkerOutcome(
                block=block.label,
                lifetime=self.rules.lifetime_of(block.ttl),
                tokens=sized.totals[index],
                state=_state_of(index, sized, found),
            )
            for index, block in enumerate(sized.prefix.blocks)
            if block.marked
        )

    def _remember(self, sized: _Sized, found: _Found, at: datetime, readable_at: datetime) -> None:
        """Refresh what was found and write what the markers ask for.

        A marker before the block that was read gets its entry too, which costs nothing. That the
        provider does so is an assumption: its pages only say that writes happen at markers.
        """
        model = plain(sized.prefix.model)
        for index in found.by_marker.values():
            self._refresh(model, sized.prefix.blocks[index].key, at)
        for index in sized.marked:
            block = sized.prefix.blocks[index]
            lifetime = self.rules.lifetime_of(block.ttl)
            entry = self.state.get(model, block.key)
            if entry is not None and entry.alive(at):
                self._refresh(model, block.key, at)
                entry.readable_at = min(entry.readable_at, readable_at)
                continue
            expires = at + self.rules.lifetimes[lifetime]
            self.state.put(
                model,
                block.key,
                Entry(
                    tokens=sized.totals[index],
                    lifetime=lifetime,
                    readable_at=readable_at,
                    expires_at=expires,
                    written_at=at,
                ),
            )
        self._before.append(sized.prefix)

    def _refresh(self, model: str, key: str, at: datetime) -> None:
        entry = self.state.get(model, key)
        if entry is not None:
            entry.expires_at = max(entry.expires_at, at + self.rules.lifetimes[entry.lifetime])


def _state_of(index: int, sized: _Sized, found: _Found) -> MarkerState:
    if index not in sized.marked:
        return "under_minimum"
    if found.by_marker.get(index) == index:
        return "read"
    return "written" if index > found.index else "passed"
