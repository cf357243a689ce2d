from __future__ import annotations

from typing import Any

from harness.search.documents import MOST_PROPERTIES, document, properties
from harness.tools import ToolSpec
from tests.harness.search.tools import tool


def test_every_field_of_a_tool_is_read() -> None:
    schema = {"properties": {"unit": {"description": "of heat", "enum": ["celsius", "kelvin", 3]}}}
    spec = ToolSpec(name="warm", description="Degrees", server="sky", group="World", input_schema=schema)
    assert document(spec) == {
        "name": ["warm"],
        "label": ["sky", "world"],
        "description": ["degre"],
        "keys": ["unit"],
        "key_descriptions": ["heat"],
        "values": ["celsiu", "kelvin"],
    }


def test_properties_within_properties_and_lists_are_read() -> None:
    inner = {"type": "array", "items": {"properties": {"street": {"properties": {"number": {}}}}}}
    assert [key for key, _ in properties({"properties": {"addresses": inner}})] == ["addresses", "street", "number"]


def test_what_is_no_schema_is_passed_over() -> None:
    broken: list[Any] = [
        None,
        [],
        "x",
        {"properties": ["x"]},
        {"properties": {"x": 1}},
        {"properties": {"x": {"enum": 4}}},
    ]
    assert [len(list(properties(each))) for each in broken] == [0, 0, 0, 0, 0, 1]


def test_a_schema_that_holds_itself_ends() -> None:
    schema: dict[str, Any] = {"properties": {}}
    schema["properties"]["again"] = schema
    assert 1 <= len(list(properties(schema))) <= MOST_PROPERTIES


def test_a_description_of_a_megabyte_is_cut() -> None:
    assert len(document(tool("huge", "word " * 200_000))["description"]) <= 4_000
