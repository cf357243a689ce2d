"""What is read, written and paid, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest

from harness.errors import RefusedRequest
from harness.simulator import ANTHROPIC, Simulator
from tests.harness.simulator.building import (
    FIVE,
    HOUR,
    MODEL,
    after,
    assistant,
    body,
    counts,
    planted,
    send,
    simulator,
    text,
    tool,
    user,
)

HELLO = body(user(text("hello", 5000, FIVE)))
THOUGHT = {"type": "thinking", "thinking": "hm", "text": "thought/400"}
DEFERRED = tool("rare", 300, defer_loading=True)


def test_the_first_request_writes_up_to_its_marker_and_pays_the_rest_in_full() -> None:
    outcome = send(simulator(), body(user(text("a", 2000, FIVE), text("b", 300))))
    assert counts(outcome) == (300, 0, 2000, 0)


def test_the_same_request_again_reads_what_was_written() -> None:
    sim = simulator()
    send(sim, HELLO)
    assert counts(send(sim, HELLO, 2)) == (0, 5000, 0, 0)


def test_nothing_is_written_without_a_marker() -> None:
    assert counts(send(simulator(), body(user(text("a", 5000))))) == (5000, 0, 0, 0)


def test_automatic_caching_marks_the_last_block() -> None:
    outcome = send(simulator(), body(user(text("a", 5000)), cache_control=FIVE))
    assert outcome.write_5m == 5000


def test_mixed_lifetimes_are_billed_from_the_hit_to_the_last_marker_of_an_hour_and_on_to_the_last_one() -> None:
    sim = simulator()
    system = [text("s", 2000, HOUR)]
    send(sim, body(user(text("a", 10)), system=system))
    longer = [*system, text("t", 3000, HOUR)]
    outcome = send(sim, body(user(text("a", 700, FIVE), text("b", 9)), system=longer), 2)
    assert counts(outcome) == (9, 2000, 700, 3000)


def test_an_entry_lasts_five_minutes_from_the_start_of_the_request_that_wrote_it() -> None:
    sim = simulator()
    sim.send(HELLO, at=after(0), first_event_at=after(60))
    assert send(sim, HELLO, 300).read == 0


def test_an_entry_of_an_hour_outlives_five_minutes() -> None:
    sim, request = simulator(), body(user(text("a", 5000, HOUR)))
    send(sim, request)
    assert send(sim, request, 3599).read == 5000


def test_each_use_starts_the_lifetime_anew() -> None:
    sim = simulator()
    send(sim, HELLO)
    send(sim, HELLO, 299)
    assert send(sim, HELLO, 598).read == 5000


def test_an_entry_that_ran_out_is_named_as_the_reason() -> None:
    sim = simulator()
    send(sim, HELLO)
    assert [(each.why, each.tokens) for each in send(sim, HELLO, 400).missed] == [("expired", 5000)]


def test_an_entry_cannot_be_read_before_the_first_response_begins() -> None:
    sim = simulator()
    sim.send(HELLO, at=after(0), first_event_at=after(8))
    outcome = send(sim, HELLO, 7)
    assert (outcome.read, outcome.missed[0].why) == (0, "not_yet_readable")


def test_the_marker_looks_at_twenty_positions_with_its_own() -> None:
    """The documentation's example: an entry at block 15 and a marker at block 35 miss each other by one."""
    blocks = [text(f"b{number}", 500) for number in range(35)]
    for last, read in ((34, 7500), (35, 0)):
        sim = simulator()
        send(sim, body(user(*blocks[:14], {**blocks[14], "cache_control": FIVE})))
        asked = body(user(*blocks[: last - 1], {**blocks[last - 1], "cache_control": FIVE}))
        assert send(sim, asked, 2).read == read


def test_an_entry_out_of_reach_is_named_with_its_distance() -> None:
    sim = simulator()
    blocks = [text(f"b{number}", 500) for number in range(40)]
    send(sim, body(user(*blocks[:5], {**blocks[5], "cache_control": FIVE})))
    missed = send(sim, body(user(*blocks[:39], {**blocks[39], "cache_control": FIVE})), 2).missed[0]
    assert (missed.why, missed.tokens) == ("lookback", 3000)
    assert missed.detail.startswith("34 blocks before")


