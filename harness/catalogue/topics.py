"""The title that a tool stands under in the index, where nobody has given it one.

A server of a hundred tools under one title is a heap. The words of a tool's name tell what it is
about well enough to sort it; where they do not, the server's name is the title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from harness.catalogue.names import shown

TOPICS: Final[Mapping[str, frozenset[str]]] = {
    title: frozenset(words.split())
    for title, words in {
        "Security": "advisory advisories alert alerts dependabot scanning vulnerability vulnerabilities",
        "Pull requests and reviews": "merge pull review reviewer reviewers reviews",
        "Tickets and projects": "board epic issue issues label labels milestone project projects sprint ticket tickets",
        "Runs and pipelines": "action actions build builds deploy deployment job jobs pipeline pipelines workflow workflows",
        "Memory and knowledge": "entities entity graph knowledge memories memory node nodes observations relations wiki",
        "Browser": "browser screenshot tab tabs",
        "People and messages": "channel contact discussion discussions email mail me message messages notification"
        " notifications org orgs team teams user users",
        "Code and repositories": "blame branch branches code commit commits gist gists release releases repositories"
        " repository tag tags",
        "Files": "directories directory file files folder folders",
    }.items()
}
"""Titles in the order in which they are tried: the first that shares a word with the name."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def title_of(name: str, server: str) -> str:
    """The title for a tool: its topic, or else its server's name in words."""
    words = {word.lower() for word in _WORD.findall(name)}
    topic = next((title for title, about in TOPICS.items() if words & about), None)
    return topic or in_words(server)


def in_words(server: str) -> str:
    """A server's name in words, such as "Issue tracker" for issue_tracker."""
    words = shown(re.sub(r"[_\-.]+", " ", server))
    return words[:1].upper() + words[1:]
