"""A family's factors fitted anew, and whether they may take the place of those that are built in.

They may where there are at least ENOUGH observations from at least RUNS runs, and the median error of
fits that saw nothing of the run they were tried on is below that of the built-in factors on the same
observations. A value that too few observations say anything about stays as it is built in.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from harness.accounting.fit import COLUMNS, Fitted, Observation, features, fit, held_out
from harness.factors import FramedKind, Kept, KeptFactor, KeptFrame
from harness.tokens import BUILT_IN, Content, Family, Table

ENOUGH: Final = 50
RUNS: Final = 3
ENOUGH_OF_ONE: Final = 10
"""Observations that must say something about one value, from RUNS runs."""
OF_A_RUN: Final = 5
"""Observations of a run from which it tells something about the band."""
NARROWEST: Final = 0.02
"""No band is narrower than this, to either side."""
NARROWEST_AROUND: Final = 0.2
"""Nor that of what stands around calls: how it falls on a call and its result is hardly known."""
CONTENTS: Final[tuple[Content, ...]] = ("text", "call", "schema")


class Errors(msgspec.Struct, frozen=True, kw_only=True):
    """Relative errors of so many predictions."""

    number: int
    median: float
    p90: float


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """A fit of the `free` values, and how it did on runs that it did not see.

    `band` is the least and the most that a run's reported counts were of the predicted ones.
    """

    free: tuple[str, ...]
    fitted: Fitted
    held_out: Errors
    band: tuple[float, float]


class Refit(msgspec.Struct, frozen=True, kw_only=True):
    """What observations of a family come to. `trial` is None where they are too few.

    `better` says whether the fit may be used; `why` is a clause that says it in words.
    """

    family: Family
    observations: int
    whole: int
    """Of them, whole prompts; the others are growth."""
    reported_output: int
    """Of them, those in which the model's own part is the provider's count."""
    runs: int
    support: dict[str, tuple[int, int]]
    """For each value the observations, and their runs, that say something about it."""
    built_in: Errors | None
    better: bool
    why: str
    trial: Trial | None = None


def refit(family: Family, observations: Sequence[Observation]) -> Refit:
    """Fit a family's factors, and judge the fit on runs that it did not see."""
    prior = built_in(family)
    runs, before = _runs(observations), errors([prior.error(seen) for seen in observations])
    found = Refit(
        family=family,
        observations=len(observations),
        whole=sum(seen.whole for seen in observations),
        reported_output=sum(seen.output > 0 for seen in observations),
        runs=runs,
        support=_support(observations),
        built_in=before,
        better=False,
        why=f"fewer than {ENOUGH} observations" if len(observations) < ENOUGH else f"fewer than {RUNS} runs",
    )
    if before is None or len(observations) < ENOUGH or runs < RUNS:
        return found
    trial = _trial(observations, prior, _free(observations, found.support))
    better, why = _verdict(trial, before)
    return msgspec.structs.replace(found, trial=trial, better=better, why=why)


def built_in(family: Family, table: Table = BUILT_IN) -> Fitted:
    """A table's values for a family, in the form of a fit."""
    call, result = (table.frame(family, kind).tokens for kind in ("tool_call", "tool_result"))
    text, call_factor, schema = (table.factors[family, content].percent / 100 for content in CONTENTS)
    return Fitted(text=text, call=call_factor, schema=schema, frame=call + result, result=result)


def errors(found: Sequence[float]) -> Errors | None:
    """Median and 90th percentile; None of nothing."""
    return _errors(found) if found else None


def band(observations: Sequence[Observation], fitted: Fitted) -> tuple[float, float]:
    """The least and the most of the runs' medians of reported ÷ predicted; without such runs, the quartiles of all."""
    by_run: dict[str, list[float]] = {}
    for seen in observations:
        if (predicted := fitted.predicted(seen)) > 0:
            by_run.setdefault(seen.group, []).append(seen.reported / predicted)
    medians = [statistics.median(ratios) for ratios in by_run.values() if len(ratios) >= OF_A_RUN]
    if len(medians) < RUNS:
        medians = statistics.quantiles((ratio for ratios in by_run.values() for ratio in ratios), n=4)
    return min(1 - NARROWEST, *medians), max(1 + NARROWEST, *medians)


