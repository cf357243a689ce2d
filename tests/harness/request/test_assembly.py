from __future__ import annotations

import subprocess
import sys

import pytest

from harness import wire
from harness.errors import AssemblyError, NotOnSurfaceError
from harness.request import STRATEGIES, Strategy, prefix_hash
from harness.surface import index_text
from tests.harness.request.building import (
    CATALOGUE,
    DENIED,
    MODEL,
    answers,
    asks,
    assembly,
    called,
    calls,
    markers,
    searched,
    surface,
    text_of,
    tool_names,
    unmarked,
)
from tests.harness.request.plain_assembler import plain_request


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_bytes_of_a_request_are_those_of_its_body(strategy: Strategy) -> None:
    run = assembly(strategy, parameters={"thinking": {"type": "adaptive"}, "temperature": 1})
    run.append(asks("Ünïcode: 票 \ud83d"))
    assert run.build().bytes() == wire.dumps(run.build().body)
    request = searched(run, ["open_ticket"])
    assert request.bytes() == wire.dumps(request.body)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_c7_without_deferral_a_request_is_byte_for_byte_the_plain_assemblers(strategy: Strategy) -> None:
    off = surface(deferral=False)
    run = assembly(strategy, surface=off, max_tokens=500)
    said = [asks(), calls("open_ticket", "a", title="ä"), answers("a"), calls("finish", "b"), answers("b")]
    tools = [tool.definition() for name, tool in CATALOGUE.items() if name != DENIED]
    plain = {"model": MODEL, "max_tokens": 500}
    run.append(said[0])
    assert run.build().bytes() == plain_request(tools, ["You help with tickets."], said[:1], **plain)
    for message in said[1:3]:
        run.append(message)
    assert run.build().bytes() == plain_request(tools, ["You help with tickets."], said[:3], sent=1, **plain)
    for message in said[3:]:
        run.append(message)
    assert run.build().bytes() == plain_request(tools, ["You help with tickets."], said, sent=3, **plain)


def test_c7_with_deferral_a_request_is_not_the_plain_assemblers() -> None:
    run = assembly()
    run.append(asks())
    tools = [tool.definition() for tool in CATALOGUE.values()]
    plain = plain_request(tools, ["You help with tickets."], [asks()], model=MODEL, max_tokens=8192)
    assert run.build().bytes() != plain


def test_the_index_is_the_last_block_of_the_system_prompt() -> None:
    run = assembly()
    run.append(asks())
    texts = [block["text"] for block in run.build().body["system"]]
    assert texts == ["You help with tickets.", index_text(run.surface)]


def test_search_tools_comes_first_and_the_residents_are_sorted() -> None:
    run = assembly("append")
    run.append(asks())
    assert tool_names(run.build()) == ["search_tools", "finish", "read"]


def test_c8_loaded_schemas_follow_the_residents_in_the_order_of_loading() -> None:
    run = assembly("append")
    run.append(asks())
    before = run.build()
    searched(run, ["zip_files", "assign_ticket"])
    after = called(run, "open_ticket")
    assert tool_names(after) == ["search_tools", "finish", "read", "zip_files", "assign_ticket", "open_ticket"]
    assert after.body["tools"][:3] == before.body["tools"]
    assert after.resident_count == before.resident_count == 3


@pytest.mark.parametrize("strategy", ["reference", "inline", "bridge"])
def test_c8_the_other_strategies_leave_tools_and_system_as_they_were(strategy: Strategy) -> None:
    run = assembly(strategy)
    run.append(asks())
    before = run.build()
    after = searched(run, ["zip_files"])
    assert after.body["tools"] == before.body["tools"] and after.body["system"] == before.body["system"]
    assert prefix_hash(after) == prefix_hash(before)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_c3_the_request_after_a_direct_call_has_the_schema(strategy: Strategy) -> None:
    run = assembly(strategy)
    run.append(asks())
    before = run.build()
    after = called(run, "open_ticket")
    assert after.loaded == ("open_ticket",)
    assert after.ordinal == 2 and run.ledger.activations[0].request == 2
    told = (
        text_of(after.body) if strategy == "append" else text_of(after.body["messages"][len(before.body["messages"]) :])
    )
    assert '"open_ticket"' in told.replace('\\"', '"')


def test_c6_a_refused_load_changes_no_request() -> None:
    run = assembly("append")
    run.append(asks())
    before = run.build()
    with pytest.raises(NotOnSurfaceError):
        run.load([DENIED], "direct_call")
    assert run.build() is before


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_c6_a_denied_tool_is_nowhere_in_a_request(strategy: Strategy) -> None:
    run = assembly(strategy)
    run.append(asks())
    assert DENIED not in text_of(searched(run, ["open_ticket"]).body)


def test_c10_a_first_request_has_one_marker_on_its_tail() -> None:
    run = assembly()
    run.append(asks())
    request = run.build()
    assert markers(request.body) == ["1h", "1h", "5m"]
    assert [each.place for each in request.markers] == ["last resident tool", "last system block", "end of this turn"]


def test_c10_a_later_request_has_a_pair_on_the_exact_previous_tail_and_on_its_own() -> None:
    run = assembly("append")
    run.append(asks())
    before = run.build().markers[-1].path
    after = searched(run, ["open_ticket"])
    assert markers(after.body) == ["1h", "1h", "5m", "5m"]
    assert [each.path for each in after.markers[2:]] == [before, ("messages", 2, 0)]


def test_c10_the_marker_of_the_tools_stays_on_the_last_resident() -> None:
    run = assembly("append")
    run.append(asks())
    request = searched(run, ["open_ticket"])
    marked = [tool["name"] for tool in request.body["tools"] if "cache_control" in tool]
    assert marked == ["read"] and request.markers[0].position == request.resident_count - 1


