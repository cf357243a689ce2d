from __future__ import annotations

import pytest

from harness.errors import CutStream, Overloaded
from harness.providers import Began, Calling, Reply, Said, Turn
from harness.providers.openai_chat import OpenAIChat
from harness.providers.script import Error
from tests.harness.model_server import ModelServer
from tests.harness.providers.conftest import events_of, reply_of, request
from tests.harness.runs import call, calls

SENT = request("compatible", "qwen")


def provider(model: ModelServer) -> OpenAIChat:
    return OpenAIChat(base_url=f"{model.url}/v1")


def test_text_comes_as_it_is_written_and_whole_at_the_end(model: ModelServer) -> None:
    model.follow(Turn(text="Hello"))
    began, said, reply = events_of(provider(model), SENT)
    assert isinstance(began, Began)
    assert said == Said(text="Hello")
    assert isinstance(reply, Reply)
    assert reply.content == [{"type": "text", "text": "Hello"}]


def test_calls_that_come_in_pieces_are_put_together(model: ModelServer) -> None:
    model.follow(calls(call("assign_ticket", ticket=7), call("close_ticket", ticket=8)))
    events = events_of(provider(model), SENT)
    assert [each.name for each in events if isinstance(each, Calling)] == ["assign_ticket", "close_ticket"]
    assert isinstance(events[-1], Reply)
    assert [block["input"] for block in events[-1].content] == [{"ticket": 7}, {"ticket": 8}]
    assert events[-1].stop_reason == "tool_use"


def test_usage_comes_with_the_last_chunk(model: ModelServer) -> None:
    model.follow(Turn(text="Hello"))
    reply = reply_of(provider(model), SENT)
    assert reply.usage is not None
    assert reply.usage["prompt_tokens_details"] == {"cached_tokens": 1920}


def test_a_server_that_looks_like_openai_is_asked_in_the_older_words(model: ModelServer) -> None:
    model.follow(Turn(text="Hello"))
    reply_of(provider(model), SENT)
    assert "max_completion_tokens" not in model.bodies[0]
    assert model.bodies[0]["stream_options"] == {"include_usage": True}


def test_an_overload_has_its_place_in_the_tree(model: ModelServer) -> None:
    model.follow(Turn(error=Error(kind="overloaded")))
    with pytest.raises(Overloaded):
        reply_of(provider(model), SENT)


def test_a_stream_without_an_end_is_cut(model: ModelServer) -> None:
    model.follow(Turn(text="Hello", error=Error(kind="cut")))
    with pytest.raises(CutStream):
        reply_of(provider(model), SENT)


def test_an_error_in_the_middle_of_a_stream_has_its_place_in_the_tree(model: ModelServer) -> None:
    model.follow(Turn(text="Hello", error=Error(kind="overloaded", message="busy")))
    with pytest.raises(Overloaded, match="busy"):
        reply_of(provider(model), SENT)
