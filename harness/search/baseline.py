"""A plain BM25+ ranker, fixed for good: what `bench-search` measures the harness's ranker against.

Nothing else uses it. k1 1.2, b 0.75, δ 1; the name counts 10 times, the description twice, the
keys of the schema once; camelCase is split in tools; lower case, English stop words, no stemming.
Where that leaves a choice, this is the reading that gives the published figures: the three fields
are one bag of words, whose length is counted with the weights; only the topmost keys of a schema
count; each word of a query counts once, as it is written, and the order of tools breaks ties.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from harness.search.ranker import Hit
from harness.tools import ToolSpec

_SAY_NOTHING: Final = """
a an and are as at be by can do does for from has have how i in is it its me my of on or please that the this to
was what when where which who will with you your
"""
STOP_WORDS: Final = frozenset(_SAY_NOTHING.split())
K1: Final = 1.2
B: Final = 0.75
DELTA: Final = 1.0
NAME: Final = 10
DESCRIPTION: Final = 2
KEY: Final = 1

_WORD: Final = re.compile(r"[^\W_]+")
_LOWER_THEN_UPPER: Final = re.compile(r"([a-z0-9])([A-Z])")
_ACRONYM_THEN_WORD: Final = re.compile(r"([A-Z]+)([A-Z][a-z])")


class Baseline:
    """An index of tools, ranked by plain BM25+."""

    def __init__(self, tools: Iterable[ToolSpec]) -> None:
        self.tools = tuple(tools)
        bags = [_bag(tool) for tool in self.tools]
        lengths = [bag.total() for bag in bags]
        usual = sum(lengths) / (len(lengths) or 1)
        holders = Counter(word for bag in bags for word in bag)
        self.postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, bag in enumerate(bags):
            slowness = K1 * (1 - B + B * lengths[number] / (usual or 1))
            for word, count in bag.items():
                rarity = math.log(1 + (len(bags) - holders[word] + 0.5) / (holders[word] + 0.5))
                self.postings[word].append((number, rarity * (DELTA + count * (K1 + 1) / (count + slowness))))

    def search(self, query: str, limit: int = 5) -> list[Hit]:
        """The best tools, best first."""
        scores: defaultdict[int, float] = defaultdict(float)
        for word in dict.fromkeys(_words(query)):
            for number, score in self.postings.get(word, ()):
                scores[number] += score
        best: Sequence[int] = sorted(scores, key=lambda number: (-scores[number], number))[:limit]
        return [Hit(self.tools[number], scores[number]) for number in best]


def _bag(tool: ToolSpec) -> Counter[str]:
    bag: Counter[str] = Counter()
    keys = " ".join(tool.input_schema.get("properties") or ())
    for text, weight in ((tool.name, NAME), (tool.description, DESCRIPTION), (keys, KEY)):
        for word in _words(_spaced(text)):
            bag[word] += weight
    return bag


def _spaced(text: str) -> str:
    return _ACRONYM_THEN_WORD.sub(r"\1 \2", _LOWER_THEN_UPPER.sub(r"\1 \2", text))


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]
