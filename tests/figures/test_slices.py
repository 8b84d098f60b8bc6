"""Slices of a pair against the product known on paper, and their scene."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from anova_report.figures.geometry import Axis
from anova_report.figures.layout import apart
from anova_report.figures.overlays import Overlay
from anova_report.figures.slices import GAP_PANEL, Slices, pair_slices
from anova_report.figures.style import SMALL
from anova_report.figures.text import shorten, width
from tests.figures.samples import HOSTILE, edge_slices, rich_slices
from tests.figures.scene_items import assert_one_form, mark, pixels, ruler


def test_slices_of_a_product_are_lines_with_the_slope_of_the_other_feature(known):
    data = pair_slices(known.rows, ("a", "c")).data
    assert len(data.lines) == 3
    for line, level in zip(data.lines, (0.1, 0.5, 0.9), strict=True):
        c = known.X["c"].quantile(level)
        slope = np.polyfit(line.at, line.value, 1)[0]
        assert slope == pytest.approx(4 * c, abs=0.2), line.name


def test_lines_are_named_by_the_value_they_are_cut_at(known):
    data = pair_slices(known.rows, ("a", "c")).data
    assert data.by == "c ="
    cuts = [float(line.name.replace("−", "-")) for line in data.lines]
    assert cuts == pytest.approx(known.X["c"].quantile([0.1, 0.5, 0.9]).tolist(), abs=0.01)


def test_a_line_is_the_component_along_the_cut(known):
    data = pair_slices(known.rows, ("a", "c")).data
    line = data.lines[2]
    assert data.y.low < min(*line.value, 0) < max(*line.value, 0) < data.y.high
    assert data.x.low < line.at[0] < line.at[-1] < data.x.high
    cut = np.quantile(known.X["c"], 0.9, method="inverted_cdf")
    points = np.column_stack([line.at, np.zeros(len(line.at)), np.full(len(line.at), cut)])
    table = known.X.head(len(points)).copy()
    table[["a", "b", "c"]] = points
    np.testing.assert_allclose(line.value, known.dec.component(("a", "c"), table), atol=1e-3)


def test_lines_run_along_the_feature_that_has_numbers(mixed):
    data = pair_slices(mixed.rows, ("income", "member")).data
    assert data.x.label == "income"
    assert data.x.levels == ()
    assert (data.by, *(line.name for line in data.lines)) == ("member =", "False", "True")
    falling, rising = data.lines
    assert falling.value[-1] < falling.value[0]
    assert rising.value[-1] > rising.value[0]


def test_the_table_has_a_column_for_each_line(known):
    figure = pair_slices(known.rows, ("a", "c"))
    assert figure.table.head == ("a", *(f"c = {line.name}" for line in figure.data.lines))
    assert len(figure.table.rows) == 9


def test_the_alternative_text_says_how_each_line_runs(known):
    alt = pair_slices(known.rows, ("a", "c")).alt
    assert alt.startswith("The pair a × c along a: where c = −0.8")
    assert alt.count("where c = ") == 3


def test_equal_cuts_are_drawn_once(published):
    table = published.X.copy()
    table[:, 1] = np.where(np.arange(len(table)) % 20, 0.25, table[:, 1])
    rows = type(published.rows).of(published.dec, table)
    assert [line.name for line in pair_slices(rows, (0, 1)).data.lines] == ["0.25"]


def slices(*lines: Overlay, by: str = "") -> Slices:
    return Slices(Axis("x", 0.0, 10.0), Axis("effect", -1.0, 1.0), lines, by)


def test_lines_are_the_data_in_colors_that_their_names_have_too():
    data = rich_slices()
    scene = data.scene()
    lines, names = mark(scene, "lines"), mark(scene, "names")
    assert lines.x == tuple(line.at for line in data.lines)
    assert lines.y == tuple(line.value for line in data.lines)
    assert len(set(lines.color)) == 5
    assert lines.color == names.color == mark(scene, "leaders").color
    assert (ruler(scene, "below").axis, ruler(scene, "left").axis) == (data.x, data.y)
    assert mark(scene, "zero").y0 == (0.0,)


def test_what_names_are_values_of_is_said_once_and_words_are_not_taken_apart():
    scene = rich_slices().scene()
    assert mark(scene, "names").words == ("33", "34", "36", "38", "40")
    assert mark(scene, "names-head").words == ("Latitude =",)
    older = slices(Overlay("a = b = 20", (0.0, 10.0), (0.0, 0.5)), Overlay("a = 60", (0.0, 10.0), (0.5, 0.0)))
    assert mark(older.scene(), "names").words == ("a = b = 20", "a = 60")
    assert mark(older.scene(), "names-head").words == ()


def test_names_stand_beside_the_ends_of_their_lines_in_order_and_do_not_touch():
    ends = (0.3, -0.2, 0.31, 0.9, 0.305)
    scene = slices(*(Overlay(f"line {k}", (0.0, 10.0), (0.0, end)) for k, end in enumerate(ends))).scene()
    heights = [y for _, y in pixels(scene, "names")]
    assert sorted(range(5), key=lambda k: heights[k]) == sorted(range(5), key=lambda k: -ends[k])
    assert all(after - before >= 13.9 for before, after in pairwise(sorted(heights)))
    assert heights[1] == pytest.approx(scene.panels[0].down(-0.2))
    assert mark(scene, "names").panel == GAP_PANEL
    assert mark(scene, "leaders").y0 == ends
    assert mark(scene, "leaders-aside").y1 == mark(scene, "names").y


def test_names_stay_on_the_page():
    long = "an extraordinarily long name of a value"
    scene = slices(*(Overlay(long, (0.0, 10.0), (0.0, 1.0)) for _ in range(4))).scene()
    cut = width(shorten(long, mark(scene, "names").room, SMALL), SMALL)
    for x, y in pixels(scene, "names"):
        assert x + cut <= scene.size[0] + 1
        assert 0 < y < scene.size[1]


def test_levels_and_single_points_are_dots():
    assert mark(rich_slices().scene(), "points").x == ()
    dots = mark(edge_slices().scene(), "points")
    assert list(zip(dots.x, dots.y, strict=True)) == [(0.0, 1e5), (1.0, 9e5), (1.0, 5e5)]
    assert len(set(dots.color)) == 2


def test_hover_text_has_the_values_of_all_lines_at_a_place():
    lines = Overlay("20", (0.0, 5.0), (0.1, 0.2)), Overlay("60", (5.0, 10.0), (-0.3, 0.4))
    tips = mark(slices(*lines, by=f"{HOSTILE} =").scene(), "values")
    assert (tips.x, tips.y) == ((0.0, 5.0, 10.0), (0.1, 0.2, 0.4))
    assert tips.tips[1].split("\n") == ["x 5.00", f"{HOSTILE} =", "20: effect +0.2", "60: effect −0.3"]
    assert mark(edge_slices().scene(), "values").tips[0].startswith("weather clear\n")


def test_all_slices_have_one_form_and_a_line_without_points_has_no_name():
    empty = slices(Overlay("nothing", (), ()), Overlay("something", (1.0,), (0.5,)))
    assert mark(empty.scene(), "names").words == ("something",)
    traced = replace(rich_slices(), lines=(*rich_slices().lines, Overlay("this row: 37", (-120.0,), (0.1,))))
    assert_one_form(rich_slices(), edge_slices(), slices(), empty, traced)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ([], []),
        ([20.0, 60.0], [20.0, 60.0]),
        ([52.0, 48.0], [55.0, 45.0]),
        ([0.0, 0.0, 0.0], [0.0, 10.0, 20.0]),
        ([100.0, 100.0], [90.0, 100.0]),
        ([50.0] * 12, [10.0 * k for k in range(12)]),  # without room enough the distance is kept
    ],
)
def test_positions_move_apart_as_little_as_they_must(wanted, found):
    assert apart(wanted, 0.0, 100.0, 10.0) == pytest.approx(found)


def test_moving_apart_is_the_least_squares_solution():
    wanted = [10.0, 12.0, 15.0, 40.0, 41.0]
    found = apart(wanted, -1000.0, 1000.0, 10.0)
    cost = sum((a - b) ** 2 for a, b in zip(found, wanted, strict=True))
    for shift in (-1.0, 1.0):
        for start, stop in ((0, 3), (3, 5), (0, 5)):
            moved = [spot + (shift if start <= k < stop else 0) for k, spot in enumerate(found)]
            if all(after - before >= 10 for before, after in pairwise(moved)):
                assert sum((a - b) ** 2 for a, b in zip(moved, wanted, strict=True)) > cost
