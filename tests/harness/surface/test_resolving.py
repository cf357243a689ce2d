"""The invariants of the surface as properties, and the rules one by one."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from harness import wire
from harness.catalogue import BRIDGE, OWN, Catalogue
from harness.modes import BUILD, PLAN
from harness.surface import Surface, index_text, resolve
from harness.tools import ToolSpec
from tests.harness.surface.building import CATALOGUE, FOREIGN, placed, settings, shuffled, state


def sent(surface: Surface) -> bytes:
    return wire.dumps([[tool.definition() for tool in surface.resident], index_text(surface)])


@given(settings, st.data())
def test_the_order_of_discovery_and_of_settings_changes_no_byte(asked: dict[str, Any], data: st.DataObject) -> None:
    lists = {key: data.draw(st.permutations(sorted(value))) for key, value in asked.items() if isinstance(value, set)}
    other = resolve(shuffled(CATALOGUE, data.draw), **{**asked, **lists})
    assert other == resolve(CATALOGUE, **asked)
    assert sent(other) == sent(resolve(CATALOGUE, **asked))


@given(settings)
def test_a_denied_or_withheld_tool_is_nowhere_in_what_is_sent_and_cannot_be_loaded(asked: dict[str, Any]) -> None:
    surface = resolve(CATALOGUE, **asked)
    hidden = {tool.name for tool in (*surface.denied, *surface.withheld)}
    assert hidden.isdisjoint(tool.name for tool in (*surface.resident, *surface.offered))
    assert hidden.isdisjoint(index_text(surface).split())
    assert not any(surface.loadable(name) for name in hidden)


@given(settings)
def test_a_deferred_tool_is_in_the_index_once_and_its_schema_is_not_sent(asked: dict[str, Any]) -> None:
    surface = resolve(CATALOGUE, **asked)
    words = index_text(surface).partition("\n")[2].split()
    resident = {tool.name for tool in surface.resident}
    for tool in surface.deferred:
        assert words.count(tool.name) == 1
        assert tool.name not in resident
        assert surface.loadable(tool.name)


@given(settings)
def test_deferral_never_changes_which_tools_are_admitted(asked: dict[str, Any]) -> None:
    """C6: the policy decides, whatever residency does."""
    on, off = (resolve(CATALOGUE, **{**asked, "deferral": deferral}) for deferral in (True, False))
    denied = [{tool.name for tool in surface.denied} & set(CATALOGUE) for surface in (on, off)]
    assert denied[0] == denied[1]


@given(settings)
def test_without_deferral_every_admitted_tool_is_resident(asked: dict[str, Any]) -> None:
    """C7: nothing of deferral is left, neither an index nor the tools for discovery."""
    surface = resolve(CATALOGUE, **{**asked, "deferral": False})
    admitted = [name for name in sorted(CATALOGUE) if name not in {tool.name for tool in surface.denied}]
    assert [tool.name for tool in surface.resident] == admitted
    assert (surface.deferred, surface.withheld, index_text(surface)) == ((), (), "")


@given(settings)
def test_the_exit_of_the_mode_is_resident_whatever_is_asked(asked: dict[str, Any]) -> None:
    """C2."""
    assert state(resolve(CATALOGUE, **asked), asked["mode"].exit) == "resident"


@given(settings)
def test_search_tools_is_first_and_the_rest_is_sorted(asked: dict[str, Any]) -> None:
    surface = resolve(CATALOGUE, **asked)
    names = [tool.name for tool in surface.resident]
    rest = names[1:] if surface.deferred else names
    assert not surface.deferred or names[0] == "search_tools"
    assert rest == sorted(rest)
    assert "search_tools" not in rest


@given(settings)
def test_every_tool_has_one_state_and_a_reason(asked: dict[str, Any]) -> None:
    surface = resolve(CATALOGUE, **asked)
    states = (surface.resident, surface.deferred, surface.withheld, surface.denied)
    assert sum(map(len, states)) == len(surface.tools) == len(surface.by_name)
    assert set(CATALOGUE) <= set(surface.by_name)
    assert all(tool.reason for tool in surface.tools)


@given(settings)
def test_the_report_counts_what_is_there(asked: dict[str, Any]) -> None:
    surface = resolve(CATALOGUE, **asked)
    counts = [int(part.split()[0]) for part in surface.report().partition(":")[0].split(", ")]
    assert counts == [
        len(surface.tools),
        len(surface.resident),
        len(surface.deferred),
        len(surface.withheld),
        len(surface.denied),
        len(surface.unknown),
    ]


def test_the_report_is_one_line() -> None:
    surface = resolve(CATALOGUE, resident=["read", "gone"], denied=["sync", "away_*"])
    assert surface.report() == (
        "31 registered, 6 declared, 22 deferred, 0 withheld, 3 denied, 2 unknown names: away_*, gone"
    )


def test_build_has_about_two_dozen_residents_and_fewer_than_models_choose_reliably_among() -> None:
    """C1."""
    assert 20 <= len(resolve(CATALOGUE).resident) < 30


def test_what_the_mode_does_not_name_is_deferred() -> None:
    surface = resolve(CATALOGUE)
    assert [tool.name for tool in surface.deferred] == list(FOREIGN)
    assert placed(surface, "sync").reason == "mode build does not name it as resident"


def test_a_list_of_residents_replaces_that_of_the_mode() -> None:
    surface = resolve(CATALOGUE, resident=["sync"])
    assert placed(surface, "sync").reason == "the settings name it as resident"
    assert placed(surface, "bash").reason == "the settings do not name it as resident"


def test_tools_that_nobody_asks_for_stay_resident() -> None:
    surface = resolve(CATALOGUE, resident=[])
    assert [tool.name for tool in surface.resident] == [
        "search_tools",
        "ask_user",
        "finish",
        "task_list",
        "task_update",
    ]


def test_they_are_denied_all_the_same_where_the_settings_say_so() -> None:
    assert state(resolve(CATALOGUE, denied=["ask_user"]), "ask_user") == "denied"


def test_a_resident_name_that_matches_nothing_is_reported() -> None:
    """C2."""
    assert resolve(CATALOGUE, resident=["reed", "read"]).unknown == ("reed",)
    assert "read" in resolve(FOREIGN).unknown
    assert resolve(CATALOGUE).unknown == ()


def test_where_nothing_is_deferred_there_is_nothing_to_search_with() -> None:
    surface = resolve(OWN)
    assert surface.deferred == ()
    assert "search_tools" not in surface.by_name


def test_without_search_tools_nothing_is_deferred() -> None:
    surface = resolve(CATALOGUE, denied=["search_tools"])
    assert placed(surface, "sync").state == "resident"
    assert placed(surface, "sync").reason == "search_tools, which would find it, is denied"
    assert placed(surface, "search_tools").state == "denied"


def test_without_search_tools_what_a_user_left_out_is_withheld() -> None:
    surface = resolve(CATALOGUE, denied=["search_tools"], resident=["read"])
    assert "sync" in {tool.name for tool in surface.withheld}
    assert index_text(surface) == ""


def test_half_a_bridge_is_no_bridge() -> None:
    surface = resolve(CATALOGUE, denied=["call_tool"], discovery=BRIDGE)
    assert placed(surface, "search_tools").reason == "it is of no use alone"
    assert surface.deferred == ()


def test_the_whole_bridge_is_resident() -> None:
    names = [tool.name for tool in resolve(CATALOGUE, discovery=BRIDGE).resident]
    assert names[0] == "search_tools"
    assert "call_tool" in names


def test_a_search_does_not_find_the_tools_for_discovery() -> None:
    offered = [tool.name for tool in resolve(CATALOGUE, discovery=BRIDGE).offered]
    assert offered == [name for name in CATALOGUE if not name.startswith("hand_over")]


def test_equal_surfaces_have_one_fingerprint_and_others_another() -> None:
    """C11: nothing but what is sent is in it."""
    assert resolve(CATALOGUE).fingerprint == resolve(CATALOGUE, denied=["nothing"]).fingerprint
    assert resolve(CATALOGUE).fingerprint != resolve(CATALOGUE, mode=PLAN).fingerprint
    assert resolve(CATALOGUE).fingerprint != resolve(CATALOGUE, denied=["sync"]).fingerprint


def test_a_mode_without_its_exit_in_the_catalogue_is_reported() -> None:
    odd = msgspec.structs.replace(BUILD, exit="leave", resident=(), unasked=())
    assert resolve(Catalogue([ToolSpec(name="look")]), mode=odd).unknown == ("leave",)