def kept(refits: Sequence[Refit], at: datetime) -> Kept:
    """What to keep: the factors of each family whose fit is better. Values beyond any tokenizer are not kept."""
    better = [(each, each.trial) for each in refits if each.better and each.trial]
    return Kept(
        fitted_at=at,
        factors=tuple(
            _factor(each, trial, content) for each, trial in better for content in CONTENTS if content in trial.free
        ),
        frames=tuple(frame for each, trial in better if "frame" in trial.free for frame in _frames(each.family, trial)),
    )


def _errors(found: Sequence[float]) -> Errors:
    ordered = sorted(found)
    p90 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.9))]
    return Errors(number=len(ordered), median=statistics.median(ordered), p90=p90)


def _trial(observations: Sequence[Observation], prior: Fitted, free: tuple[str, ...]) -> Trial:
    fitted = fit(observations, prior, free)
    return Trial(
        free=free,
        fitted=fitted,
        held_out=_errors(held_out(observations, prior, free)),
        band=band(observations, fitted),
    )


def _verdict(trial: Trial, before: Errors) -> tuple[bool, str]:
    """Whether a fit may be used, and why."""
    fitted = trial.fitted
    factors = (getattr(fitted, content) for content in CONTENTS)
    around = (fitted.frame, fitted.result, fitted.frame - fitted.result if "result" in trial.free else 0)
    if not (all(0.4 <= factor <= 3 for factor in factors) and all(0 <= tokens <= 500 for tokens in around)):
        return False, "the fit is beyond what any tokenizer does"
    better = trial.held_out.median < before.median
    words = "below" if better else "not below"
    return better, f"the median error on runs it did not see is {words} that of the built-in factors"


def _support(observations: Sequence[Observation]) -> dict[str, tuple[int, int]]:
    rows = [(seen, features(seen)) for seen in observations]
    return {
        name: (sum(row[name] > 0 for _, row in rows), _runs([seen for seen, row in rows if row[name] > 0]))
        for name in COLUMNS
    }


def _free(observations: Sequence[Observation], support: dict[str, tuple[int, int]]) -> tuple[str, ...]:
    """The values to fit. Schemas that are all of one size cannot be told from what is added to every prompt."""
    free = [name for name, (number, runs) in support.items() if number >= ENOUGH_OF_ONE and runs >= RUNS]
    if len({seen.schema for seen in observations if seen.schema}) < RUNS:
        free = [name for name in free if name not in ("schema", "prompt")]
    return tuple(free)


def _runs(observations: Sequence[Observation]) -> int:
    return len({seen.group for seen in observations})


def _factor(found: Refit, trial: Trial, content: Content) -> KeptFactor:
    value = getattr(trial.fitted, content)
    number, runs = found.support[content]
    return KeptFactor(
        family=found.family,
        content=content,
        percent=round(100 * value),
        low=int(100 * value * trial.band[0]),
        high=math.ceil(100 * value * trial.band[1]),
        observations=number,
        runs=runs,
        median=round(1_000 * trial.held_out.median),
        p90=round(1_000 * trial.held_out.p90),
    )


def _frames(family: Family, trial: Trial) -> list[KeptFrame]:
    """What stands around a call and its result, parted as it was where nothing tells how."""
    before, whole, result = built_in(family), trial.fitted.frame, trial.fitted.result
    if "result" not in trial.free:
        result = whole * before.result / before.frame if before.frame else whole / 2
    low, high = min(trial.band[0], 1 - NARROWEST_AROUND), max(trial.band[1], 1 + NARROWEST_AROUND)
    parts: tuple[tuple[FramedKind, float], ...] = (("tool_call", whole - result), ("tool_result", result))
    return [
        KeptFrame(family=family, kind=kind, tokens=round(size), low=int(size * low), high=round(size * high) + 1)
        for kind, size in parts
    ]