def test_a_position_counts_the_blocks_of_the_prefix_and_no_deferred_definition() -> None:
    run = assembly("reference")
    run.append(asks())
    request = run.build()
    assert [each.position for each in request.markers] == [2, 4, 5]
    assert len(request.body["tools"]) == 8


def test_a_request_that_is_built_twice_is_the_same_request() -> None:
    run = assembly()
    run.append(asks())
    assert run.build() is run.build()


def test_markers_of_the_caller_are_taken_off() -> None:
    run = assembly()
    run.append({"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}] * 5})
    assert markers(run.build().body) == ["1h", "1h", "5m"]


def test_no_marker_stands_on_thinking_or_on_an_empty_text() -> None:
    run = assembly()
    run.append(asks())
    thinking = {"type": "thinking", "thinking": "…", "signature": "s"}
    run.append(
        {"role": "assistant", "content": [{"type": "text", "text": "Well"}, {"type": "text", "text": " "}, thinking]}
    )
    assert run.build().markers[-1].path == ("messages", 1, 0)


def test_what_the_caller_changes_later_does_not_reach_a_request() -> None:
    run = assembly()
    message = asks()
    message["content"] = [{"type": "text", "text": "a"}]
    run.append(message)
    message["content"][0]["text"] = "b"
    assert '"b"' not in text_of(run.build().body["messages"])


def test_an_earlier_request_keeps_its_bytes_while_the_run_goes_on() -> None:
    run = assembly("append")
    run.append(asks())
    first = run.build()
    kept = first.bytes()
    searched(run, ["open_ticket"])
    run.rewrite([asks("Go on.")])
    run.build()
    assert first.bytes() == kept == wire.dumps(first.body)


def test_a_rewrite_begins_anew_with_one_marker_on_the_tail() -> None:
    run = assembly("append")
    run.append(asks())
    searched(run, ["open_ticket"])
    run.rewrite([asks("What happened so far: …")])
    request = run.build()
    assert markers(request.body) == ["1h", "1h", "5m"]
    assert request.loaded == ("open_ticket",)


@pytest.mark.parametrize("strategy", ["reference", "inline", "bridge"])
def test_after_a_rewrite_loaded_tools_are_made_known_again_once(strategy: Strategy) -> None:
    run = assembly(strategy)
    run.append(asks())
    searched(run, ["open_ticket"])
    run.rewrite([asks("What happened so far: …")])
    assert "open_ticket" in text_of(run.build().body["messages"])
    count = len(run.messages)
    run.append(calls("read", "x"))
    run.append(answers("x"))
    run.build()
    assert len(run.messages) == count + 2


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_resumed_run_sends_the_prefix_that_it_sent_before(strategy: Strategy) -> None:
    run = assembly(strategy)
    run.append(asks())
    searched(run, ["zip_files", "assign_ticket"])
    before = called(run, "open_ticket")
    again = assembly(strategy, history=before.body["messages"], recorded=before.loaded)
    assert unmarked(again.build().body) == unmarked(before.body)
    assert again.build().betas == before.betas


def test_a_resumed_run_does_not_refer_to_a_tool_that_is_gone() -> None:
    run = assembly("reference")
    run.append(asks())
    before = searched(run, ["open_ticket"])
    again = assembly("reference", surface=surface(denied=[DENIED, "open_ticket"]), history=before.body["messages"])
    assert "tool_reference" not in text_of(again.build().body["messages"])


def test_a_run_can_be_resumed_at_another_provider() -> None:
    run = assembly("reference")
    run.append(asks())
    before = searched(run, ["open_ticket"])
    again = assembly(provider="qwen", model="qwen4-coder", history=before.body["messages"])
    assert again.strategy == "bridge"
    told = text_of(again.build().body["messages"])
    assert "tool_reference" not in told and "Does what open_ticket says" in told


def test_c11_sub_agents_of_one_kind_have_one_prefix_whatever_they_are_asked() -> None:
    hashes = set()
    for task in ("Look for bugs.", "Write the report."):
        child = assembly(parameters={"temperature": 0})
        child.append(asks(task))
        hashes.add(prefix_hash(child.build()))
    assert len(hashes) == 1


@pytest.mark.parametrize(
    "other",
    [{"model": "claude-sonnet-5"}, {"system": ["You review code."]}, {"surface": surface(denied=["zip_files"])}],
)
def test_c11_another_model_type_or_surface_has_another_prefix(other: dict[str, object]) -> None:
    one, two = assembly("reference"), assembly("reference", **other)
    for run in (one, two):
        run.append(asks())
    assert prefix_hash(one.build()) != prefix_hash(two.build())


def test_a_strategy_that_the_provider_does_not_take_is_refused() -> None:
    with pytest.raises(AssemblyError, match="it takes bridge, append"):
        assembly("reference", provider="deepseek", model="deepseek-v4")


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "content": "x"},
        {"role": "user", "content": []},
        {"role": "user"},
        {"role": "user", "content": ["x"]},
    ],
)
def test_what_is_no_message_is_refused(message: dict[str, object]) -> None:
    with pytest.raises(AssemblyError):
        assembly().append(message)


SCRIPT = """
from tests.harness.request.building import asks, assembly, searched
run = assembly("reference")
run.append(asks())
print(searched(run, ["zip_files", "assign_ticket"]).bytes().decode())
"""


def test_another_process_gives_the_same_bytes() -> None:
    run = assembly("reference")
    run.append(asks())
    here = searched(run, ["zip_files", "assign_ticket"]).bytes()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ".", "PYTHONUTF8": "1"},
            capture_output=True,
            check=True,
        )
        assert done.stdout.rstrip(b"\n") == here
