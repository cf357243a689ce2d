"""Where the context is rewritten."""

from __future__ import annotations

from harness.runlog import ContextRewritten
from tests.claude_code_lines import Log
from tests.observability.sources.claude_code.reading import kinds, one, read


def test_a_boundary_starts_the_context_anew_with_a_summary() -> None:
    log = Log()
    found = read(log.compact_boundary(160_000, trigger="manual"), log.summary())
    event = one(found, ContextRewritten)
    assert (event.kind, event.trigger, event.tokens_before, event.tokens_after) == (
        "compaction",
        "manual",
        160_000,
        None,
    )
    assert kinds(found) == ["summary"]


def test_an_older_boundary_does_not_say_which_tools_stay_loaded() -> None:
    assert one(read(Log(version="2.1.39").compact_boundary()), ContextRewritten).kept_tools is None


def test_a_newer_boundary_says_which_tools_stay_loaded() -> None:
    kept = ["SendMessage", "TaskList"]
    boundary = Log().compact_boundary(801_920, postTokens=19_650, preCompactDiscoveredTools=kept)
    event = one(read(boundary), ContextRewritten)
    assert (event.tokens_after, event.kept_tools) == (19_650, kept)


def test_no_tool_may_stay_loaded() -> None:
    assert one(read(Log().compact_boundary(preCompactDiscoveredTools=[])), ContextRewritten).kept_tools == []


def test_a_small_compaction_trims_the_context() -> None:
    told = {"trigger": "auto", "preTokens": 18_000, "tokensSaved": 3_200, "compactedToolIds": ["a"]}
    record = Log().record("system", subtype="microcompact_boundary", microcompactMetadata=told)
    event = one(read(record), ContextRewritten)
    assert (event.kind, event.tokens_before, event.tokens_after) == ("trim", 18_000, 14_800)
