"""What a provider holds: entries by model and key, alive for a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import msgspec


class Entry(msgspec.Struct, kw_only=True):
    """One written prefix. `tokens` are those up to its end."""

    tokens: int
    lifetime: str
    readable_at: datetime
    """When the first response to a request that wrote it began."""
    expires_at: datetime
    written_at: datetime

    def alive(self, at: datetime) -> bool:
        """Whether its lifetime has not run out."""
        return at < self.expires_at

    def usable(self, at: datetime) -> bool:
        """Whether a request that starts now can read it."""
        return self.alive(at) and at >= self.readable_at


class CacheState:
    """Everything written so far. Entries that ran out stay, to say why they were not read, until `forget`."""

    def __init__(self) -> None:
        self._by_key: dict[str, dict[str, Entry]] = {}

    def get(self, model: str, key: str) -> Entry | None:
        """The entry of a model at a key."""
        return self._by_key.get(key, {}).get(model)

    def elsewhere(self, model: str, key: str) -> Iterator[tuple[str, Entry]]:
        """Entries of other models at a key."""
        return ((name, entry) for name, entry in self._by_key.get(key, {}).items() if name != model)

    def put(self, model: str, key: str, entry: Entry) -> None:
        """Hold an entry; what was there before is replaced."""
        self._by_key.setdefault(key, {})[model] = entry

    def warm(self, model: str, key: str, *, tokens: int, at: datetime, lifetime: str, lasts: timedelta) -> None:
        """Hold a prefix that somebody wrote before: readable from `at` on."""
        self.put(
            model,
            key,
            Entry(tokens=tokens, lifetime=lifetime, readable_at=at, expires_at=at + lasts, written_at=at),
        )

    def forget(self, before: datetime) -> None:
        """Let go of entries that ran out before a time."""
        for key, by_model in list(self._by_key.items()):
            kept = {model: entry for model, entry in by_model.items() if entry.expires_at >= before}
            if kept:
                self._by_key[key] = kept
            else:
                del self._by_key[key]

    def copy(self) -> CacheState:
        """An independent state with the same entries."""
        state = CacheState()
        state._by_key = {
            key: {model: msgspec.structs.replace(entry) for model, entry in by_model.items()}
            for key, by_model in self._by_key.items()
        }
        return state
