"""The picture lying: first token at the left. Lengths are in per cent, so that the width is fluid and text keeps its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from explorer.ribbon.plan import Band, Held, Plan
from explorer.ribbon.shapes import Block, Flag, Span, Words, block, kind_of, nice_step, percent, short
from observability.figures import counted, number

NARROW: Final = 0.012
"""Part of the picture's width that a number takes to either side."""
CHARACTER: Final = 0.0058
"""Part of the width that a character of a label takes, on a page of usual width."""
LETTER: Final = 0.01
"""The same of a letter in bold, on the narrowest page on which the picture lies."""
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
    """From where to where a line leads out of the block to what was loaded beyond it; `last` is empty where none does."""


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
    flags: list[Flag]
    residual_words: Words | None
    below: int
    """Where the brackets begin, in pixels under the start of the request."""
    ghost: Ghost | None


def wide(plan: Plan) -> Wide:
    """Draw the plan lying."""
    top = 24 + (HELD if plan.held else 0)
    drawn = sorted([*plan.bands, *([plan.residual] if plan.residual else [])], key=lambda band: band.start)
    flags = _flags(plan)
    below = 104 + (22 if plan.cache else 0) + (42 if flags else 0)
    return Wide(
        top=top,
        height=top + below + 70,
        blocks=_blocks(drawn, plan.whole),
        cuts=[percent(at, plan.whole) for at in plan.cuts],
        zones=_zones(plan),
        turns=_turns(plan),
        cache=_blocks(plan.cache, plan.whole),
        cache_words=_cache_words(plan),
        spans=_spans(plan),
        axis=_axis(plan.whole, _end(plan)),
        end=_end(plan),
        over=percent(plan.total, plan.whole) if plan.total is not None and plan.total < plan.whole else "",
        flags=flags,
        residual_words=_unseen(plan),
        below=below,
        ghost=_ghost(plan, plan.held) if plan.held else None,
    )


def _flags(plan: Plan) -> list[Flag]:
    """Markers that can be placed, on two rows, their words where no other tick crosses them; the table has all."""
    placed = sorted(plan.ticks, key=lambda each: each.at or 0)
    free = [0.0, 0.0]
    found = []
    for position, mark in enumerate(placed):
        place = (mark.at or 0) / plan.whole
        reach = len(mark.words) * CHARACTER + 0.02
        crossed = any(place < (after.at or 0) / plan.whole < place + reach for after in placed[position + 1 :])
        end = place > 0.7 or (crossed and place - reach >= min(free))
        start, stop = (place - reach, place + 0.01) if end else (place - 0.01, place + reach)
        row = 0 if start >= free[0] else 1
        words = mark.words if start >= free[row] and (end or not crossed) else ""
        free[row] = max(free[row], stop)
        at = f"{place * 100:.3f}%"
        found.append(Flag(at=at, number=mark.number, words=words, end=end, kind=kind_of(mark), row=row))
    return found


def _unseen(plan: Plan) -> Words | None:
    """Words on the residual where it stands for what the log does not hold."""
    if not plan.residual_first or plan.residual is None or plan.residual.size / plan.whole < 0.16:
        return None
    return Words(at="0", strong="not in this log", plate=100)


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
    """Numbers of turns, as many as have room beside each other and beside the arrows to what was loaded."""
    found: list[Words] = []
    arrows = [load.at / plan.whole for load in plan.held.loads] if plan.held else []
    free = 0.0
    for turn, at in plan.turns:
        place = at / plan.whole
        if place >= free and all(abs(place - arrow) > NARROW for arrow in arrows):
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
    shown = [each for each in named if each[0].size]
    places = apart([(band.start / plan.whole, (len(strong + opt) + 2) * CHARACTER) for band, strong, opt in shown])
    return [
        Span(
            at=percent(band.start, plan.whole),
            to=percent(band.end, plan.whole),
            long=percent(band.size, plan.whole),
            label=Words(at=f"{place * 100:.3f}%", strong=strong, opt=opt),
        )
        for (band, strong, opt), place in zip(shown, places, strict=True)
    ]


def apart(labels: Sequence[tuple[float, float]]) -> list[float]:
    """Places of labels (place wanted, width) that keep clear of each other and of the right edge, in order."""
    places: list[float] = []
    free = 0.0
    for wanted, width in labels:
        places.append(max(wanted, free))
        free = places[-1] + width
    edge = 1.0
    for at in range(len(labels) - 1, -1, -1):
        places[at] = max(0.0, min(places[at], edge - labels[at][1]))
        edge = places[at]
    return places


def _axis(whole: int, end: Words) -> list[Words]:
    """Ticks, as far as the words at the end leave room for them where the drawing is narrowest."""
    step, free = nice_step(whole), whole * (0.98 - LETTER * len(end.strong))
    return [Words(at=percent(at, whole), plain=short(at)) for at in range(0, whole, step) if at <= free]


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
    far = max((load.at for load in held.loads), default=0)
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
        loads=_loads(held, whole, start, start + size),
        last=percent(far, whole) if far > start + size else "",
        edge=percent(start + size, whole),
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


def _loads(held: Held, whole: int, start: int, stop: int) -> list[Words]:
    """Arrows to what was loaded; neighbours of one trigger share words. `plate` is where an arrow leaves from."""
    found: list[Words] = []
    waiting = 0
    for load, after in zip_longest(held.loads, held.loads[1:]):
        place, waiting = load.at / whole, waiting + load.number
        words = f"{waiting} loaded by {load.trigger}"
        reach = len(words) * CHARACTER + 0.02
        shared = after is not None and after.trigger == load.trigger and after.at / whole < place + reach
        hidden = after is not None and after.at / whole < place + reach
        if not shared:
            waiting = 0
        found.append(
            Words(
                at=percent(load.at, whole),
                strong="" if hidden else words,
                end=place + reach > 1,
                plate=56 if start <= load.at <= stop else 41,
            )
        )
    return found


def _lens(start: int, size: int, held: Held) -> str:
    """Corners of the lens in per cent of the block: its foot stands on the index."""
    left = (held.index_start - start) * 100 / max(1, size)
    right = (held.index_start + held.index - start) * 100 / max(1, size)
    return f"0,0 100,0 {right:.2f},100 {left:.2f},100"
