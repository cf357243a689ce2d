from __future__ import annotations

import random

import pytest

from harness.accounting.fit import Fitted, Observation, fit, held_out


def growths(number: int, *, text: float, call: float, frame: float, seed: int = 1) -> list[Observation]:
    """Growths that follow the rule exactly, up to rounding, from four runs."""
    rng = random.Random(seed)
    found = []
    for place in range(number):
        words, calls = rng.randrange(50, 5_000), rng.randrange(1, 4)
        json = rng.randrange(20, 300) * calls
        reported = round(text * words + call * json + frame * calls)
        found.append(Observation(group=f"run {place % 4}", reported=reported, text=words, call=json, calls=calls))
    return found


def test_it_finds_the_factors_that_made_the_growths() -> None:
    fitted = fit(growths(80, text=1.12, call=1.23, frame=83))
    assert fitted.text == pytest.approx(1.12, abs=0.01)
    assert fitted.call == pytest.approx(1.23, abs=0.03)
    assert fitted.frame == pytest.approx(83, abs=3)


def test_text_that_no_log_shows_moves_it_little() -> None:
    spoilt = [
        Observation(group=each.group, reported=each.reported + 500, text=each.text, call=each.call, calls=each.calls)
        for each in growths(12, text=1.12, call=1.23, frame=83, seed=2)
    ]
    assert fit([*growths(80, text=1.12, call=1.23, frame=83), *spoilt]).text == pytest.approx(1.12, abs=0.02)


def test_a_held_out_run_is_predicted_from_the_others() -> None:
    errors = held_out(growths(80, text=1.5, call=1.6, frame=100))
    assert len(errors) == 80
    assert max(errors) < 0.02


def test_an_error_is_relative_to_what_was_reported() -> None:
    observation = Observation(group="", reported=200, text=100, call=0, calls=1)
    assert Fitted(text=1.0, call=1.0, frame=50).error(observation) == pytest.approx(0.25)
