"""Byte-stable JSON: equal values give equal bytes, in any process."""

from __future__ import annotations

from typing import Any

import msgspec

_encoder = msgspec.json.Encoder()


def dumps(value: Any) -> bytes:
    """JSON without spaces, keys in the order of the value."""
    return _encoder.encode(value)


def canonical(value: Any) -> Any:
    """The value with the keys of every object sorted: a server may name them in another order each time it starts."""
    if isinstance(value, dict):
        return {key: canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [canonical(item) for item in value]
    return value
