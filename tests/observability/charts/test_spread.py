from __future__ import annotations

from observability.charts.spread import spread


def test_places_are_shares_of_the_largest_value() -> None:
    drawn = spread((10, 20, 40, 60, 100))
    assert (drawn.least, drawn.lower, drawn.middle) == ("10.00%", "20.00%", "40.00%")
    assert (drawn.box, drawn.reach) == ("40.00%", "90.00%")


def test_equal_values_still_draw_something() -> None:
    assert spread((7, 7, 7, 7, 7)).box == "0.40%"


def test_zeros_draw_without_dividing_by_zero() -> None:
    assert spread((0, 0, 0, 0, 0)).middle == "0.00%"
