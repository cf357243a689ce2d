from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import plotly.graph_objects as go
import pytest

from observability.charts.rates import Point, axis_start, rate_figure

DAY = datetime(2026, 5, 1, tzinfo=UTC)


def points(*rates: str | None, before: str | None = None) -> list[Point]:
    return [
        Point(
            at=DAY + timedelta(days=number),
            name=str(number),
            rate=None if rate is None else Decimal(rate),
            written=1_000,
            uncached=10,
            before=None if before is None else Decimal(before),
        )
        for number, rate in enumerate(rates)
    ]


def figure(*rates: str | None, before: str | None = None) -> dict[str, Any]:
    return rate_figure(points(*rates, before=before), unit="day", before="the week before")


@pytest.mark.parametrize("rates", [("0.9", "0.8", "0.95"), (None, "0.4"), ()])
def test_plotly_takes_the_figure(rates: tuple[str | None, ...]) -> None:
    go.Figure(json.loads(json.dumps(figure(*rates, before="0.7"))))


def test_the_figure_has_no_colour_of_its_own() -> None:
    assert "color" not in json.dumps(figure("0.9", before="0.8"))


def test_a_day_without_prompts_is_a_gap_and_not_zero() -> None:
    assert figure("0.9", None)["data"][0]["y"] == [0.9, None]


def test_the_period_before_is_a_dashed_line() -> None:
    first = figure("0.9", before="0.8")["data"][0]
    assert (first["name"], first["line"]["dash"]) == ("the week before", "dash")


def test_without_a_period_before_there_is_one_line() -> None:
    assert [trace["type"] for trace in figure("0.9")["data"]] == ["scatter", "bar", "bar"]


@pytest.mark.parametrize(
    ("lowest", "start"), [("0.889", "0.84"), ("0.899", "0.88"), ("0.912", "0.9"), ("0.3", "0"), ("0.52", "0.4")]
)
def test_the_axis_starts_on_a_round_number_below_the_lowest_rate(lowest: str, start: str) -> None:
    assert axis_start(points(lowest, "0.95")) == Decimal(start)


def test_the_lowest_rate_has_a_label() -> None:
    assert figure("0.9", "0.8", "0.95")["layout"]["annotations"][0]["text"] == "80.0\u00a0%"
