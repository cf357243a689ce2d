"""Which tools a run has at all. It is decided before, and apart from, which of them it sees at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase

import msgspec

from harness.modes import EXITS, Mode
from harness.tiers import Tier, tier_of, within
from harness.tools import ToolSpec

Patterns = Collection[str]
"""Names of tools, or patterns of them such as `browser_*`."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A mode with what a user's settings add to it.

    The order is: pinned, denied, ceiling, allowlist. What is pinned is admitted whatever the rest
    says; a mode's exit tool is pinned. A free tool needs no place on an allowlist.
    """

    mode: Mode
    pinned: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    allowed: tuple[str, ...] | None = None
    tier: Tier = "act"

    def denial(self, tool: ToolSpec) -> str | None:
        """Why a run does not have this tool; None where it has it."""
        name = tool.name
        if name == self.mode.exit or matches(name, self.pinned):
            return None
        if name in EXITS:
            return f"it hands over the result of another mode than {self.mode.name}"
        if matches(name, self.mode.denied):
            return f"mode {self.mode.name} denies it"
        if matches(name, self.denied):
            return "the settings deny it"
        return self._over_the_ceiling(tool) or self._off_the_lists(tool)

    def _over_the_ceiling(self, tool: ToolSpec) -> str | None:
        tier = tier_of(tool)
        if not within(tier, self.mode.tier):
            return f"mode {self.mode.name} admits tools up to tier {self.mode.tier}, and its tier is {tier}"
        if not within(tier, self.tier):
            return f"the settings admit tools up to tier {self.tier}, and its tier is {tier}"
        return None

    def _off_the_lists(self, tool: ToolSpec) -> str | None:
        if tier_of(tool) == "free":
            return None
        if self.mode.allowed is not None and not matches(tool.name, self.mode.allowed):
            return f"it is not on the list of tools that mode {self.mode.name} allows"
        if self.allowed is not None and not matches(tool.name, self.allowed):
            return "it is not on the list of tools that the settings allow"
        return None

    def unmatched(self, names: Collection[str]) -> list[str]:
        """The names and patterns of this policy that match none of these tools."""
        said = (self.mode.denied, self.mode.allowed or (), self.pinned, self.denied, self.allowed or ())
        return [each for patterns in said for each in patterns if not matches_any(each, names)]


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name is, or fits, one of these. Case counts."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def matches_any(pattern: str, names: Collection[str]) -> bool:
    """Whether one of these names is, or fits, the pattern."""
    return pattern in names or any(fnmatchcase(name, pattern) for name in names)
