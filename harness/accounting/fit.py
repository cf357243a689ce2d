"""Fit the factors to what a provider reported: growth between two requests where the text between them is known.

growth = text x its tokens + call x its tokens + frame x the number of calls

The fit makes the sum of relative errors least (not of their squares): growths that hold text
which no log shows, such as reminders, then move it little.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

LEAST: Final = 50
"""Growths below this weigh as if they were this large."""
ROUNDS: Final = 100
Vector = tuple[float, float, float]


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """One growth: `reported` by the provider, and o200k tokens of what was added. `group` is the run it comes from."""

    group: str
    reported: int
    text: int
    call: int
    calls: int

    @property
    def features(self) -> Vector:
        """What the fit multiplies."""
        return float(self.text), float(self.call), float(self.calls)


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """Factors for text and for calls, and the tokens around a call and its result."""

    text: float
    call: float
    frame: float

    def error(self, observation: Observation) -> float:
        """|predicted - reported| / reported."""
        predicted = self.text * observation.text + self.call * observation.call + self.frame * observation.calls
        return abs(predicted - observation.reported) / observation.reported


def fit(observations: Sequence[Observation]) -> Fitted:
    """The factors that make the sum of relative errors least. Needs three observations that differ."""
    rows = [each.features for each in observations]
    sizes = [max(each.reported, LEAST) for each in observations]
    weights = [1 / size**2 for size in sizes]
    found: Vector = (1.0, 1.0, 0.0)
    for _ in range(ROUNDS):
        found = _least_squares(rows, [each.reported for each in observations], weights)
        errors = [
            max(abs(_dot(row, found) - each.reported) / size, 1e-3)
            for row, each, size in zip(rows, observations, sizes, strict=True)
        ]
        weights = [1 / size**2 / error for size, error in zip(sizes, errors, strict=True)]
    return Fitted(text=found[0], call=found[1], frame=found[2])


def held_out(observations: Sequence[Observation]) -> list[float]:
    """The error of each observation under a fit that saw nothing of its group."""
    errors = []
    for group in dict.fromkeys(each.group for each in observations):
        fitted = fit([each for each in observations if each.group != group])
        errors += [fitted.error(each) for each in observations if each.group == group]
    return errors


def _dot(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _least_squares(rows: Sequence[Vector], values: Sequence[int], weights: Sequence[float]) -> Vector:
    """Weighted least squares by the normal equations, solved by Cramer's rule."""
    normal = [
        [sum(w * row[i] * row[j] for row, w in zip(rows, weights, strict=True)) for j in range(3)] for i in range(3)
    ]
    right = [sum(w * row[i] * v for row, v, w in zip(rows, values, weights, strict=True)) for i in range(3)]
    whole = _determinant(normal)
    parts = []
    for column in range(3):
        replaced = [[right[i] if j == column else normal[i][j] for j in range(3)] for i in range(3)]
        parts.append(_determinant(replaced) / whole)
    return parts[0], parts[1], parts[2]


def _determinant(m: Sequence[Sequence[float]]) -> float:
    return (
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
        - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    )
