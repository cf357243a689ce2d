"""Geometry of a spread drawn on the server: least, quartiles, median and most of some values on one line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Places in per cent of the width. The scale starts at 0 and ends at the largest value."""

    least: str
    lower: str
    middle: str
    box: str
    reach: str


def spread(values: tuple[int, int, int, int, int]) -> Spread:
    """Places for least, lower quartile, median, upper quartile and most."""
    least, lower, middle, upper, most = (value * 100 / (values[-1] or 1) for value in values)
    return Spread(
        least=f"{least:.2f}%",
        lower=f"{lower:.2f}%",
        middle=f"{middle:.2f}%",
        box=f"{max(upper - lower, 0.4):.2f}%",
        reach=f"{max(most - least, 0.4):.2f}%",
    )
