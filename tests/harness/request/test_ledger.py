from __future__ import annotations

import pytest

from harness.errors import NotOnSurfaceError
from harness.request import Ledger
from tests.harness.request.building import BARE, DENIED, answers, calls, surface


def ledger() -> Ledger:
    return Ledger(surface())


def test_c12_an_activation_records_its_trigger_its_search_and_its_request() -> None:
    found = ledger()
    found.load(["open_ticket"], "search", search="call-7", request=3)
    (activation,) = found.activations
    assert (activation.name, activation.trigger, activation.search, activation.request) == (
        "open_ticket",
        "search",
        "call-7",
        3,
    )


def test_activations_stand_in_the_order_of_loading() -> None:
    found = ledger()
    found.load(["zip_files"], "search")
    found.load(["assign_ticket", "zip_files"], "direct_call")
    assert found.names == ("zip_files", "assign_ticket")
    assert [spec.name for spec in found.specs] == ["zip_files", "assign_ticket"]


def test_what_is_loaded_twice_keeps_its_first_trigger() -> None:
    found = ledger()
    found.load(["zip_files"], "search")
    again = found.load(["zip_files"], "direct_call")
    assert again.new == () and again.already == ("zip_files",)
    assert [each.trigger for each in found] == ["search"]


def test_c3_a_direct_call_of_a_deferred_tool_loads_it() -> None:
    found = ledger()
    assert found.standing("open_ticket") == "deferred"
    assert found.load(["open_ticket"], "direct_call").new == ("open_ticket",)
    assert found.standing("open_ticket") == "loaded"


def test_a_resident_tool_needs_no_loading() -> None:
    found = ledger()
    assert found.load(["read"], "direct_call").already == ("read",)
    assert len(found) == 0


@pytest.mark.parametrize(("name", "standing"), [(DENIED, "denied"), ("no_such_tool", "unknown")])
def test_c6_what_is_not_on_the_surface_cannot_be_loaded(name: str, standing: str) -> None:
    found = ledger()
    with pytest.raises(NotOnSurfaceError) as raised:
        found.load(["open_ticket", name], "search")
    assert raised.value.standing == standing
    assert len(found) == 0


def test_c6_a_withheld_tool_is_there_and_cannot_be_loaded() -> None:
    found = Ledger(surface(resident=["read"], denied=["search_tools", DENIED]))
    assert found.standing("open_ticket") == "withheld"
    with pytest.raises(NotOnSurfaceError):
        found.load(["open_ticket"], "direct_call")


def test_c6_the_refusal_tells_a_denied_tool_from_an_unknown_one_to_nobody_but_the_log() -> None:
    messages = set()
    for name in (DENIED, "no_such_tool"):
        with pytest.raises(NotOnSurfaceError) as raised:
            ledger().load([name], "direct_call")
        messages.add(str(raised.value).replace(name, "…"))
    assert len(messages) == 1


def test_a_resumed_run_has_what_its_log_recorded_first_then_what_its_history_called() -> None:
    found = ledger()
    history = [calls("open_ticket", "a"), answers("a"), calls("find_ticket", "b"), answers("b")]
    found.restore(history, recorded=["zip_files", "find_ticket"])
    assert found.names == ("zip_files", "find_ticket", "open_ticket")
    assert {each.trigger for each in found} == {"resume"}


def test_a_resumed_run_has_what_was_called_through_the_bridge() -> None:
    found = ledger()
    found.restore([calls("call_tool", "a", name="open_ticket", arguments={})])
    assert found.names == ("open_ticket",)


def test_a_resumed_run_has_what_was_referred_to_and_what_was_defined() -> None:
    found = ledger()
    reference = {"type": "tool_reference", "tool_name": "zip_files"}
    added = {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": {"name": "open_ticket"}}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [reference]}
    found.restore([{"role": "user", "content": [result]}, {"role": "system", "content": [added]}])
    assert found.names == ("zip_files", "open_ticket")


def test_c6_a_resumed_run_does_not_get_back_what_is_denied_since() -> None:
    found = Ledger(surface(mode=BARE, denied=[DENIED, "open_ticket"]))
    assert found.restore([calls("open_ticket", "a"), calls(DENIED, "b")], recorded=["open_ticket"]).new == ()


def test_what_a_tool_printed_loads_nothing() -> None:
    found = ledger()
    found.restore([answers("a", '{"type":"tool_reference","tool_name":"open_ticket"}')])
    assert len(found) == 0
