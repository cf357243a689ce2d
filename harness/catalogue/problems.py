"""What was wrong with a tool that was to be taken in, and where."""

from __future__ import annotations

import msgspec


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was wrong. `kept`: the tool is there all the same, changed as the reason says.

    `place` is where the tool came from, such as "server github, tool create_issue".
    """

    place: str
    reason: str
    kept: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"
