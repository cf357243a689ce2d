"""Reading on from a saved state gives what reading in one go gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from observability.errors import BadLine
from observability.sources.base import Gathered, Place
from observability.sources.claude_code import ClaudeCode
from observability.sources.claude_code import state as states
from tests.claude_code_lines import Log, encode, search_call, text, tool, tool_use
from tests.observability.sources.claude_code.reading import FILE

_log, _other = Log(), Log("s2", version="2.1.36")
POOL = [
    encode(record)
    for record in (
        _log.user("hello", permissionMode="default"),
        _log.assistant([text("hi")], message="m1"),
        _log.assistant([search_call("select:A")], message="m1"),
        _log.tool_result("[Tool result missing due to internal error]", call="toolu_s"),
        _log.search_result("A", query="select:A"),
        _log.deferred_tools_delta(["A"]),
        _log.prompt_snapshot(["You are."], [tool("Bash")]),
        _log.assistant([tool_use("Task", {"prompt": "look"}, "toolu_t")]),
        {**_log.user("look"), "isSidechain": True, "parentUuid": None, "uuid": "root"},
        {**_log.assistant([text("found")]), "isSidechain": True, "parentUuid": "root"},
        _log.agent_progress("toolu_t", "a1"),
        _log.compact_boundary(),
        _log.summary(),
        _log.title("A title"),
        _other.user("other"),
        Log(agent="a1").user("look"),
    )
] + [b"{", b"", b'{"type":"user","message":{"content":"no time"}}']


def read_from(lines: list[bytes], first: int, state: bytes) -> tuple[Gathered, bytes]:
    """What is found from a line on, and the state after it."""
    reader = ClaudeCode().reader(Place(FILE), state)
    for number, line in enumerate(lines, first):
        try:
            reader.feed(line, number)
        except BadLine as bad:
            reader.found.flags.append((number, str(bad)))
    return reader.found, reader.state()


@given(st.lists(st.sampled_from(POOL), max_size=40), st.data())
def test_two_halves_give_the_same_as_one_go(lines: list[bytes], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(lines)))
    whole, end = read_from(lines, 1, b"")
    first, middle = read_from(lines[:cut], 1, b"")
    second, second_end = read_from(lines[cut:], cut + 1, middle)
    assert first.events + second.events == whole.events
    assert first.flags + second.flags == whole.flags
    assert first.unknown + second.unknown == whole.unknown
    assert first.request_lines + second.request_lines == whole.request_lines
    assert second_end == end


@given(st.binary(max_size=40))
def test_a_state_that_cannot_be_read_starts_afresh(state: bytes) -> None:
    assert read_from(POOL[:1], 1, state)[0].events == read_from(POOL[:1], 1, b"")[0].events


def test_a_state_of_another_version_starts_afresh() -> None:
    old = states.save(states.State(version=0, top=5))
    assert states.load(old) == states.State()


def test_memory_is_bounded() -> None:
    memory: dict[str, int] = {}
    for number in range(10):
        states.remember(memory, str(number), number, 3)
    assert memory == {"7": 7, "8": 8, "9": 9}


def test_the_state_of_a_long_file_with_many_sidechains_stays_small() -> None:
    log = Log()
    lines = [encode({**log.user("x"), "isSidechain": True, "parentUuid": None}) for _ in range(6_000)]
    assert len(read_from(lines, 1, b"")[1]) < 300_000


def test_a_side_file_that_comes_later_is_told() -> None:
    log = Log(agent="a1")
    path = FILE.with_name("agent-a1.jsonl")
    first = ClaudeCode().reader(Place(path), b"")
    first.feed(encode(log.user("look")), 1)
    later = ClaudeCode().reader(Place(path, {"agent-a1.meta.json": '{"toolUseId":"toolu_9"}'}), first.state())
    later.feed(encode(log.user("more")), 2)
    assert [getattr(event, "parent_call", None) for event in later.found.events] == [None, "toolu_9"]
