from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from harness.errors import CommandError, Overloaded, Refused
from harness.providers import PROVIDERS, Scripted, Turn, open_provider, read_script
from harness.providers.script import Call, Error, Script
from harness.usage import normalise
from tests.harness.providers.conftest import reply_of, request


def test_usage_is_what_the_caches_rules_give() -> None:
    reply = reply_of(Scripted(Script(turns=(Turn(text="Hi"),))), request())
    buckets = normalise(reply.usage or {}, reply.convention).buckets
    assert (buckets.read, buckets.uncached) == (0, 0)
    assert buckets.write_1h > 0 < buckets.write_5m


def test_usage_that_the_script_names_stands() -> None:
    usage = {"input_tokens": 12, "cache_read_input_tokens": 9000, "output_tokens": 5}
    assert reply_of(Scripted(Script(turns=(Turn(text="Hi", usage=usage),))), request()).usage == usage


def test_another_provider_reports_in_its_own_form() -> None:
    reply = reply_of(Scripted(Script(turns=(Turn(text="Hi"),)), name="openai"), request("openai", "gpt-5.6"))
    assert reply.convention == "inclusive"
    buckets = normalise(reply.usage or {}, reply.convention).buckets
    assert buckets.prompt == (reply.usage or {})["input_tokens"]
    assert buckets.write_other > 0


def test_it_says_why_less_was_read_than_the_request_before_had_left() -> None:
    provider = Scripted(Script(turns=(Turn(text="Hi"), Turn(text="Hi"), Turn(text="Hi"))))
    first, changed = request(), request()
    tools = [{**tool, "description": "Something else."} for tool in changed.body["tools"]]
    changed = msgspec.structs.replace(changed, body={**changed.body, "tools": tools})
    said = [reply_of(provider, each).diagnosis for each in (first, first, changed)]
    assert said[:2] == [None, None]
    assert said[2] is not None and said[2].reason == "tools_changed" and (said[2].missed_tokens or 0) > 1000


def test_a_sub_agent_has_its_own_turns_and_the_same_cache() -> None:
    whole = Scripted(Script(turns=(Turn(text="Hi"),), agents={"*": (Turn(text="I help."),)}))
    reply_of(whole, request())
    reply = reply_of(whole.child("general", "help"), request())
    assert reply.content[0]["text"] == "I help."
    assert normalise(reply.usage or {}, reply.convention).buckets.read > 0


def test_the_task_tells_which_turns_a_sub_agent_has() -> None:
    script = Script(turns=(), agents={"*": (), "tests": (Turn(text="t"),), "explore": (Turn(text="e"),)})
    assert script.of_agent("explore", "run the tests")[0].text == "t"
    assert script.of_agent("explore", "look")[0].text == "e"


def test_calls_of_a_resumed_run_have_names_that_none_had_before() -> None:
    call = {"type": "tool_use", "id": "call_7_1", "name": "read", "input": {}}
    asked = request()
    said = [*asked.body["messages"], {"role": "assistant", "content": [call]}]
    asked = msgspec.structs.replace(asked, body={**asked.body, "messages": said})
    reply = reply_of(Scripted(Script(turns=(Turn(calls=(Call(tool="read"),)),))), asked)
    assert reply.content[0]["id"] == "call_8_1"


def test_an_error_is_raised_once() -> None:
    provider = Scripted(Script(turns=(Turn(error=Error(kind="overloaded")), Turn(text="Hi"))))
    with pytest.raises(Overloaded):
        reply_of(provider, request())
    assert reply_of(provider, request()).content[0]["text"] == "Hi"


def test_a_script_that_is_over_says_so() -> None:
    with pytest.raises(Refused, match="0 turns"):
        reply_of(Scripted(Script(turns=())), request())


def test_a_script_is_read_from_yaml(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text("turns: [{calls: [{tool: read, arguments: {path: a}}]}, {error: {kind: cut}}]")
    script = read_script(file)
    assert script.turns[0].calls[0].arguments == {"path": "a"}
    assert script.turns[1].error == Error(kind="cut")


def test_a_script_with_a_field_that_there_is_not_names_it(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text('{"turns": [{"txt": "Hi"}]}')
    with pytest.raises(CommandError, match="txt"):
        read_script(file)


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_provider_without_its_key_or_address_says_what_is_missing(name: str) -> None:
    with pytest.raises(CommandError, match="API_KEY|BASE_URL"):
        open_provider(name, {})
