from __future__ import annotations

import pytest

from explorer.queries.surface import Entry
from explorer.queries.unused import Unused, first_places, unused
from observability.models import Run
from tests.explorer.scene import Scene


def unused_of(scene: Scene) -> Unused:
    return unused(Run.objects.get(uid=scene.run))


def entry(seq: int, tool: str, state: str = "resident") -> Entry:
    return Entry(seq, tool, state, None, "", "", "", "")


def test_the_first_list_holds_from_the_first_request_and_a_later_tool_from_the_next_one() -> None:
    entries = [entry(25, "A"), entry(35, "B"), entry(36, "A"), entry(5, "C", "deferred")]
    assert first_places(entries, [20, 30, 40]) == {"A": 0, "B": 2}


@pytest.mark.django_db
def test_a_resident_tool_that_was_never_called_costs_a_write_and_reads() -> None:
    scene = Scene(model="claude-opus-4-5").resident("Read", "Plan").ask(10_000)
    scene.call("Read", "{}", "text").ask(10_100, read=10_000).ask(10_200, read=10_100)
    found = unused_of(scene.store())
    assert found.resident == 2
    (plan,) = found.tools
    assert (plan.name, plan.held.requests, plan.held.tokens) == ("Plan", 3, 3 * plan.schema)
    # $6.25 a million to write for 5 minutes, twice $0.50 to read.
    assert plan.held.pusd == plan.schema * (6_250_000 + 2 * 500_000)


@pytest.mark.django_db
def test_a_break_writes_it_again() -> None:
    scene = Scene(model="claude-opus-4-5").resident("Plan").ask(10_000).ask(10_100, read=10_000).ask(10_200)
    (plan,) = unused_of(scene.store()).tools
    assert plan.held.pusd == plan.schema * (2 * 6_250_000 + 500_000)


@pytest.mark.django_db
def test_a_model_without_a_price_leaves_it_unpriced() -> None:
    (plan,) = unused_of(Scene(model="nobody-knows-1").resident("Plan").ask(900).store()).tools
    assert (plan.held.pusd, plan.held.unpriced) == (None, 1)


@pytest.mark.django_db
def test_the_search_for_tools_is_not_unused() -> None:
    assert unused_of(Scene().resident("ToolSearch").ask(900).store()).tools == []


@pytest.mark.django_db
def test_a_tool_that_left_is_not_counted() -> None:
    found = unused_of(Scene().resident("Read", "Plan").ask(900).removed("Plan").ask(950).store())
    assert (found.resident, [tool.name for tool in found.tools]) == (1, ["Read"])


@pytest.mark.django_db
def test_a_log_without_a_list_of_resident_tools_says_nothing_of_them() -> None:
    assert unused_of(Scene().deferred("Fetch").ask(900).store()) == Unused(resident=None, tools=[])
