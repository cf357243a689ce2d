"""The figure of several cache rates over time: one line each, told apart by dash and by its name at the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Protocol

from observability.charts.rates import HOVERS, TICKS, Point, axis_start

DASHES: Final = ("dash", "dot", "dashdot")


class _Rated(Protocol):
    @property
    def rate(self) -> Decimal | None: ...


class _Step(Protocol):
    @property
    def at(self) -> datetime: ...
    @property
    def name(self) -> str: ...
    @property
    def sums(self) -> _Rated: ...


@dataclass(frozen=True, kw_only=True)
class Line:
    """A rate over time; the strong one is that of all."""

    name: str
    strong: bool
    steps: Sequence[_Step]


def rates_axis(lines: Sequence[Line]) -> Decimal:
    """Where the axis starts: just below the lowest rate of any line."""
    return axis_start(
        [
            Point(at=step.at, name=step.name, rate=step.sums.rate, written=0, uncached=0)
            for line in lines
            for step in line.steps
        ]
    )


def rates_figure(lines: Sequence[Line], *, unit: str) -> dict[str, Any]:
    """The figure as Plotly takes it; `unit` is the length of a step."""
    thin = iter(DASHES)
    return {
        "data": [_trace(line, "" if line.strong else next(thin, "dot")) for line in lines],
        "layout": {
            "xaxis": {
                "type": "date",
                "showgrid": False,
                "showline": True,
                "nticks": 8,
                "tickangle": 0,
                "tickformat": TICKS[unit],
                "hoverformat": HOVERS[unit],
            },
            "yaxis": {"showline": False, "range": [float(rates_axis(lines)), 1.02], "tickformat": ".0%", "nticks": 6},
            "annotations": [label for place, line in enumerate(lines) for label in _label(line, place)],
        },
    }


def _trace(line: Line, dash: str) -> dict[str, Any]:
    rates = [step.sums.rate for step in line.steps]
    return {
        "type": "scatter",
        "name": line.name,
        "mode": "lines+markers",
        "x": [step.at.strftime("%Y-%m-%d %H:%M") for step in line.steps],
        "y": [None if rate is None else round(float(rate), 5) for rate in rates],
        "hovertemplate": "%{y:.1%}",
        "connectgaps": False,
        "line": {"width": 1.75} if line.strong else {"width": 1.25, "dash": dash},
        "marker": {"size": 5 if line.strong else 3},
        "meta": {"role": "ink" if line.strong else "ink-3"},
    }


def _label(line: Line, place: int) -> list[dict[str, Any]]:
    """The line's name at its last point; those of thin lines one under the other, for their ends are often close."""
    known = [step for step in line.steps if step.sums.rate is not None]
    if not known:
        return []
    last = known[-1]
    return [
        {
            "name": "ink" if line.strong else "ink-2",
            "x": last.at.strftime("%Y-%m-%d %H:%M"),
            "y": float(last.sums.rate or 0),
            "xref": "x",
            "yref": "y",
            "text": line.name[:28],
            "showarrow": False,
            "xanchor": "right",
            "yshift": 11 if line.strong else -11 - 13 * place,
            "font": {"size": 12},
        }
    ]
