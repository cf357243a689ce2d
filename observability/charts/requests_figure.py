"""The same picture as data for Plotly, where people zoom and hover. It holds no colour: the page's script dresses it.

Requests stand at x = 1, 2, 3 …, so no list of places is sent. Text from a log is escaped,
since Plotly reads a few tags in labels.
"""

from __future__ import annotations

from typing import Any, Final

from django.utils.html import escape

from observability import figures
from observability.charts.request_columns import LEAST_SLOTS, Frame, break_words
from observability.charts.requests import agents_words, load_words, rewrite_words, spaced
from observability.queries.breaks import Break
from observability.queries.conversation_page import ConversationPage
from observability.queries.run_requests import Columns
from observability.queries.run_timeline import SubAgents

MOST_BARS: Final = 400
"""Above it, buckets are drawn as stepped areas: three shapes instead of three for each request."""
MOST_NAMED: Final = 6
"""Breaks that are named in the figure, the dearest ones; all have a mark."""

BARS: Final = 192
GAP: Final = 34
LANE: Final = 24
"""Heights in pixels: of the bars, of the numbers below them, of a lane. `conversation.css` gives the sum its room."""
LANES: Final = ("sub-agents", "loaded", "searches")
"""From the lowest."""

Figure = dict[str, Any]


def figure(page: ConversationPage, shown: Frame) -> Figure:
    """The figure of the whole run, zoomed to the part shown. Clicks lead to the request: see `static/js/chart.js`."""
    lanes = _lanes(page, shown)
    names = sorted({lane["name"] for lane in lanes}, key=LANES.index)
    whole = BARS + (GAP + LANE * len(names) if names else 0)
    return {
        "data": [*_buckets(page.columns), *_break_marks(page, page.columns), *lanes],
        "layout": {
            "barmode": "stack",
            "bargap": 0.17,
            "margin": {"l": 68, "r": 0, "t": 52 if page.broken_here else 14, "b": 8 if names else 28},
            "xaxis": _request_axis(page.columns, shown),
            "yaxis": {
                "domain": [1 - BARS / whole, 1],
                "rangemode": "tozero",
                "tickformat": "~s",
                "nticks": 6,
                "showline": False,
                "fixedrange": True,
            },
            **({"yaxis2": _lane_axis(names, LANE * len(names) / whole)} if names else {}),
            "shapes": [*_break_lines(page.broken_here), *_rewrite_lines(page)],
            "annotations": [*_break_names(page.broken_here, shown.slots), *_cold_names(page, shown)],
        },
    }


def _request_axis(requests: Columns, shown: Frame) -> Figure:
    return {
        "range": [shown.start - 0.5, shown.start - 0.5 + shown.slots],
        "autorange": False,
        "minallowed": 0.5,
        "maxallowed": max(len(requests), LEAST_SLOTS) + 0.5,
        "showgrid": False,
        "showspikes": False,
        "showline": True,
        "tickformat": ",d",
        "nticks": 12,
        "anchor": "y",
        "unifiedhovertitle": {"text": "request %{x}"},
    }


def _buckets(requests: Columns) -> list[Figure]:
    kinds = (
        ("read", requests.read, "", "read"),
        ("write", requests.written, "/", "written"),
        ("uncached", requests.uncached, ".", "uncached"),
    )
    build = _bars if len(requests) <= MOST_BARS else _areas
    return [build(role, values, shape, word) for role, values, shape, word in kinds]


def _bars(role: str, values: list[int], shape: str, word: str) -> Figure:
    pattern = {"marker": {"pattern": {"shape": shape}}} if shape else {}
    return {"type": "bar", **_series(role, values, word), **pattern}


def _areas(role: str, values: list[int], shape: str, word: str) -> Figure:
    pattern = {"fillpattern": {"shape": shape}} if shape else {}
    return {
        "type": "scatter",
        "mode": "lines",
        "stackgroup": "prompt",
        "line": {"shape": "hvh", "width": 0},
        **_series(role, values, word),
        **pattern,
    }


def _series(role: str, values: list[int], word: str) -> Figure:
    return {
        "x0": 1,
        "dx": 1,
        "y": values,
        "name": word,
        "meta": {"role": role},
        "hovertemplate": f"%{{y:,}} {word}<extra></extra>",
    }


def _break_marks(page: ConversationPage, requests: Columns) -> list[Figure]:
    broken = [item for item in page.broken_here if 0 < item.ordinal <= len(requests)]
    if not broken:
        return []
    tops = [_prompt(requests, item.ordinal) for item in broken]
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [item.ordinal for item in broken],
            "y": tops,
            "text": [escape(break_words(item)) for item in broken],
            "marker": {"symbol": "x-thin", "size": 7, "line": {"width": 1.5}},
            "meta": {"role": "alert"},
            "name": "break",
            "hovertemplate": "%{text}<extra></extra>",
        }
    ]


def _prompt(requests: Columns, ordinal: int) -> int:
    at = ordinal - 1
    return requests.read[at] + requests.written[at] + requests.uncached[at]


def _dearest(broken: list[Break]) -> list[Break]:
    return sorted(broken, key=lambda item: -item.rebuilt)[:MOST_NAMED]


def _height(place: int) -> float:
    """Where a break is named, as a share of the bars' height: two rows, above the one for rewrites."""
    return 1.14 + 0.08 * (place % 2)


