from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from harness import wire
from harness.request import Assembly, Strategy, Trimming
from harness.simulator import ANTHROPIC, Block, Simulator
from tests.harness.request.building import (
    MODEL,
    answers,
    asks,
    assembly,
    calls,
    markers,
    searched,
    surface,
    text_of,
    unmarked,
)

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
RATES = ANTHROPIC.rates_for(MODEL)

LONG = "a line of output\n" * 400


def run_of(turns: int, text: str = LONG, strategy: Strategy = "append") -> Assembly:
    run = assembly(strategy)
    run.append(asks())
    for number in range(turns):
        run.append(calls("read", f"c{number}"))
        run.append(answers(f"c{number}", text))
    run.build()
    return run


def results(run: Assembly) -> list[Any]:
    return [
        block["content"]
        for message in run.build().body["messages"]
        for block in message["content"]
        if block["type"] == "tool_result"
    ]


def test_c9_stale_output_is_cut_where_that_pays() -> None:
    run = run_of(20)
    trimmed = run.trim(reads=60)
    assert trimmed is not None and [cut.call for cut in trimmed.cut] == [f"c{number}" for number in range(17)]
    assert (
        results(run)[:17]
        == [f"[old output cut: {len(LONG)} characters from read; call it again if they are needed]"] * 17
    )


def test_c9_the_last_turns_keep_their_output() -> None:
    run = run_of(20)
    run.trim(reads=60)
    assert results(run)[17:] == [LONG] * 3


def test_c9_nothing_is_cut_where_too_few_reads_are_left() -> None:
    run = run_of(20)
    before = run.build()
    assert run.trim(reads=1) is None
    assert run.build() is before


def test_c9_nothing_is_cut_where_little_would_be_won() -> None:
    run = run_of(10, "short " * 20)
    assert run.trim(reads=10_000) is None


def test_c9_a_cut_pays_exactly_from_where_its_gain_outweighs_the_rewrite() -> None:
    run = run_of(20)
    trimmed = run_of(20).trim(reads=10_000)
    assert trimmed is not None
    enough = int(trimmed.cost / (trimmed.gain / 10_000)) + 1
    assert run.trim(reads=enough - 1) is None
    assert run.trim(reads=enough) is not None


def test_c9_the_price_of_a_read_decides() -> None:
    messages = run_of(20).messages
    cheap, dear = (
        Assembly(surface(), model=model, strategy="append", history=messages)
        for model in ("claude-opus-5-5", "claude-opus-4-6")
    )
    assert cheap.trim(reads=4) is None and dear.trim(reads=4) is not None


def test_c9_nothing_is_cut_before_it_has_cost_its_rewrite() -> None:
    assert run_of(10).trim(reads=10_000) is None
    assert run_of(10).trim(reads=10_000, rule=Trimming(patience=Decimal(0))) is not None


def growing(turns: int, *, trims: bool) -> tuple[Decimal, int]:
    """What a run costs in the simulator whose every turn adds output, and how often it was cut."""
    run, simulator, cost, count = run_of(0), Simulator(ANTHROPIC, count=letters), Decimal(0), 0
    for number in range(turns):
        cost += simulator.send(run.build().body, at=START + timedelta(seconds=30 * number)).cost(RATES)
        run.append(calls("read", f"d{number}"))
        run.append(answers(f"d{number}", LONG))
        count += trims and run.trim(reads=turns - number - 1) is not None
    return cost, count


def letters(block: Block, model: str) -> int:
    return len(wire.dumps(block.value)) // 4


def test_c9_a_trim_is_deep_and_rare_and_saves() -> None:
    trimmed, count = growing(60, trims=True)
    untrimmed, _ = growing(60, trims=False)
    assert 1 <= count <= 4
    assert trimmed < untrimmed * Decimal("0.7")


def test_a_trim_begins_anew_with_one_marker_on_the_tail() -> None:
    run = run_of(20)
    run.append(asks("And now?"))
    assert run.trim(reads=60) is not None
    assert markers(run.build().body) == ["1h", "1h", "5m"]


def test_a_trim_leaves_the_prefix_the_calls_and_the_order_as_they_were() -> None:
    run = run_of(20)
    before = run.build()
    run.trim(reads=60)
    after = run.build()
    assert after.body["tools"] == before.body["tools"] and after.body["system"] == before.body["system"]
    kinds = [
        [(message["role"], [block["type"] for block in message["content"]]) for message in request.body["messages"]]
        for request in (before, after)
    ]
    assert kinds[0] == kinds[1]


def test_a_trim_tells_what_it_won() -> None:
    trimmed = run_of(20).trim(reads=60)
    assert trimmed is not None
    assert trimmed.won == trimmed.tokens_before - trimmed.tokens_after > 5_000
    assert {cut.tool for cut in trimmed.cut} == {"read"} and trimmed.cut[0].chars == len(LONG)
    assert 0 < sum(cut.tokens for cut in trimmed.cut) - trimmed.won < 40 * len(trimmed.cut)
    assert trimmed.gain > trimmed.cost


def test_what_was_cut_is_not_cut_again() -> None:
    run = run_of(20)
    first = run.trim(reads=60)
    assert first is not None
    for number in range(20):
        run.append(calls("read", f"e{number}"))
        run.append(answers(f"e{number}", LONG))
    second = run.trim(reads=500)
    assert second is not None
    assert not {cut.call for cut in first.cut} & {cut.call for cut in second.cut}


@pytest.mark.parametrize("strategy", ["reference", "bridge"])
def test_a_result_that_brings_a_schema_stays(strategy: Strategy) -> None:
    run = assembly(strategy)
    run.append(asks())
    searched(run, ["zip_files", "open_ticket"])
    told = unmarked(run.build().body["messages"][2])
    for number in range(20):
        run.append(calls("read", f"c{number}"))
        run.append(answers(f"c{number}", LONG))
    assert run.trim(reads=500) is not None
    assert unmarked(run.build().body["messages"][2]) == told


def test_pictures_in_a_result_are_cut_with_it() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 40_000}}
    run = assembly()
    run.append(asks())
    for number in range(20):
        run.append(calls("read", f"c{number}"))
        result = answers(f"c{number}")["content"][0] | {"content": [picture]}
        run.append({"role": "user", "content": [result]})
    trimmed = run.trim(reads=500)
    assert trimmed is not None and 300 < trimmed.cut[0].tokens < 3_000
    assert text_of(run.build().body).count("AAAA") == text_of([picture] * 3).count("AAAA")


def test_how_much_is_kept_is_a_setting() -> None:
    trimmed = run_of(20).trim(reads=60, rule=Trimming(keep_turns=6, patience=Decimal(0)))
    assert trimmed is not None and len(trimmed.cut) == 14
