"""The picture standing, for narrow screens: first token on top. Lengths are in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from explorer.ribbon.plan import Band, Held, Plan
from explorer.ribbon.shapes import Block, Words, block, nice_step, short
from explorer.ribbon.wide import _end
from observability.figures import counted, number

LONG: Final = 620
"""Pixels of the whole request."""
LINE: Final = 17


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingGhost:
    """The block of held-back schemas beside the request."""

    at: str
    long: str
    lens: str
    cells: list[str]
    words: list[Words]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tall:
    """All that the template draws."""

    height: int
    blocks: list[Block]
    cache: list[Block]
    zones: list[Words]
    axis: list[Words]
    labels: list[Words]
    end: Words
    over: str
    ghost: StandingGhost | None


def tall(plan: Plan) -> Tall:
    """Draw the plan standing."""
    drawn = sorted([*plan.bands, *([plan.residual] if plan.residual else [])], key=lambda band: band.start)
    ghost, occupied = _ghost(plan, plan.held) if plan.held else (None, (0.0, 0.0))
    return Tall(
        height=LONG + 26,
        blocks=_scaled(plan, drawn),
        cache=_scaled(plan, plan.cache),
        zones=_zones(plan),
        axis=_axis(plan.whole),
        labels=_labels(plan, occupied),
        end=_end(plan),
        over=_y(plan.total, plan) if plan.total is not None and plan.total < plan.whole else "",
        ghost=ghost,
    )


def _y(at: int, plan: Plan) -> str:
    return f"{at * LONG / plan.whole:.2f}"


def _scaled(plan: Plan, bands: Sequence[Band]) -> list[Block]:
    return [block(band, _y(band.start, plan), _y(band.size, plan), share=band.size / plan.whole) for band in bands]


def _zones(plan: Plan) -> list[Words]:
    return [
        Words(at=f"{(zone.start + zone.size / 2) * LONG / plan.whole + 4:.1f}", plain=zone.title)
        for zone in plan.zones
        if zone.size * LONG / plan.whole > 16
    ]


def _axis(whole: int) -> list[Words]:
    """Ticks; `strong` is where the number of a tick stands."""
    step = nice_step(whole)
    places = [(at, at * LONG / whole) for at in range(0, whole, step) if at <= whole * 0.97]
    return [Words(at=f"{y:.1f}", strong=f"{max(9.0, y + 4):.1f}", plain=short(at)) for at, y in places]


def _labels(plan: Plan, occupied: tuple[float, float]) -> list[Words]:
    """What the cache did, beside its bar, each clear of the one before it and of the held-back block."""
    found: list[Words] = []
    free = 12.0
    for band in plan.cache:
        word = {"read": "read", "write": "written", "uncached": "uncached"}[band.role]
        lines = [f"{word} {number(band.size)}"]
        if band.role == "write" and plan.rebuilt:
            lines += [f"{number(plan.rebuilt)} had been", "in the cache before"]
        at = max(free, band.start * LONG / plan.whole + 14)
        if occupied[0] - LINE < at + (len(lines) - 1) * LINE and at < occupied[1] + LINE:
            at = occupied[1] + LINE
        at = min(at, LONG - LINE * (len(lines) - 1) - 2)
        found += [
            Words(at=f"{at + row * LINE:.1f}", strong=line if row == 0 else "", plain="" if row == 0 else line)
            for row, line in enumerate(lines)
        ]
        free = at + len(lines) * LINE + 4
    return found


def _ghost(plan: Plan, held: Held) -> tuple[StandingGhost, tuple[float, float]]:
    size = min(held.size * LONG / plan.whole, LONG * 0.6)
    index = held.index_start * LONG / plan.whole
    foot = index + held.index * LONG / plan.whole
    start = min(index + LINE, LONG - size - 3 * LINE)
    lines = [f"{number(held.size)} held back", f"behind {counted(held.names, 'name')}"]
    if held.unknown:
        lines.append(f"{number(held.unknown)} of unknown size")
    if held.loads:
        lines.append(f"{counted(len(held.loads), 'loading')}")
    inside = size > (len(lines) + 1) * LINE
    first = start + 24 if inside else start + size + LINE
    end = max(start + size, first + len(lines) * LINE)
    words = [
        Words(at=f"{first + row * LINE:.1f}", strong=line if row == 0 else "", plain="" if row == 0 else line)
        for row, line in enumerate(lines)
    ]
    ghost = StandingGhost(
        at=f"{start:.1f}",
        long=f"{size:.1f}",
        lens=f"120,{index:.1f} 120,{foot:.1f} 156,{start + size:.1f} 156,{start:.1f}",
        cells=_cells(held, start, size),
        words=words,
    )
    return ghost, (start, end)


def _cells(held: Held, start: float, size: float) -> list[str]:
    found, at = [], 0
    for _, sizes in held.cells[:-1]:
        at += sum(sizes)
        found.append(f"{start + at * size / max(1, held.size):.1f}")
    return found
