"""Measures rankers on sets of tools and queries: recall, and the time of a search.

A set is a folder with `tools.jsonl` (`{"name", "description", "input_schema", "server", "group"}`
a line) and `queries.jsonl` (`{"query", "expected": [names]}` a line).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeVar

import msgspec

from harness.errors import DatasetError
from harness.search.baseline import Baseline
from harness.search.ranker import Hit, Ranker
from harness.tools import ToolSpec

Half = Literal["tuned", "held_out", "all"]
RankerName = Literal["baseline", "harness"]
DEPTHS: Final = (1, 5, 10)
"""The numbers of results at which recall is measured."""
MOVED: Final = 10
"""Last bytes below this are held out whatever their last bit: the bit alone puts 50.4 % of the queries into the tuned half."""
FIRST_ORDER: Final = ("livemcpbench", "metatool", "seal_tools", "bfcl")
"""Sets that are known come in this order, others after them by name."""


class Query(msgspec.Struct, frozen=True):
    """A task, and the tools that it needs."""

    query: str
    expected: list[str]


class DataSet(msgspec.Struct, frozen=True):
    """Tools, and queries for them."""

    name: str
    tools: list[ToolSpec]
    queries: list[Query]


class Measured(msgspec.Struct, frozen=True):
    """What a ranker reached on a set. Recall is the mean share of the expected tools among the first k."""

    set: str
    ranker: RankerName
    queries: int
    recall_at_1: float
    recall_at_5: float
    recall_at_10: float
    ms_p99: float
    """The 99th percentile of the time of a search for ten tools, in milliseconds, the index being built."""


class _Ranking(Protocol):
    def search(self, query: str, limit: int = 5) -> list[Hit]:
        """The best tools, best first."""


class _ToolLine(msgspec.Struct):
    name: str
    description: str = ""
    input_schema: dict[str, Any] = {}
    server: str = ""
    group: str = ""

    def spec(self) -> ToolSpec:
        return ToolSpec(
            name=self.name,
            description=self.description,
            input_schema=self.input_schema,
            group=self.group,
            server=self.server,
        )


RANKERS: Final[dict[RankerName, Callable[[Iterable[ToolSpec]], _Ranking]]] = {"baseline": Baseline, "harness": Ranker}
Line = TypeVar("Line")


def half_of(query: str) -> Literal["tuned", "held_out"]:
    """The half that a query is in: tuned where the last byte of the SHA-256 of its text is even and no less than `MOVED`."""
    last = sha256(query.encode()).digest()[-1]
    return "held_out" if last & 1 or last < MOVED else "tuned"


def read_sets(folder: Path) -> list[DataSet]:
    """The sets in a folder, or the folder itself where it is one. Raises DatasetError where there is none."""
    folders = [each for each in (folder, *sorted(folder.glob("*/"))) if (each / "queries.jsonl").is_file()]
    if not folders:
        raise DatasetError(f"{folder} holds no set: no folder in it has a queries.jsonl")
    known = {name: place for place, name in enumerate(FIRST_ORDER)}
    folders.sort(key=lambda each: (known.get(each.name, len(known)), each.name))
    return [_read_set(each) for each in folders]


def measure(sets: Sequence[DataSet], half: Half, clock: Callable[[], float] = time.perf_counter) -> Iterator[Measured]:
    """Every ranker on every set, on the queries of a half. `clock` returns seconds."""
    for each in sets:
        queries = [query for query in each.queries if half in ("all", half_of(query.query))]
        if queries:
            yield from (_measured(each, queries, name, clock) for name in RANKERS)


def recall(expected: Sequence[str], found: Sequence[str]) -> float:
    """The share of the expected names that was found; 1 where none was expected."""
    wanted = set(expected)
    return len(wanted & set(found)) / len(wanted) if wanted else 1.0


def _measured(data: DataSet, queries: Sequence[Query], name: RankerName, clock: Callable[[], float]) -> Measured:
    ranker = RANKERS[name](data.tools)
    times, sums = [], dict.fromkeys(DEPTHS, 0.0)
    for query in queries:
        start = clock()
        hits = ranker.search(query.query, max(DEPTHS))
        times.append(clock() - start)
        names = [hit.tool.name for hit in hits]
        for depth in DEPTHS:
            sums[depth] += recall(query.expected, names[:depth])
    at_1, at_5, at_10 = (round(sums[depth] / len(queries), 4) for depth in DEPTHS)
    ms_p99 = round(sorted(times)[int(len(times) * 0.99)] * 1000, 3)
    return Measured(data.name, name, len(queries), at_1, at_5, at_10, ms_p99)


def _read_set(folder: Path) -> DataSet:
    tools = [line.spec() for line in _lines(folder / "tools.jsonl", _ToolLine)]
    return DataSet(folder.name, tools, list(_lines(folder / "queries.jsonl", Query)))


def _lines(file: Path, kind: type[Line]) -> Iterator[Line]:
    decoder = msgspec.json.Decoder(kind)
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        if line.strip():
            try:
                yield decoder.decode(line)
            except msgspec.MsgspecError as error:
                raise DatasetError(f"{file}, line {number}: {error}") from error
