"""Lines that cannot be read, and lines that are read with a flag."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.runlog import RequestFinished
from observability.errors import BadLine
from observability.sources.base import Place
from observability.sources.claude_code import ClaudeCode
from tests.claude_code_lines import Log, Record, encode, search_call, text, tool_use, usage_of
from tests.observability.sources.claude_code.reading import FILE, events, items, one, read, read_line


def refused(line: bytes) -> str:
    """The reason why a line is refused; it leaves no event behind."""
    reader = ClaudeCode().reader(Place(FILE), b"")
    with pytest.raises(BadLine) as caught:
        reader.feed(line, 1)
    assert reader.found.events == []
    assert reader.found.request_lines == 0
    return str(caught.value)


def changed(record: Record, path: str, value: Any) -> Record:
    """The record with another value at a path such as "message.usage"."""
    place: Any = record
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        place = place[step]
    place[last] = value
    return record


@pytest.mark.parametrize(
    "line",
    [b"{", b"\x00\x01\x02", b'{"type":"user"}}', b'{"a":NaN}', b'{"a":1e999}', b'{"a":"\xff"}', b'{"a":"\x01"}', b"x"],
)
def test_what_is_not_json_is_refused(line: bytes) -> None:
    assert refused(line).startswith("not JSON")


@pytest.mark.parametrize("line", [b"1", b"[]", b'"user"', b"null"])
def test_json_that_is_no_object_is_refused(line: bytes) -> None:
    assert refused(line) == "not an object: the line is other JSON"


def test_deep_nesting_is_refused() -> None:
    assert refused(b'{"a":' + b"[" * 100_000) == "nested too deep"


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    assert refused(b'{"a":' + b"9" * 5_000 + b"}").startswith("not JSON")


def test_a_record_without_a_type_is_refused() -> None:
    assert refused(b"{}") == "type is missing"


def test_blank_lines_are_passed_over() -> None:
    assert read_line(b"").events == read_line(b" \t\r").events == []


@pytest.mark.parametrize("around", [(b" \t", b"\r"), (b"\xef\xbb\xbf", b"")])
def test_any_json_whitespace_and_a_byte_order_mark_are_accepted(around: tuple[bytes, bytes]) -> None:
    assert len(items(read_line(around[0] + encode(Log().user("hi")) + around[1]))) == 1


def test_spaced_json_is_read_like_compact_json() -> None:
    record = Log().assistant([text("hi")], usage=usage_of(5, read=7))
    spaced = json.dumps(record, indent=1).replace("\n", " ").encode()
    assert read_line(spaced).events == read(record).events


@pytest.mark.parametrize("value", [7, [], {}, True, 1.5])
@pytest.mark.parametrize("path", ["type", "uuid", "sessionId", "agentId", "timestamp", "version", "cwd", "gitBranch"])
def test_a_wrong_type_in_the_envelope_names_the_field(path: str, value: Any) -> None:
    assert refused(encode(changed(Log().user("hi"), path, value))).startswith(f"{path} is ")


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("message", "hi", "message is text, not an object"),
        ("message", None, "message is null, not an object"),
        ("message.content", 7, "message.content is a number, not text or a list"),
        ("message.content", ["a"], "message.content[] is text, not an object"),
        ("message.content", [{"type": 1}], "message.content[].type is a number, not text"),
        ("message.content", [{"type": "text", "text": []}], "content.text.text is a list, not text"),
        ("message.content", [{"type": "image", "source": "x"}], "content.image.source is text, not an object"),
        (
            "message.content",
            [{"type": "tool_result", "tool_use_id": "a", "content": 1}],
            "content.tool_result.content is a number, not text or a list",
        ),
        ("isSidechain", "no", "isSidechain is text, not true or false"),
        ("isMeta", 1, "isMeta is a number, not true or false"),
        ("isCompactSummary", "yes", "isCompactSummary is text, not true or false"),
        ("permissionMode", 3, "permissionMode is a number, not text"),
    ],
)
def test_a_wrong_type_in_a_user_line_names_the_field(path: str, value: Any, reason: str) -> None:
    assert refused(encode(changed(Log().user("hi"), path, value))) == reason


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("message.model", 1, "message.model is a number, not text"),
        ("message.id", [], "message.id is a list, not text"),
        ("requestId", 1, "requestId is a number, not text"),
        ("message.content", "hi", "message.content is text, not a list"),
        ("message.content.0.input", "ls", "content.tool_use.input is text, not an object"),
        ("message.content.0.name", 1, "content.tool_use.name is a number, not text"),
        ("message.usage", [], "message.usage is a list, not an object"),
        ("message.usage.input_tokens", -1, "message.usage: negative count: input_tokens is -1"),
        ("message.usage.output_tokens", 1.5, "message.usage: output_tokens is float, not a whole number"),
        ("message.usage.input_tokens", 10**18, f"message.usage: absurd count: input_tokens is {10**18}"),
        ("message.usage.cache_creation", 3, "message.usage: cache_creation is int, not an object"),
        ("message.usage.service_tier", 10**30, "message.usage holds a number that is too large"),
        ("message.stop_reason", 1, "message.stop_reason is a number, not text"),
        ("message.diagnostics", "x", "message.diagnostics is text, not an object"),
    ],
)
def test_a_wrong_value_in_an_assistant_line_names_the_field(path: str, value: Any, reason: str) -> None:
    assert refused(encode(changed(Log().assistant([tool_use("Bash")]), path, value))) == reason


@pytest.mark.parametrize(
    ("record", "path", "value", "reason"),
    [
        (Log().attachment("date"), "attachment", [], "attachment is a list, not an object"),
        (Log().attachment("date"), "attachment.type", None, "attachment.type is null, not text"),
        (Log().attachment("date"), "rendered", "x", "rendered is text, not a list"),
        (Log().prompt_snapshot(["a"]), "attachment.systemPrompt", "a", "attachment.systemPrompt is text, not a list"),
        (Log().deferred_tools_delta(), "attachment.addedNames", [1], "attachment.addedNames[] is a number, not text"),
        (
            Log().compact_boundary(),
            "compactMetadata.preTokens",
            -5,
            "compactMetadata.preTokens is -5, which is no count",
        ),
        (Log().cost_state(), "modelUsage", [], "modelUsage is a list, not an object"),
    ],
)
def test_a_wrong_value_in_other_records_names_the_field(record: Record, path: str, value: Any, reason: str) -> None:
    assert refused(encode(changed(record, path, value))) == reason


@pytest.mark.parametrize("path", ["uuid", "sessionId", "agentId"])
def test_an_id_of_thousands_of_characters_is_none(path: str) -> None:
    assert (
        refused(encode(changed(Log().user("hi"), path, "x" * 3_000))) == f"{path} has 3000 characters, which is no name"
    )


@pytest.mark.parametrize("stamp", ["yesterday", "2026-13-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"])
def test_a_timestamp_that_is_no_time_of_a_log_is_refused(stamp: str) -> None:
    assert refused(encode(changed(Log().user("hi"), "timestamp", stamp))).startswith("timestamp ")


def test_a_timestamp_without_offset_is_read_as_utc_with_a_flag() -> None:
    found = read(changed(Log().user("hi"), "timestamp", "2026-11-02T09:00:00"))
    assert found.flags == [(1, "timestamp has no offset from UTC; it was read as UTC")]
    assert str(found.events[0].at) == "2026-11-02 09:00:00+00:00"


def test_a_line_without_a_time_takes_the_one_before_with_a_flag() -> None:
    log = Log()
    first, second = log.user("hi"), log.assistant([text("a")])
    del second["timestamp"]
    found = read(first, second)
    assert found.flags == [(2, "timestamp is missing; the time of the line before was taken")]
    assert len({event.at for event in found.events}) == 1


def test_usage_without_any_time_is_refused() -> None:
    record = Log().assistant([text("a")])
    del record["timestamp"]
    assert refused(encode(record)) == "timestamp is missing, and no line before it had one"


def test_half_a_surrogate_pair_is_replaced_with_a_flag() -> None:
    line = json.dumps(Log().user("a\ud83db")).encode()
    found = read_line(line)
    assert [item.text for item in items(found)] == ["a\ufffdb"]
    assert found.flags == [(1, "held half of a surrogate pair; it was replaced by U+FFFD")]


def test_control_characters_stay_in_the_text() -> None:
    assert [item.text for item in items(read(Log().user("a\x00\x1b[31mb")))] == ["a\x00\x1b[31mb"]


def test_a_huge_number_in_a_tools_input_is_kept_as_text() -> None:
    (item,) = items(read(Log().assistant([tool_use("Bash", {"n": 10**30})])))
    assert item.text == '{"n":1000000000000000000000000000000}'


def test_a_bad_line_does_not_keep_the_next_one_from_telling_of_its_run() -> None:
    log = Log()
    reader = ClaudeCode().reader(Place(FILE), b"")
    with pytest.raises(BadLine):
        reader.feed(encode(changed(log.user("hi"), "cwd", 7)), 1)
    reader.feed(encode(log.user("again")), 2)
    assert [getattr(event, "cwd", None) for event in reader.found.events] == [None, "/home/dev/shop"]


def test_unknown_records_subtypes_blocks_and_keys_are_counted() -> None:
    log = Log()
    found = read(
        {"type": "weather", "sky": "blue"},
        log.record("system", subtype="sunrise"),
        log.user([{"type": "smell", "of": "tea"}], mood="good"),
        log.assistant([{**text("a"), "font": "serif"}], usage=usage_of(tier_hint="x"), message_keys={"echo": 1}),
        log.attachment("date", date="2026-11-02", calendar="gregorian"),
    )
    assert found.unknown == {
        ("record", "weather"): 1,
        ("record", "system.sunrise"): 1,
        ("key", "content.smell"): 1,
        ("key", "user.mood"): 1,
        ("key", "content.text.font"): 1,
        ("key", "usage.tier_hint"): 1,
        ("key", "message.echo"): 1,
        ("key", "attachment.date.calendar"): 1,
    }


def test_one_line_cannot_flood_the_list_of_unknown_keys() -> None:
    record = Log().user("hi", **{f"{'k' * 500}{n}": n for n in range(1_000)})
    found = read(record)
    assert sum(found.unknown.values()) == 20
    assert max(len(name) for _kind, name in found.unknown) == 120


def test_searches_and_requests_of_the_same_line_have_ids_of_their_own() -> None:
    found = read(Log().assistant([search_call("a", call="x"), search_call("b", call="y")]))
    assert len({event.id for event in found.events}) == len(found.events)
    assert len(events(found, RequestFinished)) == 1
    assert one(found, RequestFinished).request_id is not None
