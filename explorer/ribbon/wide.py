"""The picture lying: first token at the left. Lengths are in per cent, so that the width is fluid and text keeps its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from explorer.ribbon.plan import Band, Held, Plan
from explorer.ribbon.shapes import Block, Span, Words, block, nice_step, percent, short
from observability.figures import counted, number

CHARACTER: Final = 0.0058
"""Part of the width that a character of a label takes, on a page of usual width."""
HELD: Final = 76
"""Pixels that the block of held-back schemas takes above the request."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ghost:
    """The block of held-back schemas, and the lens that ties it to the index."""

    at: str
    long: str
    lens: str
    words: Words
    cells: list[Span]
    loads: list[Words]
    last: str
    edge: str
    cut: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Wide:
    """All that the template draws. `top` is where the request begins, `height` that of the whole."""

    top: int
    height: int
    blocks: list[Block]
    cuts: list[str]
    zones: list[Words]
    turns: list[Words]
    cache: list[Block]
    cache_words: list[Words]
    spans: list[Span]
    axis: list[Words]
    end: Words
    over: str
    ghost: Ghost | None


def wide(plan: Plan) -> Wide:
    """Draw the plan lying."""
    top = 24 + (HELD if plan.held else 0)
    drawn = sorted([*plan.bands, *([plan.residual] if plan.residual else [])], key=lambda band: band.start)
    return Wide(
        top=top,
        height=top + (196 if plan.cache else 170),
        blocks=_blocks(drawn, plan.whole),
        cuts=[percent(at, plan.whole) for at in plan.cuts],
        zones=_zones(plan),
        turns=_turns(plan),
        cache=_blocks(plan.cache, plan.whole),
        cache_words=_cache_words(plan),
        spans=_spans(plan),
        axis=_axis(plan.whole),
        end=_end(plan),
        over=percent(plan.total, plan.whole) if plan.total is not None and plan.total < plan.whole else "",
        ghost=_ghost(plan, plan.held) if plan.held else None,
    )


def _blocks(bands: Sequence[Band], whole: int) -> list[Block]:
    return [
        block(band, percent(band.start, whole), percent(band.size, whole), share=band.size / whole) for band in bands
    ]


def _zones(plan: Plan) -> list[Words]:
    """Names of what stands first, where there is room for them."""
    return [
        Words(at=percent(zone.start, plan.whole), plain=zone.title, strong=number(zone.size))
        for zone in plan.zones
        if zone.size / plan.whole > 0.06
    ]


def _turns(plan: Plan) -> list[Words]:
    found: list[Words] = []
    free = 0.0
    for turn, at in plan.turns:
        place = at / plan.whole
        if place >= free:
            first = not found
            found.append(Words(at=percent(at, plan.whole), plain=f"turn {turn}" if first else str(turn)))
            free = place + (0.045 if first else 0.025)
    return found


def _cache_words(plan: Plan) -> list[Words]:
    """What the cache did, in words, within the bar where they fit."""
    found = []
    for band in plan.cache:
        word = {"read": "read", "write": "written", "uncached": "uncached"}[band.role]
        strong, rest = f"{word} {number(band.size)}", ""
        if band.role == "write" and plan.rebuilt:
            rest = f", of which {number(plan.rebuilt)} had been in the cache"
        room = band.size / plan.whole - 0.02
        if len(strong + rest) * CHARACTER > room:
            rest = ""
        if len(strong) * CHARACTER <= room:
            plate = 0 if band.role == "read" else 14 + round(6.3 * len(strong + rest))
            found.append(Words(at=percent(band.start, plan.whole), strong=strong, plain=rest, plate=plate))
    return found


def _spans(plan: Plan) -> list[Span]:
    """Brackets under the request: what is unseen, the prefix, the conversation."""
    named = [
        (plan.prefix, f"Prefix {number(plan.prefix.size)}", ""),
        (plan.conversation, f"Conversation {number(plan.conversation.size)}", f" · {counted(plan.items, 'item')}"),
    ]
    if plan.residual_first and plan.residual:
        unseen = (plan.residual, f"Not in this log {number(plan.residual.size)}", " · system prompt and tools")
        named.insert(0, unseen)
    spans: list[Span] = []
    free = 0.0
    for place, (band, strong, opt) in enumerate(named):
        if not band.size:
            continue
        last = place == len(named) - 1
        label, free = _label(band, strong, opt, plan.whole, free, last=last)
        spans.append(
            Span(
                at=percent(band.start, plan.whole),
                to=percent(band.end, plan.whole),
                long=percent(band.size, plan.whole),
                label=label,
            )
        )
    return spans


