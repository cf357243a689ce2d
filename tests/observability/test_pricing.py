from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import islice

import pytest
from genai_prices import Usage, calc_price
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelPrice
from hypothesis import given
from hypothesis import strategies as st

from harness.runlog import Buckets
from observability import pricing

MARCH = datetime(2026, 3, 20, tzinfo=UTC)
COUNTED = {
    "input_mtok",
    "output_mtok",
    "cache_read_mtok",
    "cache_write_mtok",
    "cache_write_5m_mtok",
    "cache_write_1h_mtok",
    "output_reasoning_mtok",
}


def _only_tokens(prices: ModelPrice) -> bool:
    keys = {key for key, value in vars(prices).items() if value is not None}
    return "requests_kcount" not in keys and {"input_mtok", "output_mtok"} <= keys


MODELS = [
    (model.id, provider.id)
    for provider in get_snapshot().providers
    for model in islice(provider.models, 25)
    if _only_tokens(model.get_prices(MARCH)) and provider.find_model(model.id) is model
]
BUCKETS = ("uncached", "read", "write_5m", "write_1h", "write_other", "output")
counts = st.integers(min_value=0, max_value=400_000)
some_buckets = st.builds(
    Buckets, uncached=counts, read=counts, write_5m=counts, write_1h=counts, write_other=counts, output=counts
)


def _their_price(model: str, provider: str, at: datetime, buckets: Buckets) -> Decimal:
    usage = Usage(
        input_tokens=buckets.prompt,
        output_tokens=buckets.output,
        cache_read_tokens=buckets.read,
        cache_write_tokens=buckets.written,
        cache_write_1h_tokens=buckets.write_1h,
    )
    return calc_price(usage, model, provider_id=provider, genai_request_timestamp=at).total_price


def _priced_part(named: tuple[str, str], at: datetime, buckets: Buckets) -> Buckets:
    """The buckets without those that the model has no price for."""
    prices = pricing.unit_prices(*named, at, buckets.prompt)
    known = [name for name in BUCKETS if getattr(prices, name, None) is not None]
    return Buckets(**{name: getattr(buckets, name) for name in known})


def _rounding(buckets: Buckets) -> int:
    """Half a picodollar for each token: what rounding unit prices may do."""
    return (buckets.prompt + buckets.output) // 2 + 1


@given(st.sampled_from(MODELS), some_buckets, st.integers(0, 1064))
def test_every_price_equals_the_calculation_of_genai_prices(named: tuple[str, str], buckets: Buckets, day: int) -> None:
    at = datetime(2024, 1, 1, 8, tzinfo=UTC) + timedelta(days=day)
    part = _priced_part(named, at, buckets)
    ours = pricing.cost(*named, at, part)
    assert ours is not None
    assert abs(ours.total - _their_price(*named, at, part).scaleb(12)) <= _rounding(part)


@given(st.sampled_from([m for m in MODELS if m[1] == "anthropic"]), some_buckets)
def test_anthropic_prices_are_exact_to_the_picodollar(named: tuple[str, str], buckets: Buckets) -> None:
    part = _priced_part(named, MARCH, buckets)
    ours = pricing.cost(*named, MARCH, part)
    assert ours is not None
    assert pricing.dollars(ours.total) == _their_price(*named, MARCH, part)


def test_most_models_can_be_priced_at_all() -> None:
    plain = Buckets(uncached=1_000, output=100)
    assert sum(pricing.cost(*named, MARCH, plain) is not None for named in MODELS) == len(MODELS) > 300


def test_writes_of_both_lifetimes_are_priced_apart() -> None:
    buckets = Buckets(uncached=15, read=120_000, write_5m=3_000, write_1h=5_000, output=950)
    cost = pricing.cost("claude-sonnet-4-5-20250929", "", MARCH, buckets)
    assert cost is not None
    assert pricing.dollars(cost.total) == Decimal("0.091545")


def test_input_that_holds_reads_and_writes_is_not_charged_twice() -> None:
    buckets = Buckets(uncached=50_000, read=800_000, write_5m=50_000, write_1h=100_000)
    cost = pricing.cost("claude-opus-5-5", "anthropic", MARCH, buckets)
    assert cost is not None
    assert pricing.dollars(cost.total) == Decimal("1.41")


