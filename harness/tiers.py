"""How far a tool reaches: what a mode's ceiling and an approval rule are about.

A tool says it by an annotation of its server (`readOnlyHint`, `destructiveHint`), which is a
hint and no proof. Where it says nothing, its name is read: a tool that is called `list_issues`
or `issue_read` looks, one whose name says anything else acts. When in doubt a tool acts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from harness.tools import ToolSpec

Tier = Literal["free", "read", "write", "act"]
"""free: touches nothing outside the run (task list, questions, search for tools). read: looks.
write: changes files of the folder. act: runs programs, or changes things elsewhere."""

ORDER: Final[Mapping[Tier, int]] = {"free": 0, "read": 1, "write": 2, "act": 3}
ANNOTATION: Final = "tier"
"""The annotation by which the harness's own tools name their tier."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


LOOKS: Final = _words("browse describe fetch find get inspect list lookup read search show view")
ACTS: Final = _words(
    "add apply archive assign cancel clear close create delete disable dismiss drop edit enable evaluate exec execute"
    " fork insert invoke lock make mark merge move navigate post publish push put remove rename reopen replace resolve"
    " restart revoke run send set star start stop submit subscribe toggle trigger unlock unset update upload write"
)
"""Words of a name. `open`, `query`, `request` and `commit` are on neither list: they may be either."""


def tier_of(tool: ToolSpec) -> Tier:
    """The tier of a tool. Only a tool of the harness itself can say that it is free or writes only files."""
    if not tool.server:
        said = tool.annotations.get(ANNOTATION)
        for tier in ORDER:
            if said == tier:
                return tier
    hint = tool.annotations.get("readOnlyHint")
    if isinstance(hint, bool):
        return "read" if hint else "act"
    words = _words(tool.original_name or tool.name)
    return "read" if words & LOOKS and not words & ACTS else "act"


def within(tier: Tier, ceiling: Tier) -> bool:
    """Whether a tier is at or below a ceiling."""
    return ORDER[tier] <= ORDER[ceiling]
