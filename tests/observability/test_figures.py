from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from observability import figures

DOLLAR = 10**12


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (999, "999"), (17_321, "17,321"), (-1_200, "−1,200"), (None, "–")]
)
def test_whole_numbers_have_commas_and_a_true_minus(value: int | None, text: str) -> None:
    assert figures.number(value) == text


@pytest.mark.parametrize(("value", "text"), [(317, "+317"), (-12, "−12"), (0, "0"), (None, "–")])
def test_a_signed_number_shows_its_sign(value: int | None, text: str) -> None:
    assert figures.signed(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (412, "412"),
        (5_000, "5.0k"),
        (95_300, "95.3k"),
        (99_949, "99.9k"),
        (99_951, "100k"),
        (782_400, "782k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (19_600_000, "19.6M"),
        (240_000_000, "240M"),
        (1_200_000_000, "1.2B"),
        (5_000_000_000_000, "5,000B"),
        (-5_000, "−5.0k"),
        (None, "–"),
    ],
)
def test_a_compact_count_has_three_digits_at_most(value: int | None, text: str) -> None:
    assert figures.compact(value) == text


@given(st.integers(min_value=0, max_value=999 * 10**9))
def test_a_compact_count_is_never_long(value: int) -> None:
    assert len(figures.compact(value)) <= 5


@pytest.mark.parametrize(
    ("share", "text"),
    [("0.9126", "91.3\u00a0%"), ("0", "0.0\u00a0%"), ("-0.014", "−1.4\u00a0%"), ("1", "100.0\u00a0%")],
)
def test_a_rate_has_one_decimal(share: str, text: str) -> None:
    assert figures.percent(Decimal(share)) == text


def test_a_rate_of_nothing_is_not_zero() -> None:
    assert figures.percent(None) == "–"
    assert figures.ratio_of_ppm(None) is None


@pytest.mark.parametrize(
    ("pusd", "text"),
    [
        (185_550 * 10**9, "$185.55"),
        (1_234_567 * 10**9, "$1,234.57"),
        (DOLLAR // 10, "$0.10"),
        (DOLLAR // 10 - 10**8, "$0.100"),
        (12_345 * 10**6, "$0.012"),
        (10**10, "$0.010"),
        (3_456 * 10**6, "$0.0035"),
        (1, "<$0.0001"),
        (0, "$0.00"),
        (-2 * DOLLAR, "−$2.00"),
        (None, "unpriced"),
    ],
)
def test_money_has_as_many_decimals_as_it_needs(pusd: int | None, text: str) -> None:
    assert figures.money(pusd) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (912, "912 B"), (1_900, "1.9 kB"), (84 * 10**6, "84 MB"), (1_900 * 10**6, "1.9 GB"), (None, "–")],
)
def test_sizes_in_bytes(count: int | None, text: str) -> None:
    assert figures.size(count).replace("\u00a0", " ") == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.82, "0.8 s"),
        (42.0, "42 s"),
        (59.9, "1 min"),
        (425.0, "7 min"),
        (11_100.0, "3 h 05 min"),
        (187_200.0, "2 d 4 h"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert figures.duration(seconds).replace("\u00a0", " ") == text


def test_times_are_shown_in_utc() -> None:
    at = datetime(2026, 11, 28, 0, 44, tzinfo=timezone(timedelta(hours=7)))
    assert figures.moment(at) == "27 Nov 2026, 17:44"
    assert figures.weekday(at) == "Fri 27 Nov"


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        ("2026-11-23", "2026-11-23", "23 Nov 2026"),
        ("2026-11-23", "2026-11-29", "23 to 29 Nov 2026"),
        ("2026-10-31", "2026-11-29", "31 Oct to 29 Nov 2026"),
        ("2025-12-31", "2026-01-02", "31 Dec 2025 to 2 Jan 2026"),
    ],
)
def test_a_period_does_not_repeat_what_its_ends_share(first: str, last: str, text: str) -> None:
    ends = [datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (first, last)]
    assert figures.period(*ends) == text


def test_a_time_of_another_year_shows_its_year() -> None:
    assert figures.short_moment(datetime(2019, 3, 2, 10, 5, tzinfo=UTC)) == "2 Mar 2019"


@pytest.mark.parametrize(
    ("value", "noun", "text"),
    [
        (1, "request", "1 request"),
        (2, "request", "2 requests"),
        (0, "search", "0 searches"),
        (1_200, "line", "1,200 lines"),
    ],
)
def test_a_number_agrees_with_its_noun(value: int, noun: str, text: str) -> None:
    assert figures.counted(value, noun) == text


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-opus-4-5-20251101", "opus-4-5"),
        ("claude-haiku-4-5-20251001[1m]", "haiku-4-5[1m]"),
        ("gpt-5", "gpt-5"),
        ("local-27b", "local-27b"),
    ],
)
def test_models_have_short_names(model: str, name: str) -> None:
    assert figures.model_name(model) == name


def test_control_and_direction_characters_become_visible() -> None:
    assert figures.shown("a\x00b\x1b[31m\x7f\u202ec") == "a␀b␛[31m␡�c"


@given(st.text())
def test_shown_text_can_always_be_sent(text: str) -> None:
    figures.shown(text).encode()


@pytest.mark.parametrize(("ratio", "text"), [(None, "–"), (Decimal("12.25"), "12.3"), (Decimal(1200), "1,200.0")])
def test_a_multiple_has_one_decimal(ratio: Decimal | None, text: str) -> None:
    assert figures.times(ratio) == text
