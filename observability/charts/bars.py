"""Geometry of bars drawn on the server: shares of a whole as segments in per cent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LEAST: Final = 0.4
"""A part that is not zero is never thinner than this, in per cent of the bar."""

PATTERNS: Final = {"write": "p-write", "uncached": "p-unc", "residual": "p-res"}
"""Roles that are told by a pattern too."""


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A part of a bar: `role` names its fill (`f-<role>`), x and width are in per cent with three decimals."""

    role: str
    label: str
    value: int
    x: str
    width: str
    pattern: str


def segments(parts: Sequence[tuple[str, str, int]], *, least: float = LEAST) -> list[Segment]:
    """Segments of (role, label, value) in order. They fill 0 to 100 exactly; zero and less is left out.

    What thin parts gain to stay visible is taken from the widest one.
    """
    shown = [part for part in parts if part[2] > 0]
    total = sum(value for _, _, value in shown)
    if not total:
        return []
    widths = _widths([value * 100 / total for _, _, value in shown], least)
    placed, x = [], 0.0
    for (role, label, value), width in zip(shown, widths, strict=True):
        placed.append(
            Segment(
                role=role,
                label=label,
                value=value,
                x=f"{x:.3f}%",
                width=f"{width:.3f}%",
                pattern=PATTERNS.get(role, ""),
            )
        )
        x += width
    return placed


def _widths(exact: list[float], least: float) -> list[float]:
    widths = [max(width, least) for width in exact]
    widest = widths.index(max(widths))
    widths[widest] += 100 - sum(widths)
    return widths
