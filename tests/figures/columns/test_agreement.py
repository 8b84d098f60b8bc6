"""Explanation against answers: the right rows, on equal axes, with an honest sentence."""

import re

import numpy as np
import pytest

from anova_report.figures.columns import Rows, scatter_figure
from anova_report.figures.columns.agreement import SCATTER_ROWS


def test_points_are_explanations_and_answers_of_their_rows(mixed):
    data = scatter_figure(mixed.rows, 1).data
    chosen = list(data.rows)
    np.testing.assert_allclose(data.value, mixed.answers[chosen, 1], atol=1e-3)
    np.testing.assert_allclose(data.at, mixed.dec.predict(mixed.X.iloc[chosen])[:, 1], atol=1e-3)


def test_many_rows_are_sampled_and_few_are_all_drawn(wide, published):
    many, few = scatter_figure(wide.rows).data, scatter_figure(published.rows).data
    assert len(many.rows) == len(set(many.rows)) == SCATTER_ROWS
    assert many.n_rows == 20_000
    assert few.rows == tuple(range(600))


def test_both_axes_show_the_same_range_so_that_the_line_is_the_diagonal(known):
    data = scatter_figure(known.rows).data
    assert (data.x.low, data.x.high) == (data.y.low, data.y.high)
    assert data.x.low < min(*data.at, *data.value)
    assert data.y.high > max(*data.at, *data.value)
    assert data.identity


def test_a_marked_row_is_always_among_the_points(wide):
    drawn = scatter_figure(wide.rows).data.rows
    hidden = next(row for row in range(20_000) if row not in drawn)
    for row in (drawn[7], hidden):
        data = scatter_figure(wide.rows, row=row).data
        assert data.rows[data.marked] == row
        assert data.value[data.marked] == pytest.approx(wide.answers[row], abs=1e-2)
        assert data.at[data.marked] == pytest.approx(wide.dec.predict(wide.X[[row]])[0], abs=1e-2)
    assert scatter_figure(wide.rows).data.marked is None


def test_the_alternative_text_gives_the_size_of_the_gap(known):
    shifted = Rows.of(known.dec, known.X, known.dec.predict(known.X) + 3.0)
    alt = scatter_figure(shifted).alt
    assert "the gap is 3 on average" in alt
    assert alt.endswith("100.0% of the rows lie more than half a standard deviation off.")
    assert re.match(r"Answers of 1,200 of 4,000 rows", alt)


def test_the_table_averages_over_parts_of_the_explanations(known):
    table = scatter_figure(Rows.of(known.dec, known.X, known.dec.predict(known.X) + 3.0)).table
    assert len(table.rows) == 8
    assert sum(int(line[0]) for line in table.rows) == SCATTER_ROWS
    for line in table.rows:
        explained, answer, gap = (float(text.replace("−", "-")) for text in line[1:])
        assert answer - explained == pytest.approx(3, abs=0.06)
        assert gap == pytest.approx(3, abs=0.01)


def test_a_constant_model_agrees_with_its_mean(constant):
    figure = scatter_figure(constant.rows)
    assert set(figure.data.value) == {3.5}
    assert figure.data.x.low < 3.5 < figure.data.x.high
    assert "the gap is 0 on average" in figure.alt
    assert len(figure.table.rows) == 1
