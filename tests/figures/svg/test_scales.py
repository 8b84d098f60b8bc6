import math

import pytest

from anova_report.figures.kinds import Axis
from anova_report.figures.svg.scales import FAR, Frame, Scale, horizontal, scale, vertical

PLACE = Frame(50, 20, 250, 120)


def test_a_frame_knows_its_size():
    assert (PLACE.width, PLACE.height) == (200, 100)


def test_a_horizontal_axis_runs_to_the_right():
    x = horizontal(Axis("x", -1.0, 3.0), PLACE)
    assert (x(-1.0), x(1.0), x(3.0)) == (50, 150, 250)


def test_a_vertical_axis_runs_upwards():
    y = vertical(Axis("y", 0.0, 10.0), PLACE)
    assert (y(0.0), y(5.0), y(10.0)) == (120, 70, 20)


def test_equal_steps_of_the_value_are_equal_steps_on_the_page():
    x = scale(1e9, 1e9 + 8, 0, 400)
    assert [x(1e9 + step) for step in range(9)] == [50 * step for step in range(9)]


def test_values_beyond_the_range_lie_beyond_the_pixels():
    x = Scale(0, 1, 0, 100)
    assert x(2) == 200
    assert x.inside(2) == 100
    assert x.inside(-2) == 0
    assert x.holds(0.5)
    assert not x.holds(1.01)


def test_far_values_leave_the_page_without_leaving_the_numbers():
    x = Scale(0, 1, 0, 100)
    assert x(1e300) == 100 * FAR
    assert x(-1e300) == -100 * FAR


@pytest.mark.parametrize("at", [0.0, 1e-12, 3.0, -7e9])
def test_a_range_without_length_is_widened_around_its_value(at):
    x = scale(at, at, 0, 100)
    assert x(at) == pytest.approx(50)
    assert x.low < at < x.high


@pytest.mark.parametrize(("low", "high"), [(0.0, 1e-12), (-1e-12, 1e-12), (0.0, 1e9), (-1e308, 1e308), (5.0, -5.0)])
def test_every_range_gives_finite_pixels(low, high):
    x = scale(low, high, 0, 100)
    assert all(math.isfinite(x(value)) for value in (low, high, 0.0, 1.0))


def test_a_tiny_range_is_still_a_range():
    x = scale(0.0, 1e-12, 0, 100)
    assert x(5e-13) == pytest.approx(50)