def test_total_is_prompt_and_output() -> None:
    cost = pricing.cost("claude-fable-5", "", MARCH, Buckets(uncached=1_000, output=10))
    assert cost == pricing.Cost(total=10_500_000_000, prompt=10_000_000_000, output=500_000_000)


@pytest.mark.parametrize("name", ["claude-opus-5-5[1m]", "claude-opus-5-5", "Claude-Opus-5-5"])
def test_a_window_suffix_and_case_do_not_matter(name: str) -> None:
    prices = pricing.unit_prices(name, "", MARCH, 1_000)
    assert prices is not None
    assert prices.read == Decimal("0.2")


@pytest.mark.parametrize("name", ["", "<synthetic>", "claude-unheard-of", "x" * 10_000, "our-own-model"])
def test_an_unknown_model_is_unpriced(name: str) -> None:
    assert pricing.cost(name, "", MARCH, Buckets(uncached=1)) is None
    assert pricing.unit_prices(name, "", MARCH, 1) is None
    assert pricing.rewrite_premium(name, "", MARCH, 1, "5m") is None


def test_an_unknown_provider_is_unpriced() -> None:
    assert pricing.cost("claude-opus-5-5", "acme", MARCH, Buckets(uncached=1)) is None


def test_a_bucket_without_a_price_makes_the_request_unpriced() -> None:
    assert pricing.cost("gpt-6-sol", "openai", MARCH, Buckets(uncached=10, write_other=10)) is not None
    assert pricing.cost("gpt-6-sol", "openai", MARCH, Buckets(uncached=10, write_1h=10)) is None


@pytest.mark.parametrize(("prompt", "read"), [(200_000, "0.3"), (200_001, "0.6")])
def test_a_tier_is_for_the_whole_request(prompt: int, read: str) -> None:
    prices = pricing.unit_prices("claude-sonnet-4-5", "", MARCH, prompt)
    assert prices is not None
    assert prices.read == Decimal(read)


def test_the_price_of_the_day_is_used() -> None:
    before = pricing.unit_prices("claude-opus-4-6", "", datetime(2026, 3, 12, 23, 59, tzinfo=UTC), 300_000)
    after = pricing.unit_prices("claude-opus-4-6", "", datetime(2026, 3, 13, tzinfo=UTC), 300_000)
    assert before is not None
    assert after is not None
    assert (before.uncached, after.uncached, after.since) == (Decimal(10), Decimal(5), date(2026, 3, 13))


def test_a_request_without_a_time_takes_the_newest_price() -> None:
    prices = pricing.unit_prices("claude-opus-4-6", "", None, 300_000)
    assert prices is not None
    assert prices.uncached == Decimal(5)


def test_a_price_that_changes_within_the_day_follows_the_hour() -> None:
    found = {
        pricing.cost("deepseek-chat", "deepseek", datetime(2025, 6, 1, hour, tzinfo=UTC), Buckets(uncached=100))
        for hour in range(24)
    }
    assert len(found) == 2


def test_unit_prices_name_their_source() -> None:
    prices = pricing.unit_prices("claude-fable-5", "", MARCH, 1)
    assert prices is not None
    assert prices.source.startswith("genai-prices 0.")


@pytest.mark.parametrize(("lifetime", "premium"), [("5m", 5_750_000), ("1h", 9_500_000), ("unknown", 5_750_000)])
def test_a_rewrite_costs_its_write_less_the_read(lifetime: str, premium: int) -> None:
    assert pricing.rewrite_premium("claude-opus-4-5", "", MARCH, 1_000, lifetime) == premium * 1_000  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("buckets", "usd_per_million"),
    [
        (Buckets(uncached=9, read=1, write_5m=5), "0.5"),
        (Buckets(uncached=9, write_5m=5), "6.25"),
        (Buckets(uncached=9, write_5m=5, write_1h=1), "10"),
        (Buckets(uncached=9), "5"),
    ],
)
def test_the_start_of_a_prompt_is_read_where_anything_is_else_written_else_paid_in_full(
    buckets: Buckets, usd_per_million: str
) -> None:
    found = pricing.start_price("claude-opus-4-5-20251101", "", MARCH, buckets)
    assert found == int(Decimal(usd_per_million) * 10**6)


def test_the_start_of_a_prompt_of_an_unknown_model_has_no_price() -> None:
    assert pricing.start_price("acme-coder-2", "", MARCH, Buckets(uncached=9)) is None
