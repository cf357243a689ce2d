"""The tool surface, version by version."""

from __future__ import annotations

from harness.runlog import (
    ContextAppended,
    RunStarted,
    ServerFailure,
    SurfaceChanged,
    SurfaceDeclared,
    ToolActivated,
    ToolSearched,
)
from tests.claude_code_lines import Log, search_call, text, tool, tool_use
from tests.observability.sources.claude_code.reading import events, items, one, read


def states(event: SurfaceChanged | SurfaceDeclared) -> dict[str, str]:
    """Name → state."""
    return {entry.name: entry.state for entry in event.tools}


def test_before_deferral_only_used_names_are_known() -> None:
    found = read(Log(version="2.0.72").assistant([tool_use("Bash")]))
    assert not events(found, SurfaceChanged)
    assert not events(found, SurfaceDeclared)
    assert one(found, RunStarted).deferral is None


def test_an_mcp_search_of_early_versions_is_a_search() -> None:
    found = read(Log(version="2.0.73").assistant([search_call("+slack", tool="MCPSearch")]))
    assert one(found, ToolSearched).tool == "MCPSearch"


def test_an_announcement_in_a_message_lists_deferred_tools() -> None:
    found = read(Log(version="2.1.60").announcement("CronCreate", "mcp__mail__send"))
    event = one(found, SurfaceChanged)
    assert states(event) == {"CronCreate": "deferred", "mcp__mail__send": "deferred"}
    assert [entry.server for entry in event.tools] == [None, "mail"]
    assert [item.kind for item in items(found)] == ["index"]
    assert one(found, RunStarted).deferral is True


def test_an_announcement_may_stand_inside_a_reminder() -> None:
    body = "<system-reminder>\n<available-deferred-tools>\nWebFetch\n</available-deferred-tools>\n</system-reminder>"
    found = read(Log(version="2.1.70").meta([text(body)]))
    assert states(one(found, SurfaceChanged)) == {"WebFetch": "deferred"}
    assert [item.kind for item in items(found)] == ["index"]


def test_a_delta_adds_and_removes_deferred_tools() -> None:
    log = Log(version="2.1.181")
    found = read(log.deferred_tools_delta(["A", "mcp__s__t"], removedNames=["B"], lines=["A: does a", "mcp__s__t"]))
    event = one(found, SurfaceChanged)
    assert states(event) == {"B": "removed", "A": "deferred", "mcp__s__t": "deferred"}
    assert {entry.name: entry.listing for entry in event.tools}["A"] == "A: does a"
    assert one(found, RunStarted).deferral is True


def test_the_index_costs_what_was_rendered() -> None:
    log = Log()
    rendered, joined = items(
        read(log.deferred_tools_delta(["A"], rendered="Tools: A"), log.deferred_tools_delta(["B", "C"]))
    )
    assert (rendered.kind, rendered.text, rendered.chars) == ("index", "Tools: A", 8)
    assert joined.text == "B\nC"


def test_a_delta_that_was_rendered_as_nothing_is_no_item() -> None:
    assert items(read(Log().deferred_tools_delta(["A"], rendered=""))) == []


def test_a_delta_of_2_1_259_names_hidden_and_readded_tools_and_servers() -> None:
    found = read(
        Log(version="2.1.259").deferred_tools_delta(
            readdedNames=["Back"],
            wireHiddenNames=["Hidden"],
            pendingMcpServers=["docs"],
            needsAuthMcpServers=["mail"],
            failedMcpServers=[{"name": "web", "errorCode": "CONNECT_TIMEOUT", "error": "no answer"}],
        )
    )
    event = one(found, SurfaceChanged)
    assert states(event) == {"Back": "deferred", "Hidden": "deferred"}
    assert event.tools[1].reason == "hidden on the wire"
    assert (event.pending_servers, event.needs_auth_servers) == (["docs"], ["mail"])
    assert event.failed_servers == [ServerFailure(name="web", code="CONNECT_TIMEOUT", error="no answer")]


def test_a_snapshot_has_the_system_prompt_and_replaces_the_one_before() -> None:
    found = read(Log().prompt_snapshot(["You are an agent.", "Be brief."]))
    event = one(found, ContextAppended)
    assert event.replaces == ["system"]
    assert [(item.kind, item.label, item.chars) for item in event.items] == [
        ("system", "block 1", 17),
        ("system", "block 2", 9),
    ]
    assert events(found, SurfaceDeclared) == []


def test_a_snapshot_with_tools_declares_the_resident_ones_with_their_whole_schema() -> None:
    bash, mcp = tool("Bash"), tool("mcp__mail__send")
    event = one(read(Log().prompt_snapshot(["You are."], [bash, mcp])), SurfaceDeclared)
    assert (event.complete, event.states) == (True, ["resident"])
    assert [(entry.name, entry.definition, entry.server) for entry in event.tools] == [
        ("Bash", bash, None),
        ("mcp__mail__send", mcp, "mail"),
    ]


def test_a_snapshot_may_name_the_server_of_a_tool() -> None:
    record = Log().prompt_snapshot([], [tool("send")])
    record["attachment"]["tools"][0]["server"] = "mail"
    assert one(read(record), SurfaceDeclared).tools[0].server == "mail"


def test_a_record_makes_definitions_known_but_loads_and_sends_nothing() -> None:
    cron = tool("CronCreate")
    found = read(Log().deferred_tools_record(cron))
    (entry,) = one(found, SurfaceChanged).tools
    assert (entry.state, entry.definition) == ("deferred", cron)
    assert items(found) == []
    assert events(found, ToolActivated) == []


def test_an_empty_record_is_bookkeeping() -> None:
    assert read(Log().deferred_tools_record()).events == []


def test_a_surfaced_definition_is_a_tool_loaded_without_a_search() -> None:
    mail = tool("mcp__mail__send")
    given = [{"name": "mcp__mail__send", "listing": "mcp__mail__send: sends", "definition": mail}]
    found = read(Log().deferred_tools_delta(surfacedNames=["mcp__mail__send"], surfacedDefinitions=given))
    (entry,) = one(found, SurfaceChanged).tools
    assert (entry.state, entry.definition, entry.listing) == ("deferred", mail, "mcp__mail__send: sends")
    activated = one(found, ToolActivated)
    assert (activated.names, activated.trigger) == (["mcp__mail__send"], "preload")


def test_a_surfaced_definition_may_stand_in_another_record() -> None:
    given = [{"name": "X", "sameAs": "5f3c"}]
    (entry,) = one(read(Log().deferred_tools_delta(surfacedDefinitions=given)), SurfaceChanged).tools
    assert (entry.definition, entry.reason) == (None, "definition stands in record 5f3c")


def test_a_sub_agent_has_its_own_index() -> None:
    log = Log(agent="a1", version="2.1.220")
    assert one(read(log.deferred_tools_delta(["A"])), SurfaceChanged).run == "a1"


def test_deferral_is_told_once() -> None:
    log = Log()
    found = read(log.deferred_tools_delta(["A"]), log.deferred_tools_delta(["B"]))
    assert [event.deferral for event in events(found, RunStarted)] == [True]
