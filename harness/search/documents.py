"""What of a tool can be searched: its fields, as terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

from harness.search.words import terms
from harness.tools import ToolSpec

Field = Literal["name", "label", "description", "keys", "key_descriptions", "values"]
FIELDS: Final[tuple[Field, ...]] = ("name", "label", "description", "keys", "key_descriptions", "values")

DEEPEST: Final = 8
"""Levels of a schema that are read. Deeper ones say little, and a schema may be hostile."""
MOST_PROPERTIES: Final = 400
MOST_VALUES: Final = 20
"""Values of an enumeration that are read."""
MOST_CHARACTERS: Final = 20_000
"""Of each field. A tool with a description of a megabyte must not slow every search."""


def document(tool: ToolSpec) -> dict[Field, list[str]]:
    """The terms of each field of a tool. `label` is its server and the title that it is grouped under."""
    keys: list[str] = []
    descriptions: list[str] = []
    values: list[str] = []
    for key, described in properties(tool.input_schema):
        keys.append(key)
        text = described.get("description")
        descriptions.append(text if isinstance(text, str) else "")
        values += _values(described)
    texts: dict[Field, str] = {
        "name": tool.name,
        "label": f"{tool.server} {tool.group}",
        "description": tool.description,
        "keys": " ".join(keys),
        "key_descriptions": " ".join(descriptions),
        "values": " ".join(values),
    }
    return {field: terms(texts[field][:MOST_CHARACTERS]) for field in FIELDS}


def properties(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each property of a JSON Schema, nested ones too, with its own schema. What is no schema is passed over."""
    waiting = [(schema, 0)]
    for _ in range(MOST_PROPERTIES):
        if not waiting:
            return
        node, depth = waiting.pop()
        if not isinstance(node, dict) or depth > DEEPEST:
            continue
        inner = node.get("properties")
        named = inner if isinstance(inner, dict) else {}
        waiting += ((child, depth + 1) for child in [node.get("items"), *reversed(named.values())])
        yield from ((str(key), child) for key, child in named.items() if isinstance(child, dict))


def _values(described: dict[str, Any]) -> list[str]:
    listed = described.get("enum")
    return [value for value in listed[:MOST_VALUES] if isinstance(value, str)] if isinstance(listed, list) else []
