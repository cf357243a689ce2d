from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
import pytest

from harness.catalogue import from_function
from harness.errors import CatalogueError


@dataclass
class Place:
    shelf: int


def look_up(
    word: Annotated[str, "What to look up"],
    limit: Annotated[int, msgspec.Meta(ge=1, description="Most entries")] = 5,
    *,
    order: Literal["newest", "best"] = "best",
    language: Annotated[str | None, "Only in this language"] = None,
    tags: list[str] = [],  # noqa: B006
) -> str:
    """Look a word up.

    In the glossary.
    """
    return word + str((limit, order, language, tags))


def properties(function: Callable[..., Any]) -> dict[str, Any]:
    found: dict[str, Any] = from_function(function).input_schema["properties"]
    return found


def test_a_function_gives_its_name_and_its_docstring() -> None:
    tool = from_function(look_up, group="Words")
    assert (tool.name, tool.description, tool.group) == ("look_up", "Look a word up.\n\nIn the glossary.", "Words")


def test_annotated_texts_describe_and_bounds_bound() -> None:
    assert properties(look_up)["word"] == {"description": "What to look up", "type": "string"}
    assert properties(look_up)["limit"] == {
        "default": 5,
        "description": "Most entries",
        "minimum": 1,
        "type": "integer",
    }


def test_a_parameter_without_a_default_is_required_and_nothing_else_is_taken() -> None:
    schema = from_function(look_up).input_schema
    assert (schema["required"], schema["additionalProperties"]) == (["word"], False)


def test_what_may_be_none_is_simply_optional() -> None:
    assert properties(look_up)["language"] == {"description": "Only in this language", "type": "string"}


def put(place: Place) -> None:
    """Put it there."""


def rest() -> None:
    """Do nothing."""


def test_a_dataclass_stands_under_defs() -> None:
    assert properties(put) == {"place": {"$ref": "#/$defs/Place"}}
    assert from_function(put).input_schema["$defs"]["Place"]["required"] == ["shelf"]


def test_a_parameter_that_the_caller_fills_in_is_left_out() -> None:
    assert "limit" not in from_function(look_up, without=["limit"]).input_schema["properties"]


def test_a_function_without_parameters_is_a_tool() -> None:
    assert properties(rest) == {}


def test_the_same_function_gives_the_same_bytes() -> None:
    assert msgspec.json.encode(from_function(look_up)) == msgspec.json.encode(from_function(look_up))


def of_any(*words: str) -> None: ...
def of_objects(thing: object = None, file: Callable[[], int] = int) -> None: ...
def of_nobody(thing: Nothing) -> None: ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (of_any, "function of_any: a model cannot fill in the parameter *words"),
        (of_objects, "function of_objects: "),
        (of_nobody, "function of_nobody: name 'Nothing' is not defined"),
        (lambda: 1, "function <lambda>: providers do not take its name"),
    ],
)
def test_a_function_that_is_no_tool_is_refused_with_the_reason(function: Callable[..., Any], why: str) -> None:
    with pytest.raises(CatalogueError, match="^" + why.replace("*", r"\*")):
        from_function(function)
