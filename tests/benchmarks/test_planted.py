"""Planted cache breaks get the reason that was planted, and what is no break gets none."""

from __future__ import annotations

import pytest

from benchmarks.planted import CAUSES, results

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("seed", range(3))
def test_every_planted_break_gets_its_reason_or_none(seed: int) -> None:
    found = list(results(range(seed, seed + 1)))
    assert len(found) == 2 * len(CAUSES)
    assert [(each.cause.name, each.telling, each.found, each.detail) for each in found if not each.right] == []


def test_a_reason_is_wrong_that_was_not_planted() -> None:
    lifetime = next(each for each in results(range(1)) if each.cause.name == "pause of 6 min")
    assert lifetime.right
    assert "tools_changed" not in lifetime.wanted
