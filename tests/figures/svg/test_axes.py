import math
from dataclasses import replace
from itertools import pairwise

import pytest

from anova_report.figures.kinds import Axis, Line, Slices, Surface
from anova_report.figures.style import SMALL, size
from anova_report.figures.svg.text import width
from tests.figures.samples import HOSTILE, LONG, NEW_YEAR, RIGHT_TO_LEFT
from tests.figures.svg.reading import drawn, number, part, parts, points, subpaths, tags, ticks

LINE = Line("a", (0.0, 1.0), (0.0, 1.0))


def plot(x: Axis | None = None, y: Axis | None = None) -> Slices:
    return Slices(x or Axis("x", 0.0, 1.0), y or Axis("y", 0.0, 1.0), (LINE,))


def labels(root, axis):
    return [text for text in tags(part(root, axis), "text") if text.get("class") != "label"]


def baseline(root):
    """Left and right end of the line under a plot."""
    (start, _), (end, _) = subpaths(tags(part(root, "x-axis"), "path")[0].get("d") or "")[0]
    return start, end


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3e-12, 1e-12), (0, 1e9), (-0.02, 0.5), (5, 5), (123456, 123999)])
def test_ticks_tell_where_values_are(low, high):
    found = ticks(drawn(plot(y=Axis("y", low, high))), "y-axis")
    assert len(found) >= 2
    rates = [(b - a) / (after - before) for (before, a), (after, b) in pairwise(found)]
    assert all(math.isclose(rate, rates[0], rel_tol=0.03) for rate in rates)
    assert rates[0] < 0  # upwards


@pytest.mark.parametrize("high", [1.0, 1e6, 1e-7, 123.456, 9_999_999.0])
def test_tick_labels_stay_on_the_page(high):
    for axis in (Axis("y", 0.0, high), Axis("y", -high, 0.0)):
        for label in labels(drawn(plot(y=axis)), "y-axis"):
            assert number(label, "x") - width(label.text or "", SMALL) >= -1


@pytest.mark.parametrize("high", [1.0, 1e6, 1e-7, 123.456])
def test_tick_labels_below_do_not_touch(high):
    shown = labels(drawn(plot(x=Axis("x", 0.0, high))), "x-axis")
    for before, after in pairwise(shown):
        gap = number(after, "x") - number(before, "x")
        assert gap > (width(before.text or "", SMALL) + width(after.text or "", SMALL)) / 2


def test_a_grid_line_runs_at_the_height_of_each_tick():
    root = drawn(plot())
    heights = {y for _, y in ticks(root, "y-axis")}
    lines = subpaths(part(part(root, "y-axis"), "grid").get("d") or "")
    assert {y for line in lines for _, y in line} == heights


def test_the_zero_line_stands_where_the_tick_says_zero():
    root = drawn(plot(y=Axis("y", -1.0, 1.0)))
    zero = dict(ticks(root, "y-axis"))[0.0]
    assert number(part(root, "zero"), "y1") == pytest.approx(zero, abs=0.1)


def test_there_is_no_zero_line_where_the_axis_does_not_show_zero():
    assert not parts(drawn(plot(y=Axis("y", 0.5, 1.0))), "zero")


def test_both_axes_are_labelled():
    root = drawn(plot(x=Axis("income", 0.0, 1.0), y=Axis("effect", 0.0, 1.0)))
    assert [label.text for label in parts(root, "label")] == ["effect", "income"]


def test_long_labels_are_cut_and_kept_in_a_title():
    root = drawn(plot(x=Axis(LONG, 0.0, 1.0)))
    label = part(part(root, "x-axis"), "label")
    assert (label.text or "").endswith("…")
    assert label[0].text == LONG.strip()


def test_dates_stand_along_an_axis_of_time():
    year = 366 * 86_400.0
    root = drawn(plot(x=Axis("when", NEW_YEAR, NEW_YEAR + year, time=True)))
    found = labels(root, "x-axis")
    assert (found[0].text, found[-1].text) == ("Jan 2024", "Jan 2025")
    left, right = number(found[0], "x"), number(found[-1], "x")
    assert (left, right) == pytest.approx(baseline(root), abs=0.2)


def levels(names: tuple[str, ...]) -> Surface:
    axis = Axis("level", -0.5, len(names) - 0.5, levels=names)
    return Surface(axis, replace(axis, label="other"), ((0.0,) * len(names),) * len(names), (), 1.0, "effect")


def test_level_names_stand_at_the_middle_of_their_cells():
    root = drawn(levels(("a", "b", "c", "d")))
    image = tags(part(root, "cells"), "image")[0]
    left, wide = number(image, "x"), number(image, "width")
    found = [number(label, "x") for label in labels(root, "x-axis")]
    assert found == pytest.approx([left + wide * (k + 0.5) / 4 for k in range(4)], abs=0.1)
    top, high = number(image, "y"), number(image, "height")
    upwards = [number(label, "y") - 4 for label in labels(root, "y-axis")]
    assert upwards == pytest.approx([top + high * (3.5 - k) / 4 for k in range(4)], abs=0.1)


def test_long_level_names_are_slanted_and_stay_on_the_page():
    names = tuple(f"a rather long level name {k}" for k in range(12))
    data = levels(names)
    root = drawn(data)
    for label in labels(root, "x-axis"):
        assert (label.get("transform") or "").startswith("rotate(-40 ")
        reach = width(label.text or "", SMALL)
        assert number(label, "x") - reach * math.cos(math.radians(40)) >= -9
        assert number(label, "y") + reach * math.sin(math.radians(40)) < size(data)[1] - 15


def test_short_level_names_lie_flat():
    assert all(label.get("transform") is None for label in labels(drawn(levels(("yes", "no"))), "x-axis"))


def test_of_very_many_levels_only_some_are_named():
    root = drawn(levels(tuple(f"level {k}" for k in range(120))))
    found = [number(label, "x") for label in labels(root, "x-axis")]
    assert 5 < len(found) < 60
    assert all(after - before >= 12 for before, after in pairwise(found))


@pytest.mark.parametrize("name", ["", HOSTILE, LONG, RIGHT_TO_LEFT])
def test_any_level_name_can_be_shown(name):
    root = drawn(levels((name, "other")))
    assert len(labels(root, "x-axis")) == 2


def test_an_axis_whose_ends_are_equal_shows_its_value_in_the_middle():
    root = drawn(Slices(Axis("x", 3.0, 3.0), Axis("y", 0.0, 1.0), (Line("a", (3.0,), (0.5,)),)))
    (x, _), *_ = points(part(root, "slice"))
    left, right = baseline(root)
    assert x == pytest.approx((left + right) / 2, abs=0.1)
