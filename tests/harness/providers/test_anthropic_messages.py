from __future__ import annotations

import json

import msgspec
import pytest

from harness.errors import CutStream, Faulty, NotAdmitted, Overloaded, Refused, Unreachable
from harness.providers import Began, Calling, Reply, Said, Thought, Turn
from harness.providers.anthropic_messages import AnthropicMessages
from harness.providers.script import Call, Error
from tests.harness.model_server import ModelServer
from tests.harness.providers.conftest import events_of, reply_of, request
from tests.harness.runs import call, calls


def provider(model: ModelServer) -> AnthropicMessages:
    return AnthropicMessages(base_url=model.url, api_key="k")


def test_text_comes_as_it_is_written_and_whole_at_the_end(model: ModelServer) -> None:
    model.follow(Turn(text="Hello there"))
    began, first, second, reply = events_of(provider(model), request())
    assert isinstance(began, Began)
    assert first == Said(text="Hello")
    assert second == Said(text=" there")
    assert isinstance(reply, Reply)
    assert reply.content == [{"type": "text", "text": "Hello there"}]
    assert (reply.stop_reason, reply.message_id, reply.request_id) == ("end_turn", "msg_1", "req_1")


def test_thinking_keeps_its_signature(model: ModelServer) -> None:
    model.follow(Turn(thinking="Hm.", text="Yes"))
    events = events_of(provider(model), request())
    assert Thought(text="Hm.") in events
    assert isinstance(events[-1], Reply)
    assert events[-1].content[0] == {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}


def test_the_arguments_of_a_call_are_put_together(model: ModelServer) -> None:
    model.follow(calls(call("assign_ticket", ticket=7, person="ada")))
    events = events_of(provider(model), request())
    assert Calling(call="call_0", name="assign_ticket") in events
    assert isinstance(events[-1], Reply)
    assert events[-1].content[0]["input"] == {"ticket": 7, "person": "ada"}


def test_arguments_that_are_no_json_are_kept_apart(model: ModelServer) -> None:
    model.follow(calls(Call(tool="assign_ticket", arguments='{"ticket": ')))
    reply = reply_of(provider(model), request())
    assert reply.content[0]["input"] == {}
    assert reply.unreadable == {"call_0": '{"ticket": '}


def test_the_body_goes_out_as_it_was_built(model: ModelServer) -> None:
    model.follow(Turn(text="Hi"))
    sent = request()
    reply_of(provider(model), sent)
    assert json.loads(sent.bytes()) | {"stream": True} == model.bodies[0]
    tools = msgspec.json.encode(sent.body["tools"])
    assert tools in model.raw[0]


def test_equal_requests_go_out_as_equal_bytes(model: ModelServer) -> None:
    model.follow(Turn(text="Hi"), Turn(text="Hi"))
    reply_of(provider(model), request())
    reply_of(provider(model), request())
    assert model.raw[0] == model.raw[1]


def test_what_a_request_needs_is_asked_for_in_its_head(model: ModelServer) -> None:
    model.follow(Turn(text="Hi"))
    reply_of(provider(model), msgspec.structs.replace(request(), betas=("inline-tools-2026-09-15",)))
    assert model.headers[0]["anthropic-beta"] == "inline-tools-2026-09-15"


def test_usage_is_as_reported(model: ModelServer) -> None:
    usage = {"input_tokens": 3, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 0, "output_tokens": 9}
    model.follow(Turn(text="Hi", usage=usage))
    reply = reply_of(provider(model), request())
    assert (reply.usage, reply.convention) == (usage, "exclusive")


@pytest.mark.parametrize(
    ("kind", "raised"),
    [("overloaded", Overloaded), ("refused", Refused), ("not_admitted", NotAdmitted), ("faulty", Faulty)],
)
def test_an_error_has_its_place_in_the_tree(model: ModelServer, kind: str, raised: type[Exception]) -> None:
    model.follow(Turn(error=msgspec.convert({"kind": kind, "message": "why"}, Error)))
    with pytest.raises(raised, match="why"):
        reply_of(provider(model), request())


def test_a_wait_that_is_asked_for_is_known(model: ModelServer) -> None:
    model.follow(Turn(error=Error(kind="overloaded", wait=2.5)))
    with pytest.raises(Overloaded) as raised:
        reply_of(provider(model), request())
    assert raised.value.wait == 2.5


def test_the_sdk_does_not_try_again_by_itself(model: ModelServer) -> None:
    model.follow(Turn(error=Error(kind="overloaded")), Turn(text="Hi"))
    with pytest.raises(Overloaded):
        reply_of(provider(model), request())
    assert len(model.bodies) == 1


def test_a_stream_without_an_end_is_cut_and_has_its_usage(model: ModelServer) -> None:
    model.follow(Turn(text="Hello", error=Error(kind="cut"), usage={"input_tokens": 5, "output_tokens": 1}))
    with pytest.raises(CutStream) as raised:
        reply_of(provider(model), request())
    assert raised.value.usage == {"input_tokens": 5, "output_tokens": 1}


def test_nobody_at_the_address_is_no_answer() -> None:
    with pytest.raises(Unreachable):
        reply_of(AnthropicMessages(base_url="http://127.0.0.1:1", api_key="k"), request())


def test_silence_in_a_stream_cuts_it(model: ModelServer) -> None:
    model.follow(Turn(text="late", first_event_after=2))
    with pytest.raises(Unreachable):
        reply_of(AnthropicMessages(base_url=model.url, api_key="k", silence=0.2), request())


def test_an_overload_in_the_middle_of_a_stream_is_one_and_has_its_usage(model: ModelServer) -> None:
    model.follow(
        Turn(
            text="Hello", error=Error(kind="overloaded", message="busy"), usage={"input_tokens": 5, "output_tokens": 1}
        )
    )
    with pytest.raises(Overloaded, match="busy") as raised:
        reply_of(provider(model), request())
    assert raised.value.usage == {"input_tokens": 5, "output_tokens": 1}
