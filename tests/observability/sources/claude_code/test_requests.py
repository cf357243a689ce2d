"""Assistant lines: what one request is, whatever number of lines tell of it."""

from __future__ import annotations

from typing import Any

import pytest

from harness.runlog import RequestFinished, RunFinished, ToolCalled
from tests.claude_code_lines import Log, image, text, thinking, tool_use, usage_of
from tests.observability.sources.claude_code.reading import events, items, kinds, one, read


def test_fragments_of_one_message_share_a_request_key() -> None:
    log = Log()
    found = read(
        log.assistant([thinking("hm")], message="msg_1", request="req_1"),
        log.assistant([text("hi")], message="msg_1", request="req_1"),
    )
    assert [event.request for event in events(found, RequestFinished)] == ["msg_1:req_1"] * 2
    assert len({event.id for event in found.events}) == len(found.events)


def test_a_request_without_request_id_is_known_by_its_message() -> None:
    record = Log().assistant([text("hi")], message="msg_1")
    del record["requestId"]
    assert one(read(record), RequestFinished).request == "msg_1:"


@pytest.mark.parametrize("missing", [{0}, {1}, {2}, {0, 2}, {1, 2}])
def test_fragments_that_lack_the_request_id_belong_to_the_same_request(missing: set[int]) -> None:
    log = Log()
    lines = [log.assistant([text(str(n))], message="msg_1", request="req_1") for n in range(3)]
    for number in missing:
        del lines[number]["requestId"]
    assert len({event.request for event in events(read(*lines), RequestFinished)}) == 1


def test_one_message_id_under_two_request_ids_is_two_requests() -> None:
    log = Log()
    found = read(*(log.assistant([text("hi")], message="msg_1", request=f"req_{n}") for n in range(2)))
    assert [event.request for event in events(found, RequestFinished)] == ["msg_1:req_0", "msg_1:req_1"]


def test_a_request_without_message_id_is_known_by_its_line() -> None:
    record = Log().assistant([text("hi")], message_keys={"id": None})
    assert one(read(record), RequestFinished).request == record["uuid"]


def test_usage_is_kept_as_reported() -> None:
    usage = usage_of(2, read=10_341, write_1h=18_466, output=9, iterations=[{"type": "message", "input_tokens": 2}])
    found = one(read(Log().assistant([text("hi")], usage=usage)), RequestFinished)
    assert found.usage == usage
    assert found.convention == "exclusive"


def test_an_assistant_line_without_usage_gives_context_but_no_request() -> None:
    found = read(Log().assistant([text("hi")], message_keys={"usage": None}))
    assert events(found, RequestFinished) == []
    assert kinds(found) == ["assistant"]
    assert found.request_lines == 0


def test_visible_output_is_counted_in_characters() -> None:
    found = read(Log().assistant([thinking("abc"), text("hello"), tool_use("Bash", {"command": "ls"})]))
    assert one(found, RequestFinished).output_chars == 3 + 5 + len('{"command":"ls"}')


def test_thinking_without_text_counts_its_signature_as_hidden() -> None:
    (item,) = items(read(Log().assistant([thinking("", "c2ln")])))
    assert (item.kind, item.chars, item.hidden_chars) == ("thinking", 0, 4)


def test_thinking_with_text_does_not_count_its_signature() -> None:
    (item,) = items(read(Log().assistant([thinking("hm", "c2ln")])))
    assert (item.text, item.chars, item.hidden_chars) == ("hm", 2, 0)


def test_redacted_thinking_is_hidden() -> None:
    (item,) = items(read(Log().assistant([{"type": "redacted_thinking", "data": "abcdef"}])))
    assert (item.kind, item.text, item.hidden_chars) == ("thinking", None, 6)


def test_a_tool_call_belongs_to_its_request() -> None:
    found = read(Log().assistant([tool_use("Bash", {"command": "ls"}, "toolu_9")], message="m", request="r"))
    called = one(found, ToolCalled)
    assert (called.call, called.tool, called.request, called.ok) == ("toolu_9", "Bash", "m:r", None)
    (item,) = items(found)
    assert (item.kind, item.label, item.call, item.text) == ("tool_call", "Bash", "toolu_9", '{"command":"ls"}')


def test_the_result_of_a_call_completes_it() -> None:
    found = read(Log().tool_result("a\nb", call="toolu_9", extra={"durationMs": 12}))
    called = one(found, ToolCalled)
    assert (called.call, called.ok, called.result_chars, called.duration_ms) == ("toolu_9", True, 3, 12)
    assert kinds(found) == ["tool_result"]


def test_a_failed_call_says_so_in_the_clients_words_only() -> None:
    log = Log()
    own, foreign = "<tool_use_error>Error: No such tool available: X</tool_use_error>", "Exit code 1\nsecret"
    found = read(log.tool_result(own, call="a", error=True), log.tool_result(foreign, call="b", error=True))
    assert [(event.ok, event.error) for event in events(found, ToolCalled)] == [
        (False, "Error: No such tool available: X"),
        (False, "error"),
    ]


def test_an_image_in_a_result_is_media_with_its_decoded_size() -> None:
    result, picture = items(read(Log().tool_result([text("see"), image("QUJDRA==")], call="toolu_9")))
    assert result.text == "see"
    assert (picture.kind, picture.media_bytes, picture.text, picture.call) == ("media", 4, None, "toolu_9")


@pytest.mark.parametrize(
    "reason",
    ["tools_changed", "messages_changed", "model_changed", "previous_message_not_found", "unavailable"],
)
def test_the_providers_reason_for_a_miss_is_kept(reason: str) -> None:
    told = {"cache_miss_reason": {"type": reason, "cache_missed_input_tokens": 51_402}}
    found = one(read(Log().assistant([text("hi")], message_keys={"diagnostics": told})), RequestFinished)
    assert found.diagnosis is not None
    assert (found.diagnosis.reason, found.diagnosis.missed_tokens) == (reason, 51_402)


@pytest.mark.parametrize("told", [None, {}, {"cache_miss_reason": None}])
def test_no_diagnosis_is_made_up(told: Any) -> None:
    assert one(read(Log().assistant([], message_keys={"diagnostics": told})), RequestFinished).diagnosis is None


def test_a_synthetic_message_is_context_but_no_request() -> None:
    found = read(Log().synthetic("No response requested."))
    assert events(found, RequestFinished) == []
    assert [(item.kind, item.label) for item in items(found)] == [("assistant", "synthetic")]


def test_a_synthetic_error_was_never_sent() -> None:
    assert read(Log().synthetic("API Error: 500", isApiErrorMessage=True)).events == []


def test_the_clients_own_sums_are_a_cross_check_not_an_end() -> None:
    log = Log()
    found = read(log.user("hi"), log.cost_state(sonnet={"inputTokens": 5}))
    finished = one(found, RunFinished)
    assert (finished.outcome, finished.totals) == ("unknown", {"sonnet": {"inputTokens": 5}})


def test_lines_with_usage_are_counted() -> None:
    log = Log()
    assert read(log.user("hi"), log.assistant([text("a")]), log.assistant([text("b")])).request_lines == 2
