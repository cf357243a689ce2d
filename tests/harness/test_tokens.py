from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import tokens
from harness.tokens import Count, Factor

PLAIN = Factor(percent=100, low=100, high=100, basis="test")


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("claude-3-5-sonnet-20241022", "claude-3"),
        ("claude-opus-4-5-20251101", "claude-3"),
        ("claude-sonnet-4-20250514", "claude-3"),
        ("claude-haiku-4-5", "claude-3"),
        ("claude-opus-4-7", "claude-4.7"),
        ("anthropic/claude-opus-4.8", "claude-4.7"),
        ("us.anthropic.claude-opus-4-7-v1:0", "claude-4.7"),
        ("claude-opus-5-5[1m]", "claude-4.7"),
        ("claude-sonnet-5", "claude-4.7"),
        ("claude-fable-5-1", "claude-4.7"),
        ("gpt-5.6", "openai"),
        ("o3-mini", "openai"),
        ("a-model-of-tomorrow", "unknown"),
        ("", "unknown"),
    ],
)
def test_a_model_belongs_to_a_family_whatever_the_cloud_calls_it(model: str, family: str) -> None:
    assert tokens.family(model) == family


def test_the_tokenizer_counts_without_a_network() -> None:
    assert tokens.count("hello world") == 2


def test_text_that_looks_like_a_special_token_is_text() -> None:
    assert tokens.count("<|endoftext|>") > 1


def test_a_lone_surrogate_does_not_stop_the_count() -> None:
    assert tokens.count("a\ud800b") == tokens.count("a?b")


def test_many_threads_load_the_tokenizer_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = []

    class Counts:
        def count(self, text: str) -> int:
            return len(text)

    def load(encoding: str) -> Counts:
        loads.append(encoding)
        return Counts()

    monkeypatch.setattr(tokens.quicktok, "get_encoding", load)
    offline = tokens.Offline()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(offline.count, ["ab"] * 64)) == [2] * 64
    assert loads == ["o200k_base"]


def test_a_schema_of_a_new_claude_weighs_more_than_o200k_says() -> None:
    counted = tokens.measured(25_101, tokens.factor("claude-opus-5", "schema"))
    assert counted == Count(tokens=40_413, low=39_408, high=42_672, provenance="measured")


def test_a_text_of_an_older_claude_has_its_own_factor() -> None:
    assert tokens.measured(1_000, tokens.factor("claude-sonnet-4-5", "text")).tokens == 1_120


def test_an_unknown_model_has_a_wider_band_than_a_known_one() -> None:
    known, unknown = (tokens.measured(1_000, tokens.factor(model, "text")) for model in ("claude-opus-5", "?"))
    assert unknown.high - unknown.low > 3 * (known.high - known.low)


def test_characters_alone_give_an_estimate() -> None:
    assert tokens.estimated(3_900, PLAIN, "text") == Count(tokens=1_000, low=866, high=1_300, provenance="estimated")


@pytest.mark.parametrize(("size", "charge"), [(10, 400), (50_000, 1_000), (5_000_000, 1_600), (None, 1_600)])
def test_media_is_a_flat_charge_by_size(size: int | None, charge: int) -> None:
    assert tokens.media(size).tokens == charge


@given(st.integers(0, 10**9), st.sampled_from(list(tokens.FACTORS.values())))
def test_a_count_lies_in_its_band(o200k: int, by: Factor) -> None:
    counted = tokens.measured(o200k, by)
    assert counted.low <= counted.tokens <= counted.high


@given(st.integers(0, 10**9), st.sampled_from(list(tokens.FACTORS)))
def test_an_estimate_lies_in_its_band(chars: int, which: tuple[tokens.Family, tokens.Content]) -> None:
    counted = tokens.estimated(chars, tokens.FACTORS[which], which[1])
    assert counted.low <= counted.tokens <= counted.high


def test_a_sum_is_as_sure_as_its_least_sure_part() -> None:
    parts = [tokens.reported(5), tokens.measured(5, PLAIN), tokens.NOTHING]
    assert tokens.add(*parts).provenance == "measured"
    assert tokens.add(*parts, tokens.media(1)).provenance == "estimated"


def test_a_sum_of_unknowns_is_unknown() -> None:
    assert tokens.add(tokens.NOTHING, tokens.NOTHING).provenance == "unknown"


def test_a_call_and_its_result_carry_what_stands_around_them() -> None:
    assert sum(tokens.frame("claude-opus-4-6", kind).tokens for kind in ("tool_call", "tool_result")) == 83
    assert tokens.frame("claude-opus-4-6", "user") == tokens.NO_FRAME
    assert tokens.frame("gpt-5.6", "tool_call") == tokens.NO_FRAME
