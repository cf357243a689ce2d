from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.accounting.fit import COLUMNS, FOLDS, Fitted, Observation, fit, folds, held_out


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


def prompts(number: int, *, schema: float, added: float, seed: int = 3) -> list[Observation]:
    """Whole prompts of little text and tools of many sizes."""
    rng = random.Random(seed)
    found = []
    for place in range(number):
        tools, words = rng.randrange(500, 20_000), rng.randrange(50, 500)
        reported = round(1.12 * words + schema * tools + added)
        whole = Observation(
            group=f"{place % 5}", reported=reported, text=words, call=0, calls=0, schema=tools, whole=True
        )
        found.append(whole)
    return found


def shifted(seen: Observation, by: int) -> Observation:
    return msgspec.structs.replace(seen, reported=seen.reported + by)


def test_it_finds_the_factors_that_made_the_growths() -> None:
    fitted = fit(growths(80, text=1.12, call=1.23, frame=83))
    assert fitted.text == pytest.approx(1.12, abs=0.01)
    assert fitted.call == pytest.approx(1.23, abs=0.03)
    assert fitted.frame == pytest.approx(83, abs=3)


@settings(deadline=None, max_examples=25)
@given(
    text=st.floats(0.8, 2),
    call=st.floats(0.8, 2),
    frame=st.floats(20, 200),
    seed=st.integers(0, 10**6),
)
def test_planted_factors_are_recovered(text: float, call: float, frame: float, seed: int) -> None:
    fitted = fit(growths(80, text=text, call=call, frame=frame, seed=seed))
    assert fitted.text == pytest.approx(text, rel=0.02)
    assert fitted.call == pytest.approx(call, rel=0.1)
    assert fitted.frame == pytest.approx(frame, abs=10)


def test_whole_prompts_tell_schemas_from_what_is_added_to_every_prompt() -> None:
    seen = [*growths(40, text=1.12, call=1.2, frame=80), *prompts(40, schema=1.6, added=350)]
    fitted = fit(seen)
    assert fitted.schema == pytest.approx(1.6, abs=0.01)
    assert fitted.prompt == pytest.approx(350, abs=30)


def test_a_reported_output_is_taken_as_it_is() -> None:
    seen = [
        Observation(
            group="a", reported=round(1.3 * words) + 17 + 444, text=words, call=0, calls=0, answers=1, output=444
        )
        for words in range(100, 4_000, 100)
    ]
    fitted = fit(seen)
    assert (fitted.text, fitted.result) == (pytest.approx(1.3, abs=0.01), pytest.approx(17, abs=3))


def test_what_is_not_free_stays_as_it_was() -> None:
    prior = Fitted(text=1.0, call=9.0, frame=83, schema=1.7)
    fitted = fit(growths(80, text=1.12, call=9.0, frame=83), prior, ("text",))
    assert fitted.text == pytest.approx(1.12, abs=0.01)
    assert (fitted.call, fitted.frame, fitted.schema) == (9.0, 83, 1.7)


def test_what_no_observation_tells_of_stays_as_it_was() -> None:
    prior = Fitted(text=1.0, call=1.0, frame=0, schema=1.7, result=33, prompt=5)
    fitted = fit(growths(80, text=1.12, call=1.23, frame=83), prior)
    assert (fitted.schema, fitted.result, fitted.prompt) == (1.7, 33, 5)


def test_text_that_no_log_shows_moves_it_little() -> None:
    spoilt = [shifted(each, 500) for each in growths(12, text=1.12, call=1.23, frame=83, seed=2)]
    assert fit([*growths(80, text=1.12, call=1.23, frame=83), *spoilt]).text == pytest.approx(1.12, abs=0.02)


def test_a_held_out_run_is_predicted_from_the_others() -> None:
    errors = held_out(growths(80, text=1.5, call=1.6, frame=100))
    assert len(errors) == 80
    assert max(errors) < 0.02


def test_a_run_with_factors_of_its_own_is_badly_predicted_by_the_others() -> None:
    other = [msgspec.structs.replace(each, group="other") for each in growths(20, text=2, call=2, frame=0, seed=5)]
    errors = held_out([*growths(80, text=1.0, call=1.0, frame=0), *other])
    assert min(errors[80:]) > 0.4


def test_many_runs_are_held_out_some_at_a_time() -> None:
    seen = [Observation(group=str(place), reported=100, text=90, call=0, calls=0) for place in range(35)]
    parts = folds(seen)
    assert len(parts) == FOLDS
    assert sorted(group for part in parts for group in part) == sorted({each.group for each in seen})


def test_an_error_is_relative_to_what_was_reported() -> None:
    observation = Observation(group="", reported=200, text=100, call=0, calls=1)
    assert Fitted(text=1.0, call=1.0, frame=50).error(observation) == pytest.approx(0.25)


def test_nothing_to_fit_to_leaves_everything_as_it_was() -> None:
    prior = Fitted(text=1.5, call=1.5, frame=40)
    assert fit([], prior, COLUMNS) == prior
