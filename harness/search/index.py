"""An inverted index whose postings hold finished scores, so that a search only adds numbers up.

A term's weight in a tool is BM25F with the lower bound of BM25+: the fields' frequencies, each
divided by the field's length, are added up with the fields' weights, and saturate together.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from harness.search.documents import FIELDS, Field

WEIGHTS: Final[dict[Field, float]] = {
    "name": 8.0,
    "label": 2.0,
    "description": 3.0,
    "keys": 1.0,
    "key_descriptions": 0.6,
    "values": 0.5,
}
LENGTH: Final = 0.75
"""How far a field's length counts: 0 not at all, 1 in full (the b of BM25)."""
SATURATION: Final = 4.0
"""The k1 of BM25, for weighted frequencies."""
PRESENCE: Final = 1.0
"""What a term is worth for being there at all (the δ of BM25+)."""

Document = Mapping[Field, Sequence[str]]
Scores = NDArray[np.float64]
"""A score for each document, by its number."""


class Index:
    """Terms to the numbers of the documents that hold them, with their scores."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.size = len(documents)
        self.unseen = rarity(0, self.size)
        """The rarity of a term that no document holds."""
        self.rarity: dict[str, float] = {}
        self.postings: dict[str, tuple[NDArray[np.intp], Scores]] = {}
        for term, holders in _holders(documents).items():
            frequencies = np.fromiter(holders.values(), np.float64)
            self.rarity[term] = rarity(len(holders), self.size)
            gains = PRESENCE + frequencies * (SATURATION + 1) / (frequencies + SATURATION)
            self.postings[term] = (np.fromiter(holders, np.intp), self.rarity[term] * gains)

    def score(self, weights: Mapping[str, float]) -> Scores:
        """The score of each document: the sum over the terms that it holds, each times its weight."""
        found = [(*self.postings[term], weight) for term, weight in weights.items() if term in self.postings]
        if not found:
            return np.zeros(self.size)
        numbers = np.concatenate([numbers for numbers, _, _ in found])
        gains = np.concatenate([gains * weight for _, gains, weight in found])
        return np.bincount(numbers, gains, self.size).astype(np.float64, copy=False)


def rarity(count: int, size: int) -> float:
    """The inverse document frequency of a term that `count` of `size` documents hold. Never negative."""
    return math.log(1 + (size - count + 0.5) / (count + 0.5))


def _holders(documents: Sequence[Document]) -> dict[str, dict[int, float]]:
    """For each term the documents that hold it, with its weighted frequency over all their fields."""
    usual = {field: _usual_length([len(each[field]) for each in documents]) for field in FIELDS}
    holders: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for number, each in enumerate(documents):
        for field in FIELDS:
            share = WEIGHTS[field] / (1 - LENGTH + LENGTH * len(each[field]) / usual[field])
            for term in each[field]:
                frequencies = holders[term]
                frequencies[number] = frequencies.get(number, 0.0) + share
    return holders


def _usual_length(lengths: Sequence[int]) -> float:
    """The mean over the documents that have the field: where most have none, one is not long for having it."""
    filled = [length for length in lengths if length]
    return sum(filled) / len(filled) if filled else 1.0
