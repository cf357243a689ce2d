"""Tools and surfaces for tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from harness.catalogue import OWN, Catalogue
from harness.modes import MODES
from harness.surface import Surface, SurfaceTool
from harness.tools import ToolSpec

FOREIGN = Catalogue(
    ToolSpec(name=name, description=f"{name}, as its server has it.", server="tracker")
    for name in ("add_issue", "browser_click", "browser_open", "get_wiki", "list_issues", "search_users", "sync")
)
CATALOGUE = OWN | FOREIGN
NAMES = [*CATALOGUE, "search_tools", "no_such_tool", "browser_*", "*"]

some_names = st.sets(st.sampled_from(NAMES), max_size=6)
settings = st.fixed_dictionaries(
    {
        "mode": st.sampled_from(list(MODES.values())),
        "deferral": st.booleans(),
        "resident": st.none() | some_names,
        "pinned": st.sets(st.sampled_from([*FOREIGN, "write", "browser_*"]), max_size=2),
        "denied": some_names,
        "allowed": st.none() | some_names,
        "tier": st.sampled_from(["free", "read", "write", "act"]),
    }
)
"""Whatever a user may ask of `resolve`."""


def placed(surface: Surface, name: str) -> SurfaceTool:
    """A tool of a surface."""
    return surface.by_name[name]


def state(surface: Surface, name: str) -> str:
    """The state of a tool."""
    return placed(surface, name).state


def shuffled(catalogue: Catalogue, draw: Any) -> Catalogue:
    """The same tools, discovered in another order."""
    return Catalogue(draw(st.permutations(list(catalogue.values()))))
