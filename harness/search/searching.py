"""What a search answers: which tools match, and text for the model that says so, or says that nothing was found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import msgspec

from harness import wire
from harness.catalogue.names import RESERVED
from harness.runlog import SearchForm
from harness.search.queries import Asked, understood
from harness.search.ranker import Hit, Ranker, by_name
from harness.search.suggesting import groups, near_names, near_words
from harness.search.tool import MOST, USUAL
from harness.tools import ToolSpec

FAR_BEHIND: Final = 0.4
"""Matches with less than this share of the best score are left out: each one that is loaded costs tokens."""
LONGEST_DESCRIPTION: Final = 300
MOST_ARGUMENTS: Final = 40
LOADED: Final = "The matches are loaded. If none fits, search again in other words, or with a higher limit."
DESCRIBED: Final = "Call a match by its name. If none fits, search again in other words, or with a higher limit."


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that was found. `arguments` says for each what type it has and whether it must be there."""

    name: str
    description: str
    arguments: dict[str, str]
    already_loaded: bool
    score: float


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a search. It is a miss where `matches` is empty."""

    query: str
    form: SearchForm
    limit: int
    matches: tuple[Match, ...]
    tools_searched: int
    hint: str
    pending_servers: tuple[str, ...] = ()
    failed_servers: tuple[str, ...] = ()
    loads: bool = True
    """False for a search that only describes."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the matches, best first."""
        return tuple(match.name for match in self.matches)

    @property
    def to_load(self) -> tuple[str, ...]:
        """Those of them that are yet to be loaded."""
        return tuple(match.name for match in self.matches if self.loads and not match.already_loaded)

    @property
    def text(self) -> str:
        """The result for the model, as JSON."""
        matches = [self._shown(match) for match in self.matches]
        shown = {"query": self.query, "matches": matches, "tools_searched": self.tools_searched, "hint": self.hint}
        return wire.dumps(shown).decode()

    def _shown(self, match: Match) -> dict[str, Any]:
        shown = {"name": match.name, "description": match.description, "arguments": match.arguments}
        return {**shown, "already_loaded": match.already_loaded} if self.loads else shown


def search_tools(
    ranker: Ranker,
    query: str,
    *,
    limit: int = USUAL,
    loaded: Collection[str] = (),
    pending_servers: Sequence[str] = (),
    failed_servers: Sequence[str] = (),
) -> Found:
    """Find tools that are to be loaded. `loaded` names those whose schemas the model has: residents and loaded ones.

    `limit` is brought into 1 to 25. Servers that are pending or failed are named where nothing is found.
    """
    answer = _Answer(ranker, query, limit)
    return answer.found(loads=True, loaded=loaded, pending=tuple(pending_servers), failed=tuple(failed_servers))


def search_tool_bm25(
    ranker: Ranker,
    query: str,
    *,
    limit: int = USUAL,
    pending_servers: Sequence[str] = (),
    failed_servers: Sequence[str] = (),
) -> Found:
    """The same search for a client that loads nothing: it only describes the matches."""
    answer = _Answer(ranker, query, limit)
    return answer.found(loads=False, loaded=(), pending=tuple(pending_servers), failed=tuple(failed_servers))


