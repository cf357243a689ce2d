from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from explorer.page.counting import counting, counting_page
from harness import factors, tokens
from harness.factors import Kept, KeptFactor

TEXT = KeptFactor(
    family="claude-4.7", content="text", percent=150, low=145, high=158, observations=90, runs=4, median=31, p90=120
)
KEPT = Kept(fitted_at=datetime(2026, 11, 30, tzinfo=UTC), factors=(TEXT,))


@pytest.fixture
def adopted() -> Iterator[None]:
    tokens.adopt(KEPT.table())
    yield
    tokens.adopt(tokens.BUILT_IN)


def test_a_family_with_a_fit_says_how_many_counts_it_rests_on_and_how_far_it_is_off() -> None:
    said = counting("claude-opus-4-5").say
    assert "fitted to 220 counts of the provider, of 10 runs" in said
    assert "off by 5.9\xa0% at the median and 28.0\xa0% at the 90th percentile" in said


def test_a_family_without_a_fit_says_that_it_has_seeds() -> None:
    assert "no fit for this model’s family" in counting("claude-opus-5-5").say
    assert {row.state for row in counting("claude-opus-5-5").rows} == {"seed"}


def test_a_model_of_no_family_says_that_nothing_is_known() -> None:
    assert "the band spans all known families" in counting("acme-coder-2").say


def test_what_was_adopted_is_what_is_shown(adopted: None) -> None:
    text = counting("claude-opus-5-5").rows[0]
    assert (text.state, text.factor.percent, text.errors) == ("fitted", 150, "3.1\xa0% · 12.0\xa0%")


def test_without_a_file_the_page_has_all_families_and_nothing_to_complain_of(tmp_path: Path) -> None:
    page = counting_page(tmp_path / "factors.json")
    assert [each.family for each in page.families] == ["claude-3", "claude-4.7", "openai", "unknown"]
    assert (page.kept, page.broken, page.stale) == (None, "", False)


def test_a_broken_file_is_told_of_by_its_place(tmp_path: Path) -> None:
    (tmp_path / "factors.json").write_text("{")
    assert str(tmp_path / "factors.json") in counting_page(tmp_path / "factors.json").broken


def test_a_file_that_this_process_has_not_taken_over_is_told_of(tmp_path: Path) -> None:
    factors.save(tmp_path / "factors.json", KEPT)
    assert counting_page(tmp_path / "factors.json").stale


def test_a_file_that_was_taken_over_is_not_stale(adopted: None, tmp_path: Path) -> None:
    factors.save(tmp_path / "factors.json", KEPT)
    assert not counting_page(tmp_path / "factors.json").stale
