"""Recorded catalogues of tools: definitions for tools whose schemas no log holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from harness.catalogue import Catalogue
from harness.tools import ToolSpec
from observability import identity
from observability.services.store import bulk, cleaning, definitions, texts
from observability.services.store.bulk import db_time
from observability.services.store.writing import writer


def store_catalogue(catalogue: Catalogue, *, at: datetime) -> int:
    """Store the definitions of a catalogue, as recorded `at`. Returns how many tools it has.

    A tool of a server is found under its own name and under the one that Claude Code gives it.
    """
    rows, said = [], dict[bytes, str]()
    for tool in catalogue.values():
        for definition in _named(tool):
            text = identity.canonical_json(definition)
            address = identity.text_hash(text)
            said[address] = text
            name, server = cleaning.name(definition["name"]), cleaning.text(tool.server, 200)
            rows.append((identity.CATALOGUES, address, name, server, len(text), db_time(at)))
    with writer():
        texts.store(said)
        bulk.write(definitions.TABLE, rows)
    return len(catalogue)


def _named(tool: ToolSpec) -> Iterator[dict[str, Any]]:
    names: Iterable[str] = [tool.name]
    if tool.server:
        names = dict.fromkeys([tool.name, f"mcp__{tool.server}__{tool.original_name or tool.name}"])
    return ({**tool.definition(), "name": name} for name in names)