class _Answer:
    """One search: what was asked, which tools there are, what was found."""

    def __init__(self, ranker: Ranker, query: str, limit: int) -> None:
        self._ranker = ranker
        self._query = query
        self._limit = min(max(limit, 1), MOST)
        self._asked = understood(query)
        self._tools = [tool for tool in ranker.tools if tool.name not in RESERVED]
        self._hits = self._selected() if self._asked.form == "select" else self._ranked()

    def found(
        self, *, loads: bool, loaded: Collection[str], pending: tuple[str, ...], failed: tuple[str, ...]
    ) -> Found:
        hits = self._hits[: self._limit]
        return Found(
            query=self._query,
            form=self._asked.form,
            limit=self._limit,
            matches=tuple(_match(hit, already_loaded=hit.tool.name in loaded) for hit in hits),
            tools_searched=len(self._tools),
            hint=" ".join([*self._notes(loads=loads), *(() if hits else _absent(pending, failed))]),
            pending_servers=pending,
            failed_servers=failed,
            loads=loads,
        )

    def _selected(self) -> list[Hit]:
        known = by_name(self._tools)
        tools = [known[name.casefold()] for name in self._asked.names if name.casefold() in known]
        return [Hit(tool, 1.0) for number, tool in enumerate(tools) if tool not in tools[:number]]

    def _ranked(self) -> list[Hit]:
        hits = [
            hit for hit in self._ranker.search(self._asked.words, len(self._ranker.tools)) if self._admits(hit.tool)
        ]
        least = hits[0].score * FAR_BEHIND if hits else 0.0
        return [hit for hit in hits if hit.score >= least]

    def _admits(self, tool: ToolSpec) -> bool:
        name = tool.name.casefold()
        return tool.name not in RESERVED and all(word in name for word in self._asked.required)

    # What the model is told ------------------------------------------------------

    def _notes(self, *, loads: bool) -> list[str]:
        notes = [LOADED if loads else DESCRIBED] if self._hits else self._missed()
        over = len(self._hits) - self._limit
        if over > 0:
            notes.append(f"{over} more matched; limit is {self._limit}.")
        if self._hits and self._asked.form == "select":
            notes += _unknown(self._asked, self._tools)
        return notes

    def _missed(self) -> list[str]:
        if not self._tools:
            return ["There are no tools to search yet."]
        notes = [
            f"Nothing was found among {len(self._tools)} tools."
            " This does not mean that there is no tool for it: say it in other words,"
            " or search for the wider task, or for the thing that it is about."
        ]
        if self._asked.form == "select":
            return notes + _unknown(self._asked, self._tools)
        if self._asked.required:
            notes.append("A word with + must be in a tool's name: leave the + out to search everything.")
        near = near_words(self._asked.words, self._tools)
        if near:
            notes.append(f"Tools here use these words: {', '.join(near)}.")
        titles = groups(self._tools)
        return [*notes, f"Tools are grouped under: {', '.join(titles)}."] if titles else notes


def _unknown(asked: Asked, tools: Sequence[ToolSpec]) -> list[str]:
    """A sentence for each name that no tool has, with those that it may have been meant for."""
    known = by_name(tools)
    notes = []
    for name in asked.names[:MOST]:
        if name.casefold() not in known:
            near = near_names(name, tools)
            notes.append(f"No tool is named {name[:80]!r}." + (f" Close: {', '.join(near)}." if near else ""))
    return notes


def _absent(pending: Sequence[str], failed: Sequence[str]) -> list[str]:
    """What could not be searched."""
    notes = []
    if pending:
        notes.append(f"Still connecting, so not searched yet: {', '.join(pending)}. Search again in a moment.")
    if failed:
        notes.append(f"Failed, so not searched: {', '.join(failed)}.")
    return notes


def _match(hit: Hit, *, already_loaded: bool) -> Match:
    return Match(
        name=hit.tool.name,
        description=_first_words(hit.tool.description),
        arguments=_arguments(hit.tool.input_schema),
        already_loaded=already_loaded,
        score=round(hit.score, 4),
    )


def _first_words(description: str) -> str:
    text = " ".join(description[: LONGEST_DESCRIPTION * 4].split())
    return text if len(text) <= LONGEST_DESCRIPTION else f"{text[: LONGEST_DESCRIPTION - 1].rstrip()}…"


def _arguments(schema: dict[str, Any]) -> dict[str, str]:
    named = schema.get("properties")
    if not isinstance(named, dict):
        return {}
    listed = schema.get("required")
    required = listed if isinstance(listed, list) else []
    return {
        str(key): _type(described) + (", required" if key in required else "")
        for key, described in list(named.items())[:MOST_ARGUMENTS]
    }


def _type(described: Any) -> str:
    kind = described.get("type") if isinstance(described, dict) else None
    if isinstance(kind, list):
        return " or ".join(map(str, kind))
    return kind if isinstance(kind, str) else "any"
