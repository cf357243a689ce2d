from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.factors import take_over
from harness import factors, tokens
from tests.harness.test_factors import KEPT


@pytest.fixture(autouse=True)
def built_in_again() -> Iterator[None]:
    yield
    tokens.adopt(tokens.BUILT_IN)


def test_a_process_counts_with_what_is_kept(tmp_path: Path) -> None:
    factors.save(tmp_path / "factors.json", KEPT)
    take_over(tmp_path / "factors.json")
    assert tokens.factor("claude-opus-5-5", "text").percent == 150


def test_without_a_file_the_built_in_factors_apply(tmp_path: Path) -> None:
    take_over(tmp_path / "factors.json")
    assert tokens.in_use() is tokens.BUILT_IN


def test_a_broken_file_is_told_of_and_the_built_in_factors_apply(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "factors.json").write_text('{"version": 1, "fitted_at": "yesterday"}')
    with caplog.at_level(logging.ERROR):
        take_over(tmp_path / "factors.json")
    assert tokens.in_use() is tokens.BUILT_IN
    assert str(tmp_path / "factors.json") in caplog.text
    assert "$.fitted_at" in caplog.text
    assert "The built-in factors apply." in caplog.text
