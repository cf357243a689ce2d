"""The request-by-request picture, drawn on the server: it needs no script, and every column is a link.

Lengths across are in per cent, so that the width is fluid and text keeps its size. All text
that comes from a log is escaped here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from observability import figures
from observability.charts.request_columns import Column, Frame, break_words, frame, numbers_below
from observability.queries.breaks import Break
from observability.queries.conversation_page import ConversationPage
from observability.queries.happenings import LoadEvent, RewriteEvent, SearchEvent
from observability.queries.run_timeline import SubAgents

LEVELS: Final = (14, 30, 46)
"""Heights at which breaks are named."""
TOP: Final = 60
PLOT: Final = 192
BASE: Final = TOP + PLOT
RAISED: Final = 38
"""So much of the room on top is left out where no break is named in it."""
LANE: Final = 24
LABEL: Final = 0.62
"""Width of a letter in a label, in per cent of the width that a table has room beside."""
WIDE: Final = 0.83
"""Share of its place that a column fills."""

_CROSS: Final = '<path class="brk" d="M-3 -3l6 6M3 -3l-6 6"/>'
_BARRED: Final = '<circle class="miss-bar" r="4.2"/><path class="brk" d="M-3 3l6 -6"/>'


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """The drawing, its height in pixels and the part of the run that it shows."""

    drawing: SafeString
    height: int
    frame: Frame
    label: str
    lanes: int
    low: bool
    """Whether no break is named above it."""
    part: bool
    """Whether it shows a part of the run only."""


def picture(
    page: ConversationPage, *, request_url: str, part_url: Callable[[int, int], str], start: int = 0, end: int = 0
) -> Picture | None:
    """Draw the run shown; None where it has no request.

    `request_url` ends where the ordinal of a request is to be added. `part_url` gives
    the address of this page for a part of the run.
    """
    shown = frame(page.columns, start=start, end=end)
    if shown is None:
        return None
    lanes = _lanes(page, shown)
    parts = [
        *_grid(shown),
        *(_column(column, shown, request_url, part_url) for column in shown.columns),
        f'<line class="axis" x1="0" x2="100%" y1="{BASE}" y2="{BASE}"/>',
        *_rewrites(page, shown),
        *_cold_starts(page, shown),
        *_breaks(page.broken_here, shown),
        *(_number(n, shown) for n in numbers_below(shown, [item.ordinal for item in page.broken_here])),
        *(line for index, (name, drawn) in enumerate(lanes) for line in _lane(index, name, drawn)),
    ]
    height, raised = BASE + 24 + LANE * len(lanes), 0 if page.broken_here else RAISED
    body = f'<svg y="{-raised}" width="100%" height="{height}">{"".join(parts)}</svg>'
    return Picture(
        drawing=mark_safe(body),  # noqa: S308 - numbers and escaped text only
        height=height - raised,
        frame=shown,
        label=_sentence(page, shown),
        lanes=len(lanes),
        low=not page.broken_here,
        part=(shown.start, shown.end) != (1, len(page.columns)),
    )


def _sentence(page: ConversationPage, shown: Frame) -> str:
    counts = ((len(page.broken_here), "break"), (len(page.happened.searches), "search"), (len(page.agents), "group"))
    told = ", ".join(figures.counted(count, word) for count, word in counts[:2] if count)
    return f"Requests {shown.start:,} to {shown.end:,}: tokens read, written and uncached" + (
        f", with {told}" if told else ""
    )


def _y(tokens: int, shown: Frame) -> float:
    return BASE - tokens * PLOT / shown.top


def _grid(shown: Frame) -> Iterator[str]:
    for tick in shown.ticks:
        y = _y(tick, shown)
        yield f'<line class="grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text class="end" x="0" dx="-8" y="{y + 4:.1f}">{figures.compact(tick).replace(".0", "")}</text>'


def _number(ordinal: int, shown: Frame) -> str:
    x = shown.x(ordinal)
    anchor, x = ("end", 100.0) if x > 98 else ("mid", x)
    return f'<text class="{anchor}" x="{x:.2f}%" y="{BASE + 14}">{ordinal:,}</text>'


def _column(column: Column, shown: Frame, request_url: str, part_url: Callable[[int, int], str]) -> str:
    count = column.last - column.first + 1
    left = shown.x(column.first) - 50 / shown.slots
    place = count * 100 / shown.slots
    width = place * (WIDE if shown.slots < 400 else 0.94)
    x = f'x="{left + (place - width) / 2:.3f}%" width="{width:.3f}%"'
    one = count == 1
    url = f"{request_url}{column.first}" if one else part_url(column.first, column.last)
    title = f"Request {column.first:,}" if one else f"Requests {column.first:,} to {column.last:,}, mean"
    return (
        f'<a href="{escape(url)}" tabindex="-1"><title>{title}: {column.prompt:,} tokens; {column.read:,} read, '
        f"{column.written:,} written, {column.uncached:,} uncached</title>{_bar(column, shown, x)}"
        f'<rect class="hit" {x} y="{TOP}" height="{PLOT}"/></a>'
    )


def _bar(column: Column, shown: Frame, x: str) -> str:
    drawn, y = [], float(BASE)
    for tokens, kind, least in (
        (column.read, "read", 0.5),
        (column.written, "write", 1.5),
        (column.uncached, "uncached", 0.0),
    ):
        height = max(tokens * PLOT / shown.top, least) if tokens else 0.0
        if height < 0.4:
            continue
        y -= height
        drawn.append(f'<rect class="f-{kind}" {x} y="{y:.1f}" height="{height:.1f}"/>')
        if kind != "read":
            pattern = "p-write" if kind == "write" else "p-unc"
            drawn.append(f'<rect {x} y="{y:.1f}" height="{height:.1f}" fill="url(#{pattern})"/>')
    return "".join(drawn)


def _cold_starts(page: ConversationPage, shown: Frame) -> Iterator[str]:
    """Written above the tallest column that the words stand over."""
    reach = max(1, len(shown.columns) * 6 // 100)
    for ordinal in filter(shown.shows, page.cold):
        at = (ordinal - shown.start) // shown.step
        x = shown.x(shown.columns[at].first) - 50 / shown.slots
        y = _y(max(column.prompt for column in shown.columns[at : at + reach + 1]), shown) - 7
        yield f'<text class="lab-2 opt{" end" if x > 85 else ""}" x="{x:.2f}%" y="{y:.1f}">cold start</text>'


def _rewrites(page: ConversationPage, shown: Frame) -> Iterator[str]:
    placed = [(page.columns.after(item.seq), item) for item in page.happened.rewrites]
    for place, (ordinal, item) in enumerate(pair for pair in placed if shown.shows(pair[0])):
        x = shown.x(ordinal) - 50 / shown.slots
        yield f'<line class="rule" x1="{x:.2f}%" x2="{x:.2f}%" y1="{TOP - 8}" y2="{BASE}"/>'
        if place < 8:
            anchor, dx = (" end", -6) if x > 50 else ("", 6)
            words = escape(rewrite_words(item))
            yield f'<text class="lab-2 opt{anchor}" x="{x:.2f}%" dx="{dx}" y="{TOP + 2}">{words}</text>'


def rewrite_words(item: RewriteEvent) -> str:
    """A rewrite of the context in a few words."""
    words = {"compaction": "compacted", "trim": "trimmed", "clear": "cleared", "edit": "edited"}
    sizes = f", {figures.compact(item.before)} → {figures.compact(item.after)}" if item.before and item.after else ""
    return figures.shown(words.get(item.kind, item.kind)) + sizes


def _breaks(broken: list[Break], shown: Frame) -> Iterator[str]:
    here = [item for item in broken if shown.shows(item.ordinal)]
    levels = _levels(here, shown)
    for item in here:
        x, y = f"{shown.x(item.ordinal):.2f}%", _y(shown.column_of(item.ordinal).prompt, shown) - 6
        level = levels.get(item.ordinal)
        if level is not None:
            yield f'<line class="brk" x1="{x}" x2="{x}" y1="{LEVELS[level] - 8}" y2="{y:.1f}"/>'
        yield f'<svg x="{x}" y="{y:.1f}">{_CROSS}</svg>'
    for item in here:
        if (level := levels.get(item.ordinal)) is not None:
            yield _break_label(item, level, shown, optional=item is not max(here, key=lambda each: each.rebuilt))


def _break_label(item: Break, level: int, shown: Frame, *, optional: bool) -> str:
    x = shown.x(item.ordinal)
    end = x > 50
    return (
        f'<text class="brk-t{" end" if end else ""}{" opt" if optional else ""}" x="{x:.2f}%" dx="{-6 if end else 6}" '
        f'y="{LEVELS[level]}">{escape(break_words(item))}</text>'
    )


def _levels(here: list[Break], shown: Frame) -> dict[int, int]:
    """A height for the name of each break, the dearest first; those that find no room stay without a name."""
    taken: list[list[tuple[float, float]]] = [[] for _ in LEVELS]
    levels: dict[int, int] = {}
    for item in sorted(here, key=lambda each: -each.rebuilt)[:12]:
        x, width = shown.x(item.ordinal), len(break_words(item)) * LABEL + 1
        span = (x - width, x + 0.5) if x > 50 else (x - 0.5, x + width)
        for level, spans in enumerate(taken):
            if all(span[1] < left or span[0] > right for left, right in spans):
                spans.append(span)
                levels[item.ordinal] = level
                break
    return levels


def _lanes(page: ConversationPage, shown: Frame) -> list[tuple[str, list[str]]]:
    searches = [(page.columns.at(search.seq), search) for search in page.happened.searches]
    agents = [group for group in page.agents if group.first <= shown.end and group.last >= shown.start]
    lanes = (
        ("searches", [_search(ordinal, search, shown) for ordinal, search in searches if shown.shows(ordinal)]),
        ("loaded", _loads(page, shown)),
        ("sub-agents", _agents(agents, shown)),
    )
    return [(name, drawn) for name, drawn in lanes if drawn]


def _lane(index: int, name: str, drawn: list[str]) -> Iterator[str]:
    y = BASE + 36 + LANE * index
    yield f'<line class="grid" x1="0" x2="100%" y1="{y}" y2="{y}"/><text class="end" x="0" dx="-8" y="{y + 4}">{name}</text>'
    yield f'<svg y="{y}" width="100%" height="1">{"".join(drawn)}</svg>'


def _search(ordinal: int, search: SearchEvent, shown: Frame) -> str:
    found = f'<circle class="{"ev-on" if search.outcome == "hit" else "ev"}" r="4"/>'
    title = escape(figures.shown(f"{search.outcome_label}: {search.query[:200]}"))
    return f'<svg x="{shown.x(ordinal):.2f}%"><title>{title}</title>{_BARRED if search.failed else found}</svg>'


def load_words(load: LoadEvent) -> str:
    """How many tools were loaded, and by what."""
    words = {"search": "by search", "direct_call": "by direct call", "resume": "at resume", "preload": "ahead"}
    return f"{len(load.tools)} {words.get(load.trigger, '')}".strip()


def spaced(marks: Sequence[tuple[float, str]]) -> list[str]:
    """The name of each mark (its place in per cent and its name, in order), or "" where the next one leaves no room."""
    names, free = [], 101.0
    for x, name in reversed(marks):
        names.append(name if x + 1 + len(name) * LABEL < free else "")
        free = x
    return names[::-1]


def _loads(page: ConversationPage, shown: Frame) -> list[str]:
    """A square at the first request that held the loaded tools, named where there is room."""
    found = [(page.columns.after(load.seq), load) for load in page.happened.loads]
    found = [(ordinal, load) for ordinal, load in found if shown.shows(ordinal)]
    names = spaced([(shown.x(ordinal), load_words(load)) for ordinal, load in found])
    return [_load(shown.x(ordinal), load, name) for (ordinal, load), name in zip(found, names, strict=True)]


def _load(x: float, load: LoadEvent, name: str) -> str:
    title = escape(figures.shown(", ".join(load.tools)[:400]))
    label = f'<text class="opt" x="10" y="4">{name}</text>' if name else ""
    square = '<rect class="ev-on" x="-4" y="-4" width="8" height="8"/>'
    return f'<svg x="{x:.2f}%"><title>{title}</title>{square}{label}</svg>'


def agents_words(group: SubAgents) -> str:
    """How many sub-agents, of which profile, with how many requests."""
    name = f"{len(group.runs)} {group.profile[:40]}".strip()
    return figures.shown(f"{name}, {figures.counted(group.sums.requests, 'request')}")


def _agents(groups: list[SubAgents], shown: Frame) -> list[str]:
    """A span for each sub-agent, up to three of a group above each other."""
    spans = [
        (shown.x(max(group.first, shown.start) - 0.3), shown.x(min(group.last, shown.end) + 0.3)) for group in groups
    ]
    names = spaced([(end, agents_words(group)) for (_, end), group in zip(spans, groups, strict=True)])
    return [_agent(group, x, end, name) for group, (x, end), name in zip(groups, spans, names, strict=True)]


def _agent(group: SubAgents, x: float, end: float, name: str) -> str:
    rows, width = min(3, len(group.runs)), max(end - x, 0.4)
    label = f'<text class="opt" x="{x + width:.2f}%" dx="6" y="4">{escape(name)}</text>' if name else ""
    drawn = "".join(
        f'<rect class="span" x="{x:.2f}%" y="{5 * row - 2.5 * rows + 0.75}" width="{width:.2f}%" height="3.5"/>'
        for row in range(rows)
    )
    return f"<g><title>{escape(agents_words(group))}</title>{drawn}{label}</g>"