def test_a_second_marker_on_the_old_tail_finds_it_however_much_was_added() -> None:
    sim, blocks = simulator(), [text(f"b{number}", 500) for number in range(40)]
    send(sim, body(user(*blocks[:5], {**blocks[5], "cache_control": FIVE})))
    pair = [{**block, "cache_control": FIVE} if number in (5, 39) else block for number, block in enumerate(blocks)]
    assert send(sim, body(user(*pair)), 2).read == 3000


@pytest.mark.parametrize(("calls", "read"), [(9, 2000), (10, 0)])
def test_nine_calls_with_a_text_keep_the_tail_and_ten_without_one_lose_it(calls: int, read: int) -> None:
    sim = simulator()
    send(sim, body(user(text("task", 2000, FIVE))))
    said = [text("on it", 9)] if calls == 9 else []
    uses = [{"type": "tool_use", "id": f"c{n}", "name": "read", "input": {}, "text": "call/9"} for n in range(calls)]
    results: list[dict[str, Any]] = [
        {"type": "tool_result", "tool_use_id": f"c{n}", "content": "result/9"} for n in range(calls)
    ]
    results[-1]["cache_control"] = FIVE
    request = body(user(text("task", 2000)), assistant(*said, *uses), user(*results))
    assert send(sim, request, 2).read == read


@pytest.mark.parametrize(
    ("model", "least"),
    [
        ("claude-opus-5-5", 512),
        ("claude-sonnet-5-5", 512),
        ("claude-fable-5", 512),
        ("claude-opus-5", 512),
        ("claude-sonnet-5", 1024),
        ("claude-opus-4-8", 1024),
        ("claude-opus-4-1-20250805", 1024),
        ("claude-opus-4-20250514", 1024),
        ("claude-sonnet-4-5-20250929", 1024),
        ("claude-opus-4-7", 2048),
        ("claude-3-5-haiku-20241022", 2048),
        ("claude-mythos-preview", 2048),
        ("claude-opus-4-6", 4096),
        ("claude-opus-4.5", 4096),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 4096),
    ],
)
def test_a_prefix_under_the_minimum_of_its_model_is_not_written(model: str, least: int) -> None:
    below = send(simulator(), {**body(user(text("a", least - 1, FIVE))), "model": model})
    enough = send(simulator(), {**body(user(text("a", least, FIVE))), "model": model})
    assert (below.written, below.markers[0].state, enough.written) == (0, "under_minimum", least)


def test_the_minimum_is_for_all_that_lies_before_the_marker() -> None:
    system = [text("s", 600, HOUR)]
    outcome = send(simulator(), body(user(text("a", 600, FIVE)), system=system))
    assert counts(outcome) == (0, 0, 1200, 0)


def test_another_model_reads_nothing_and_is_told_so() -> None:
    sim = simulator()
    send(sim, HELLO)
    outcome = send(sim, {**HELLO, "model": "claude-opus-5"}, 2)
    assert (outcome.read, outcome.missed[0].why) == (0, "other_model")
    assert outcome.difference is not None
    assert outcome.difference.change == "model"


def test_a_dated_name_is_the_same_model() -> None:
    sim = simulator()
    send(sim, HELLO)
    assert send(sim, {**HELLO, "model": f"{MODEL}-20260101"}, 2).read == 5000


