"""Which deferred tools were loaded, in order, by what, and for which request. Nothing is ever taken out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, Protocol

import msgspec

from harness.catalogue.own import CALL_TOOL
from harness.errors import NotOnSurfaceError
from harness.request.messages import blocks_of
from harness.runlog import Trigger
from harness.tools import ToolSpec

Standing = Literal["resident", "loaded", "deferred", "withheld", "denied", "unknown"]


class SurfaceLike(Protocol):
    """What a request needs of a surface. `harness.surface.Surface` is one."""

    @property
    def resident(self) -> tuple[ToolSpec, ...]:
        """Tools whose schemas are in every request, in its order."""

    @property
    def deferred(self) -> tuple[ToolSpec, ...]:
        """Tools that are named in the index."""

    @property
    def withheld(self) -> tuple[ToolSpec, ...]:
        """Tools that are there and not offered."""

    @property
    def denied(self) -> tuple[ToolSpec, ...]:
        """Tools that the run does not have."""


class Activation(msgspec.Struct, frozen=True, kw_only=True):
    """One deferred tool that was loaded.

    `search` is the call of the search that led to it. `request` is the first request that
    carries it, from 1.
    """

    name: str
    trigger: Trigger
    search: str | None = None
    request: int = 1


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a wish to load tools: those that are new, and those that needed no loading."""

    new: tuple[str, ...] = ()
    already: tuple[str, ...] = ()


class Ledger:
    """The activations of a run, oldest first.

    A name that is neither resident nor deferred cannot be loaded, whoever asks. Whether a tool
    may run is for approval to say, as it does of a resident one.
    """

    def __init__(self, surface: SurfaceLike) -> None:
        self._standing: dict[str, Standing] = {
            **{tool.name: "denied" for tool in surface.denied},
            **{tool.name: "withheld" for tool in surface.withheld},
            **{tool.name: "deferred" for tool in surface.deferred},
            **{tool.name: "resident" for tool in surface.resident},
        }
        self._specs = {tool.name: tool for tool in surface.deferred}
        self._activations: dict[str, Activation] = {}

    @property
    def activations(self) -> tuple[Activation, ...]:
        """All of them, in the order of loading."""
        return tuple(self._activations.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the loaded tools, in the order of loading."""
        return tuple(self._activations)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The loaded tools, in the order of loading."""
        return tuple(self._specs[name] for name in self._activations)

    def __len__(self) -> int:
        return len(self._activations)

    def __contains__(self, name: object) -> bool:
        return name in self._activations

    def __iter__(self) -> Iterator[Activation]:
        return iter(self.activations)

    def join(self, tools: Iterable[ToolSpec]) -> None:
        """Let deferred tools that have come since be loaded. A name that is known stays what it is."""
        for tool in tools:
            if tool.name not in self._standing:
                self._standing[tool.name] = "deferred"
                self._specs[tool.name] = tool

    def standing(self, name: str) -> Standing:
        """Where a name stands now."""
        return "loaded" if name in self._activations else self._standing.get(name, "unknown")

    def load(self, names: Iterable[str], trigger: Trigger, *, search: str | None = None, request: int = 1) -> Loaded:
        """Load tools. All of them or, where one is not on the surface, none: then NotOnSurfaceError."""
        asked = tuple(dict.fromkeys(names))
        for name in asked:
            if (standing := self.standing(name)) not in ("resident", "loaded", "deferred"):
                raise NotOnSurfaceError(name, standing)
        new = tuple(name for name in asked if self.standing(name) == "deferred")
        for name in new:
            self._activations[name] = Activation(name=name, trigger=trigger, search=search, request=request)
        return Loaded(new=new, already=tuple(name for name in asked if name not in new))

    def restore(self, history: Iterable[Mapping[str, Any]], recorded: Iterable[str] = ()) -> Loaded:
        """Load what a resumed run had loaded: first what its log recorded, in that order, then what its history shows.

        A tool that has since left the surface, or was denied, stays out.
        """
        found = (name for name in (*recorded, *revealed(history)) if self.standing(name) == "deferred")
        return self.load(found, "resume")


def revealed(history: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The names that a history calls, refers to or defines, in order. Text is not looked at: anyone may have written it."""
    for message in history:
        if message.get("role") == "assistant":
            yield from (_called(block) for block in blocks_of(message, "tool_use"))
        else:
            yield from announced(message)


def _called(block: Mapping[str, Any]) -> str:
    name, given = block.get("name"), block.get("input")
    if name == CALL_TOOL.name and isinstance(given, dict):
        name = given.get("name")
    return str(name)


def announced(message: Mapping[str, Any]) -> Iterator[str]:
    """The names whose schemas a message brings, by reference or by definition."""
    for result in blocks_of(message, "tool_result"):
        yield from (str(block.get("tool_name")) for block in blocks_of(result, "tool_reference"))
    for block in blocks_of(message, "tool_addition"):
        tool = block.get("tool")
        if isinstance(tool, dict):
            held = tool.get("definition", tool)
            yield str(held.get("name") if isinstance(held, dict) else None)
