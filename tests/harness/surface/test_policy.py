from __future__ import annotations

import msgspec
import pytest

from harness.modes import BUILD, PLAN, REVIEW, Mode
from harness.surface import resolve
from tests.harness.surface.building import CATALOGUE, placed, state


def test_what_the_settings_deny_is_denied_and_says_so() -> None:
    tool = placed(resolve(CATALOGUE, denied=["bash"]), "bash")
    assert (tool.state, tool.reason) == ("denied", "the settings deny it")


def test_a_pattern_denies_all_that_fit_it() -> None:
    surface = resolve(CATALOGUE, denied=["browser_*"])
    assert [tool.name for tool in surface.denied if tool.server] == ["browser_click", "browser_open"]


def test_what_is_pinned_goes_before_what_is_denied() -> None:
    tool = placed(resolve(CATALOGUE, denied=["sync"], pinned=["sync"], allowed=[], tier="read"), "sync")
    assert (tool.state, tool.reason) == ("resident", "it is pinned")


def test_what_is_denied_goes_before_what_is_allowed() -> None:
    assert state(resolve(CATALOGUE, denied=["sync"], allowed=["sync"]), "sync") == "denied"


def test_the_ceiling_goes_before_what_is_allowed() -> None:
    tool = placed(resolve(CATALOGUE, tier="read", allowed=["sync"]), "sync")
    assert tool.reason == "the settings admit tools up to tier read, and its tier is act"


def test_a_list_of_what_is_allowed_denies_the_rest_but_free_tools() -> None:
    surface = resolve(CATALOGUE, allowed=["read"])
    assert [tool.name for tool in surface.resident] == [
        "ask_user",
        "finish",
        "read",
        "spawn_agent",
        "task_list",
        "task_update",
    ]
    assert placed(surface, "sync").reason == "it is not on the list of tools that the settings allow"


def test_settings_never_raise_the_ceiling_of_a_mode() -> None:
    tool = placed(resolve(CATALOGUE, mode=PLAN, tier="act", allowed=["write"]), "write")
    assert tool.reason == "mode plan admits tools up to tier read, and its tier is write"


def test_a_mode_may_deny_and_allow_by_itself() -> None:
    narrow = msgspec.structs.replace(BUILD, name="narrow", denied=("bash*",), allowed=("read", "bash"))
    surface = resolve(CATALOGUE, mode=narrow)
    assert placed(surface, "bash").reason == "mode narrow denies it"
    assert placed(surface, "sync").reason == "it is not on the list of tools that mode narrow allows"


@pytest.mark.parametrize("mode", [PLAN, REVIEW], ids=lambda mode: mode.name)
def test_a_mode_that_only_looks_has_no_tool_that_changes_anything(mode: Mode) -> None:
    surface = resolve(CATALOGUE, mode=mode)
    assert {"write", "edit", "delete", "bash", "add_issue", "sync"} <= {tool.name for tool in surface.denied}
    assert [tool.name for tool in surface.deferred] == ["get_wiki", "list_issues", "search_users"]


@pytest.mark.parametrize("mode", [BUILD, PLAN, REVIEW], ids=lambda mode: mode.name)
def test_a_mode_has_its_own_exit_only(mode: Mode) -> None:
    exits = {other.exit: state(resolve(CATALOGUE, mode=mode), other.exit) for other in (BUILD, PLAN, REVIEW)}
    assert exits.pop(mode.exit) == "resident"
    assert set(exits.values()) == {"denied"}
