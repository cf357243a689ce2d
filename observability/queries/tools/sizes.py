"""How large tools are: their schemas, and the lines that stand for them in an index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from harness import tokens
from harness.accounting import Piece, count_of
from harness.tokens import NOTHING, Count
from observability.identity import CATALOGUES
from observability.models import ToolDefinition
from observability.queries import blocks
from observability.queries.blocks import Size


@dataclass
class Sizes:
    """Sizes of definitions by their hash, and of a definition for each name that no list defines."""

    known: dict[bytes, Size] = field(default_factory=dict)
    by_name: dict[str, bytes] = field(default_factory=dict)
    schemas: dict[tuple[bytes, str], Count] = field(default_factory=dict)
    lines: dict[tuple[str, str], Count] = field(default_factory=dict)

    def schema(self, tool: str, definition: bytes | None, model: str) -> Count:
        """The tokens of a tool's schema for a model; NOTHING where no log and no catalogue defines it."""
        address = definition or self.by_name.get(tool)
        if address is None or address not in self.known:
            return NOTHING
        key = (address, model)
        if key not in self.schemas:
            size = self.known[address]
            self.schemas[key] = count_of(Piece(kind="mcp_tool", o200k=size.tokens, chars=size.chars), model)
        return self.schemas[key]

    def line(self, tool: str, listing: str, model: str) -> Count:
        """The tokens of its line in an index."""
        key = (listing or tool, model)
        if key not in self.lines:
            self.lines[key] = tokens.measured(tokens.count(key[0]), tokens.factor(model, "text"))
        return self.lines[key]


def sizes(definitions: Iterable[bytes], undefined: Iterable[str], project: int | None) -> Sizes:
    """The sizes of some definitions, and of the best definition of each name that has none."""
    by_name = latest_by_name(undefined, project)
    hashes = {*definitions, *by_name.values()}
    known = blocks.sizes(hashes)
    missing = [address for address in hashes if address not in known]
    if missing:
        rows = ToolDefinition.objects.filter(hash__in=missing).values_list("hash", "chars")
        known |= {bytes(address): Size(chars=chars, tokens=None) for address, chars in rows}
    return Sizes(known=known, by_name=by_name)


def latest_by_name(names: Iterable[str], project: int | None) -> dict[str, bytes]:
    """The latest definition of each name: one of the project's logs before any other's, a catalogue's last."""
    wanted = sorted(set(names))
    if not wanted:
        return {}
    rows = ToolDefinition.objects.filter(name__in=wanted).order_by("first_at", "id")
    best: dict[str, tuple[int, bytes]] = {}
    for name, address, where in rows.values_list("name", "hash", "project_id"):
        rank = 0 if where == CATALOGUES else 2 if where == project else 1
        if name not in best or rank >= best[name][0]:
            best[name] = (rank, bytes(address))
    return {name: address for name, (_, address) in best.items()}
