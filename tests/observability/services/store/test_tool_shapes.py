"""The shapes in which Claude Code writes of its tools, as searches, misses and activations of the store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from observability.models import Activation, Rewrite, Search, ServerReport, SurfaceEntry
from observability.services.imports import import_paths
from tests.claude_code_lines import Log, dump, references, search_call, text, tool, tool_use

pytestmark = pytest.mark.django_db
Record = dict[str, Any]
NAMES = ("CronCreate", "mcp__s__t", "mcp__s__u")


@pytest.fixture
def read(tmp_path: Path) -> Callable[[list[Record]], None]:
    """Imports a log of these records."""

    def imported(records: list[Record], name: str = "a.jsonl") -> None:
        path = tmp_path / name
        path.write_bytes(dump(records))
        import_paths([path])

    return imported


def opening(log: Log, *names: str) -> list[Record]:
    """A start with Bash and ToolSearch resident and these names deferred."""
    resident = [tool("Bash"), tool("ToolSearch")]
    return [
        log.deferred_tools_delta(names or NAMES),
        log.prompt_snapshot(["You are an agent."]),
        log.user("please help"),
        log.assistant([text("of course")]),
        log.prompt_snapshot(["You are an agent."], resident),
    ]


def searched(log: Log, query: str, *found: str, call: str = "toolu_s", **more: Any) -> list[Record]:
    """A search and its result."""
    call_line = log.assistant([search_call(query, call=call, **more)], stop="tool_use")
    result = log.search_result(*found, query=query, call=call) if found else log.search_miss(query, call=call)
    return [call_line, result]


def loaded() -> list[tuple[str, str]]:
    """What was loaded, and by what, in order."""
    return list(Activation.objects.order_by("seq", "tool").values_list("tool", "trigger"))


def outcome() -> str:
    """How the one search ended."""
    return Search.objects.get().outcome


def test_a_hit_by_words_loads_what_it_returns(read) -> None:
    log = Log()
    read([*opening(log), *searched(log, "schedule a job", "CronCreate")])
    search = Search.objects.get()
    assert (search.outcome, search.query, search.form, search.searchable) == ("hit", "schedule a job", "words", 21)
    assert loaded() == [("CronCreate", "search")]
    assert Activation.objects.get().search_key == search.call_key


def test_a_select_that_returns_all_it_names_is_a_hit(read) -> None:
    log = Log()
    read([*opening(log), *searched(log, "select:CronCreate,mcp__s__t", "CronCreate", "mcp__s__t")])
    assert (outcome(), Search.objects.get().form) == ("hit", "select")
    assert loaded() == [("CronCreate", "search"), ("mcp__s__t", "search")]


def test_a_select_that_returns_less_than_it_names_is_partial(read) -> None:
    log = Log()
    read([*opening(log), *searched(log, "select:CronCreate,Missing", "CronCreate")])
    assert (outcome(), Search.objects.get().missing) == ("partial", ["Missing"])


def test_a_required_word_is_a_form_of_its_own(read) -> None:
    log = Log()
    read([*opening(log), *searched(log, "+cron make", "CronCreate")])
    assert Search.objects.get().form == "required_word"


def test_a_miss_loads_nothing(read) -> None:
    log = Log()
    read([*opening(log), *searched(log, "select:mcp__pairing__propose")])
    assert (outcome(), Search.objects.get().matches, loaded()) == ("miss", [], [])


def test_a_miss_names_the_servers_that_failed(read) -> None:
    log = Log()
    note = (
        ". Note: these configured MCP servers failed to connect, so their tools are unavailable for this session: "
        "playwright (CONNECT_TIMEOUT): no answer"
    )
    read([*opening(log), log.assistant([search_call("click")]), log.search_miss("click", note=note)])
    assert (outcome(), [server["name"] for server in Search.objects.get().failed]) == ("miss", ["playwright"])


def test_a_miss_names_the_servers_that_are_still_connecting(read) -> None:
    log = Log()
    note = ". Some MCP servers are still connecting: a, b. Their tools will become available shortly"
    miss = log.search_miss("click", note=note, pending_mcp_servers=["a", "b"])
    read([*opening(log), log.assistant([search_call("click")]), miss])
    assert Search.objects.get().pending == ["a", "b"]


def test_a_hit_on_a_resident_tool_loads_nothing(read) -> None:
    log = Log()
    read([*opening(log), *searched(log, "select:Bash", "Bash")])
    assert (outcome(), loaded()) == ("resident", [])


def test_the_older_search_tool_is_a_search_too(read) -> None:
    log = Log(version="2.0.76")
    read([log.announcement("mcp__s__t"), *searched(log, "select:mcp__s__t", "mcp__s__t", tool="MCPSearch")])
    assert (outcome(), Search.objects.get().tool, loaded()) == ("hit", "MCPSearch", [("mcp__s__t", "search")])


def test_a_search_whose_references_were_removed_has_no_known_result_and_says_why(read) -> None:
    log = Log()
    removed = log.tool_result("[Tool references removed - tool search not enabled]", call="toolu_s")
    read([*opening(log), log.assistant([search_call("cron")]), removed])
    assert (outcome(), loaded()) == ("open", [])
    assert "references removed" in Search.objects.get().note


def test_an_interrupted_search_is_an_error(read) -> None:
    log = Log()
    broken = log.tool_result("[Tool result missing due to internal error]", call="toolu_s", error=True)
    read([*opening(log), log.assistant([search_call("cron")]), broken])
    assert outcome() == "error"


def test_a_search_without_a_result_stays_open(read) -> None:
    log = Log()
    read([*opening(log), log.assistant([search_call("cron")])])
    assert outcome() == "open"


def test_a_result_is_known_by_its_references_alone(read) -> None:
    log = Log()
    read(
        [*opening(log), log.assistant([search_call("cron")]), log.tool_result(references("CronCreate"), call="toolu_s")]
    )
    assert (outcome(), loaded()) == ("hit", [("CronCreate", "search")])


def test_a_direct_call_of_a_deferred_tool_that_ran_loaded_it(read) -> None:
    log = Log()
    call = log.assistant([tool_use("mcp__s__t", {"q": 1})], stop="tool_use")
    read([*opening(log), call, log.tool_result("done")])
    assert loaded() == [("mcp__s__t", "direct_call")]


def test_a_direct_call_that_was_refused_loaded_nothing(read) -> None:
    log = Log()
    call = log.assistant([tool_use("mcp__s__t", {"q": 1})], stop="tool_use")
    refused = log.tool_result("<tool_use_error>InputValidationError</tool_use_error>", error=True)
    read([*opening(log), call, refused])
    assert loaded() == []


def test_a_call_of_an_unknown_name_loaded_nothing(read) -> None:
    log = Log()
    call = log.assistant([tool_use("Nowhere")], stop="tool_use")
    error = "<tool_use_error>Error: No such tool available: Nowhere</tool_use_error>"
    read([*opening(log), call, log.tool_result(error, error=True, extra="Error: No such tool available")])
    assert loaded() == []


def test_a_call_after_a_search_is_not_loaded_twice(read) -> None:
    log = Log()
    call = log.assistant([tool_use("CronCreate")], stop="tool_use")
    read([*opening(log), *searched(log, "cron", "CronCreate"), call, log.tool_result("ok")])
    assert loaded() == [("CronCreate", "search")]


def test_definitions_that_surface_by_themselves_are_preloaded(read) -> None:
    log = Log()
    definition = {"name": "mcp__s__u", "listing": "mcp__s__u", "definition": tool("mcp__s__u")}
    delta = log.deferred_tools_delta([], surfacedNames=["mcp__s__u"], surfacedDefinitions=[definition])
    read([*opening(log), delta])
    assert loaded() == [("mcp__s__u", "preload")]
    assert SurfaceEntry.objects.filter(tool="mcp__s__u", definition__isnull=False).exists()


def test_a_record_of_definitions_is_bookkeeping_and_loads_nothing(read) -> None:
    log = Log()
    read([*opening(log), log.deferred_tools_record(tool("CronCreate"))])
    assert loaded() == []
    assert SurfaceEntry.objects.filter(tool="CronCreate", definition__isnull=False).exists()


def test_what_stays_loaded_at_a_compaction_is_not_loaded_again(read) -> None:
    log = Log()
    call = log.assistant([tool_use("CronCreate")], stop="tool_use")
    boundary = [log.compact_boundary(preCompactDiscoveredTools=["CronCreate"]), log.summary()]
    read([*opening(log), *searched(log, "cron", "CronCreate"), *boundary, call, log.tool_result("ok")])
    assert loaded() == [("CronCreate", "search")]
    assert Rewrite.objects.get().kept_tools == ["CronCreate"]


def test_what_does_not_stay_loaded_is_loaded_again(read) -> None:
    log = Log()
    call = log.assistant([tool_use("CronCreate")], stop="tool_use")
    start = [*opening(log), *searched(log, "cron", "CronCreate")]
    read([*start, log.compact_boundary(preCompactDiscoveredTools=[]), log.summary(), call, log.tool_result("ok")])
    assert loaded() == [("CronCreate", "search"), ("CronCreate", "direct_call")]


def test_an_old_compaction_does_not_say_what_stays(read) -> None:
    log = Log(version="2.0.76")
    read([*opening(log), *searched(log, "cron", "CronCreate"), log.compact_boundary(), log.summary()])
    assert Rewrite.objects.get().kept_tools is None
    assert loaded() == [("CronCreate", "search")]


def test_the_index_is_what_the_deltas_come_to(read) -> None:
    log = Log()
    gone = log.deferred_tools_delta([], removedNames=["CronCreate"])
    back = log.deferred_tools_delta([], readdedNames=["CronCreate"])
    call = log.assistant([tool_use("CronCreate")], stop="tool_use")
    read([*opening(log), gone, back, call, log.tool_result("ok")])
    states = SurfaceEntry.objects.filter(tool="CronCreate").order_by("seq").values_list("state", flat=True)
    assert list(states) == ["deferred", "removed", "deferred"]
    assert loaded() == [("CronCreate", "direct_call")]


def test_servers_without_tools_are_noted_with_their_reason(read) -> None:
    log = Log()
    failed = [{"name": "db", "errorCode": "ECONNREFUSED", "error": "refused"}]
    delta = log.deferred_tools_delta(
        [], pendingMcpServers=["slow"], needsAuthMcpServers=["mail"], failedMcpServers=failed
    )
    read([*opening(log), delta])
    assert set(ServerReport.objects.values_list("server", "state", "code")) == {
        ("slow", "pending", ""),
        ("mail", "needs_auth", ""),
        ("db", "failed", "ECONNREFUSED"),
    }


def test_a_sub_agent_has_a_surface_of_its_own(read) -> None:
    main, agent = Log(), Log(agent="a1b2")
    read(opening(main))
    read([*opening(agent, "OnlyHere"), *searched(agent, "only", "OnlyHere")], "agent-a1b2.jsonl")
    assert loaded() == [("OnlyHere", "search")]
    assert Activation.objects.get().run.uid == "a1b2"
