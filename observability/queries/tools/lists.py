"""The tools of lists. A list is named by what it holds, so what was read once holds for good."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from observability.models import ListedTool

CHUNK: Final = 500
MOST: Final = 20_000
"""Lists that are remembered; then all are forgotten."""


@dataclass(frozen=True, eq=False, slots=True)
class Member:
    """A tool of a list. There is one of each kind, so that two are the same where they are the same object."""

    tool: str
    state: str
    definition: bytes | None
    server: str
    group: str
    listing: str


_kinds: dict[tuple[Any, ...], Member] = {}
_lists: dict[int, tuple[Member, ...]] = {}


def members(lists: Iterable[int]) -> dict[int, tuple[Member, ...]]:
    """The tools of lists; a list that is not stored has none."""
    wanted = dict.fromkeys(lists)
    found = {number: _lists[number] for number in wanted if number in _lists}
    missing = [number for number in wanted if number not in found]
    if len(_lists) + len(missing) > MOST:
        _lists.clear()
        _kinds.clear()
    for some in _chunks(missing):
        read = _read(some)
        _lists.update(read)
        found |= read
    return found


def _read(lists: list[int]) -> dict[int, tuple[Member, ...]]:
    found: dict[int, list[Member]] = defaultdict(list)
    columns = ("list_id", "tool", "state", "definition", "server", "group", "listing")
    for number, tool, state, address, *rest in ListedTool.objects.filter(list__in=lists).values_list(*columns):
        kind = (tool, state, bytes(address) if address else None, *rest)
        member = _kinds.get(kind)
        if member is None:
            member = _kinds[kind] = Member(*kind)
        found[number].append(member)
    return {number: tuple(some) for number, some in found.items()}


def _chunks(values: Iterable[int]) -> Iterator[list[int]]:
    rest = iter(values)
    while some := list(islice(rest, CHUNK)):
        yield some
