"""The tables of tools: resident, loaded, deferred by server, and the others; with what deferral saves here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from explorer.queries.composition import Composition
from explorer.queries.definitions import Where
from explorer.queries.tool_sizes import SizedTool
from observability.figures import counted, number
from observability.models import Conversation

SHOWN: Final = 9
"""Resident tools shown before the rest is folded away."""
OF_SERVER: Final = 4
"""Deferred tools of a server shown before the rest is folded away."""
BUILT_IN: Final = "built in"
WHERE: Final[dict[Where, str]] = {
    "run": "from this log",
    "conversation": "from another run of this conversation",
    "project": "from another conversation of this project",
    "elsewhere": "from a log of another project",
    "catalogue": "from a recorded catalogue",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    """The deferred tools of a server. Sums leave out what is unknown; `held_back` also what was loaded."""

    name: str
    tools: list[SizedTool]
    shown: list[SizedTool]
    index: int
    schema: int | None
    held_back: int | None
    loaded: int

    @property
    def rest(self) -> int:
        """How many of its tools are not shown."""
        return len(self.tools) - len(self.shown)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tools:
    """All that the page says of tools. `saved` is the sum of what is held back, None where no schema is known."""

    resident: list[SizedTool]
    more_resident: list[SizedTool]
    resident_tokens: int
    resident_share: Decimal | None
    more_tokens: int
    loaded: list[SizedTool]
    loaded_tokens: int
    deferred: list[Server]
    index_tokens: int
    schema_tokens: int | None
    saved: int | None
    others: list[SizedTool]
    unknown: int
    sources: list[str]
    origins: list[tuple[Conversation, int]]
    words: str

    @property
    def all_resident(self) -> int:
        """What all schemas that are known would take."""
        return self.resident_tokens + (self.schema_tokens or 0)

    @property
    def sent(self) -> int:
        """What tools take as they are: resident and loaded schemas, and the index."""
        return self.resident_tokens + self.index_tokens + self.loaded_tokens

    @property
    def resident_names(self) -> int:
        """How many tools are resident."""
        return len(self.resident) + len(self.more_resident)

    @property
    def resident_calls(self) -> int:
        """How often resident tools were called in the run."""
        return sum(each.tool.calls for each in (*self.resident, *self.more_resident))

    @property
    def lines_tokens(self) -> int:
        """Tokens of the lines that stand for deferred tools, without what stands around them."""
        return sum(server.index for server in self.deferred)

    @property
    def held_names(self) -> int:
        """How many deferred tools are held back and have a known schema."""
        return sum(
            each.held_back is not None and each.tool.state == "deferred"
            for server in self.deferred
            for each in server.tools
        )

    @property
    def names(self) -> int:
        """How many names are deferred, loaded ones among them."""
        return sum(len(server.tools) for server in self.deferred)


def tools(now: Composition, open_server: str = "") -> Tools:
    """The tables of a request. All tools of `open_server` are shown."""
    resident = sorted(now.of("resident"), key=_by_size)
    loaded = sorted(now.of("loaded", "unsure"), key=lambda each: each.tool.loading.seq if each.tool.loading else 0)
    listed = now.of("deferred", "loaded", "unsure")
    held = [each.held_back for each in now.of("deferred") if each.held_back is not None]
    index = now.account.category("index")
    shown = SHOWN if len(resident) > SHOWN + 2 else len(resident)
    return Tools(
        resident=resident[:shown],
        more_resident=resident[shown:],
        resident_tokens=_schemas(resident),
        resident_share=now.account.share(_schemas(resident)),
        more_tokens=_schemas(resident[shown:]),
        loaded=loaded,
        loaded_tokens=_schemas([each for each in loaded if each.tool.state == "loaded"]),
        deferred=_servers(listed, open_server),
        index_tokens=index.count.tokens if index else 0,
        schema_tokens=_schemas(listed) if any(each.schema for each in listed) else None,
        saved=sum(held) if held else None,
        others=now.of("withheld", "denied", "removed"),
        unknown=sum(each.schema is None for each in listed),
        sources=_sources(listed),
        origins=_origins(listed),
        words=_words(now),
    )


def _by_size(each: SizedTool) -> tuple[int, str]:
    return -(each.schema.tokens if each.schema else 0), each.tool.name


def _schemas(tools: Sequence[SizedTool]) -> int:
    return sum(each.schema.tokens for each in tools if each.schema)


def _servers(listed: Sequence[SizedTool], open_server: str) -> list[Server]:
    members: dict[str, list[SizedTool]] = {}
    for each in listed:
        members.setdefault(each.tool.server or BUILT_IN, []).append(each)
    servers = [_server(name, some, whole=name == open_server) for name, some in members.items()]
    return sorted(servers, key=lambda server: (-(server.schema or 0), -len(server.tools), server.name))


def _server(name: str, members: list[SizedTool], *, whole: bool) -> Server:
    ordered = sorted(members, key=_by_size)
    shown = len(ordered) if whole or len(ordered) <= OF_SERVER + 1 else OF_SERVER
    held = [each.held_back for each in members if each.held_back is not None and each.tool.state == "deferred"]
    return Server(
        name=name,
        tools=ordered,
        shown=ordered[:shown],
        index=sum(each.index.tokens for each in members),
        schema=_schemas(members) if any(each.schema for each in members) else None,
        held_back=sum(held) if held else None,
        loaded=sum(each.tool.state == "loaded" for each in members),
    )


def _sources(listed: Sequence[SizedTool]) -> list[str]:
    """Where schemas come from, in words, each with its number."""
    counts = Counter(each.definition.where for each in listed if each.definition and each.schema)
    found = [f"{number(counts[where])} {words}" for where, words in WHERE.items() if counts[where]]
    unknown = sum(each.schema is None for each in listed)
    return [*found, f"{number(unknown)} in no log"] if unknown else found


def _origins(listed: Sequence[SizedTool]) -> list[tuple[Conversation, int]]:
    """The conversations that schemas come from, with how many each gave."""
    counts: Counter[int] = Counter()
    known = {}
    for each in listed:
        origin = each.definition.conversation if each.definition else None
        if origin:
            counts[origin.id] += 1
            known[origin.id] = origin
    return [(known[key], count) for key, count in counts.most_common()]


def _words(now: Composition) -> str:
    """The surface in one sentence."""
    counts = Counter(sized.tool.state for sized in now.tools.values())
    deferred = counts["deferred"] + counts["loaded"] + counts["unsure"]
    resident = (
        f"{number(counts['resident'])} resident" if now.surface.resident_known else "resident ones not in this log"
    )
    parts = [resident, f"{number(deferred)} deferred, of which {number(counts['loaded'])} loaded"]
    parts += [f"{number(counts[state])} {state}" for state in ("withheld", "denied", "removed") if counts[state]]
    on = sum(count for state, count in counts.items() if state != "removed")
    return f"{counted(on, 'name')} on the surface: {', '.join(parts)}."
