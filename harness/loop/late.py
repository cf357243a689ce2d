"""Tool servers that come, or fail, while a conversation runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final

import msgspec

from harness.loop.toolbox import ToolBox, Toolset
from harness.runlog import ServerFailure
from harness.surface import Surface, SurfaceTool, joining

NEEDS_AUTH: Final = "needs_auth"
"""The code of a tool server that asks for a sign-in."""


class Newcomers(msgspec.Struct, frozen=True, kw_only=True):
    """What has come since: tools in their places, and how servers stand now. `problems` are sentences."""

    tools: tuple[SurfaceTool, ...]
    box: ToolBox
    failed: tuple[ServerFailure, ...]
    pending: tuple[str, ...]
    problems: tuple[str, ...]
    lost: tuple[ServerFailure, ...]
    """Those of the failed that had not failed before."""


class Late:
    """Asks for what is new. `denied` are the names that the user denies; `more` is None where nothing can come."""

    def __init__(self, more: Callable[[], Toolset] | None = None, *, denied: Collection[str] = ()) -> None:
        self._more, self._denied = more, denied

    def newcomers(
        self, surface: Surface, failed: tuple[ServerFailure, ...], pending: tuple[str, ...]
    ) -> Newcomers | None:
        """What is new to a surface whose servers stood so; None where nothing is."""
        if self._more is None:
            return None
        found = self._more()
        now = failures_of(found)
        known = {each.name for each in now}
        # Failures that `more` knows nothing of are of other servers, and stand.
        whole = (*(each for each in failed if each.name not in known), *now)
        if not found.catalogue and (whole, found.pending) == (failed, pending):
            return None
        doubles = (name for name in found.catalogue if name in surface.by_name)
        return Newcomers(
            tools=joining(surface, found.catalogue, denied=self._denied),
            box=found.box,
            failed=whole,
            pending=found.pending,
            lost=tuple(each for each in whole if each not in failed),
            problems=(*map(str, found.catalogue.problems), *map(_double, doubles)),
        )


def failures_of(toolset: Toolset) -> tuple[ServerFailure, ...]:
    """The servers that are not there, as the run log has them."""
    return tuple(
        ServerFailure(name=each.name, code=NEEDS_AUTH if each.needs_auth else None, error=each.error)
        for each in toolset.failed
    )


def split(failed: Iterable[ServerFailure]) -> tuple[list[ServerFailure], list[str]]:
    """Those that failed, and the names of those that ask for a sign-in."""
    every = list(failed)
    return [each for each in every if each.code != NEEDS_AUTH], [each.name for each in every if each.code == NEEDS_AUTH]


def _double(name: str) -> str:
    return f"tool {name}: there is another tool named {name}; left out"
