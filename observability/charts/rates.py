"""The figure of the cache rate over time: rate above, tokens written and uncached below.

It is plain data in Plotly's format, without colours: a trace says in `meta.role` what it stands
for, and the page dresses it in its tokens. A test validates it with the plotly package.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from observability import figures

STEPS: Final = (Decimal("0.01"), Decimal("0.02"), Decimal("0.04"), Decimal("0.05"), Decimal("0.1"), Decimal("0.2"))

TICKS: Final = {"hour": "%H:%M", "day": "%a %-d %b", "week": "%-d %b %y", "month": "%b %Y"}
HOVERS: Final = {"hour": "%a %-d %b, %H:%M", "day": "%a %-d %b %Y", "week": "week of %-d %b %Y", "month": "%B %Y"}
"""Ticks and the head of a hover label, for each length of a step."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """A step of time: its start, its name, and what happened in it. `before` is the rate one period earlier."""

    at: datetime
    name: str
    rate: Decimal | None
    written: int
    uncached: int
    before: Decimal | None = None


def axis_start(points: Sequence[Point]) -> Decimal:
    """Where the axis of rates starts: just below the lowest rate, on a round number; 0 for low rates."""
    rates = [rate for point in points for rate in (point.rate, point.before) if rate is not None]
    lowest = min(rates, default=Decimal(0))
    if lowest < Decimal("0.5"):
        return Decimal(0)
    step = _step(1 - lowest)
    return max(Decimal(0), (lowest // step) * step - (step if lowest % step < step / 4 else 0))


def rate_figure(points: Sequence[Point], *, unit: str, before: str) -> dict[str, Any]:
    """The figure as Plotly takes it; `unit` is the length of a step, `before` names the period that the dashed line is of."""
    start = axis_start(points)
    step = _step(1 - start)
    top = 1 + step / 2
    return {
        "data": [*_lines(points, before), *_bars(points)],
        "layout": {
            "barmode": "stack",
            "xaxis": {
                "type": "date",
                "anchor": "y2",
                "showgrid": False,
                "showline": True,
                "nticks": 8,
                "tickangle": 0,
                "tickformat": TICKS[unit],
                "hoverformat": HOVERS[unit],
            },
            "yaxis": {
                "showline": False,
                "domain": [0.46, 1],
                "range": [float(start), float(top)],
                "tickformat": ".0%",
                "dtick": float(step),
            },
            "yaxis2": {
                "showline": False,
                "domain": [0, 0.3],
                "rangemode": "tozero",
                "nticks": 3,
                "tickformat": ".2~s",
                "showgrid": False,
            },
            "annotations": [*_lowest(points), _caption()],
        },
    }


def _step(reach: Decimal) -> Decimal:
    return next((step for step in STEPS if reach / step <= 5), STEPS[-1])


def _lines(points: Sequence[Point], before: str) -> list[dict[str, Any]]:
    at = [_iso(point.at) for point in points]
    lines = []
    if any(point.before is not None for point in points):
        earlier = _line(at, [point.before for point in points], before, "ink-3")
        lines.append({**earlier, "mode": "lines", "line": {"width": 1.25, "dash": "dash"}})
    lines.append({**_line(at, [point.rate for point in points], "cache rate", "ink"), "mode": "lines+markers"})
    return lines


def _line(at: list[str], rates: Sequence[Decimal | None], name: str, role: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "x": at,
        "y": [None if rate is None else round(float(rate), 5) for rate in rates],
        "hovertemplate": "%{y:.1%}",
        "connectgaps": False,
        "meta": {"role": role},
    }


def _bars(points: Sequence[Point]) -> list[dict[str, Any]]:
    at = [_iso(point.at) for point in points]
    return [
        _bar(at, [point.written for point in points], "written", "write", "/"),
        _bar(at, [point.uncached for point in points], "uncached", "uncached", "."),
    ]


def _bar(at: list[str], tokens: list[int], name: str, role: str, shape: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": name,
        "x": at,
        "y": tokens,
        "yaxis": "y2",
        "marker": {"pattern": {"shape": shape}},
        "hovertemplate": "%{y:,}",
        "meta": {"role": role},
    }


def _lowest(points: Sequence[Point]) -> list[dict[str, Any]]:
    """A label at the lowest rate, where it stands out."""
    known = [point for point in points if point.rate is not None]
    if len(known) < 3:
        return []
    low = min(known, key=lambda point: point.rate or 0)
    return [
        {
            "name": "ink",
            "x": _iso(low.at),
            "y": float(low.rate or 0),
            "xref": "x",
            "yref": "y",
            "text": figures.percent(low.rate),
            "showarrow": False,
            "yshift": -12,
            "font": {"size": 12},
        }
    ]


def _caption() -> dict[str, Any]:
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 0.36, "xanchor": "left", "yanchor": "middle"}
    return {"name": "ink-2", "text": "Written and uncached, tokens", "showarrow": False, "font": {"size": 12}, **place}


def _iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M")
