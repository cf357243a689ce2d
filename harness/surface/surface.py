"""What a run sees of the tools: each with its state and the reason for it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b
from typing import Literal

import msgspec

from harness import wire
from harness.catalogue.names import shown
from harness.catalogue.own import BRIDGE
from harness.modes import Mode
from harness.tools import ToolSpec

State = Literal["resident", "deferred", "withheld", "denied"]
"""resident: its schema is in every request. deferred: its name is in the index, and it can be called or
searched for. withheld: admitted, but not offered; approval still guards a direct call. denied: not there."""


class SurfaceTool(msgspec.Struct, frozen=True, kw_only=True):
    """One tool of a surface. `reason` is a sentence without its full stop."""

    spec: ToolSpec
    state: State
    reason: str


class Surface(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The tools of a run. Loading a tool does not change it; tools that come late make another one (`grown`).

    `tools` holds every tool that was considered, in the order of a request: `search_tools` first,
    then by name, code point by code point, and behind them what has joined since. `unknown` are the names and patterns of the mode and
    of the settings that match no tool.
    """

    mode: Mode
    deferral: bool
    tools: tuple[SurfaceTool, ...]
    unknown: tuple[str, ...] = ()

    @cached_property
    def resident(self) -> tuple[ToolSpec, ...]:
        """The tools whose schemas are in every request, in its order."""
        return tuple(self._of("resident"))

    @cached_property
    def deferred(self) -> tuple[ToolSpec, ...]:
        """The tools that are named in the index and can be loaded."""
        return tuple(self._of("deferred"))

    @cached_property
    def withheld(self) -> tuple[ToolSpec, ...]:
        """The tools that are admitted and not offered."""
        return tuple(self._of("withheld"))

    @cached_property
    def denied(self) -> tuple[ToolSpec, ...]:
        """The tools that this run does not have."""
        return tuple(self._of("denied"))

    @cached_property
    def offered(self) -> tuple[ToolSpec, ...]:
        """What a search may find, by name: the residents and the deferred, without the tools for discovery."""
        finders = {tool.name for tool in BRIDGE}
        found = (spec for spec in (*self.resident, *self.deferred) if spec.name not in finders)
        return tuple(sorted(found, key=lambda spec: spec.name))

    @cached_property
    def by_name(self) -> dict[str, SurfaceTool]:
        """Each tool with its state, by its name."""
        return {tool.spec.name: tool for tool in self.tools}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of what the provider is sent of it. Surfaces of equal fingerprint share a cached prefix."""
        sent = [[spec.definition() for spec in self.resident], [[spec.group, spec.name] for spec in self.deferred]]
        return blake2b(wire.dumps(sent), digest_size=16).hexdigest()

    def loadable(self, name: str) -> bool:
        """Whether a search or a direct call may load this tool."""
        tool = self.by_name.get(name)
        return tool is not None and tool.state == "deferred"

    def report(self) -> str:
        """What the settings resolve to, in one line. Declared are the residents: every request has their schemas."""
        counts = (
            f"{len(self.tools)} registered, {len(self.resident)} declared, {len(self.deferred)} deferred,"
            f" {len(self.withheld)} withheld, {len(self.denied)} denied, {len(self.unknown)} unknown names"
        )
        return f"{counts}: {', '.join(map(shown, self.unknown))}" if self.unknown else counts

    def _of(self, state: State) -> Iterator[ToolSpec]:
        return (tool.spec for tool in self.tools if tool.state == state)
