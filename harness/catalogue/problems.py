"""What was wrong with a tool that was to be taken in, and where."""

from __future__ import annotations

import msgspec

from harness.errors import CatalogueError


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was wrong. `kept`: the tool is there all the same, changed as the reason says.

    `place` is where the tool came from, such as "server github, tool 3 (create issue)".
    """

    place: str
    reason: str
    kept: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class Refused(CatalogueError):
    """One tool cannot be taken in; the message is the reason."""
