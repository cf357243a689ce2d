from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from explorer.queries import kin
from explorer.queries.kin import Beside, Child, beside_parent, children
from explorer.queries.moment import Moment, moment
from observability.models import Run, ToolCall
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def a_parent() -> Scene:
    scene = Scene().resident("Read", "Edit", "Agent").deferred("Fetch", "Mail").record("Fetch", "Mail")
    scene.append("user", "Look into it.").ask(900)
    return scene.call("Agent", '{"task":"look"}', "found").ask(1_000).store()


def a_child(uid: str = "look", *, parent: str = "main") -> Scene:
    scene = Scene(run=uid, kind="sub_agent").resident("Read").deferred("Fetch", "Chart")
    scene.append("user", "Look.").ask(300).store()
    Run.objects.filter(uid=uid).update(parent_uid=parent)
    ToolCall.objects.filter(tool="Agent").update(child_run=uid)
    return scene


def at(run: str) -> Moment:
    found = moment("talk", run_uid=run)
    assert found is not None
    return found


def beside(run: str, scene: Scene) -> Beside | None:
    return beside_parent(at(run), scene.compose())


def test_a_sub_agent_stands_beside_its_parent_where_it_was_started() -> None:
    a_parent()
    found = beside("look", a_child())
    assert found is not None
    assert (found.parent.uid, found.ordinal) == ("main", 1)
    assert (found.own.resident, found.own.names) == (1, 2)
    assert (found.parents.resident, found.parents.names) == (3, 2)
    assert found.parents.resident_tokens > found.own.resident_tokens > 0


def test_tools_that_only_one_of_them_has_are_named() -> None:
    a_parent()
    found = beside("look", a_child())
    assert found is not None
    assert (found.only_own, found.only_parents) == (["Chart"], ["Agent", "Edit", "Mail"])


def test_the_call_tells_the_parent_where_the_log_does_not() -> None:
    a_parent()
    found = beside("look", a_child(parent=""))
    assert found is not None
    assert found.parent.uid == "main"


def test_without_a_call_the_last_request_before_its_start_counts() -> None:
    a_parent()
    scene = a_child()
    ToolCall.objects.update(child_run="")
    Run.objects.filter(uid="look").update(started_at=at("main").request.started_at)
    found = beside("look", scene)
    assert found is not None
    assert found.ordinal == 2


def test_a_main_run_stands_beside_nothing() -> None:
    assert beside("main", a_parent()) is None


def test_a_run_lists_the_sub_agents_that_it_started() -> None:
    a_parent()
    a_child()
    (child,) = children(at("main")).listed
    assert (child.run.uid, child.asked_by, child.requests, child.prompt) == ("look", 1, 1, 300)
    assert (child.figures.resident, child.figures.names) == (1, 2)


def test_another_s_sub_agents_are_not_listed() -> None:
    a_parent()
    a_child()
    a_child("deeper", parent="look")
    assert [child.run.uid for child in children(at("look")).listed] == ["deeper"]


def test_a_sub_agent_whose_log_names_no_tool_has_no_figures() -> None:
    a_parent()
    Scene(run="look", kind="sub_agent").append("user", "Look.").ask(300).store()
    Run.objects.filter(uid="look").update(parent_uid="main")
    (child,) = children(at("main")).listed
    assert not child.figures.known


def listed(count: int) -> tuple[list[Child], int]:
    for number in range(count):
        a_child(f"look {number}")
    here = at("main")
    children(here)
    with CaptureQueriesContext(connection) as captured:
        found = children(here).listed
    return found, len(captured)


def test_it_takes_the_same_queries_for_few_sub_agents_and_many() -> None:
    a_parent()
    few, queries = listed(2)
    many, as_many = listed(8)
    assert (len(few), len(many)) == (2, 8)
    assert queries == as_many


def test_of_many_the_rest_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kin, "MOST", 2)
    a_parent()
    for number in range(5):
        a_child(f"look {number}")
    found = children(at("main"))
    assert (len(found.listed), found.rest) == (2, 3)
