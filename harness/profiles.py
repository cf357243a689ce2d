"""Profiles of sub-agents, as data: what one of a kind is for, and what it may not call.

A profile never changes what is sent: sub-agents of one type, provider and model have the same
surface and so the same prefix, byte for byte, and can read what the first of them wrote to the
cache. What a profile denies is refused when it is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Final

import msgspec

from harness.tiers import Tier, tier_of, within
from harness.tools import ToolSpec


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of sub-agent. `denied` holds names or patterns of tools, `tier` is a ceiling."""

    name: str
    purpose: str
    denied: tuple[str, ...] = ()
    tier: Tier = "act"

    def refusal(self, tool: ToolSpec) -> str | None:
        """What a call of this tool is answered with; None where the profile lets it through."""
        if any(fnmatchcase(tool.name, pattern) for pattern in self.denied):
            return f"A sub-agent of profile {self.name} may not call {tool.name}."
        tier = tier_of(tool)
        if not within(tier, self.tier):
            return (
                f"A sub-agent of profile {self.name} may call tools up to tier {self.tier};"
                f" {tool.name} is of tier {tier}."
            )
        return None


GENERAL: Final = Profile(name="general", purpose="does any task", denied=("ask_user",))
EXPLORE: Final = Profile(name="explore", purpose="looks and changes nothing", denied=("ask_user",), tier="read")
PROFILES: Final[Mapping[str, Profile]] = {profile.name: profile for profile in (GENERAL, EXPLORE)}