def _label(band: Band, strong: str, opt: str, whole: int, free: float, *, last: bool) -> tuple[Words, float]:
    """A label under its bracket, moved on where the one before it needs the room."""
    at = max(band.start / whole, free)
    if last and at + len(strong + opt) * CHARACTER > 1:
        return Words(at="100%", strong=strong, opt=opt, end=True), 1.0
    if not last and len(strong + opt) * CHARACTER > band.end / whole - at:
        opt = ""
    return Words(at=f"{at * 100:.3f}%", strong=strong, opt=opt), at + (len(strong + opt) + 2) * CHARACTER * 1.4


def _axis(whole: int) -> list[Words]:
    step = nice_step(whole)
    return [Words(at=percent(at, whole), plain=short(at)) for at in range(0, whole, step) if at <= whole * 0.9]


def _end(plan: Plan) -> Words:
    if plan.total is None:
        return Words(at="100%", strong=f"{number(plan.whole)} tokens, all parts")
    if plan.total < plan.whole:
        return Words(at="100%", strong=f"{number(plan.whole)} tokens of parts, {number(plan.total)} reported")
    return Words(at="100%", strong=f"{number(plan.total)} tokens")


def _ghost(plan: Plan, held: Held) -> Ghost:
    """The block in the scale of the request; it moves left where it would not fit, and is cut where it is longer."""
    whole = plan.whole
    size = min(held.size, whole)
    start = min(held.index_start, whole - size)
    cells, at = [], start
    for server, sizes in held.cells:
        cells.append(_cell(server, sizes, at, whole))
        at += sum(sizes)
    unknown = f", {number(held.unknown)} of unknown size" if held.unknown else ""
    behind = f" behind an index of {number(held.index)}, {counted(held.names, 'name')}{unknown}"
    return Ghost(
        at=percent(start, whole),
        long=percent(size, whole),
        lens=_lens(start, size, held),
        words=Words(
            at=percent(start, whole) if start / whole < 0.5 else "100%",
            strong=f"Held back: {number(held.size)} tokens of schemas",
            plain=behind + ("; longer than the request, cut here" if held.size > whole else ""),
            end=start / whole >= 0.5,
        ),
        cells=[cell for cell in cells if cell.at != percent(whole, whole)],
        loads=_loads(held, whole),
        last=percent(max((place for place, _ in held.loads), default=start), whole),
        edge=percent(start + size, whole),
        cut=held.size > whole,
    )


def _cell(server: str, sizes: list[int], at: int, whole: int) -> Span:
    size = min(sum(sizes), whole - at) if at < whole else 0
    cuts, place = [], at
    for each in sizes[:-1]:
        place += each
        if place < whole and len(sizes) <= 120:
            cuts.append(percent(place, whole))
    room = size / whole > len(server) * CHARACTER + 0.015
    return Span(
        at=percent(min(at, whole), whole),
        to=percent(at + size, whole),
        long=percent(size, whole),
        label=Words(at=percent(at, whole), plain=server if room else ""),
        cuts=tuple(cuts),
        title=f"{server}: {counted(len(sizes), 'schema')}, {number(sum(sizes))} tokens",
        anchor=server,
    )


def _loads(held: Held, whole: int) -> list[Words]:
    """Arrows to what was loaded; a label only where there is room for it."""
    found: list[Words] = []
    free = 0.0
    for at, words in sorted(held.loads):
        place, width = at / whole, len(words) * CHARACTER + 0.02
        end = place + width > 1
        clear = (place - width if end else place) >= free
        found.append(Words(at=percent(at, whole), strong=words if clear else "", end=end))
        if clear:
            free = place + (0 if end else width)
    return found


def _lens(start: int, size: int, held: Held) -> str:
    """Corners of the lens in per cent of the block: its foot stands on the index."""
    left = (held.index_start - start) * 100 / max(1, size)
    right = (held.index_start + held.index - start) * 100 / max(1, size)
    return f"0,0 100,0 {right:.2f},100 {left:.2f},100"
