"""What comes before the messages: parameters, tools and system, with their two markers, encoded once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from harness import wire
from harness.request.messages import clean, markable
from harness.request.request import LIFETIMES, Place, Placed, cache_control
from harness.request.strategies import deferred_definition
from harness.tools import ToolSpec


class Prefix(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a body before its messages. `encoded` are their bytes, up to the bracket that opens the messages.

    `blocks` is how many of its blocks stand in the prefix: deferred definitions do not.
    """

    fields: dict[str, Any]
    encoded: bytes
    markers: tuple[Placed, ...]
    blocks: int


def prefix_of(
    parameters: Mapping[str, Any],
    *,
    residents: Sequence[ToolSpec],
    deferred: Iterable[ToolSpec],
    loaded: Sequence[ToolSpec],
    system: Iterable[str],
    marks: bool = True,
) -> Prefix:
    """The residents with the marker on the last, then what is deferred or loaded, then the system texts."""
    tools = [tool.definition() for tool in residents]
    texts: list[dict[str, Any]] = [{"type": "text", "text": clean(text)} for text in system]
    before = len(residents) + len(loaded)
    markers = [
        *_mark("last resident tool", "tools", tools, len(tools) - 1 if marks else -1, 0),
        *_mark("last system block", "system", texts, _last(texts) if marks else -1, before),
    ]
    tools += [deferred_definition(tool) for tool in deferred] + [tool.definition() for tool in loaded]
    fields = dict(parameters) | ({"tools": tools} if tools else {}) | ({"system": texts} if texts else {})
    return Prefix(
        fields=fields,
        encoded=wire.dumps(fields)[:-1] + b',"messages":[',
        markers=tuple(markers),
        blocks=before + len(texts),
    )


def _last(texts: Sequence[Mapping[str, Any]]) -> int:
    return max((at for at, block in enumerate(texts) if markable(block)), default=-1)


def _mark(place: Place, field: str, blocks: list[dict[str, Any]], at: int, before: int) -> list[Placed]:
    """Set a marker on one of the blocks; on none where `at` is negative."""
    if at < 0:
        return []
    blocks[at] = {**blocks[at], "cache_control": cache_control(place)}
    return [Placed(place=place, lifetime=LIFETIMES[place], path=(field, at), position=before + at)]