@pytest.mark.parametrize(
    "request_body",
    [
        body(user(*[text(f"b{number}", 900, FIVE) for number in range(5)])),
        body(user(*[text(f"b{number}", 900, FIVE) for number in range(4)], text("c", 9)), cache_control=FIVE),
        body(user(text("a", 900, HOUR)), cache_control=FIVE),
        body(user(text("a", 900, FIVE), text("b", 900, HOUR))),
        body(user({"type": "text", "text": "", "cache_control": FIVE})),
        body(assistant({**THOUGHT, "cache_control": FIVE}), thinking={"type": "adaptive"}),
        body(user(text("a", 9)), tools=[tool("read", 9), {**DEFERRED, "cache_control": FIVE}]),
        body(user(text("a", 9)), tools=[DEFERRED]),
    ],
)
def test_what_the_provider_refuses_is_refused(request_body: dict[str, Any]) -> None:
    with pytest.raises(RefusedRequest):
        send(simulator(), request_body)


def test_automatic_caching_walks_back_over_what_cannot_be_marked() -> None:
    request = body(user(text("a", 2000)), assistant(THOUGHT), thinking={"type": "adaptive"}, cache_control=FIVE)
    assert counts(send(simulator(), request)) == (400, 0, 2000, 0)


def test_a_changed_block_is_named() -> None:
    sim = simulator()
    send(sim, body(user(text("a", 2000), text("b", 5, FIVE))))
    difference = send(sim, body(user(text("a", 2000), text("c", 5, FIVE))), 2).difference
    assert difference is not None
    assert (difference.change, difference.tier, difference.index) == ("changed", "messages", 1)


@pytest.mark.parametrize(
    ("tools", "change"), [(("a", "b", "c"), "added"), (("a",), "removed"), (("b", "a"), "changed")]
)
def test_a_tool_added_removed_or_moved_is_named(tools: tuple[str, ...], change: str) -> None:
    sim, request = simulator(), body(user(text("a", 2000, FIVE)), system=[text("s", 5)])
    send(sim, {**request, "tools": [tool("a", 50), tool("b", 50)]})
    difference = send(sim, {**request, "tools": [tool(name, 50) for name in tools]}, 2).difference
    assert difference is not None
    assert (difference.change, difference.tier) == (change, "tools")


def test_the_order_of_the_keys_of_a_block_matters() -> None:
    sim = simulator()
    send(sim, HELLO)
    block = HELLO["messages"][0]["content"][0]
    assert send(sim, body(user(dict(reversed(block.items())))), 2).read == 0


def test_appending_is_no_difference() -> None:
    sim = simulator()
    send(sim, HELLO)
    assert send(sim, body(user(text("hello", 5000)), user(text("more", 5, FIVE))), 2).difference is None


def test_a_simulation_can_start_warm() -> None:
    sim = simulator()
    sim.warm(HELLO, at=after(-10))
    assert send(sim, HELLO).read == 5000


def test_a_copy_of_a_state_goes_its_own_way() -> None:
    sim = simulator()
    send(sim, HELLO)
    other = Simulator(ANTHROPIC, count=planted, state=sim.state.copy())
    send(other, HELLO, 299)
    assert (send(other, HELLO, 400).read, send(sim, HELLO, 400).read) == (5000, 0)


def test_what_ran_out_can_be_forgotten() -> None:
    sim = simulator()
    send(sim, HELLO)
    sim.state.forget(after(301))
    assert send(sim, HELLO, 400).missed == ()


def test_a_reported_total_is_kept_whatever_was_counted() -> None:
    sim = simulator()
    request = body(user(text("a", 3000, FIVE)), user(text("b", 1000)))
    outcome = sim.send(request, at=after(0), prompt=8010, tail=10)
    assert counts(outcome) == (2010, 0, 6000, 0)


def test_a_prefix_keeps_the_size_that_a_report_gave_it() -> None:
    sim = simulator()
    sim.send(HELLO, at=after(0), prompt=4103, tail=3)
    longer = body(user(text("hello", 5000)), user(text("more", 50, FIVE)))
    outcome = sim.send(longer, at=after(2), prompt=4205, tail=3)
    assert counts(outcome) == (3, 4100, 102, 0)


def test_an_outcome_says_in_a_sentence_what_happened() -> None:
    sim = simulator()
    send(sim, HELLO)
    assert send(sim, HELLO, 400).explain() == "read nothing; messages[0] text: its 5m ran out 100 s before"
