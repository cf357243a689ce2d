"""Which tools stood in each request of a run: what was declared, and what was loaded. Pure.

The rules are those by which a request's prompt is read back: entries before a request count; where no
resident tool was declared before it, the first later list of resident tools holds; a definition may come
later in the log. A loaded tool is a deferred one that was activated and not unloaded since.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from harness.tools import server_of
from observability import identity
from observability.models.links import NO_LIST

GONE = "removed"
LOADED = "loaded"


@dataclass(frozen=True, slots=True)
class Listed:
    """A tool in a list."""

    tool: str
    state: str
    definition: bytes | None = None
    server: str = ""
    group: str = ""
    listing: str = ""

    @property
    def place(self) -> tuple[str, ...]:
        """Orders the tools of a list, and tells two lists apart."""
        definition = self.definition.hex() if self.definition else ""
        return self.tool, self.state, definition, self.server, self.group, self.listing


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool's state from a point of the run on; an empty tool starts the list of that state anew."""

    seq: int
    listed: Listed


@dataclass(frozen=True, slots=True)
class Loading:
    """A tool that was activated."""

    seq: int
    tool: str


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A rewrite of the context and the tools that it kept loaded (None: not said)."""

    seq: int
    kind: str
    kept: tuple[str, ...] | None = None


Step = Entry | Loading | Rewriting
Members = tuple[Listed, ...]


@dataclass
class RunTools:
    """What is stored of a run's tools, in any order."""

    entries: list[Entry] = field(default_factory=list)
    loadings: list[Loading] = field(default_factory=list)
    rewritings: list[Rewriting] = field(default_factory=list)


@dataclass
class Lists:
    """The lists met, by their names."""

    members: dict[int, Members] = field(default_factory=dict)

    def name(self, tools: Iterable[Listed]) -> int:
        """The name of a list; NO_LIST for an empty one."""
        members = tuple(sorted(tools, key=attrgetter("place")))
        if not members:
            return NO_LIST
        number = identity.key("tools", *(part for each in members for part in each.place))
        self.members[number] = members
        return number


def lists_at(of_run: RunTools, seqs: Sequence[int], lists: Lists) -> list[tuple[int, int]]:
    """For requests at these places, in rising order, the names of their lists: declared, loaded."""
    walk = _Walk(of_run)
    found: list[tuple[int, int]] = []
    last: tuple[int, int] | None = None
    for seq in seqs:
        if walk.advance(seq) or last is None:
            last = lists.name(walk.declared()), lists.name(walk.loaded_tools())
        found.append(last)
    return found


class _Walk:
    """A run's tools at a place that only moves forward."""

    def __init__(self, of_run: RunTools) -> None:
        self.entries = sorted(of_run.entries, key=lambda e: (e.seq, e.listed.tool != "", e.listed.place))
        rest: list[Step] = [*of_run.loadings, *of_run.rewritings]
        self.steps: list[Step] = sorted([*self.entries, *rest], key=_order)
        self.next = 0
        self.tools: dict[str, Listed] = {}
        self.loaded: dict[str, None] = {}
        self.definitions: dict[str, bytes] = {}
        for entry in self.entries:
            if entry.listed.definition:
                self.definitions.setdefault(entry.listed.tool, entry.listed.definition)
        self.early = self._first_residents()

    def _first_residents(self) -> list[Entry]:
        """The first list of resident tools: it holds until an entry of that state is passed."""
        first = next((entry.seq for entry in self.entries if entry.listed.state == "resident"), None)
        return [e for e in self.entries if e.seq == first and e.listed.state == "resident"]

    def advance(self, seq: int) -> bool:
        """Take all that came before a request; whether there was anything."""
        start = self.next
        while self.next < len(self.steps) and self.steps[self.next].seq < seq:
            self._take(self.steps[self.next])
            self.next += 1
        return self.next > start

    def _take(self, step: Step) -> None:
        if isinstance(step, Entry):
            if step.listed.state == "resident":
                self.early = []
            self._declare(self.tools, step)
        elif isinstance(step, Loading):
            self.loaded[step.tool] = None
        elif step.kept is not None:
            self.loaded = dict.fromkeys(step.kept)
        elif step.kind in ("clear", "compaction"):
            self.loaded = {}

    def _declare(self, tools: dict[str, Listed], step: Entry) -> None:
        new = step.listed
        if not new.tool:
            for name, known in tools.items():
                if known.state == new.state:
                    tools[name] = replace(known, state=GONE)
                    self.loaded.pop(name, None)
            return
        known = tools.get(new.tool, new)
        tools[new.tool] = Listed(
            tool=new.tool,
            state=new.state,
            definition=new.definition or known.definition,
            server=new.server or known.server or server_of(new.tool),
            group=new.group or known.group,
            listing=new.listing or known.listing,
        )
        if new.state == GONE:
            self.loaded.pop(new.tool, None)

    def declared(self) -> Iterable[Listed]:
        """The tools on the surface, each with the best definition that the run has."""
        here = self._here()
        return [
            replace(tool, definition=tool.definition or self.definitions.get(tool.tool))
            for tool in here.values()
            if tool.state != GONE
        ]

    def loaded_tools(self) -> Iterable[Listed]:
        """The deferred tools that are loaded; of one that was never declared only the name is known."""
        here = self._here()
        for name in self.loaded:
            known = here.get(name, Listed(tool=name, state="deferred", server=server_of(name)))
            if known.state == "deferred":
                yield replace(known, state=LOADED, definition=known.definition or self.definitions.get(name))

    def _here(self) -> dict[str, Listed]:
        if not self.early:
            return self.tools
        here: dict[str, Listed] = {}
        for entry in self.early:
            if entry.listed.tool:
                self._declare(here, entry)
        return here | self.tools


def _order(step: Step) -> tuple[int, int, bool, tuple[str, ...]]:
    if isinstance(step, Entry):
        return step.seq, 0, step.listed.tool != "", step.listed.place
    if isinstance(step, Loading):
        return step.seq, 1, False, (step.tool,)
    return step.seq, 2, False, (step.kind, str(step.kept))
