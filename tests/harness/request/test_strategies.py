from __future__ import annotations

import pytest

from harness import wire
from harness.errors import AssemblyError
from harness.request import Strategy, support_of, unwrap
from harness.request.strategies import LOADED, names_told, told
from tests.harness.request.building import (
    answers,
    asks,
    assembly,
    called,
    calls,
    definition,
    last,
    searched,
    surface,
    text_of,
    tool_names,
)


def started(strategy: Strategy, **settings: object) -> tuple[object, ...]:
    run = assembly(strategy, **settings)
    run.append(asks())
    return run, run.build()


def test_append_sends_the_schemas_of_a_batch_together() -> None:
    run, _ = started("append")
    run.load(["zip_files"], "search", search="a")
    run.load(["open_ticket"], "direct_call")
    run.append(calls("open_ticket", "a"))
    run.append(answers("a"))
    assert tool_names(run.build())[3:] == ["zip_files", "open_ticket"]
    assert last(run.build()) == answers("a")["content"]


def test_reference_sends_every_deferred_definition_from_the_first_request_on() -> None:
    _, request = started("reference")
    deferred = [tool for tool in request.body["tools"] if tool.get("defer_loading")]
    assert [tool["name"] for tool in deferred] == [tool.name for tool in surface().deferred]
    assert not any("cache_control" in tool for tool in deferred)


def test_reference_answers_a_search_with_references_alone() -> None:
    run, _ = started("reference")
    (result,) = last(searched(run, ["zip_files", "open_ticket"]))
    assert result["content"] == [
        {"type": "tool_reference", "tool_name": "zip_files"},
        {"type": "tool_reference", "tool_name": "open_ticket"},
    ]


def test_reference_names_after_the_results_what_needed_no_loading() -> None:
    run, _ = started("reference")
    run.append(
        {"role": "assistant", "content": [*calls("search_tools", "s")["content"], *calls("read", "r")["content"]]}
    )
    run.load(["zip_files", "read"], "search", search="s")
    run.append({"role": "user", "content": [*answers("s")["content"], *answers("r")["content"]]})
    kinds = [block["type"] for block in last(run.build())]
    assert kinds == ["tool_result", "tool_result", "text"]
    assert last(run.build())[-1]["text"].endswith(": read")


def test_a_search_that_loads_nothing_keeps_its_text() -> None:
    run, _ = started("reference")
    run.append(calls("search_tools", "s"))
    run.load(["read"], "search", search="s")
    run.append(answers("s", "Nothing new."))
    assert last(run.build()) == answers("s", "Nothing new.")["content"]


def test_reference_adds_a_tool_that_was_called_directly_by_reference() -> None:
    run, _ = started("reference")
    request = called(run, "open_ticket")
    assert last(request) == [{"type": "tool_addition", "tool": {"type": "tool_reference", "name": "open_ticket"}}]
    assert request.betas == ("mid-conversation-tool-changes-2026-07-01",)


def test_reference_says_it_in_words_where_a_message_cannot_add_a_tool() -> None:
    run, _ = started("reference", model="claude-sonnet-5")
    request = called(run, "open_ticket")
    (block,) = last(request)
    assert block["text"].splitlines()[1] == wire.dumps(definition("open_ticket")).decode()
    assert request.betas == ()


def test_inline_sends_definitions_in_a_system_message_after_the_users() -> None:
    run, _ = started("inline")
    request = searched(run, ["zip_files", "open_ticket"])
    assert [message["role"] for message in request.body["messages"]][-2:] == ["user", "system"]
    tools = [block["tool"] for block in last(request)]
    assert [tool["definition"] for tool in tools] == [definition("zip_files"), definition("open_ticket")]
    assert request.betas == ("inline-tools-2026-09-15",)


def test_inline_waits_for_the_users_turn() -> None:
    run, _ = started("inline")
    run.append(calls("read", "a"))
    run.load(["zip_files"], "preload")
    assert run.build().body["messages"][-1]["role"] == "assistant"
    run.append(answers("a"))
    assert run.build().body["messages"][-1]["role"] == "system"


