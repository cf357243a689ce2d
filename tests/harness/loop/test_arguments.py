from __future__ import annotations

from typing import Any

import pytest

from harness.catalogue import OWN
from harness.loop.arguments import fault_in
from harness.tools import ToolSpec


def fault(name: str, **arguments: Any) -> str:
    return fault_in(OWN[name], arguments) or ""


def test_arguments_that_fit_have_no_fault() -> None:
    assert fault("read", path="a", offset=2) == ""


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "`path`: it is required"),
        ({"path": 3}, "`path`: 3 is not of type 'string'"),
        ({"path": "a", "offset": 0}, "`offset`: 0 is less than the minimum of 1"),
        ({"path": "a", "colour": "red"}, "`colour`: there is no such argument"),
    ],
)
def test_the_refusal_names_the_field(arguments: dict[str, Any], field: str) -> None:
    assert field in fault("read", **arguments)


def test_a_field_inside_a_list_is_named_by_its_way() -> None:
    assert "`edits[1].old`: it is required" in fault(
        "edit_many", path="a", edits=[{"old": "a", "new": "b"}, {"new": "c"}]
    )


def test_a_value_of_any_size_is_not_said_again() -> None:
    assert len(fault("read", path="a", offset="x" * 1_000_000)) < 500


def test_a_schema_that_leads_nowhere_refuses_nothing() -> None:
    tool = ToolSpec(name="t", input_schema={"type": "object", "properties": {"a": {"$ref": "#/$defs/no"}}})
    assert fault_in(tool, {"a": 1}) is None


def test_a_schema_that_runs_in_circles_refuses_nothing() -> None:
    tool = ToolSpec(name="t", input_schema={"$ref": "#"})
    assert fault_in(tool, {"a": 1}) is None
