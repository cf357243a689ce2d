"""How large the tools of a surface are: their schemas, and the lines that stand for them in the index."""

from __future__ import annotations

from dataclasses import dataclass

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
    found = definitions(run, {name: tool.definition for name, tool in here.tools.items()})
    sizes = _sizes({each.hash for each in found.values()})
    return {name: _sized(tool, found.get(name), sizes, model) for name, tool in here.tools.items()}


def _sized(tool: Tool, definition: Definition | None, sizes: dict[bytes, Size], model: str) -> SizedTool:
    size = sizes.get(definition.hash) if definition else None
    schema = None
    if size is not None:
        piece = Piece(kind="builtin_tool", o200k=size.tokens, chars=size.chars)
        schema = count_of(piece, model)
    line = tokens.count(tool.listing or tool.name)
    index = tokens.measured(line, tokens.factor(model, "text"))
    return SizedTool(tool=tool, index=index, size=size, schema=schema, definition=definition)


def _sizes(hashes: set[bytes]) -> dict[bytes, Size]:
    """Sizes of definitions; where a text was not kept, its characters are known all the same."""
    sizes = blocks.sizes(hashes)
    rows = ToolDefinition.objects.filter(hash__in=hashes - sizes.keys()).values_list("hash", "chars")
    return sizes | {bytes(hash_): Size(chars=chars, tokens=None) for hash_, chars in rows}
