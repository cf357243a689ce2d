"""Whatever value stands anywhere in a record, the line is read or refused: nothing else happens."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness import runlog
from observability.errors import BadLine
from tests.claude_code_lines import Log, encode, image, search_call, text, thinking, tool, tool_use
from tests.observability.sources.claude_code.reading import read_line

_log = Log()
_diagnosis = {"cache_miss_reason": {"type": "tools_changed", "cache_missed_input_tokens": 3}}
_surfaced = [{"name": "X", "listing": "X: does x", "definition": tool("X")}]
RECORDS = [
    _log.user("hi", permissionMode="plan"),
    _log.assistant([text("a"), thinking()], message_keys={"diagnostics": _diagnosis}),
    _log.assistant([search_call("a"), tool_use("Task", {"prompt": "look"}, "t")]),
    _log.synthetic("No response requested."),
    _log.search_result("A", query="select:A"),
    _log.search_miss("a", pending_mcp_servers=["docs"]),
    _log.tool_result([text("a"), image()], extra={"agentId": "a1", "totalDurationMs": 3}),
    _log.prompt_snapshot(["You are."], [tool("Bash")]),
    _log.deferred_tools_delta(["A"], surfacedDefinitions=_surfaced, failedMcpServers=[{"name": "web"}]),
    _log.deferred_tools_record(tool("C")),
    _log.announcement("A"),
    _log.compact_boundary(preCompactDiscoveredTools=["A"], postTokens=4),
    _log.agent_progress("toolu_1", "a1"),
    _log.title("A title"),
    _log.cost_state(sonnet={"inputTokens": 1}),
    _log.attachment("nested_memory", path="p", content={"content": "c", "type": "Project", "path": "p"}),
    _log.attachment("instructions", files=[{"path": "p", "content": "c"}]),
    _log.attachment("hook_success", content="ready", hookName="SessionStart"),
    _log.attachment("model", identity={"modelId": "m"}, text="You are m."),
    _log.attachment("environment", snapshot={"platform": "linux", "dirs": ["a"]}),
]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
ODD = st.sampled_from(
    ["x" * 5_000, "", 10**12, 10**30, "<available-deferred-tools>", "Contents of ", {"type": "x"}, [[]], "2026"]
)
VALUES = ODD | st.recursive(
    SCALARS, lambda part: st.lists(part, max_size=2) | st.dictionaries(st.text(max_size=4), part)
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of each value inside a record."""
    if path:
        yield path
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in steps:
        yield from places(part, (*path, step))


PLACES = [(number, path) for number, record in enumerate(RECORDS) for path in places(record)]


@given(st.sampled_from(PLACES), VALUES)
def test_any_value_anywhere_gives_valid_events_or_a_bad_line(place: tuple[int, tuple[Any, ...]], value: Any) -> None:
    number, path = place
    record: Any = copy.deepcopy(RECORDS[number])
    inner = record
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    try:
        found = read_line(encode(record))
    except BadLine as bad:
        assert str(bad)
    else:
        assert [runlog.decode(runlog.encode(event)).id for event in found.events] == [e.id for e in found.events]