def test_bridge_has_its_envelope_among_the_residents_and_never_a_loaded_tool() -> None:
    run, request = started("bridge")
    assert tool_names(request) == ["search_tools", "call_tool", "finish", "read"]
    assert tool_names(searched(run, ["zip_files"])) == tool_names(request)
    assert request.resident_count == 4


def test_bridge_answers_a_search_with_its_text_and_the_definitions() -> None:
    run, _ = started("bridge")
    ((result),) = last(searched(run, ["zip_files"]))
    said, told = (block["text"] for block in result["content"])
    assert said == "Found zip_files." and told.splitlines()[1] == wire.dumps(definition("zip_files")).decode()


def test_bridge_needs_no_envelope_where_nothing_is_deferred() -> None:
    _, request = started("bridge", surface=surface(deferral=False))
    assert "call_tool" not in tool_names(request)


def test_a_preloaded_tool_is_known_from_the_first_request_on() -> None:
    run = assembly("bridge")
    run.load(["zip_files"], "preload")
    run.append(asks())
    assert "Does what zip_files says" in text_of(run.build().body["messages"])


def test_a_call_through_the_bridge_is_the_call_of_its_tool() -> None:
    call = unwrap("call_tool", {"name": "open_ticket", "arguments": {"title": "x"}})
    assert (call.name, call.arguments, call.bridged) == ("open_ticket", {"title": "x"}, True)


def test_arguments_that_are_a_text_of_json_are_taken() -> None:
    assert unwrap("call_tool", {"name": "open_ticket", "arguments": '{"title":"x"}'}).arguments == {"title": "x"}


def test_any_other_call_is_itself() -> None:
    call = unwrap("read", {"name": "x"})
    assert (call.name, call.arguments, call.bridged) == ("read", {"name": "x"}, False)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "`name`"),
        ({"name": ""}, "`name`"),
        ({"name": "call_tool"}, "itself"),
        ({"name": "read", "arguments": [1]}, "`arguments`"),
        ({"name": "read", "arguments": "{"}, "`arguments`"),
    ],
)
def test_a_call_that_names_no_tool_is_refused_with_the_field(given: dict[str, object], field: str) -> None:
    with pytest.raises(AssemblyError, match=field):
        unwrap("call_tool", given)


@pytest.mark.parametrize(
    ("provider", "model", "taken"),
    [
        ("anthropic", "claude-opus-5-5", ("reference", "inline", "bridge", "append")),
        ("anthropic", "claude-opus-4-8-20260501", ("reference", "inline", "bridge", "append")),
        ("anthropic", "claude-sonnet-5", ("reference", "bridge", "append")),
        ("anthropic", "claude-3-5-haiku-20241022", ("bridge", "append")),
        ("openai", "gpt-5.4-mini", ("reference", "bridge", "append")),
        ("openai", "gpt-5.1", ("bridge", "append")),
        ("ollama", "qwen3", ("bridge", "append")),
    ],
)
def test_what_a_model_takes(provider: str, model: str, taken: tuple[str, ...]) -> None:
    assert support_of(provider, model).strategies == taken


@pytest.mark.parametrize("text", [LOADED, f"{LOADED}\nclose_ticket", f'{LOADED}\n{{"name": "x"}}', "Hello."])
def test_a_text_that_only_begins_like_loaded_tools_makes_none_known(text: str) -> None:
    assert told({"role": "user", "content": [{"type": "text", "text": text}]}) == ""


@pytest.mark.parametrize("strategy", ["reference", "inline", "bridge"])
def test_what_made_tools_known_names_them(strategy: Strategy) -> None:
    run = assembly(strategy)
    run.append(asks())
    called(run, "zip_files")
    assert names_told(told(run.messages[-1])) == ("zip_files",)