def _break_lines(broken: list[Break]) -> list[Figure]:
    return [
        {
            "type": "line",
            "x0": item.ordinal,
            "x1": item.ordinal,
            "yref": "y domain",
            "y0": 0.0,
            "y1": _height(place),
            "line": {"width": 1.25},
            "layer": "below",
            "name": "alert",
        }
        for place, item in enumerate(sorted(_dearest(broken), key=lambda each: each.ordinal))
    ]


def _break_names(broken: list[Break], total: int) -> list[Figure]:
    """Written to the side that has more room."""
    return [
        {
            "x": item.ordinal,
            "yref": "y domain",
            "y": _height(place),
            "text": escape(break_words(item)),
            "showarrow": False,
            "xanchor": "right" if item.ordinal * 2 > total else "left",
            "xshift": -4 if item.ordinal * 2 > total else 4,
            "yanchor": "middle",
            "font": {"weight": 600},
            "name": "alert",
        }
        for place, item in enumerate(sorted(_dearest(broken), key=lambda each: each.ordinal))
    ]


def _cold_names(page: ConversationPage, shown: Frame) -> list[Figure]:
    """Written above the tallest bar that the words stand over."""
    reach = max(1, round(shown.slots * 0.06))
    return [
        {
            "x": ordinal - 0.5,
            "y": max(
                _prompt(page.columns, each) for each in range(ordinal, min(ordinal + reach, len(page.columns)) + 1)
            ),
            "text": "cold start",
            "showarrow": False,
            "xanchor": "left",
            "yanchor": "bottom",
            "name": "ink-2",
        }
        for ordinal in page.cold[:MOST_NAMED]
        if 0 < ordinal <= len(page.columns)
    ]


def _rewrite_lines(page: ConversationPage) -> list[Figure]:
    named = len(page.happened.rewrites) <= MOST_NAMED
    return [
        {
            "type": "line",
            "x0": page.columns.after(item.seq) - 0.5,
            "x1": page.columns.after(item.seq) - 0.5,
            "yref": "y domain",
            "y0": 0,
            "y1": 1,
            "line": {"width": 1, "dash": "dot"},
            "name": "ink-3",
            **(
                {"label": {"text": escape(rewrite_words(item)), "textposition": "end", "textangle": 0}} if named else {}
            ),
        }
        for item in page.happened.rewrites[:50]
    ]


def _lanes(page: ConversationPage, shown: Frame) -> list[Figure]:
    asked: dict[str, list[tuple[int, str, str]]] = {"hit": [], "failed": [], "other": []}
    for item in page.happened.searches:
        kind = "failed" if item.failed else "hit" if item.outcome == "hit" else "other"
        asked[kind].append((page.columns.at(item.seq), f"{item.outcome_label}: {item.query}", ""))
    found = [(page.columns.after(load.seq), load) for load in page.happened.loads]
    names = spaced([(shown.x(ordinal), load_words(load)) for ordinal, load in found])
    loads = [(ordinal, ", ".join(load.tools), name) for (ordinal, load), name in zip(found, names, strict=True)]
    lanes = (
        _lane("searches", asked["hit"], "circle", "ink-2"),
        _lane("searches", asked["other"], "circle-open", "ink-2"),
        _lane("searches", asked["failed"], "circle-x-open", "alert"),
        _lane("loaded", loads, "square", "ink-2"),
        _agents_lane(page.agents, shown),
    )
    return [lane for lane in lanes if lane["x"]]


def _lane(name: str, marks: list[tuple[int, str, str]], symbol: str, role: str) -> Figure:
    """Marks of (ordinal, text when pointed at, name beside it)."""
    return {
        "type": "scatter",
        "mode": "markers+text" if any(label for _, _, label in marks) else "markers",
        "yaxis": "y2",
        "x": [ordinal for ordinal, _, _ in marks],
        "y": [name] * len(marks),
        "text": [escape(label) for _, _, label in marks],
        "hovertext": [escape(figures.shown(text[:120])) for _, text, _ in marks],
        "textposition": "middle right",
        "textfont": {"size": 11},
        "marker": {"symbol": symbol, "size": 8, "line": {"width": 1.5}},
        "meta": {"role": role, "text": "ink-3"},
        "name": name,
        "cliponaxis": False,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _agents_lane(groups: list[SubAgents], shown: Frame) -> Figure:
    """A line from where a group of sub-agents started to where it had ended, then a gap."""
    words = [escape(agents_words(group)) for group in groups]
    names = spaced([(shown.x(group.last + 0.3), agents_words(group)) for group in groups])
    return {
        "type": "scatter",
        "mode": "lines+text",
        "yaxis": "y2",
        "x": [x for group in groups for x in (group.first - 0.3, group.last + 0.3, None)],
        "y": ["sub-agents"] * 3 * len(groups),
        "text": [text for name in names for text in ("", f" {escape(name)}", "")],
        "hovertext": [word for word in words for _ in range(3)],
        "textposition": "middle right",
        "textfont": {"size": 11},
        "line": {"width": 6},
        "meta": {"role": "line-strong", "text": "ink-3"},
        "name": "sub-agents",
        "connectgaps": False,
        "cliponaxis": False,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _lane_axis(names: list[str], top: float) -> Figure:
    return {
        "domain": [0, top],
        "type": "category",
        "categoryorder": "array",
        "categoryarray": names,
        "range": [-0.5, len(names) - 0.5],
        "showline": False,
        "fixedrange": True,
    }
