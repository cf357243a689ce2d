from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.accounting import holding
from harness.accounting.holding import Bucket, Held, Paid, Rates, Span

RATES = Rates(read=1, write_5m=125, write_1h=200, write_other=150, uncached=100)


def paid(read: int = 0, five: int = 0, hour: int = 0, uncached: int = 0, *, broke: bool = False) -> Paid:
    return Paid(read=read, write_5m=five, write_1h=hour, uncached=uncached, broke=broke, rates=RATES)


def charges(*run: Paid, resident: int = 0) -> tuple[Bucket | None, ...]:
    return holding.of_tools(run, resident).charges


def held(run: Sequence[Paid], extra: int, *spans: Span) -> Held:
    return holding.of_tools(run, 0).held(spans or [Span(0, len(run))], {"": extra})


def test_a_run_writes_once_and_reads_from_then_on() -> None:
    assert charges(paid(five=900), paid(900, 50), paid(950, 50)) == ("write_5m", "read", "read")


def test_the_longer_of_two_lifetimes_is_that_of_the_tools() -> None:
    assert charges(paid(five=300, hour=600)) == ("write_1h",)


def test_a_break_that_leaves_the_tools_in_the_cache_reads_them() -> None:
    assert charges(paid(five=900), paid(500, 450, broke=True), resident=500)[1] == "read"


def test_a_break_that_reaches_the_tools_writes_them_again() -> None:
    assert charges(paid(five=900), paid(499, 450, broke=True), resident=500)[1] == "write_5m"


def test_a_first_request_that_read_its_tools_does_not_write_them() -> None:
    assert charges(paid(900, 50)) == ("read",)


def test_a_provider_without_a_cache_is_paid_in_full() -> None:
    assert charges(paid(uncached=900), paid(uncached=990)) == ("uncached", "uncached")


def test_a_provider_that_charges_no_writes_is_paid_in_full_and_then_read() -> None:
    assert charges(paid(uncached=900), paid(896, uncached=94)) == ("uncached", "read")


def test_a_request_without_a_prompt_takes_no_part() -> None:
    run = [paid(five=900), Paid(rates=RATES), paid(900)]
    assert (held(run, 10).requests, held(run, 10).tokens) == (2, 20)


def test_a_schema_that_comes_later_is_written_by_its_first_request() -> None:
    found = held([paid(hour=900), paid(900, 50), paid(950, 50)], 10, Span(1, 3, arrives=True))
    assert {line.rate.bucket: line.tokens for line in found.lines} == {"write_1h": 10, "read": 10}


def test_a_schema_that_comes_with_a_request_without_a_prompt_is_written_by_the_next() -> None:
    found = held([paid(five=900), Paid(rates=RATES), paid(900)], 10, Span(1, 3, arrives=True))
    assert [line.rate.bucket for line in found.lines] == ["write_5m"]


def test_a_schema_that_comes_and_goes_between_requests_costs_nothing() -> None:
    run = [paid(five=900), Paid(rates=RATES), paid(900)]
    assert held(run, 10, Span(1, 2, arrives=True)) == Held()


def test_requests_without_a_price_add_tokens_and_no_money() -> None:
    run = [paid(five=900), Paid(read=900)]
    found = held(run, 10)
    assert (found.tokens, found.pusd, found.unpriced) == (20, 1_250, 1)


def test_where_no_request_has_a_price_there_is_no_amount() -> None:
    assert held([Paid(read=900)], 10).pusd is None
    assert Held().pusd == 0


def test_a_bucket_without_a_price_is_unpriced() -> None:
    run = [Paid(write_1h=900, rates=Rates(read=1))]
    assert held(run, 10).pusd is None


def test_text_is_written_once_read_and_written_again_at_a_break() -> None:
    run = [paid(five=900), paid(900, 50), paid(950, 10), paid(100, 900, broke=True)]
    found = holding.of_text(run).held([Span(1, 4, arrives=True)], {"": 10})
    assert {line.rate.bucket: line.requests for line in found.lines} == {"write_5m": 2, "read": 1}


def test_what_another_request_wrote_is_read_again() -> None:
    ledger = holding.of_tools([paid(five=900), Paid(rates=RATES)], 0)
    assert ledger.again(0, {"": 10}).pusd == 10
    assert ledger.again(1, {"": 10}) == ledger.again(2, {"": 10}) == Held()


def test_without_a_cache_it_is_paid_in_full_again() -> None:
    assert holding.of_tools([paid(uncached=900)], 0).again(0, {"": 10}).pusd == 1_000


def test_what_the_next_request_reads_is_passed_on_above_a_read() -> None:
    assert holding.passed_on(paid(900, 100, uncached=7), paid(1_000)) == 100 * (125 - 1)


def test_nothing_is_passed_on_by_the_last_request_or_before_a_break() -> None:
    assert holding.passed_on(paid(900, 100), None) == 0
    assert holding.passed_on(paid(900, 100), paid(500, 600, broke=True)) == 0


