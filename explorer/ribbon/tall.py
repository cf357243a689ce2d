"""The picture standing, for narrow screens: first token on top. Lengths are in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from explorer.ribbon.marks import Mark
from explorer.ribbon.plan import Band, Held, Plan
from explorer.ribbon.shapes import Block, Flag, Words, block, kind_of, nice_step, short
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


@dataclass(frozen=True, slots=True)
class _Entry:
    """Something beside the request: words about the cache, a marker, or the held-back block."""

    y: float
    height: float
    lines: tuple[str, ...] = ()
    mark: Mark | None = None
    held: Held | None = None
    size: float = 0


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
    flags: list[Flag]
    ghost: StandingGhost | None


def tall(plan: Plan) -> Tall:
    """Draw the plan standing."""
    drawn = sorted([*plan.bands, *([plan.residual] if plan.residual else [])], key=lambda band: band.start)
    entries = _beside(plan)
    return Tall(
        height=LONG + 26,
        blocks=_scaled(plan, coarser(drawn, max(1, plan.whole // LONG))),
        cache=_scaled(plan, plan.cache),
        zones=_zones(plan),
        axis=_axis(plan.whole),
        labels=_labels(entries),
        end=_end(plan),
        over=_y(plan.total, plan) if plan.total is not None and plan.total < plan.whole else "",
        flags=_flags(entries, plan),
        ghost=_ghost(entries, plan),
    )


def _y(at: int, plan: Plan) -> str:
    return f"{at * LONG / plan.whole:.2f}"


def _scaled(plan: Plan, bands: Sequence[Band]) -> list[Block]:
    return [block(band, _y(band.start, plan), _y(band.size, plan), share=band.size / plan.whole) for band in bands]


def coarser(bands: Sequence[Band], least: int) -> list[Band]:
    """Bands with those below a pixel drawn together, as the largest of them."""
    done: list[Band] = []
    thin: list[Band] = []
    for band in bands:
        thin.append(band)
        size = band.end - thin[0].start
        if size >= least:
            largest = max(thin, key=lambda each: each.size)
            done.append(Band(largest.role, thin[0].start, size, ""))
            thin = []
    return done + thin


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


def _beside(plan: Plan) -> list[_Entry]:
    """What stands beside the request, each at the height it would like and with the height it takes."""
    entries = [_cache_entry(band, plan) for band in plan.cache]
    entries += [_Entry((mark.at or 0) * LONG / plan.whole, LINE + 3, mark=mark) for mark in plan.ticks]
    if plan.held:
        lines = _ghost_lines(plan.held)
        size = min(plan.held.size * LONG / plan.whole, LONG * 0.5)
        taken = size + 6 if size > (len(lines) + 1) * LINE else size + (len(lines) + 0.5) * LINE
        entries.append(_Entry(plan.held.index_start * LONG / plan.whole + LINE, taken, held=plan.held, size=size))
    return stacked(sorted(entries, key=lambda entry: entry.y))


def _cache_entry(band: Band, plan: Plan) -> _Entry:
    word = {"read": "read", "write": "written", "uncached": "uncached"}[band.role]
    lines = [f"{word} {number(band.size)}"]
    if band.role == "write" and plan.rebuilt:
        lines += [f"{number(plan.rebuilt)} had been", "in the cache before"]
    return _Entry(band.start * LONG / plan.whole + 3, len(lines) * LINE + 3, lines=tuple(lines))


def stacked(entries: list[_Entry]) -> list[_Entry]:
    """Move entries apart: down where they would overlap, and up again where they would leave the picture."""
    free = 0.0
    placed = []
    for entry in entries:
        y = max(entry.y, free)
        placed.append(replace(entry, y=y))
        free = y + entry.height
    limit = LONG + 12.0
    for place in range(len(placed) - 1, -1, -1):
        limit = min(limit - placed[place].height, placed[place].y)
        placed[place] = replace(placed[place], y=limit)
    return placed


def _labels(entries: Sequence[_Entry]) -> list[Words]:
    return [
        Words(at=f"{entry.y + 11 + row * LINE:.1f}", strong="" if row else line, plain=line if row else "")
        for entry in entries
        for row, line in enumerate(entry.lines)
    ]


def _flags(entries: Sequence[_Entry], plan: Plan) -> list[Flag]:
    return [
        Flag(
            at=_y(entry.mark.at or 0, plan),
            number=entry.mark.number,
            words=entry.mark.words,
            end=False,
            kind=kind_of(entry.mark),
            y=f"{entry.y + 8:.1f}",
        )
        for entry in entries
        if entry.mark
    ]


def _ghost_lines(held: Held) -> list[str]:
    lines = [f"{number(held.size)} held back", f"behind {counted(held.names, 'name')}"]
    if held.unknown:
        lines.append(f"{number(held.unknown)} of unknown size")
    loaded = held.loaded
    return [*lines, f"{number(loaded)} loaded when needed"] if loaded else lines


def _ghost(entries: Sequence[_Entry], plan: Plan) -> StandingGhost | None:
    entry = next((entry for entry in entries if entry.held), None)
    if entry is None or entry.held is None:
        return None
    held, start, size = entry.held, entry.y, entry.size
    index = held.index_start * LONG / plan.whole
    foot = index + held.index * LONG / plan.whole
    lines = _ghost_lines(held)
    first = start + 24 if size > (len(lines) + 1) * LINE else start + size + LINE
    return StandingGhost(
        at=f"{start:.1f}",
        long=f"{size:.1f}",
        lens=f"120,{index:.1f} 120,{foot:.1f} 156,{start + size:.1f} 156,{start:.1f}",
        cells=_cells(held, start, size),
        words=[
            Words(at=f"{first + row * LINE:.1f}", strong="" if row else line, plain=line if row else "")
            for row, line in enumerate(lines)
        ],
    )


def _cells(held: Held, start: float, size: float) -> list[str]:
    found, at = [], 0
    for _, sizes in held.cells[:-1]:
        at += sum(sizes)
        found.append(f"{start + at * size / max(1, held.size):.1f}")
    return found
