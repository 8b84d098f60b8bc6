"""Slices of a pair against the product known on paper."""

import numpy as np
import pytest

from anova_report.figures.columns import pair_slices


def test_slices_of_a_product_are_lines_with_the_slope_of_the_other_feature(known):
    data = pair_slices(known.rows, ("a", "c")).data
    assert len(data.lines) == 3
    for line, level in zip(data.lines, (0.1, 0.5, 0.9), strict=True):
        c = known.X["c"].quantile(level)
        slope = np.polyfit(line.at, line.value, 1)[0]
        assert slope == pytest.approx(4 * c, abs=0.2), line.name


def test_lines_are_named_by_the_value_they_are_cut_at(known):
    names = [line.name for line in pair_slices(known.rows, ("a", "c")).data.lines]
    cuts = [float(name.removeprefix("c = ").replace("−", "-")) for name in names]
    assert cuts == pytest.approx(known.X["c"].quantile([0.1, 0.5, 0.9]).tolist(), abs=0.01)


def test_a_line_is_the_component_along_the_cut(known):
    figure = pair_slices(known.rows, ("a", "c"))
    line = figure.data.lines[2]
    cut = np.quantile(known.X["c"], 0.9, method="inverted_cdf")
    points = np.column_stack([line.at, np.zeros(len(line.at)), np.full(len(line.at), cut)])
    table = known.X.head(len(points)).copy()
    table[["a", "b", "c"]] = points
    np.testing.assert_allclose(line.value, known.dec.component(("a", "c"), table), atol=1e-3)


def test_lines_run_along_the_feature_that_has_numbers(mixed):
    data = pair_slices(mixed.rows, ("income", "member")).data
    assert data.x.label == "income"
    assert data.x.levels == ()
    assert [line.name for line in data.lines] == ["member = False", "member = True"]
    falling, rising = data.lines
    assert falling.value[-1] < falling.value[0]
    assert rising.value[-1] > rising.value[0]


def test_the_axis_of_effects_holds_every_line_and_zero(known):
    data = pair_slices(known.rows, ("a", "c")).data
    values = [value for line in data.lines for value in line.value]
    assert data.y.low < min(*values, 0)
    assert data.y.high > max(*values, 0)


def test_points_lie_in_the_middle_of_cells_along_the_axis(known):
    data = pair_slices(known.rows, ("a", "c")).data
    assert data.x.low < data.lines[0].at[0] < data.lines[0].at[-1] < data.x.high
    assert len({line.at for line in data.lines}) == 1


def test_the_table_has_a_column_for_each_line(known):
    figure = pair_slices(known.rows, ("a", "c"))
    assert figure.table.head == ("a", *(line.name for line in figure.data.lines))
    assert len(figure.table.rows) == 9


def test_the_alternative_text_says_how_each_line_runs(known):
    alt = pair_slices(known.rows, ("a", "c")).alt
    assert alt.startswith("The pair a × c along a: where c = −0.8")
    assert alt.count("where c = ") == 3


def test_equal_cuts_are_drawn_once(published):
    table = published.X.copy()
    table[:, 1] = np.where(np.arange(len(table)) % 20, 0.25, table[:, 1])
    rows = type(published.rows).of(published.dec, table)
    assert [line.name for line in pair_slices(rows, (0, 1)).data.lines] == ["x1 = 0.25"]
