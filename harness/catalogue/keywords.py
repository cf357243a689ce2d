"""The keywords of JSON Schema, draft 2020-12: what the value of each must be, and where schemas stand in it.

The draft's own schema of schemas says the same. Checking against that one takes milliseconds a
tool, which is too long for thousands of tools; a test holds the two together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from harness.catalogue.names import shown

ONE: Final = frozenset(
    ("additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then")
) | {"unevaluatedItems", "unevaluatedProperties"}
"""Keywords whose value is a schema."""
SEVERAL: Final = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
"""Keywords whose value is a list of schemas."""
NAMED: Final = frozenset(("$defs", "definitions", "dependentSchemas", "patternProperties", "properties"))
"""Keywords whose value is an object of schemas."""
TYPES: Final = ("array", "boolean", "integer", "null", "number", "object", "string")

_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*\Z")


def schemas_in(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The schemas within a schema, each with its path. Its own keywords must be without fault."""
    for keyword, value in schema.items():
        if keyword in ONE:
            yield keyword, value
        elif keyword in SEVERAL:
            yield from ((f"{keyword}[{index}]", each) for index, each in enumerate(value))
        elif keyword in NAMED:
            yield from ((f"{keyword}.{name}", each) for name, each in value.items())
        elif keyword == "dependencies":
            yield from ((f"{keyword}.{name}", each) for name, each in value.items() if not isinstance(each, list))


def fault_of(keyword: str, value: object) -> str | None:
    """What is wrong with the value of a keyword; None where nothing is, or the keyword is not known."""
    if keyword in ("$ref", "$dynamicRef"):
        return _reference(value)
    rule = RULES.get(keyword)
    if rule is None or rule[0](value):
        return None
    return f"{_brief(value)} is not {rule[1]}"


def _reference(value: object) -> str | None:
    if not isinstance(value, str):
        return f"{_brief(value)} is not a text"
    # Following it would fetch whatever address a server names.
    return None if value.startswith("#") else f"{_brief(value)} refers to another document"


def _brief(value: object) -> str:
    return shown(repr(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and value == int(value)


def _is_names(value: object) -> bool:
    """Whether it is a list of texts, none twice."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value) and len(set(value)) == len(value)


def _is_type(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and _is_names(value) and all(each in TYPES for each in value)
    return value in TYPES


def _is_dependencies(value: object) -> bool:
    return isinstance(value, dict) and all(_is_names(each) for each in value.values() if isinstance(each, list))


def _is_named_names(value: object) -> bool:
    return isinstance(value, dict) and all(_is_names(each) for each in value.values())


def _is_vocabulary(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(each, bool) for each in value.values())


Rule = tuple[Callable[[object], bool], str]

_TEXT: Final[Rule] = (lambda value: isinstance(value, str), "a text")
_FLAG: Final[Rule] = (lambda value: isinstance(value, bool), "true or false")
_LIST: Final[Rule] = (lambda value: isinstance(value, list), "a list")
_OBJECT: Final[Rule] = (lambda value: isinstance(value, dict), "an object")
_NUMBER: Final[Rule] = (_is_number, "a number")
_COUNT: Final[Rule] = (_is_count, "a whole number from 0")
_NAMES: Final[Rule] = (_is_names, "a list of different texts")
_FILLED: Final[Rule] = (lambda value: isinstance(value, list) and bool(value), "a list of at least one schema")
_FRAGMENT: Final[Rule] = (lambda value: isinstance(value, str) and bool(_ANCHOR.match(value)), "a plain name")

RULES: Final[Mapping[str, Rule]] = {
    **dict.fromkeys(SEVERAL, _FILLED),
    **dict.fromkeys(NAMED, _OBJECT),
    **dict.fromkeys(("title", "description", "$comment", "pattern", "format", "$schema", "$recursiveRef"), _TEXT),
    **dict.fromkeys(("contentEncoding", "contentMediaType"), _TEXT),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _FLAG),
    **dict.fromkeys(("enum", "examples"), _LIST),
    **dict.fromkeys(("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"), _NUMBER),
    **dict.fromkeys(("maxLength", "minLength", "maxItems", "minItems"), _COUNT),
    **dict.fromkeys(("maxContains", "minContains", "maxProperties", "minProperties"), _COUNT),
    **dict.fromkeys(("$anchor", "$dynamicAnchor", "$recursiveAnchor"), _FRAGMENT),
    "$id": (lambda value: isinstance(value, str) and "#" not in value[:-1], "an address without a fragment"),
    "$vocabulary": (_is_vocabulary, "an object of true and false"),
    "dependencies": (_is_dependencies, "an object of schemas and lists of texts"),
    "dependentRequired": (_is_named_names, "an object of lists of different texts"),
    "multipleOf": (lambda value: _is_number(value) and bool(value > 0), "a number above 0"),  # type: ignore[operator]
    "required": _NAMES,
    "type": (_is_type, f"one of {', '.join(TYPES)}, or a list of them"),
}
