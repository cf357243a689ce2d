"""A catalogue: the tools that a run could have, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from harness.catalogue.names import LONGEST_TITLE, RESERVED, is_name, mapped, shown, told_apart
from harness.catalogue.problems import Problem
from harness.catalogue.schemas import checked
from harness.catalogue.topics import title_of
from harness.errors import UnfitTool
from harness.tools import ToolSpec

LONGEST_DESCRIPTION: Final = 8_000
"""Characters. A longer description is cut, and says so: 2,000 tokens tell a model enough about a tool."""


class Catalogue(Mapping[str, ToolSpec]):
    """An immutable mapping from names to tools, sorted by name, code point by code point.

    What goes in is checked: names and descriptions are made such as every provider takes, schemas
    are canonical, and of two tools of one name the first stays. What was wrong is in `problems`;
    one bad tool does not lose the others. Equal tools give an equal catalogue, in any process.
    """

    __slots__ = ("_tools", "problems")

    def __init__(self, tools: Iterable[ToolSpec] = (), *, problems: Iterable[Problem] = ()) -> None:
        found = list(problems)
        taken: dict[str, ToolSpec] = {}
        for number, tool in enumerate(tools, 1):
            try:
                spec, notes = admitted(tool)
                if spec.name in taken:
                    spec = _beside(taken[spec.name], spec)
            except UnfitTool as refusal:
                found.append(Problem(place=place_of(tool, number), reason=str(refusal)))
                continue
            found += [Problem(place=place_of(tool, number), reason=note, kept=True) for note in notes]
            taken[spec.name] = spec
        self._tools = {name: taken[name] for name in sorted(taken)}
        self.problems: tuple[Problem, ...] = tuple(found)

    def __getitem__(self, name: str) -> ToolSpec:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __or__(self, other: Catalogue) -> Catalogue:
        """Both as one. Of two tools of one name, this catalogue's stays."""
        return Catalogue([*self.values(), *other.values()], problems=[*self.problems, *other.problems])

    def __repr__(self) -> str:
        return f"<Catalogue of {len(self)} tools, {len(self.problems)} problems>"


def admitted(tool: ToolSpec) -> tuple[ToolSpec, list[str]]:
    """A tool such as every provider takes it, and what was changed for that. Raises UnfitTool.

    A tool that has been through here once comes out as it went in.
    """
    notes: list[str] = []
    name, original = tool.name, tool.original_name
    if not is_name(name):
        name, original = mapped(name), name
        notes.append(f"providers do not take its name; it is called {name}")
    if name in RESERVED:
        raise UnfitTool(f"the name {name} belongs to the harness's own way to deferred tools")
    description = tool.description.encode("utf-8", "replace").decode()
    if len(description) > LONGEST_DESCRIPTION:
        notes.append(f"its description of {len(description):,} characters is cut to {LONGEST_DESCRIPTION:,}")
        description = f"{description[: LONGEST_DESCRIPTION - 1]}…"
    spec = msgspec.structs.replace(
        tool,
        name=name,
        original_name=original,
        description=description,
        input_schema=checked(tool.input_schema),
        group=shown(tool.group) or title_of(name, tool.server),
        server=shown(tool.server, LONGEST_TITLE),
    )
    return spec, notes


def place_of(tool: ToolSpec, number: int) -> str:
    """Where a tool came from, for a reader of a problem. A tool without a name is told by its number."""
    whence = f"server {shown(tool.server)}" if tool.server else "the harness itself"
    return f"{whence}, tool {shown(tool.original_name or tool.name) or number}"


def _beside(first: ToolSpec, second: ToolSpec) -> ToolSpec:
    """The second of two tools of one name, where that is only a matter of mapping. Raises UnfitTool otherwise."""
    originals = [each.original_name or each.name for each in (first, second)]
    if originals[0] != originals[1] and second.original_name:
        return msgspec.structs.replace(second, name=told_apart(second.original_name))
    origins = [f"server {each.server}" if each.server else "the harness itself" for each in (first, second)]
    whose = " and ".join(origins) if origins[0] != origins[1] else f"{origins[0]}, twice"
    raise UnfitTool(f"there is another tool named {second.name} ({whose}); the first one stays")
