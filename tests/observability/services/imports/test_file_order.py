"""No order of files, and no point at which reading stops, changes a row."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from observability.models import Conversation, Request, Sighting
from observability.services.imports import import_paths
from tests.claude_code_lines import Log, agent_meta, dump, search_call, text, tool, tool_use, usage_of
from tests.rows import all_rows

pytestmark = pytest.mark.django_db
Records = list[dict[str, Any]]


def main_run(log: Log) -> Records:
    """A search that hits, one that misses, a direct call, a sub-agent, a compaction, totals."""
    return [
        log.title("First"),
        log.user("Start"),
        log.deferred_tools_delta(["A", "B", "C"], rendered="A\nB\nC", surfacedNames=["C"], failedMcpServers=[]),
        log.prompt_snapshot(["You are."], [tool("Bash"), tool("Agent")]),
        log.assistant([search_call("select:A,Z")], usage=usage_of(read=0, write_1h=9000), message="m1", request="r1"),
        log.assistant([tool_use("B", call="t1")], usage=usage_of(read=0, write_1h=9000), message="m1", request="r1"),
        log.search_result("A", query="select:A,Z"),
        log.tool_result("done", call="t1"),
        log.assistant([tool_use("Agent", {"prompt": "look"}, "t2")], usage=usage_of(read=9000, write_1h=50)),
        log.agent_progress("t2", "a1", usage_of(read=77_777)),
        log.tool_result([text("found")], call="t2", extra={"agentId": "a1", "totalDurationMs": 9}),
        log.assistant([search_call("nothing", call="s2")], usage=usage_of(read=400)),
        log.search_miss("nothing", call="s2"),
        log.compact_boundary(preCompactDiscoveredTools=["A", "X"]),
        log.summary(),
        log.assistant([text("on")], usage=usage_of(write_5m=3000)),
        log.cost_state(m={"inputTokens": log.lines}),
    ]


def fork(log: Log, copied: Records) -> Records:
    """A copied history under another session id, without what has no uuid, and what came after."""
    history = [{**record, "sessionId": log.session} for record in copied if "uuid" in record]
    log.lines = 100
    return [*history, log.user("Another way"), log.assistant([text("yes")], usage=usage_of(read=9000))]


def session_files(folder: Path) -> list[tuple[Path, bytes]]:
    """A session, its sub-agents, a fork, a resume that repeats it, and another folder of the same project."""
    log = Log(session="aaaa", cwd="/home/dev/shop/api")
    told = main_run(log)
    child, squeeze = Log(session="aaaa", agent="a1"), Log(session="aaaa", agent="acompact-f1")
    shared = child.assistant([text("found")], message="m1", request="r1", usage=usage_of(read=0, write_1h=9000))
    resumed = Log(session="aaaa", cwd="/home/dev/shop/.claude/worktrees/x", prefix="resumed")
    resumed.lines = 60
    written = {
        "aaaa.jsonl": told,
        "ffff.jsonl": fork(Log(session="ffff"), told),
        "aaaa/subagents/agent-a1.jsonl": [child.user("look"), shared, child.assistant([text("more")])],
        "aaaa/subagents/agent-acompact-f1.jsonl": [squeeze.user("squeeze"), squeeze.assistant([text("short")])],
        "resume.jsonl": [*told[4:], resumed.user("Again"), resumed.assistant([text("well")])],
    }
    side = folder / "aaaa" / "subagents" / "agent-a1.meta.json"
    side.parent.mkdir(parents=True)
    side.write_text(agent_meta("t2"))
    return [(folder / name, dump(records)) for name, records in written.items()]


def stored() -> dict[str, list[str]]:
    """All rows but those that tell of the reading."""
    return {name: rows for name, rows in all_rows().items() if name not in ("ImportedFile", "QuarantinedLine")}


def test_files_in_one_go_count_each_request_once(tmp_path: Path) -> None:
    for path, data in session_files(tmp_path):
        path.write_bytes(data)
    assert import_paths([tmp_path])["requests"] == Request.objects.count() == 8
    assert Sighting.objects.count() > 8
    owned = Conversation.objects.order_by("uid").values_list("uid", "requests", "inherited", "searches", "misses")
    assert list(owned) == [("aaaa", 7, 0, 2, 1), ("ffff", 1, 4, 2, 1)]


@pytest.mark.parametrize("seed", range(6))
def test_any_order_and_any_cut_of_files_gives_the_same_rows(seed: int, tmp_path: Path, db_reset) -> None:
    files = session_files(tmp_path)
    for path, data in files:
        path.write_bytes(data)
    import_paths([tmp_path])
    before = stored()
    db_reset()
    for path, _ in files:
        path.unlink()
    grow_at_random(files, random.Random(seed))
    after = stored()
    assert {name: sorted({*rows} ^ {*before[name]}) for name, rows in after.items() if rows != before[name]} == {}


def grow_at_random(files: list[tuple[Path, bytes]], chance: random.Random) -> None:
    """Write the files piece by piece, cut at any byte, and import after each piece."""
    left = dict(files)
    while left:
        path = chance.choice(sorted(left))
        size = chance.randint(1, max(1, len(dict(files)[path]) // 3))
        with path.open("ab") as grown:
            grown.write(left[path][:size])
        left[path] = left[path][size:]
        if not left[path]:
            del left[path]
        import_paths([path])
