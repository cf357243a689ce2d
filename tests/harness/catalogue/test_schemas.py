from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harness.catalogue.keywords import NAMED, ONE, RULES, SEVERAL
from harness.catalogue.schemas import LARGEST, checked
from harness.errors import UnfitTool

SCHEMAS = Draft202012Validator(Draft202012Validator.META_SCHEMA)
# Keywords that another rule of ours, or a format of the draft, is about.
KEYWORDS = sorted((set(RULES) | ONE | SEVERAL | NAMED) - {"$id", "$schema", "$recursiveRef", "$recursiveAnchor"})
TEXTS = st.sampled_from(["", "a", "object", "string", "a-b", "1"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS) | TEXTS, inner, max_size=3),
    max_leaves=6,
)


def refusal(schema: object) -> str:
    with pytest.raises(UnfitTool) as caught:
        checked(schema)
    return str(caught.value)


@given(st.sampled_from(KEYWORDS), VALUES)
def test_a_schema_is_taken_if_and_only_if_the_draft_takes_it(keyword: str, value: Any) -> None:
    schema = {"type": "object", "properties": {"field": {keyword: value}}}
    try:
        checked(schema)
    except UnfitTool:
        assert not SCHEMAS.is_valid(schema)
    else:
        assert SCHEMAS.is_valid(schema)


def test_every_schema_of_real_servers_is_taken(datasets: Path) -> None:
    files = sorted((datasets / "mcp_catalogues").glob("*.json"))
    schemas = [tool["inputSchema"] for file in files for tool in json.loads(file.read_text())]
    assert len(schemas) == 179
    assert all(checked(schema)["type"] == "object" for schema in schemas)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (None, "its input schema is no JSON Schema object but nothing"),
        ("object", "its input schema is no JSON Schema object but a text"),
        ([], "its input schema is no JSON Schema object but a list"),
        ({"type": "array"}, 'its input schema is of type array, not "object" - at $.type'),
        ({"properties": {"a": {"type": "strin"}}}, "at $.properties.a.type"),
        ({"properties": {"a": {"items": {"required": "b"}}}}, "'b' is not a list of different texts"),
        ({"properties": {"a": 5}}, "has a number for a schema - at $.properties.a"),
        ({"properties": {1: {}}}, "has a key that is no text - at $.properties"),
        ({"properties": {"a": {"$ref": "https://x.example/s"}}}, "refers to another document - at $.properties.a.$ref"),
        ({"properties": {"a": {"$ref": 5}}}, "5 is not a text - at $.properties.a.$ref"),
        ({"default": float("nan")}, "has a number without a value - at $.default"),
        ({"default": {1, 2}}, "its input schema is no JSON: set - at $.default"),
        ({"default": "\ud800"}, "its input schema is no JSON: "),
        ({"description": "x" * LARGEST}, "bytes, more than 64,000"),
    ],
)
def test_a_schema_that_cannot_be_sent_is_refused_with_its_place(schema: object, why: str) -> None:
    assert why in refusal(schema)


def test_a_schema_that_is_nested_without_end_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(5_000):
        schema = {"not": schema}
    assert refusal(schema) == "its input schema is nested deeper than 40 levels"


def test_words_of_the_draft_are_free_as_names_of_fields_and_in_values() -> None:
    fields = {"type": {"type": "string"}, "$ref": {"enum": [{"$ref": "https://x.example"}]}, "required": {}}
    assert checked({"type": "object", "properties": fields})["properties"].keys() == fields.keys()


def test_what_servers_leave_out_is_completed() -> None:
    assert checked({}) == {"properties": {}, "type": "object"}
