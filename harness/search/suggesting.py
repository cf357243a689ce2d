"""What a search that found nothing may suggest: words, names and titles that the tools do have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Final

from harness.search.stemming import stem
from harness.search.synonyms import STAND_INS
from harness.search.words import split, telling
from harness.tools import ToolSpec

MOST_ASKED: Final = 8
"""Words of a query that are looked at."""
MOST: Final = 8
"""Suggestions of a kind."""
LONGEST: Final = 4_000
"""Characters of a tool's description that are looked at."""


def near_words(query: str, tools: Sequence[ToolSpec]) -> list[str]:
    """Words of the tools that look like those of the query, or may stand for them."""
    words = _vocabulary(tools)
    by_initial: dict[str, list[str]] = {}
    by_stem: dict[str, str] = {}
    for word in words:
        by_initial.setdefault(word[0], []).append(word)
        by_stem.setdefault(stem(word), word)
    found: list[str] = []
    for asked in list(dict.fromkeys(_telling(query)))[:MOST_ASKED]:
        found += (by_stem[other] for other in STAND_INS.get(stem(asked), ()) if other in by_stem)
        found += get_close_matches(asked, by_initial.get(asked[0], []), n=2, cutoff=0.75)
    return list(dict.fromkeys(found))[:MOST]


def near_names(name: str, tools: Sequence[ToolSpec]) -> list[str]:
    """Names of tools that look like a name."""
    return get_close_matches(name[:100], [tool.name for tool in tools], n=3, cutoff=0.6)


def groups(tools: Sequence[ToolSpec]) -> list[str]:
    """The titles that most tools are grouped under, or their servers where they have none."""
    titles = Counter(title for tool in tools if (title := tool.group or tool.server))
    return sorted(titles, key=lambda title: (-titles[title], title))[:MOST]


def _vocabulary(tools: Sequence[ToolSpec]) -> list[str]:
    """The words of names, titles and descriptions, the most frequent first."""
    words = Counter(
        word for tool in tools for word in _telling(f"{tool.name} {tool.group} {tool.description[:LONGEST]}")
    )
    return sorted(words, key=lambda word: (-words[word], word))


def _telling(text: str) -> Iterator[str]:
    return (piece for pieces in split(text) for piece in pieces if telling(piece))
