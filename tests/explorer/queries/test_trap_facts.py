"""Traps in a store: each rule fed by what a log left there."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from explorer.queries.moment import moment
from explorer.queries.trap_facts import COMMANDS, trap_facts
from explorer.traps import Facts, Trap, find
from harness.runlog import SurfaceDeclared, Tool
from observability.models import Conversation, Run
from tests.explorer.scene import Scene, definition, whole

pytestmark = pytest.mark.django_db


def facts_of(scene: Scene) -> Facts:
    at = moment(scene.conversation, run_uid=scene.run)
    assert at is not None
    return trap_facts(at, scene.compose(), query="q")


def traps_of(scene: Scene) -> dict[str, Trap]:
    return {trap.kind: trap for trap in find(facts_of(scene))}


def grown(requests: int = 5) -> Scene:
    scene = Scene().resident("Read", "Plan", "ToolSearch").deferred("Fetch", "Assign").record("Fetch", "Assign")
    for number in range(requests):
        scene.ask(2_000 + 10 * number).call("Read", "{}", "a line of text\n" * 10)
    return scene


def helper(uid: str, *tools: str) -> Scene:
    return Scene(run=uid, kind="sub_agent").resident(*tools).append("user", "Look").ask(900)


def test_a_quiet_conversation_has_no_trap() -> None:
    assert traps_of(Scene().append("user", "Hello").ask(900).store()) == {}


def test_unused_tools_are_found_in_the_store() -> None:
    assert "Plan" in traps_of(grown().store())["unused_resident"].why


def test_sub_agents_that_received_deferred_tools_are_found_from_the_main_run_and_from_theirs() -> None:
    scene = grown().store()
    explorer = helper("helper/1", "Read", "Fetch", "Assign").store()
    helper("helper/2", "Read").store()
    sent = traps_of(scene)["sub_agents_received"]
    assert sent.figure.startswith("1 × ")
    assert "Assign" in sent.why
    assert traps_of(explorer)["sub_agents_received"].tokens == sent.tokens


def test_a_sub_agent_that_sent_nothing_is_no_trap() -> None:
    scene = grown().store()
    Scene(run="helper/1", kind="sub_agent").resident("Fetch").store()
    assert "sub_agents_received" not in traps_of(scene)


def test_sub_agents_with_the_resident_tools_of_the_main_run_are_no_trap() -> None:
    scene = grown().store()
    helper("helper/1", "Read", "Plan").store()
    assert "sub_agents_received" not in traps_of(scene)


def test_a_tool_that_a_search_loaded_in_vain_is_found() -> None:
    found = traps_of(grown().search("fetch a page", "Fetch").ask(3_000).ask(3_100).store())["found_never_called"]
    assert "“fetch a page”" in found.why
    assert found.tokens


def test_a_tool_that_a_search_loaded_and_the_run_called_is_no_trap() -> None:
    scene = grown().search("fetch a page", "Fetch").ask(3_000).call("Fetch", "{}", "page").ask(3_100).store()
    assert "found_never_called" not in traps_of(scene)


def test_an_index_without_a_search_is_found() -> None:
    scene = Scene().resident("Read").deferred("Fetch").ask(900).store()
    assert traps_of(scene)["half_bridge"].tokens


def test_a_denied_tool_that_a_sub_agent_called_is_found() -> None:
    scene = grown()
    tools = [Tool(name="Bash", state="denied")]
    scene.events.append(SurfaceDeclared(**scene._head(), tools=tools, complete=True, states=["denied"]))
    scene.ask(3_000).store()
    helper("helper/1", "Read").call("Bash", '{"command":"ls"}', "no").store()
    assert traps_of(scene)["denied_and_needed"].why == "sub-agents called Bash 1 time"


def test_tools_that_a_resume_loads_are_found() -> None:
    scene = grown().activate("Fetch", trigger="resume").ask(3_000).store()
    assert traps_of(scene)["declared_again"].tokens


def test_tools_that_were_deferred_before_a_resume_are_found() -> None:
    scene = Scene().deferred("Fetch").ask(900).resident("Fetch").ask(990).store()
    assert "declared_again" not in traps_of(scene)
    Conversation.objects.update(resumed=True)
    assert "Fetch" in traps_of(scene)["declared_again"].why


def test_a_search_through_the_shell_is_read_from_its_text() -> None:
    scene = Scene().resident("Grep", "Bash").ask(900)
    scene.call("Bash", '{"command":"grep -rn total src"}', "src/a.py:1: total = 0\n" * 200).ask(6_000)
    found = traps_of(scene.store())["shell_instead"]
    assert found.tokens is not None
    assert found.tokens > 1_000


def test_no_more_command_lines_are_read_than_a_page_can_bear() -> None:
    scene = Scene().resident("Grep", "Bash").ask(900)
    for number in range(COMMANDS + 5):
        scene.call("Bash", f'{{"command":"grep {number} src"}}', f"line {number}\n" * number)
    found = facts_of(scene.ask(6_000).store())
    assert len(found.shell) == COMMANDS
    assert found.shell[-1].command == "grep 5 src"


def test_deferral_that_is_off_is_found() -> None:
    scene = Scene()
    tools = [
        Tool(name=f"mcp__docs__{n}", state="resident", definition=definition(f"t{n}", 400), server="docs")
        for n in range(5)
    ]
    scene.events.append(SurfaceDeclared(**scene._head(), tools=tools, complete=True, states=["resident"]))
    scene.ask(30_000).store()
    assert "deferral_off" in traps_of(scene)
    Run.objects.update(deferral=False)
    assert "deferral_off" not in traps_of(scene)


def queries_for(scene: Scene) -> int:
    at = moment(scene.conversation, run_uid=scene.run)
    assert at is not None
    now = scene.compose()
    with CaptureQueriesContext(connection) as queries:
        trap_facts(at, now, query="q")
    return len(queries)


def test_twenty_sub_agents_take_no_more_queries_than_two() -> None:
    scene = whole().store()
    for number in range(2):
        helper(f"helper/{number}", "Fetch", "WebFetch").store()
    few = queries_for(scene)
    for number in range(2, 20):
        helper(f"helper/{number}", "Fetch", "WebFetch").store()
    assert queries_for(scene) == few
