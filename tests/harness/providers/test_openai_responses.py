from __future__ import annotations

import msgspec
import pytest

from harness.errors import CutStream, NotAdmitted, Overloaded, Unreachable
from harness.providers import Began, Calling, Reply, Said, Turn
from harness.providers.openai_responses import OpenAIResponses
from harness.providers.script import Call, Error
from harness.request import prefix_hash
from tests.harness.model_server import OPENAI_USAGE, ModelServer
from tests.harness.providers.conftest import events_of, reply_of, request
from tests.harness.runs import call, calls

SENT = request("openai", "gpt-5.6")


def provider(model: ModelServer) -> OpenAIResponses:
    return OpenAIResponses(base_url=f"{model.url}/v1", api_key="k")


def test_text_comes_as_it_is_written_and_whole_at_the_end(model: ModelServer) -> None:
    model.follow(Turn(text="Hello"))
    began, said, _reply = events_of(provider(model), SENT)
    assert isinstance(began, Began)
    assert said == Said(text="Hello")


def test_usage_holds_the_cached_tokens(model: ModelServer) -> None:
    model.follow(Turn(text="Hello"))
    reply = reply_of(provider(model), SENT)
    assert (reply.usage, reply.convention) == (OPENAI_USAGE, "inclusive")


def test_a_call_becomes_a_block_of_the_canonical_form(model: ModelServer) -> None:
    model.follow(calls(call("assign_ticket", ticket=7)))
    events = events_of(provider(model), SENT)
    assert Calling(call="call_0", name="assign_ticket") in events
    expected = {"type": "tool_use", "id": "call_0", "name": "assign_ticket", "input": {"ticket": 7}}
    assert isinstance(events[-1], Reply)
    assert events[-1].content == [expected]


def test_arguments_that_are_no_json_are_kept_apart(model: ModelServer) -> None:
    model.follow(calls(Call(tool="assign_ticket", arguments="{")))
    assert reply_of(provider(model), SENT).unreadable == {"call_0": "{"}


def test_encrypted_reasoning_is_kept_to_go_back(model: ModelServer) -> None:
    model.follow(Turn(thinking="secret", text="Hi"))
    first = reply_of(provider(model), SENT).content[0]
    assert first["type"] == "provider_item"
    assert first["item"]["encrypted_content"] == "c2VjcmV0"


def test_runs_of_one_prefix_name_one_cache(model: ModelServer) -> None:
    model.follow(Turn(text="Hello"))
    reply_of(provider(model), SENT)
    assert model.bodies[0]["prompt_cache_key"] == prefix_hash(SENT)


@pytest.mark.parametrize(("kind", "raised"), [("overloaded", Overloaded), ("not_admitted", NotAdmitted)])
def test_an_error_has_its_place_in_the_tree(model: ModelServer, kind: str, raised: type[Exception]) -> None:
    model.follow(Turn(error=msgspec.convert({"kind": kind, "message": "why"}, Error)))
    with pytest.raises(raised, match="why"):
        reply_of(provider(model), SENT)


def test_a_stream_without_an_end_is_cut(model: ModelServer) -> None:
    model.follow(Turn(text="Hello", error=Error(kind="cut")))
    with pytest.raises(CutStream):
        reply_of(provider(model), SENT)


def test_nobody_at_the_address_is_no_answer() -> None:
    with pytest.raises(Unreachable):
        reply_of(OpenAIResponses(base_url="http://127.0.0.1:1", api_key="k"), SENT)


def test_an_error_in_the_middle_of_a_stream_has_its_place_in_the_tree(model: ModelServer) -> None:
    model.follow(Turn(text="Hello", error=Error(kind="overloaded", message="busy")))
    with pytest.raises(Overloaded, match="busy"):
        reply_of(provider(model), SENT)


def test_a_search_comes_in_the_providers_own_form(model: ModelServer) -> None:
    model.follow(calls(call("search_tools", query="close a ticket")))
    reply = reply_of(provider(model), SENT)
    expected = {"type": "tool_use", "id": "call_0", "name": "search_tools", "input": {"query": "close a ticket"}}
    assert reply.content == [expected]
