"""How large the tools of a surface are: their schemas, and the lines that stand for them in the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from explorer.queries.definitions import Definition, definitions
from explorer.queries.surface import Surface, Tool
from harness import tokens
from harness.accounting import Kind, Piece, count_of
from harness.tokens import Count
from observability.models import Run, ToolDefinition
from observability.queries import blocks
from observability.queries.blocks import Size


@dataclass(frozen=True, kw_only=True, slots=True)
class SizedTool:
    """A tool with its sizes. `size` and `schema` are None where no log has its definition."""

    tool: Tool
    index: Count
    size: Size | None = None
    schema: Count | None = None
    definition: Definition | None = None

    @property
    def held_back(self) -> int | None:
        """What its schema would add to the request: schema less index entry; None where the schema is unknown."""
        return None if self.schema is None else self.schema.tokens - self.index.tokens

    def held_back_for(self, model: str) -> int | None:
        """The same as another model's tokenizer counts it."""
        if self.size is None:
            return None
        return _schema(self.size, model).tokens - _index(self.tool, model).tokens

    @property
    def kind(self) -> Kind | None:
        """The category of its schema in the request; None where it was not sent."""
        if self.tool.state == "loaded":
            return "loaded_tool"
        if self.tool.state == "resident":
            return "mcp_tool" if self.tool.server else "builtin_tool"
        return None


def sized_tools(run: Run, here: Surface, model: str) -> dict[str, SizedTool]:
    """The tools of a surface with their sizes, by name."""
    return sized_on([(run, here, model)])[0]


def sized_on(surfaces: Sequence[tuple[Run, Surface, str]]) -> list[dict[str, SizedTool]]:
    """The tools of surfaces of one conversation's runs, each sized for its model; read for all of them at once."""
    known: dict[str, bytes | None] = {}
    for _, here, _ in surfaces:
        known |= {name: tool.definition or known.get(name) for name, tool in here.tools.items()}
    found = definitions(surfaces[0][0], known) if surfaces else {}
    sizes = _sizes(
        {each.hash for each in found.values()}
        | {tool.definition for _, here, _ in surfaces for tool in here.tools.values() if tool.definition}
    )
    return [
        {name: _sized(tool, _own(tool, found.get(name)), sizes, model) for name, tool in here.tools.items()}
        for _, here, model in surfaces
    ]


def _own(tool: Tool, found: Definition | None) -> Definition | None:
    """The definition that the tool's own run has, before one of another run."""
    if tool.definition:
        return Definition(hash=tool.definition, where="run")
    return replace(found, where="conversation") if found and found.where == "run" else found


def _sized(tool: Tool, definition: Definition | None, sizes: dict[bytes, Size], model: str) -> SizedTool:
    size = sizes.get(definition.hash) if definition else None
    schema = _schema(size, model) if size is not None else None
    return SizedTool(tool=tool, index=_index(tool, model), size=size, schema=schema, definition=definition)


def _schema(size: Size, model: str) -> Count:
    return count_of(Piece(kind="builtin_tool", o200k=size.tokens, chars=size.chars), model)


def _index(tool: Tool, model: str) -> Count:
    return tokens.measured(tokens.count(tool.listing or tool.name), tokens.factor(model, "text"))


def _sizes(hashes: set[bytes]) -> dict[bytes, Size]:
    """Sizes of definitions; where a text was not kept, its characters are known all the same."""
    sizes = blocks.sizes(hashes)
    rows = ToolDefinition.objects.filter(hash__in=hashes - sizes.keys()).values_list("hash", "chars")
    return sizes | {bytes(hash_): Size(chars=chars, tokens=None) for hash_, chars in rows}
