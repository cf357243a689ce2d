"""What a drawing is made of, with numbers as SVG takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from explorer.ribbon.marks import Mark
from explorer.ribbon.plan import Band

PATTERNS: Final = {"write": "p-write", "uncached": "p-unc", "residual": "p-res"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A rectangle along the scale: `at` and `long` in per cent (wide) or pixels (tall)."""

    at: str
    long: str
    role: str
    title: str
    ref: str
    anchor: str
    pattern: str
    cut: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """A label. `strong` comes first; `opt` is left out on narrow pages; `plate` is the width of a ground, in pixels."""

    at: str
    strong: str = ""
    plain: str = ""
    opt: str = ""
    end: bool = False
    plate: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A bracket or a cell from one place to another, with a label."""

    at: str
    to: str
    long: str
    label: Words
    cuts: tuple[str, ...] = ()
    title: str = ""
    anchor: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Flag:
    """A marker: its tick, its number in a circle, and its words. `row` is 0 or 1 (wide), `y` where they stand (tall).

    `kind` ends the name of its styles: empty, `-off` where its entry was lost, `-would` where it is in no log.
    """

    at: str
    number: int
    words: str
    end: bool
    kind: str
    row: int = 0
    y: str = ""


def kind_of(mark: Mark) -> str:
    """How a marker is drawn; see Flag."""
    return "-would" if mark.would else "-off" if mark.lost else ""


def percent(value: int, whole: int) -> str:
    """A place on a scale, for an SVG attribute."""
    return f"{value * 100 / whole:.3f}%"


def block(band: Band, at: str, long: str, *, share: float) -> Block:
    """A band as a rectangle; `share` of the whole decides whether it is parted from its neighbours and can be opened."""
    return Block(
        at=at,
        long=long,
        role=band.role,
        title=band.title,
        ref=band.ref if share >= 0.0025 else "",
        anchor=band.anchor if share >= 0.0025 else "",
        pattern=PATTERNS.get(band.role, ""),
        cut=share >= 0.004,
    )


def nice_step(whole: int, most: int = 8) -> int:
    """A round step that divides a scale into at most so many pieces."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if step * factor * most >= whole:
                return step * factor
        step *= 10


def short(tokens: int) -> str:
    """A place on the axis: 0, 500, 10k, 2.5k."""
    if tokens < 1000:
        return str(tokens)
    return f"{tokens / 1000:g}k"
