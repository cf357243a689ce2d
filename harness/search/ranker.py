"""Ranks tools for a task in natural language. docs/search.md has the method and its figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
import numpy as np

from harness.search.clauses import LONGEST, clauses
from harness.search.documents import document
from harness.search.index import Index, Scores
from harness.search.stemming import stem
from harness.search.synonyms import STAND_INS
from harness.search.words import split, telling
from harness.tools import ToolSpec

SEEN: Final = 0.1
"""The weight of a word's stand-ins where tools use the word itself."""
UNSEEN: Final = 0.4
"""Their weight where no tool uses the word."""
HIGHEST: Final = 2.0
"""The most that a tool can score by its words."""
FEWEST_TERMS: Final = 3
"""A clause with fewer terms belongs to the clause before it."""

Weights = dict[str, float]


class Hit(msgspec.Struct, frozen=True):
    """One tool that was found. Scores of one search compare with each other, not with those of another."""

    tool: ToolSpec
    score: float


class Ranker:
    """An index of tools. What is not among them cannot be found, so a denied tool must not be given."""

    def __init__(self, tools: Iterable[ToolSpec]) -> None:
        self.tools = tuple(sorted(tools, key=lambda tool: (tool.name, tool.server, tool.description)))
        self.index = Index([document(tool) for tool in self.tools])
        self._numbers = {_plain(tool.name): number for number, tool in reversed(list(enumerate(self.tools)))}

    def search(self, query: str, limit: int = 5) -> list[Hit]:
        """The best tools, best first; equal ones by name. A tool that the query names stands before all others."""
        scores = self._scores(query)
        for place, number in enumerate(reversed(self._named(query)), start=1):
            scores[number] = HIGHEST + place
        # A stable sort of a short list: what equals the last one that is wanted is all in it.
        least = np.partition(scores, -limit)[-limit] if 0 < limit < len(scores) else 0.0
        wanted = np.flatnonzero((scores >= least) & (scores > 0))
        order = wanted[np.argsort(-scores[wanted], kind="stable")][: max(limit, 0)]
        return [Hit(self.tools[number], float(scores[number])) for number in order]

    def terms(self, query: str) -> Weights:
        """The terms that a query is ranked by, with their weights; stand-ins weigh less than what was asked."""
        asked = dict.fromkeys(self._asked(query), 1.0)
        weights = dict(asked)
        for term in asked:
            for other, weight in self._stand_ins(term):
                if other not in asked:
                    weights[other] = max(weight, weights.get(other, 0.0))
        return weights

    def _scores(self, query: str) -> Scores:
        """Each step's best tool counts as much as any other step's: the best share of a step, plus that of the whole."""
        steps = self._steps(query)
        whole: Weights = {}
        highest = self.index.score(whole)
        for step in steps:
            for term, weight in step.items():
                whole[term] = max(weight, whole.get(term, 0.0))
            np.maximum(highest, _shares(self.index.score(step)), out=highest)
        return highest + _shares(self.index.score(whole))

    def _steps(self, query: str) -> list[Weights]:
        steps: list[Weights] = []
        for clause in clauses(query):
            weights = self.terms(clause)
            if steps and len(weights) < FEWEST_TERMS:
                steps[-1] |= weights
            elif weights:
                steps.append(weights)
        return steps

    def _asked(self, query: str) -> Iterable[str]:
        """The terms of a query, and the words that tools write in one: "air quality" also finds "airquality"."""
        before = ""
        for pieces in split(query):
            for piece in pieces:
                joined = stem(before + piece)
                if before and joined in self.index.postings:
                    yield joined
                if telling(piece):
                    yield stem(piece)
                before = piece

    def _stand_ins(self, term: str) -> Iterable[tuple[str, float]]:
        """A stand-in never counts for more than the word that was asked for, however rare it is."""
        rarity = self.index.rarity
        weight = SEEN if term in rarity else UNSEEN
        for other in STAND_INS.get(term, ()):
            if other in rarity:
                yield other, weight * min(1.0, rarity.get(term, self.index.unseen) / rarity[other])

    def _named(self, query: str) -> list[int]:
        """The tools whose exact names the query is, or holds as words that are no ordinary words."""
        whole = self._numbers.get(_plain(query))
        if whole is not None:
            return [whole]
        words = (word.strip("`'\"()[],.;:!?") for word in query[:LONGEST].split())
        found = (self._numbers.get(_plain(word)) for word in words if _is_identifier(word))
        return list(dict.fromkeys(number for number in found if number is not None))


def _plain(name: str) -> str:
    return name.strip().casefold()


def _is_identifier(word: str) -> bool:
    """Whether a word can only be a name: it has a separator or a capital inside."""
    return any(sign in word[1:-1] for sign in "_.-") or any(letter.isupper() for letter in word[1:])


def _shares(scores: Scores) -> Scores:
    """Scores as shares of the best one."""
    best = scores.max(initial=0.0)
    return scores / best if best else scores


def by_name(tools: Sequence[ToolSpec]) -> dict[str, ToolSpec]:
    """Tools by their names without regard to case; of two that differ in case only, the first."""
    return {_plain(tool.name): tool for tool in reversed(tools)}
