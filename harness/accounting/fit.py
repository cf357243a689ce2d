"""Fit the factors to what a provider reported, where the whole text of what it counted is known.

What it counted is a whole prompt, or the growth between two requests:

    reported = output + text x its tokens + call x its tokens + schema x its tokens
             + frame x the calls with their results + result x the results of calls within `output`
             + prompt, once, where it is a whole prompt

The fit makes the sum of relative errors least (not of their squares): observations that hold text
which no log shows, such as reminders, then move it little.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

LEAST: Final = 50
"""Observations below this weigh as if they were this large."""
ROUNDS: Final = 100
FOLDS: Final = 10
"""Into at most so many parts the runs are put to be held out."""
_HOLD: Final = 1e-4
"""How hard a value is held to what it was before, as a part of how hard the observations pull at it."""
_SETTLED: Final = 1e-7


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """One growth or whole prompt: `reported` by the provider, and o200k tokens of its text. `group` is its run.

    `output` is what the provider reported for the model's own part, where it did; that part's text and
    calls are then not among the others, and `answers` counts the results of its calls.
    """

    group: str
    reported: int
    text: int
    call: int
    calls: int
    schema: int = 0
    answers: int = 0
    output: int = 0
    whole: bool = False


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """Factors for text, calls and schemas; tokens around a call and its result, of them around the result; and
    what a provider adds to every prompt that no log holds. The last is fitted so that it does not fall on the
    factors; it is no part of any page."""

    text: float
    call: float
    frame: float
    schema: float = 1.0
    result: float = 0.0
    prompt: float = 0.0

    def predicted(self, seen: Observation) -> float:
        """What the provider should have reported, as a page would count it."""
        return (
            seen.output
            + self.text * seen.text
            + self.call * seen.call
            + self.schema * seen.schema
            + self.frame * seen.calls
            + self.result * seen.answers
        )

    def error(self, seen: Observation) -> float:
        """|predicted - reported| / reported."""
        return abs(self.predicted(seen) - seen.reported) / seen.reported


PLAIN: Final = Fitted(text=1.0, call=1.0, frame=0.0)
COLUMNS: Final = Fitted.__struct_fields__


def features(seen: Observation) -> dict[str, int]:
    """What each of the COLUMNS is multiplied with."""
    return {
        "text": seen.text,
        "call": seen.call,
        "frame": seen.calls,
        "schema": seen.schema,
        "result": seen.answers,
        "prompt": int(seen.whole),
    }


def fit(observations: Sequence[Observation], prior: Fitted = PLAIN, free: Sequence[str] = COLUMNS) -> Fitted:
    """The values that make the sum of relative errors least. Those that are not `free` stay as in `prior`.

    What the observations cannot tell apart stays as near to `prior` as they allow.
    """
    before = msgspec.structs.asdict(prior)
    rows = [features(seen) for seen in observations]
    at_hand = [[float(row[name]) for name in free] for row in rows]
    rest = [
        seen.reported - seen.output - sum(before[name] * row[name] for name in COLUMNS if name not in free)
        for seen, row in zip(observations, rows, strict=True)
    ]
    sizes = [max(seen.reported, LEAST) for seen in observations]
    found = _settle(at_hand, rest, sizes, [before[name] for name in free])
    return msgspec.structs.replace(prior, **dict(zip(free, found, strict=True)))


def held_out(observations: Sequence[Observation], prior: Fitted = PLAIN, free: Sequence[str] = COLUMNS) -> list[float]:
    """The error of each observation under a fit that saw nothing of its group."""
    errors = []
    for part in folds(observations):
        fitted = fit([seen for seen in observations if seen.group not in part], prior, free)
        errors += [fitted.error(seen) for seen in observations if seen.group in part]
    return errors


def folds(observations: Sequence[Observation]) -> list[set[str]]:
    """The groups in at most FOLDS parts; each alone where they are few."""
    groups = list(dict.fromkeys(seen.group for seen in observations))
    return [set(groups[place::FOLDS]) for place in range(min(FOLDS, len(groups)))]


def _settle(
    rows: Sequence[list[float]], values: Sequence[float], sizes: Sequence[int], prior: list[float]
) -> list[float]:
    """Least squares over and over, each time with weights that make of squares what they are the squares of."""
    weights = [1 / size**2 for size in sizes]
    found = prior
    for _ in range(ROUNDS):
        before, found = found, _least_squares(rows, values, weights, prior)
        if max((abs(a - b) for a, b in zip(before, found, strict=True)), default=0.0) < _SETTLED:
            break
        errors = [
            max(abs(_dot(row, found) - value) / size, 1e-3)
            for row, value, size in zip(rows, values, sizes, strict=True)
        ]
        weights = [1 / size**2 / error for size, error in zip(sizes, errors, strict=True)]
    return found


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _least_squares(
    rows: Sequence[list[float]], values: Sequence[float], weights: Sequence[float], prior: Sequence[float]
) -> list[float]:
    """Weighted least squares by the normal equations, held to the prior a little."""
    size = len(prior)
    normal = [[0.0] * size for _ in range(size)]
    right = [0.0] * size
    for row, value, weight in zip(rows, values, weights, strict=True):
        for i, x in enumerate(row):
            if x:
                right[i] += weight * x * value
                for j in range(size):
                    normal[i][j] += weight * x * row[j]
    for i, value in enumerate(prior):
        pull = _HOLD * normal[i][i] or 1.0
        normal[i][i] += pull
        right[i] += pull * value
    return _solved(normal, right)


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve a system whose matrix is symmetric and positive definite, by elimination."""
    size = len(right)
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for pivot in range(size):
        for below in range(pivot + 1, size):
            share = rows[below][pivot] / rows[pivot][pivot]
            rows[below] = [a - share * b for a, b in zip(rows[below], rows[pivot], strict=True)]
    found = [0.0] * size
    for place in reversed(range(size)):
        known = _dot(rows[place][place + 1 : size], found[place + 1 :])
        found[place] = (rows[place][size] - known) / rows[place][place]
    return found
