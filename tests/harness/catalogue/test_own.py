from __future__ import annotations

import pytest

from harness import tokens, wire
from harness.catalogue import BRIDGE, OWN, Catalogue
from harness.catalogue.names import RESERVED
from harness.modes import EXITS, MODES, Mode
from harness.tiers import ANNOTATION, ORDER
from harness.tools import ToolSpec

ALL = [*OWN.values(), *BRIDGE]


def test_the_own_tools_are_about_two_dozen_and_without_fault() -> None:
    assert OWN.problems == ()
    assert 20 <= len(ALL) <= 30


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_an_own_tool_says_what_it_does_how_far_it_reaches_and_what_each_argument_is(tool: ToolSpec) -> None:
    assert tool.description
    assert tool.group
    assert tool.annotations[ANNOTATION] in ORDER
    assert all("description" in field for field in tool.input_schema["properties"].values())
    assert tool.input_schema["additionalProperties"] is False


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_an_own_tool_costs_little(tool: ToolSpec) -> None:
    assert tokens.count(wire.dumps(tool.definition()).decode()) < 250


@pytest.mark.parametrize("mode", MODES.values(), ids=lambda mode: mode.name)
def test_every_resident_name_of_a_mode_exists(mode: Mode) -> None:
    """C2."""
    assert {*mode.resident, *mode.unasked, mode.exit} <= set(OWN)


def test_each_mode_has_an_exit_of_its_own() -> None:
    assert sorted(mode.exit for mode in MODES.values()) == sorted(EXITS)


def test_the_names_of_the_tools_for_discovery_are_reserved() -> None:
    assert {tool.name for tool in BRIDGE} == RESERVED
    problems = Catalogue(ToolSpec(name=name, server="desk") for name in sorted(RESERVED)).problems
    assert [problem.reason.partition(" belongs")[0] for problem in problems] == [
        "the name call_tool",
        "the name search_tools",
    ]
