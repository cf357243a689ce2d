"""Whether a foreign schema can be sent as a tool's input schema, and where it cannot.

Providers take JSON Schema, draft 2020-12, of type "object". One schema that they refuse makes a
whole request fail, so it is refused here, tool by tool.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

from harness import wire
from harness.catalogue.keywords import fault_of, schemas_in
from harness.catalogue.names import shown
from harness.errors import UnfitTool

DEEPEST: Final = 40
"""Levels of objects and lists in a schema."""
LARGEST: Final = 64_000
"""Bytes of a schema: about 15,000 tokens, five times the largest of the servers that were looked at."""

_JSON = frozenset((dict, list, str, int, float, bool, type(None)))


def checked(schema: object) -> dict[str, Any]:
    """The schema in canonical form. Raises UnfitTool with the place that is at fault.

    A schema without a type is completed to type "object", and one without properties is given
    none: both mean what servers mean by them, and providers insist on them.
    """
    if not isinstance(schema, dict):
        raise UnfitTool(f"its input schema is no JSON Schema object but {_kind(schema)}")
    whole: dict[str, Any] = {"type": "object", "properties": {}, **schema}
    _check_size(whole)
    _check_nesting(whole)
    if whole["type"] != "object":
        raise UnfitTool(f'its input schema is of type {shown(str(whole["type"]))}, not "object" - at $.type')
    _check_keywords(whole)
    canonical: dict[str, Any] = wire.canonical(whole)
    return canonical


def _check_size(schema: dict[Any, Any]) -> None:
    try:
        size = len(wire.dumps(schema))
    except RecursionError as error:
        raise UnfitTool(f"its input schema is nested deeper than {DEEPEST} levels") from error
    except (TypeError, ValueError) as error:
        raise UnfitTool(f"its input schema is no JSON: {shown(str(error), 120)}") from error
    if size > LARGEST:
        raise UnfitTool(f"its input schema is {size:,} bytes, more than {LARGEST:,}")


def _check_nesting(schema: dict[Any, Any]) -> None:
    """Refuse what would not come through JSON as it is. No recursion: the depth is what is in question."""
    for place, depth, value in _walk(schema):
        if depth > DEEPEST:
            raise UnfitTool(f"its input schema is nested deeper than {DEEPEST} levels")
        if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
            raise UnfitTool(f"its input schema has a key that is no text - at {shown(place, 120)}")
        if isinstance(value, float) and not math.isfinite(value):
            raise UnfitTool(f"its input schema has a number without a value - at {shown(place, 120)}")
        if type(value) not in _JSON:
            raise UnfitTool(f"its input schema is no JSON: {type(value).__name__} - at {shown(place, 120)}")


def _walk(schema: object) -> Iterator[tuple[str, int, object]]:
    waiting: list[tuple[str, int, object]] = [("$", 1, schema)]
    while waiting:
        place, depth, value = waiting.pop()
        yield place, depth, value
        if isinstance(value, dict):
            waiting += [(f"{place}.{key}", depth + 1, each) for key, each in value.items()]
        elif isinstance(value, list):
            waiting += [(place, depth + 1, each) for each in value]


def _check_keywords(schema: dict[str, Any]) -> None:
    waiting: list[tuple[str, Any]] = [("$", schema)]
    while waiting:
        place, part = waiting.pop()
        if isinstance(part, bool):
            continue
        if not isinstance(part, dict):
            raise UnfitTool(f"its input schema has {_kind(part)} for a schema - at {shown(place, 120)}")
        for keyword, value in part.items():
            if fault := fault_of(keyword, value):
                raise UnfitTool(f"its input schema is no JSON Schema: {fault} - at {shown(f'{place}.{keyword}', 120)}")
        waiting += [(f"{place}.{path}", each) for path, each in schemas_in(part)]


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    return {"str": "a text", "list": "a list", "bool": "true or false"}.get(type(value).__name__, "a number")
