"""The same picture as data for Plotly, where people zoom and hover. It holds no colour: the page's script dresses it.

Requests stand at x = 1, 2, 3 …, so no list of places is sent. Text from a log is escaped,
since Plotly reads a few tags in labels.
"""

from __future__ import annotations

from typing import Any, Final

from django.utils.html import escape

from observability import figures
from observability.charts.request_columns import LEAST_SLOTS, Frame, break_words
from observability.charts.requests import rewrite_words
from observability.queries.breaks import Break
from observability.queries.conversation_page import ConversationPage
from observability.queries.run_requests import Columns

MOST_BARS: Final = 400
"""Above it, buckets are drawn as stepped areas: three shapes instead of three for each request."""
MOST_NAMED: Final = 6
"""Breaks that are named in the figure, the dearest ones; all have a mark."""

Figure = dict[str, Any]


def figure(page: ConversationPage, shown: Frame) -> Figure:
    """The figure of the whole run, zoomed to the part shown. Clicks lead to the request: see `static/js/chart.js`."""
    lanes = _lanes(page)
    return {
        "data": [*_buckets(page.columns), *_break_marks(page, page.columns), *lanes],
        "layout": {
            "barmode": "stack",
            "bargap": 0.17,
            "margin": {"l": 68, "r": 0, "t": 52, "b": 28},
            "xaxis": {
                "range": [shown.start - 0.5, shown.start - 0.5 + shown.slots],
                "autorange": False,
                "maxallowed": max(len(page.columns), LEAST_SLOTS) + 0.5,
                "minallowed": 0.5,
                "showgrid": False,
                "showline": True,
                "tickformat": ",d",
                "nticks": 12,
                "anchor": "y2" if lanes else "y",
                "unifiedhovertitle": {"text": "request %{x}"},
            },
            "yaxis": {
                "domain": [0.28 if lanes else 0, 1],
                "rangemode": "tozero",
                "tickformat": "~s",
                "nticks": 6,
                "fixedrange": True,
            },
            **({"yaxis2": _lane_axis(lanes)} if lanes else {}),
            "shapes": [*_break_lines(page.broken_here), *_rewrite_lines(page)],
            "annotations": [*_break_names(page.broken_here, max(len(page.columns), LEAST_SLOTS)), *_cold_names(page)],
        },
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


def _break_lines(broken: list[Break]) -> list[Figure]:
    return [
        {
            "type": "line",
            "x0": item.ordinal,
            "x1": item.ordinal,
            "yref": "y domain",
            "y0": 0.0,
            "y1": 1.0 + 0.08 * (place % 2 + 1),
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
            "y": 1.0 + 0.08 * (place % 2 + 1),
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


def _cold_names(page: ConversationPage) -> list[Figure]:
    return [
        {
            "x": ordinal - 0.5,
            "y": _prompt(page.columns, ordinal),
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
            "label": {"text": escape(rewrite_words(item)), "textposition": "end", "textangle": 0},
        }
        for item in page.happened.rewrites[:50]
    ]


def _lanes(page: ConversationPage) -> list[Figure]:
    asked = [
        (page.columns.at(item.seq), f"{item.outcome_label}: {item.query}", item.failed)
        for item in page.happened.searches
    ]
    found = [(ordinal, text) for ordinal, text, failed in asked if not failed]
    failed = [(ordinal, text) for ordinal, text, failed in asked if failed]
    loads = [(page.columns.after(load.seq), ", ".join(load.tools)) for load in page.happened.loads]
    agents = [
        (group.first, f"{len(group.runs)} {group.profile}, {figures.counted(group.sums.requests, 'request')}")
        for group in page.agents
    ]
    lanes = (
        ("searches", found, "circle", "ink-2"),
        ("searches", failed, "circle-x-open", "alert"),
        ("loaded", loads, "square", "ink-2"),
        ("sub-agents", agents, "line-ew", "ink-3"),
    )
    return [_lane(name, marks, symbol, role) for name, marks, symbol, role in lanes if marks]


def _lane(name: str, marks: list[tuple[int, str]], symbol: str, role: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "yaxis": "y2",
        "x": [ordinal for ordinal, _ in marks],
        "y": [name] * len(marks),
        "text": [escape(figures.shown(text[:120])) for _, text in marks],
        "marker": {"symbol": symbol, "size": 8, "line": {"width": 1.5}},
        "meta": {"role": role},
        "name": name,
        "hovertemplate": "%{text}<extra></extra>",
    }


def _lane_axis(lanes: list[Figure]) -> Figure:
    names = sorted({lane["name"] for lane in lanes}, key=["sub-agents", "loaded", "searches"].index)
    return {
        "domain": [0, 0.08 * len(names)],
        "type": "category",
        "categoryorder": "array",
        "categoryarray": names,
        "range": [-0.6, len(names) - 0.4],
        "fixedrange": True,
    }
