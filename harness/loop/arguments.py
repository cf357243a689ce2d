"""Whether the arguments of a call fit the schema of its tool; a refusal names the field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from referencing.exceptions import Unresolvable

from harness.tools import ToolSpec

LONGEST: Final = 300
"""Characters of what is wrong that are said: a message quotes the value, which may be of any size."""


def fault_in(tool: ToolSpec, arguments: dict[str, Any]) -> str | None:
    """What is wrong with the arguments, and where; None where they fit.

    A schema that cannot be followed to its end refuses nothing: the tool's own server will.
    """
    try:
        error = best_match(Draft202012Validator(tool.input_schema).iter_errors(arguments))
    except (Unresolvable, RecursionError):
        return None
    if error is None:
        return None
    return f"The arguments do not fit {tool.name}: {_place(error)}: {_short(_said(error))}. Nothing was done."


def _place(error: ValidationError) -> str:
    """The field. One that is missing, or not known, stands below the object that lacks or has it."""
    path: list[str | int] = list(error.absolute_path)
    instance, value = error.instance, error.validator_value
    if error.validator == "required" and isinstance(instance, dict) and isinstance(value, list):
        path += [name for name in value if name not in instance][:1]
    elif error.validator == "additionalProperties" and isinstance(instance, dict):
        known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
        path += [name for name in instance if name not in known][:1]
    return f"`{_dotted(path)}`" if path else "the arguments as a whole"


def _dotted(path: Iterable[str | int]) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")


def _said(error: ValidationError) -> str:
    if error.validator == "required":
        return "it is required, and it is missing"
    if error.validator == "additionalProperties":
        return "there is no such argument"
    return str(error.message)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