def test_what_was_paid_in_full_and_then_read_is_passed_on_too() -> None:
    assert holding.passed_on(paid(uncached=900), paid(800, uncached=200)) == 800 * (100 - 1)


def test_what_is_passed_on_without_a_price_is_not_known() -> None:
    assert holding.passed_on(Paid(write_5m=100), paid(100)) is None


def test_a_worked_example_by_hand() -> None:
    """51 requests at $8 a million written for an hour and $0.20 read; a break at 24 that reached the tools, one at 38 not."""
    rates = Rates(read=200_000, write_5m=5_000_000, write_1h=8_000_000)
    run = [Paid(read=17_000, write_5m=500, rates=rates) for _ in range(51)]
    run[0] = Paid(write_1h=17_317, rates=rates)
    run[23] = Paid(write_1h=11_200, write_5m=28_000, broke=True, rates=rates)
    run[37] = Paid(read=11_196, write_5m=52_369, broke=True, rates=rates)
    ledger = holding.of_tools(run, 5_012)
    schema = ledger.held([Span(0, 51)], {"": 501})
    loaded_at_14 = ledger.held([Span(0, 13)], {"": 409})
    assert schema.tokens == 501 * 51
    assert schema.pusd == 501 * (2 * 8_000_000 + 49 * 200_000) == 12_925_800_000
    assert loaded_at_14.tokens == 409 * 13
    assert loaded_at_14.pusd == 409 * (8_000_000 + 12 * 200_000) == 4_253_600_000
    assert holding.add([schema, loaded_at_14]).pusd == 17_179_400_000


amounts = st.integers(0, 10**6)
prices = st.none() | st.builds(
    Rates, read=amounts, write_5m=amounts, write_1h=st.none() | amounts, write_other=amounts, uncached=amounts
)
requests = st.builds(
    Paid,
    read=amounts,
    write_5m=amounts,
    write_1h=amounts,
    write_other=amounts,
    uncached=amounts,
    broke=st.booleans(),
    rates=prices,
)
runs = st.lists(requests, max_size=30)


@st.composite
def stretches(draw: st.DrawFn) -> list[Span]:
    """Stretches that do not overlap, in order."""
    edges = sorted(draw(st.sets(st.integers(0, 30), max_size=8)))
    pairs = zip(edges[::2], edges[1::2], strict=False)
    return [Span(first, end, draw(st.booleans())) for first, end in pairs]


@given(runs, amounts, st.lists(st.tuples(stretches(), amounts), max_size=6))
def test_the_sum_over_tools_is_the_total(run: list[Paid], resident: int, tools: list[tuple[list[Span], int]]) -> None:
    ledger = holding.of_tools(run, resident)
    parts = [ledger.held(spans, {"": extra}) for spans, extra in tools]
    total = holding.add(parts)
    assert total.tokens == sum(part.tokens for part in parts)
    assert (total.pusd or 0) == sum(part.pusd or 0 for part in parts)
    assert total.requests == sum(part.requests for part in parts)


@given(runs, amounts, stretches(), amounts, amounts)
def test_tokens_and_money_are_linear_in_the_schema(
    run: list[Paid], resident: int, spans: list[Span], one: int, other: int
) -> None:
    ledger = holding.of_tools(run, resident)
    apart, together = [ledger.held(spans, {"": size}) for size in (one, other)], ledger.held(spans, {"": one + other})
    assert holding.add(apart).tokens == together.tokens
    assert holding.add(apart).pusd == together.pusd


@given(runs, amounts, stretches(), amounts)
def test_each_request_of_a_stretch_counts_once(run: list[Paid], resident: int, spans: list[Span], extra: int) -> None:
    found = holding.of_tools(run, resident).held(spans, {"": extra})
    counted = [place for span in spans for place in range(span.first, span.end) if place < len(run)]
    assert found.requests == sum(run[place].prompt > 0 for place in counted)
    assert found.tokens == found.requests * extra
    assert all(line.tokens >= 0 and line.requests > 0 for line in found.lines)


@given(requests, requests)
def test_a_request_passes_on_no_more_than_it_paid(now: Paid, after: Paid) -> None:
    cheap = Paid(
        **{name: now.size(name) for name in (*holding.LONGEST_FIRST, holding.UNCACHED)},
        read=now.read,
        rates=Rates(read=0, write_5m=3, write_1h=3, write_other=3, uncached=3),
    )
    passed = holding.passed_on(cheap, after)
    assert passed is not None
    assert 0 <= passed <= 3 * (now.prompt - now.read)
    assert passed <= 3 * max(0, after.read - now.read)


@pytest.mark.parametrize("resident", [0, 1_000])
def test_a_stretch_may_be_cut_anywhere(resident: int) -> None:
    ledger = holding.of_tools([paid(five=900), paid(900, 9), paid(uncached=30), paid(1_200)], resident)
    whole = ledger.held([Span(0, 4)], {"": 7})
    for cut in range(5):
        assert set(ledger.held([Span(0, cut), Span(cut, 4)], {"": 7}).lines) == set(whole.lines)
