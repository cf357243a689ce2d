"""From a catalogue, a mode and settings to the surface of a run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from harness.catalogue.own import DISCOVERY
from harness.modes import BUILD, Mode
from harness.surface.policy import Policy, matches, matches_any
from harness.surface.surface import State, Surface, SurfaceTool
from harness.tiers import Tier
from harness.tools import ToolSpec


class _Residency(msgspec.Struct, frozen=True, kw_only=True):
    """Which of the admitted tools are resident. `chosen`: the user's own list, in place of the mode's."""

    mode: Mode
    deferral: bool
    searchable: bool
    pinned: tuple[str, ...]
    chosen: tuple[str, ...] | None

    def of(self, tool: ToolSpec) -> tuple[State, str]:
        name = tool.name
        if name == self.mode.exit:
            return "resident", f"it hands over the result of mode {self.mode.name}"
        if matches(name, self.pinned):
            return "resident", "it is pinned"
        if not self.deferral:
            return "resident", "tool deferral is off"
        if name in self.mode.unasked:
            return "resident", "nobody asks for it, so a model uses it only while it sees it"
        if self.chosen is not None and matches(name, self.chosen):
            return "resident", "the settings name it as resident"
        if self.chosen is None and name in self.mode.resident:
            return "resident", f"mode {self.mode.name} names it as resident"
        return self._not_named()

    def _not_named(self) -> tuple[State, str]:
        if self.searchable:
            whose = "the settings do" if self.chosen is not None else f"mode {self.mode.name} does"
            return "deferred", f"{whose} not name it as resident"
        if self.chosen is not None:
            return (
                "withheld",
                "the settings do not name it as resident, and search_tools, which would find it, is denied",
            )
        return "resident", "search_tools, which would find it, is denied"


def resolve(
    catalogue: Mapping[str, ToolSpec],
    *,
    mode: Mode = BUILD,
    deferral: bool = True,
    resident: Collection[str] | None = None,
    pinned: Collection[str] = (),
    denied: Collection[str] = (),
    allowed: Collection[str] | None = None,
    tier: Tier = "act",
    discovery: Iterable[ToolSpec] = DISCOVERY,
) -> Surface:
    """The surface of a run. The order in which names are given does not matter.

    `resident` replaces the mode's list of residents; the mode's exit tool, what is pinned, and the
    tools that nobody asks for are resident all the same. `discovery` are the tools by which a
    deferred one is reached. They belong to deferral, not to the catalogue: where nothing is
    deferred they are not there, and a request is what it would be without any deferral. Where
    they are denied, nothing can be deferred.
    """
    policy = Policy(
        mode=mode,
        pinned=tuple(sorted(pinned)),
        denied=tuple(sorted(denied)),
        allowed=None if allowed is None else tuple(sorted(allowed)),
        tier=tier,
    )
    finders = {tool.name: tool for tool in discovery}
    chosen = None if resident is None else tuple(sorted(resident))
    lost = {name: reason for name, tool in finders.items() if (reason := policy.denial(tool)) is not None}
    rule = _Residency(
        mode=mode, deferral=deferral, searchable=bool(finders) and not lost, pinned=policy.pinned, chosen=chosen
    )
    tools = [_placed(tool, policy, rule) for name, tool in catalogue.items() if name not in finders]
    if deferral:
        tools += _finding(finders, lost, tools)
    names = {*catalogue, *finders}
    named = (*policy.unmatched(names), *((mode.exit, *mode.unasked)), *(mode.resident if chosen is None else chosen))
    return Surface(
        mode=mode,
        deferral=deferral,
        tools=tuple(sorted(tools, key=_order)),
        unknown=tuple(sorted({name for name in named if not matches_any(name, names)})),
    )


def _placed(tool: ToolSpec, policy: Policy, rule: _Residency) -> SurfaceTool:
    denial = policy.denial(tool)
    if denial is not None:
        return SurfaceTool(spec=tool, state="denied", reason=denial)
    state, reason = rule.of(tool)
    return SurfaceTool(spec=tool, state=state, reason=reason)


def _finding(
    finders: Mapping[str, ToolSpec], lost: Mapping[str, str], tools: Iterable[SurfaceTool]
) -> list[SurfaceTool]:
    """The discovery tools, where anything is deferred or one of them is denied."""
    if lost:
        return [
            SurfaceTool(spec=tool, state="denied", reason=lost.get(name, "it is of no use alone"))
            for name, tool in finders.items()
        ]
    if not any(tool.state == "deferred" for tool in tools):
        return []
    return [
        SurfaceTool(spec=tool, state="resident", reason="deferred tools are found and called by it")
        for tool in finders.values()
    ]


def _order(tool: SurfaceTool) -> tuple[bool, str]:
    return tool.spec.name != DISCOVERY[0].name, tool.spec.name
