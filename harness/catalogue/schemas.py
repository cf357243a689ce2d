"""Whether a foreign schema can be sent as a tool's input schema, and where it cannot.

Providers take JSON Schema, draft 2020-12, of type "object". What they refuse makes a whole
request fail, so it is refused here, tool by tool.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from harness import wire
from harness.catalogue.names import shown
from harness.catalogue.problems import Refused

DEEPEST: Final = 40
"""Levels of objects and lists in a schema."""
LARGEST: Final = 64_000
"""Bytes of a schema: about 15,000 tokens, five times the largest of the servers that were looked at."""


@lru_cache(maxsize=1)
def _meta() -> Draft202012Validator:
    return Draft202012Validator(Draft202012Validator.META_SCHEMA)


def checked(schema: object) -> dict[str, Any]:
    """The schema in canonical form. Raises Refused with the place that is at fault.

    A schema without a type is completed to type "object", and one without properties is given
    none: both mean what servers mean by them, and providers insist on them.
    """
    if not isinstance(schema, dict):
        raise Refused(f"its input schema is no JSON Schema object but {_kind(schema)}")
    _check_shape(schema)
    whole = {"type": "object", "properties": {}, **schema}
    if whole["type"] != "object":
        raise Refused(f'its input schema is of type {shown(str(whole["type"]))}, not "object" - at $.type')
    try:
        size = len(wire.dumps(whole))
    except (TypeError, ValueError) as error:
        raise Refused(f"its input schema is no JSON: {shown(str(error), 120)}") from error
    if size > LARGEST:
        raise Refused(f"its input schema is {size:,} bytes, more than {LARGEST:,}")
    fault = best_match(_meta().iter_errors(whole))
    if fault is not None:
        raise Refused(f"its input schema is no JSON Schema: {shown(fault.message, 120)} - at {shown(fault.json_path)}")
    canonical: dict[str, Any] = wire.canonical(whole)
    return canonical


def _check_shape(schema: dict[Any, Any]) -> None:
    """Refuse what would not come through JSON or would ask for another document, without recursion."""
    for place, depth, value in _walk(schema):
        if depth > DEEPEST:
            raise Refused(f"its input schema is nested deeper than {DEEPEST} levels")
        if not isinstance(value, dict):
            continue
        if not all(isinstance(key, str) for key in value):
            raise Refused(f"its input schema has a key that is no text - at {place}")
        reference = value.get("$ref", "#")
        if isinstance(reference, str) and not reference.startswith("#"):
            raise Refused(f"its input schema refers to another document, {shown(reference)} - at {place}.$ref")


def _walk(schema: object) -> Iterator[tuple[str, int, object]]:
    waiting: list[tuple[str, int, object]] = [("$", 1, schema)]
    while waiting:
        place, depth, value = waiting.pop()
        yield place, depth, value
        if isinstance(value, dict):
            waiting += [(f"{place}.{shown(str(key))}", depth + 1, each) for key, each in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{place}[{index}]", depth + 1, each) for index, each in enumerate(value)]


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    return {"str": "a text", "list": "a list", "bool": "true or false"}.get(type(value).__name__, "a number")
