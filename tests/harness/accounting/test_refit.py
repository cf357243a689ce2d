from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
import pytest

from harness.accounting.fit import Observation
from harness.accounting.refit import ENOUGH, band, built_in, errors, kept, refit
from harness.tokens import BUILT_IN
from tests.harness.accounting.test_fit import growths, prompts

AT = datetime(2026, 11, 30, tzinfo=UTC)


def of_runs(seen: Sequence[Observation], runs: int) -> list[Observation]:
    return [msgspec.structs.replace(each, group=str(place % runs)) for place, each in enumerate(seen)]


def test_a_family_whose_factors_are_off_is_fitted_and_may_be_used() -> None:
    found = refit("claude-4.7", growths(80, text=1.3, call=1.4, frame=60))
    assert found.better
    table = kept([found], AT).table()
    assert table.factors["claude-4.7", "text"].percent == 130
    assert table.factors["claude-4.7", "text"].observations == 80
    assert sum(table.frame("claude-4.7", kind).tokens for kind in ("tool_call", "tool_result")) == 60


def test_what_the_fit_says_nothing_of_stays_as_it_is_built_in() -> None:
    table = kept([refit("claude-4.7", growths(80, text=1.3, call=1.4, frame=60))], AT).table()
    assert table.factors["claude-4.7", "schema"] == BUILT_IN.factors["claude-4.7", "schema"]
    assert table.factors["openai", "text"] == BUILT_IN.factors["openai", "text"]


@pytest.mark.parametrize(
    ("number", "runs", "why"),
    [(ENOUGH - 1, 4, "fewer than 50 observations"), (80, 2, "fewer than 3 runs"), (0, 1, "fewer than 50 observations")],
)
def test_too_little_to_go_by_leaves_the_family_as_it_is(number: int, runs: int, why: str) -> None:
    found = refit("claude-4.7", of_runs(growths(number, text=1.3, call=1.4, frame=60), runs))
    assert (found.better, found.why, found.trial) == (False, why, None)
    assert kept([found], AT).factors == ()


def test_a_fit_that_does_no_better_is_not_used() -> None:
    found = refit("claude-4.7", growths(80, text=1.57, call=1.61, frame=83))
    assert found.trial is not None
    assert (found.better, kept([found], AT).factors) == (False, ())
    assert "not below" in found.why


def test_a_fit_beyond_any_tokenizer_is_not_used() -> None:
    found = refit("claude-4.7", growths(80, text=5.0, call=1.61, frame=83))
    assert (found.better, found.why) == (False, "the fit is beyond what any tokenizer does")


def test_schemas_are_fitted_from_whole_prompts() -> None:
    seen = [*growths(60, text=1.12, call=1.2, frame=80), *prompts(30, schema=1.3, added=350)]
    found = refit("claude-4.7", seen)
    assert found.whole == 30
    assert kept([found], AT).table().factors["claude-4.7", "schema"].percent == 130


def test_schemas_that_are_all_of_one_size_are_not_fitted() -> None:
    alike = [msgspec.structs.replace(each, schema=4_000) for each in prompts(30, schema=1.3, added=350)]
    found = refit("claude-4.7", [*growths(60, text=1.12, call=1.2, frame=80), *alike])
    assert found.trial is not None
    assert "schema" not in found.trial.free


def test_the_band_spans_the_runs() -> None:
    seen = [
        Observation(group=str(run), reported=900 + 100 * run, text=1_000, call=0, calls=0)
        for run in range(4)
        for _ in range(5)
    ]
    assert band(seen, msgspec.structs.replace(built_in("openai"), text=1.0)) == pytest.approx((0.9, 1.2))


def test_a_factor_lies_in_its_band_whatever_the_runs_say() -> None:
    for entry in kept([refit("claude-4.7", growths(80, text=1.3, call=1.4, frame=60))], AT).factors:
        assert entry.low < entry.percent < entry.high


def test_errors_are_told_by_median_and_ninetieth_percentile() -> None:
    told = errors([place / 100 for place in range(100)])
    assert told is not None
    assert (told.number, told.median, told.p90) == (100, pytest.approx(0.495), 0.9)
    assert errors([]) is None
