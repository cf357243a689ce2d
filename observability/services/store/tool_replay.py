"""A run's tools through time: what each search found, and what loaded each deferred tool. Pure.

A search that returns a deferred tool loads it; one that returns a resident tool loads nothing.
A call of a deferred tool that was not loaded, and whose result is no error, loaded it: client
versions differ in what they say of such calls, so the outcome decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from observability.enums import SearchOutcome


@dataclass(frozen=True, slots=True)
class SurfaceStep:
    """A tool's state from here on; an empty tool starts the list of that state anew."""

    seq: int
    tool: str
    state: str

    @property
    def tie(self) -> str:
        """Orders steps of one place: a list starts anew before its tools are named."""
        return f"{self.tool}\n{self.state}" if self.tool else ""


@dataclass(frozen=True, slots=True)
class RewriteStep:
    """A rewrite, and the names that stay loaded (None: not said)."""

    seq: int
    kept: tuple[str, ...] | None
    at: datetime | None = None

    @property
    def tie(self) -> str:
        """Orders steps of one place."""
        return str(self.kept)


@dataclass(frozen=True, slots=True)
class SearchStep:
    """A search and the names it returned (None: no result yet)."""

    seq: int
    key: int
    query: str
    form: str
    matches: tuple[str, ...] | None
    error: str
    at: datetime | None = None

    @property
    def tie(self) -> str:
        """Orders steps of one place."""
        return str(self.key)


@dataclass(frozen=True, slots=True)
class CallStep:
    """A call that ended well."""

    seq: int
    tool: str

    @property
    def tie(self) -> str:
        """Orders steps of one place."""
        return self.tool


@dataclass(frozen=True, slots=True)
class LoadStep:
    """A loading that the log itself tells of."""

    seq: int
    tool: str

    @property
    def tie(self) -> str:
        """Orders steps of one place."""
        return self.tool


Step = SurfaceStep | RewriteStep | SearchStep | CallStep | LoadStep
_RANK: dict[type, int] = {SurfaceStep: 0, RewriteStep: 1, LoadStep: 2, SearchStep: 3, CallStep: 4}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A tool that was loaded, by what, and by which search."""

    tool: str
    trigger: str
    seq: int
    search_key: int | None = None
    at: datetime | None = None
    """When; of a direct call the caller knows."""


@dataclass
class Replay:
    """The result: loadings in order, and of each search its outcome and the names it missed."""

    loaded: list[Loaded] = field(default_factory=list)
    outcomes: dict[int, tuple[str, list[str]]] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    active: set[str] = field(default_factory=set)
    fresh: dict[str, int] = field(default_factory=dict)
    """State → `seq` at which its list last started anew."""


def replay(steps: Iterable[Step]) -> Replay:
    """Walk the steps in the order of their `seq`."""
    ordered = sorted(steps, key=lambda step: (step.seq, _RANK[type(step)], step.tie))
    result = Replay(states=_first_states(ordered))
    for step in ordered:
        _take(result, step)
    return result


def _first_states(ordered: list[Step]) -> dict[str, str]:
    """Clients write down the tools after the first response: the first list of a state holds from the start."""
    first: dict[str, int] = {}
    states: dict[str, str] = {}
    for step in ordered:
        if not isinstance(step, SurfaceStep) or not step.tool or step.state == "removed":
            continue
        if first.setdefault(step.state, step.seq) == step.seq:
            states.setdefault(step.tool, step.state)
    return states


def _take(result: Replay, step: Step) -> None:
    match step:
        case SurfaceStep():
            _surface(result, step)
        case RewriteStep(kept=kept) if kept is not None:
            fresh = dict.fromkeys(name for name in kept if name not in result.active)
            result.loaded += [Loaded(name, "unknown", step.seq, at=step.at) for name in fresh]
            result.active = set(kept)
        case LoadStep():
            result.active.add(step.tool)
        case SearchStep():
            _search(result, step)
        case CallStep() if result.states.get(step.tool) == "deferred":
            _load(result, Loaded(step.tool, "direct_call", step.seq))
        case _:
            pass


def _surface(result: Replay, step: SurfaceStep) -> None:
    if not step.tool:
        for tool in [tool for tool, state in result.states.items() if state == step.state]:
            del result.states[tool]
        result.fresh[step.state] = step.seq
    elif step.state == "removed":
        result.states.pop(step.tool, None)
        result.active.discard(step.tool)
    else:
        result.states[step.tool] = step.state


def _load(result: Replay, loaded: Loaded) -> None:
    if loaded.tool not in result.active:
        result.active.add(loaded.tool)
        result.loaded.append(loaded)


def _search(result: Replay, step: SearchStep) -> None:
    found = step.matches or ()
    resident = [name for name in found if result.states.get(name) == "resident"]
    result.outcomes[step.key] = _outcome(step, len(resident))
    for name in found:
        if result.states.get(name) != "resident":
            _load(result, Loaded(name, "search", step.seq, step.key, step.at))


def _outcome(step: SearchStep, resident: int) -> tuple[str, list[str]]:
    missing = _missing(step)
    if step.error:
        return SearchOutcome.ERROR.value, missing
    if step.matches is None:
        return SearchOutcome.OPEN.value, []
    if not step.matches:
        return SearchOutcome.MISS.value, missing
    if missing:
        return SearchOutcome.PARTIAL.value, missing
    return (SearchOutcome.RESIDENT if resident == len(step.matches) else SearchOutcome.HIT).value, []


def _missing(step: SearchStep) -> list[str]:
    if step.form != "select" or step.matches is None:
        return []
    asked = [name.strip() for name in step.query.partition(":")[2].split(",")]
    found = {name.casefold() for name in step.matches}
    return [name for name in asked if name and name.casefold() not in found]
