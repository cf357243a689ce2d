"""Modes, as data: what a run may do, which tools it sees at once, and how it hands over its result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from harness.errors import ModeError
from harness.tiers import Tier


class Mode(msgspec.Struct, frozen=True, kw_only=True):
    """One way to work.

    `exit` is the tool that hands over the result; it is always resident. `tier` is the ceiling of
    what the mode admits, `denied` what it does not admit below it, and `allowed`, where there is
    one, all that it admits apart from free tools; both may hold patterns such as `browser_*`.
    `resident` are the tools whose schemas are in every request. `unasked` are those that nobody
    asks for and that a model therefore only uses while it sees them: they stay resident whatever
    list of residents a user chooses.
    """

    name: str
    title: str
    purpose: str
    exit: str
    resident: tuple[str, ...]
    tier: Tier = "act"
    denied: tuple[str, ...] = ()
    allowed: tuple[str, ...] | None = None
    unasked: tuple[str, ...] = ("ask_user", "task_list", "task_update")


EXITS: Final = ("finish", "hand_over_plan", "hand_over_review")
"""The tools that hand over a result. A mode admits its own only."""

_LOOKING: Final = ("read", "list_folder", "glob", "search", "changes")
_CHANGING: Final = ("write", "edit", "edit_many", "move", "delete")
_RUNNING: Final = ("bash", "bash_output", "bash_stop")
_REMEMBERING: Final = ("memory_search", "memory_save", "memory_forget")
_ORGANISING: Final = ("ask_user", "spawn_agent", "task_list", "task_update")

BUILD: Final = Mode(
    name="build",
    title="Build",
    purpose="do the task",
    exit="finish",
    resident=(*_LOOKING, *_CHANGING, *_RUNNING, *_REMEMBERING, *_ORGANISING, "finish"),
)
PLAN: Final = Mode(
    name="plan",
    title="Plan",
    purpose="look, change nothing, and hand over a plan",
    exit="hand_over_plan",
    tier="read",
    resident=(*_LOOKING, "memory_search", *_ORGANISING, "hand_over_plan"),
)
REVIEW: Final = Mode(
    name="review",
    title="Review",
    purpose="look, change nothing, and hand over a review",
    exit="hand_over_review",
    tier="read",
    resident=(*_LOOKING, "memory_search", *_ORGANISING, "hand_over_review"),
)
MODES: Final[Mapping[str, Mode]] = {mode.name: mode for mode in (BUILD, PLAN, REVIEW)}


def mode_of(name: str) -> Mode:
    """A mode by its name. Raises ModeError."""
    if name not in MODES:
        raise ModeError(f"there is no mode {name!r}; the modes are {', '.join(MODES)}")
    return MODES[name]
