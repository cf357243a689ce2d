"""Fields of a decoded line, read with their type checked. Each reader raises BadLine that names the field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from observability.errors import BadLine

MOST_COUNT: Final = 10**9
"""A whole number above this is no count of tokens or tools."""
MOST_DURATION: Final = 10**15
"""In milliseconds."""

MOST_NAME: Final = 256
"""Characters of an id or name; a longer one is none (and would not fit into an index)."""
MOST_DEPTH: Final = 100
_LARGEST: Final = 2**63 - 1

_NAMES: Final[dict[type, str]] = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def wrong(place: str, value: object, wanted: str) -> BadLine:
    """The error for a value of the wrong type."""
    return BadLine(f"{place} is {_NAMES.get(type(value), type(value).__name__)}, not {wanted}")


def text(record: Mapping[str, Any], field: str, place: str) -> str | None:
    """A string, or None where it is absent or null."""
    value = record.get(field)
    if value is None or value.__class__ is str:
        return value
    raise wrong(place, value, "text")


def name(record: Mapping[str, Any], field: str, place: str) -> str | None:
    """An id or name: a string of sensible length; None where it is absent, null or empty."""
    value = record.get(field)
    if value.__class__ is not str and value is not None:
        raise wrong(place, value, "text")
    if not value:
        return None
    if len(value) > MOST_NAME:
        raise BadLine(f"{place} has {len(value)} characters, which is no name")
    return value


def names(record: Mapping[str, Any], field: str, place: str) -> list[str]:
    """A list of names; absent or null is empty."""
    values = texts(record, field, place)
    for value in values:
        if len(value) > MOST_NAME:
            raise BadLine(f"{place}[] has {len(value)} characters, which is no name")
    return [value for value in values if value]


def flag(record: Mapping[str, Any], field: str, place: str) -> bool:
    """True or false; absent or null is False."""
    value = record.get(field)
    if value is None:
        return False
    if value is True or value is False:
        return value
    raise wrong(place, value, "true or false")


def obj(record: Mapping[str, Any], field: str, place: str) -> dict[str, Any] | None:
    """An object, or None where it is absent or null."""
    value = record.get(field)
    if value is None or value.__class__ is dict:
        return value
    raise wrong(place, value, "an object")


def sequence(record: Mapping[str, Any], field: str, place: str) -> list[Any]:
    """A list; absent or null is empty."""
    value = record.get(field)
    if value is None:
        return []
    if value.__class__ is list:
        return value
    raise wrong(place, value, "a list")


def texts(record: Mapping[str, Any], field: str, place: str) -> list[str]:
    """A list of strings; absent or null is empty."""
    values = sequence(record, field, place)
    for value in values:
        if value.__class__ is not str:
            raise wrong(f"{place}[]", value, "text")
    return values


def objects(record: Mapping[str, Any], field: str, place: str) -> list[dict[str, Any]]:
    """A list of objects; absent or null is empty."""
    values = sequence(record, field, place)
    for value in values:
        if value.__class__ is not dict:
            raise wrong(f"{place}[]", value, "an object")
    return values


def whole(record: Mapping[str, Any], field: str, place: str) -> int | None:
    """A whole number from 0 up, or None where it is absent or null."""
    value = record.get(field)
    if value is None:
        return None
    if value.__class__ is not int:
        raise wrong(place, value, "a whole number")
    if not 0 <= value <= MOST_COUNT:
        raise BadLine(f"{place} is {value}, which is no count")
    return value


def loose_text(record: Mapping[str, Any], field: str) -> str | None:
    """A string where there is one, else None: for values that a model or a foreign tool wrote."""
    value = record.get(field)
    return value if value.__class__ is str else None


def loose_name(record: Mapping[str, Any], field: str) -> str | None:
    """An id or name where there is one, else None."""
    value = record.get(field)
    return value if value.__class__ is str and 0 < len(value) <= MOST_NAME else None


def loose_whole(record: Mapping[str, Any], field: str, most: int = MOST_COUNT) -> int | None:
    """A whole number from 0 up where there is one, else None."""
    value = record.get(field)
    return value if value.__class__ is int and 0 <= value <= most else None


def sane(value: object, place: str, depth: int = MOST_DEPTH) -> None:
    """Raises BadLine where a value that is kept as it is holds what no JSON writer could write again."""
    if value.__class__ is int and abs(value) > _LARGEST:
        raise BadLine(f"{place} holds a number that is too large")
    if isinstance(value, dict | list):
        if not depth:
            raise BadLine(f"{place} is nested too deep")
        for part in value.values() if isinstance(value, dict) else value:
            sane(part, place, depth - 1)
