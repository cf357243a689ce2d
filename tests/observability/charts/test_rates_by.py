from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import plotly.graph_objects as go

from observability.charts.rates_by import Line, rates_axis, rates_figure

START = datetime(2026, 11, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Rated:
    rate: Decimal | None


@dataclass(frozen=True)
class Step:
    at: datetime
    name: str
    sums: Rated


def line(name: str, *rates: str | None, strong: bool = False) -> Line:
    steps = [
        Step(START + timedelta(days=n), f"day {n}", Rated(None if rate is None else Decimal(rate)))
        for n, rate in enumerate(rates)
    ]
    return Line(name=name, strong=strong, steps=steps)


def test_the_figure_is_valid_and_has_a_line_each() -> None:
    figure = rates_figure([line("opus", "0.9", None, "0.8"), line("all", "0.9", "0.7", "0.8", strong=True)], unit="day")
    go.Figure(figure)
    assert [trace["name"] for trace in figure["data"]] == ["opus", "all"]
    assert figure["data"][0]["y"] == [0.9, None, 0.8]


def test_lines_are_told_apart_by_dash_and_by_their_names() -> None:
    figure = rates_figure([line("a", "0.9"), line("b", "0.9"), line("all", "0.9", strong=True)], unit="day")
    assert [trace["line"].get("dash") for trace in figure["data"]] == ["dash", "dot", None]
    assert [mark["text"] for mark in figure["layout"]["annotations"]] == ["a", "b", "all"]


def test_a_line_without_any_rate_has_no_name() -> None:
    assert rates_figure([line("a", None)], unit="day")["layout"]["annotations"] == []


def test_the_axis_starts_below_the_lowest_of_all_lines() -> None:
    assert rates_axis([line("a", "0.95"), line("b", "0.71")]) <= Decimal("0.71")
