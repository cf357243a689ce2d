"""The canonical body as it is sent: checked against the types of the providers' own SDKs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from anthropic.types.beta import BetaMessageParam, BetaTextBlockParam, BetaToolParam
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from openai.types.responses import ResponseInputItemParam, ToolParam
from pydantic import TypeAdapter

from harness import wire
from harness.request import STRATEGIES, Request, Strategy, to_openai_chat, to_openai_responses
from tests.harness.request.building import (
    answers,
    asks,
    assembly,
    called,
    calls,
    definition,
    searched,
)
from tests.harness.request.test_invariants import played, steps

GPT = {"provider": "openai", "model": "gpt-5.4"}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0K"}}


def fits(kind: Any, value: Any) -> None:
    TypeAdapter(kind).validate_python(value)


def rich(strategy: Strategy, **settings: Any) -> Request:
    """A run with thinking, a text, a search, a direct call, a failed call and a picture."""
    run = assembly(strategy, **settings)
    run.append(asks())
    searched(run, ["zip_files", "open_ticket"])
    called(run, "find_ticket")
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    call = calls("read", "r", path="a")["content"][0]
    run.append({"role": "assistant", "content": [thinking, {"type": "text", "text": "I look."}, call]})
    failed = {**answers("r", "No such file.")["content"][0], "is_error": True}
    run.append({"role": "user", "content": [failed, PICTURE, {"type": "text", "text": "And this?"}]})
    return run.build()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_body_is_what_anthropics_sdk_takes(strategy: Strategy) -> None:
    body = rich(strategy).body
    fits(list[BetaToolParam], body["tools"])
    fits(list[BetaTextBlockParam], body["system"])
    for message in body["messages"]:
        if message["role"] != "system":
            fits(BetaMessageParam, message)


@pytest.mark.parametrize("strategy", ["reference", "bridge", "append"])
def test_a_responses_body_is_what_openais_sdk_takes(strategy: Strategy) -> None:
    made = to_openai_responses(rich(strategy, **GPT).body)
    fits(list[ToolParam], made["tools"])
    for item in made["input"]:
        fits(ResponseInputItemParam, item)


@pytest.mark.parametrize("strategy", ["bridge", "append"])
def test_a_chat_body_is_what_openais_sdk_takes(strategy: Strategy) -> None:
    made = to_openai_chat(rich(strategy, provider="qwen", model="qwen4").body)
    fits(list[ChatCompletionToolParam], made["tools"])
    fits(list[ChatCompletionMessageParam], made["messages"])


def test_no_marker_is_sent_to_openai() -> None:
    body = rich("bridge").body
    assert b"cache_control" in wire.dumps(body)
    assert b"cache_control" not in wire.dumps([to_openai_responses(body), to_openai_chat(body)])


@pytest.mark.parametrize(("provider", "model"), [("openai", "gpt-5.6"), ("openai", "gpt-5.1"), ("qwen", "qwen4")])
def test_where_a_provider_caches_by_itself_a_body_has_no_marker_and_the_log_names_none(
    provider: str, model: str
) -> None:
    request = rich("bridge", provider=provider, model=model)
    assert request.markers == () and b"cache_control" not in request.bytes()
    assert request.bytes() == wire.dumps(request.body)


def items(strategy: Strategy, kind: str) -> list[dict[str, Any]]:
    made = to_openai_responses(rich(strategy, **GPT).body)
    return [item for item in made["input"] if item["type"] == kind]


def test_a_search_by_reference_becomes_the_providers_own_client_search() -> None:
    made = to_openai_responses(rich("reference", **GPT).body)
    assert [(tool["type"], tool.get("execution", tool.get("name"))) for tool in made["tools"]] == [
        ("tool_search", "client"),
        ("function", "finish"),
        ("function", "read"),
    ]
    (call,), (output,) = items("reference", "tool_search_call"), items("reference", "tool_search_output")
    assert call["call_id"] == output["call_id"] == "search-1" and call["arguments"] == {"query": "tickets"}
    assert [tool["name"] for tool in output["tools"]] == ["zip_files", "open_ticket"]
    assert output["tools"][0]["parameters"] == definition("zip_files")["input_schema"]


def test_a_tool_that_was_called_directly_is_added_where_it_was_loaded() -> None:
    (added,) = items("reference", "additional_tools")
    assert [tool["name"] for tool in added["tools"]] == ["find_ticket"]


def test_a_search_that_found_nothing_says_so_in_words() -> None:
    run = assembly("reference", **GPT)
    run.append(asks())
    run.append(calls("search_tools", "s", query="x"))
    run.append(answers("s", "No tool matches. Try other words."))
    *_, output, told = to_openai_responses(run.build().body)["input"]
    assert output["tools"] == [] and told["content"][0]["text"] == "No tool matches. Try other words."


def test_the_bridge_is_a_function_like_any_other() -> None:
    made = to_openai_responses(rich("bridge", **GPT).body)
    assert [tool["name"] for tool in made["tools"]] == ["search_tools", "call_tool", "finish", "read"]


def test_a_failed_call_is_said_to_have_failed() -> None:
    body = rich("bridge", **GPT).body
    outputs = [item for item in to_openai_responses(body)["input"] if item["type"] == "function_call_output"]
    assert outputs[-1]["output"] == "Error: No such file."
    tools = [message for message in to_openai_chat(body)["messages"] if message["role"] == "tool"]
    assert tools[-1]["content"] == "Error: No such file."


def test_thinking_is_not_sent_and_an_item_of_the_provider_goes_back_as_it_came() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}
    run = assembly("bridge", **GPT)
    run.append(asks())
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    run.append({"role": "assistant", "content": [thinking, {"type": "provider_item", "item": reasoning}]})
    assert to_openai_responses(run.build().body)["input"][1:] == [reasoning]


def test_a_picture_is_sent_as_one() -> None:
    body = rich("bridge", **GPT).body
    parts = to_openai_responses(body)["input"][-1]["content"]
    assert parts[0]["image_url"] == "data:image/png;base64,iVBORw0K"
    assert to_openai_chat(body)["messages"][-1]["content"][0]["image_url"]["url"] == parts[0]["image_url"]


def test_a_picture_in_a_result_is_sent_in_its_output() -> None:
    run = assembly("bridge", **GPT)
    run.append(asks())
    run.append(calls("read", "r"))
    run.append({"role": "user", "content": [{**answers("r")["content"][0], "content": [PICTURE]}]})
    assert to_openai_responses(run.build().body)["input"][-1]["output"][0]["type"] == "input_image"


@pytest.mark.parametrize(
    ("choice", "made"),
    [
        ({"type": "auto"}, {"tool_choice": "auto"}),
        ({"type": "any"}, {"tool_choice": "required"}),
        ({"type": "none"}, {"tool_choice": "none"}),
        ({"type": "tool", "name": "read"}, {"tool_choice": {"type": "function", "name": "read"}}),
        ({"type": "auto", "disable_parallel_tool_use": True}, {"tool_choice": "auto", "parallel_tool_calls": False}),
    ],
)
def test_the_choice_of_a_tool_is_translated(choice: dict[str, Any], made: dict[str, Any]) -> None:
    run = assembly("bridge", **GPT, parameters={"tool_choice": choice})
    run.append(asks())
    body = to_openai_responses(run.build().body)
    assert {name: body[name] for name in ("tool_choice", "parallel_tool_calls") if name in body} == made


@given(st.sampled_from(["append", "reference", "bridge"]), steps)
def test_c8_the_items_of_a_request_continue_those_of_the_one_before(
    strategy: Strategy, given: list[tuple[str, Any]]
) -> None:
    script = played(strategy, given)
    for at, (before, after) in enumerate(zip(script.requests, script.requests[1:], strict=False), 1):
        one, two = to_openai_responses(before.body), to_openai_responses(after.body)
        assert one.get("instructions") == two.get("instructions")
        if at not in script.fresh:
            assert json.dumps(two["input"]).startswith(json.dumps(one["input"])[:-1])


@given(st.sampled_from(["append", "bridge"]), steps)
def test_c8_the_messages_of_a_chat_continue_those_of_the_one_before(
    strategy: Strategy, given: list[tuple[str, Any]]
) -> None:
    script = played(strategy, given)
    for at, (before, after) in enumerate(zip(script.requests, script.requests[1:], strict=False), 1):
        one, two = to_openai_chat(before.body)["messages"], to_openai_chat(after.body)["messages"]
        if at not in script.fresh:
            assert two[: len(one)] == one
