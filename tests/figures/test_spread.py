"""Scatters and histograms: the right rows, each once, and each where its axes say."""

import re
from dataclasses import replace

import numpy as np
import pytest

from anova_report.core.input.features import Feature
from anova_report.figures import svg
from anova_report.figures.geometry import Axis
from anova_report.figures.spread import (
    BINS,
    SCATTER_ROWS,
    Histogram,
    Scatter,
    _histogram,
    histogram_figure,
    predictions_histogram,
    scatter_figure,
)
from anova_report.figures.style import SLICES
from anova_report.measures.values import MISSING
from tests.figures.conftest import COLORS
from tests.figures.samples import HOSTILE, TEX, edge_histogram, edge_scatter, rich_histogram, rich_scatter
from tests.figures.scene_items import assert_one_form, legend, mark, written


def counted(figure) -> int:
    return sum(int(line[1].replace(",", "")) for line in figure.table.rows)


def test_points_are_explanations_and_predictions_of_their_rows(mixed):
    data = scatter_figure(mixed.rows, 1).data
    chosen = list(data.rows)
    np.testing.assert_allclose(data.value, mixed.predictions[chosen, 1], atol=1e-3)
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
        assert data.value[data.marked] == pytest.approx(wide.predictions[row], abs=1e-2)
        assert data.at[data.marked] == pytest.approx(wide.dec.predict(wide.X[[row]])[0], abs=1e-2)


def test_words_and_table_give_the_size_of_the_residual(known):
    figure = scatter_figure(known.predicted(known.dec.predict(known.X) + 3.0))
    assert figure.alt.startswith(f"Predictions of {SCATTER_ROWS} of 4,000 rows")
    assert "the typical residual (root mean square) is 3," in figure.alt
    assert figure.alt.endswith("100% of these rows have an absolute residual of more than half a standard deviation.")
    assert sum(int(line[0]) for line in figure.table.rows) == SCATTER_ROWS
    for line in figure.table.rows:
        explained, prediction, residual = (float(text.replace("−", "-")) for text in line[1:])
        assert prediction - explained == pytest.approx(3, abs=0.06)
        assert residual == pytest.approx(3, abs=0.01)


def test_a_constant_model_agrees_with_its_mean(constant):
    figure = scatter_figure(constant.rows)
    assert set(figure.data.value) == {3.5}
    assert figure.data.x.low < 3.5 < figure.data.x.high
    assert "the typical residual (root mean square) is 0," in figure.alt
    assert len(figure.table.rows) == 1


def test_every_point_goes_to_its_row_and_says_both_values():
    data = rich_scatter()
    points = mark(data.scene(), "points")
    assert (points.x, points.y, points.keys) == (data.at, data.value, data.rows)
    assert re.fullmatch(r"row 119\nprediction \d\.\d+\nexplanation \d\.\d+", points.tips[17])
    marked = mark(data.scene(), "marked")
    assert (marked.x, marked.y, marked.keys) == ((data.at[17],), (data.value[17],), (119,))


@pytest.mark.parametrize("marked", [None, 999])
def test_without_a_marked_row_none_stands_out(marked):
    assert mark(replace(rich_scatter(), marked=marked).scene(), "marked").x == ()


def test_the_line_of_equality_passes_where_both_are_equal_and_the_note_says_so():
    scene = replace(rich_scatter(), x=Axis("x", -1.0, 2.0), y=Axis("y", 0.0, 4.0)).scene()
    line = mark(scene, "identity")
    assert line.x == line.y == ((-1.0, 4.0),)
    assert written(scene) == ["200 of 5,000 rows · dashed: both equal"]
    plain = replace(rich_scatter(), identity=False, n_rows=200).scene()
    assert mark(plain, "identity").x == ()
    assert written(plain) == [""]


def test_groups_have_colors_of_their_own_and_are_named_below_in_order():
    data = replace(
        rich_scatter(), group=tuple(k % 3 for k in range(200)), group_names=("low", "middle", "high"), grouped_by="age"
    )
    scene = data.scene()
    points = mark(scene, "groups")
    assert mark(scene, "points").x == ()
    assert sorted(points.keys) == list(data.rows)
    colors = dict(zip(points.keys, points.color, strict=True))
    assert [colors[row] for row in data.rows[:3]] == [SLICES[0], SLICES[2], SLICES[4]]
    entries = legend(scene).entries
    assert [entry.words for entry in entries] == ["age: low", "middle", "high"]
    assert list(dict.fromkeys(points.labels)) == [entry.words for entry in entries]  # a live legend reads these
    assert [entry.color for entry in entries] == list(dict.fromkeys(points.color))
    assert scene.size[1] > legend(scene).top > rich_scatter().scene().frame.bottom


def test_a_group_without_points_is_not_named():
    assert len(legend(edge_scatter().scene()).entries) == 2


def test_1200_points_stay_small():
    data = scatter(1200)
    assert len(svg.draw(data.scene(), key="k", title="t", alt="a")) < 16_000


def scatter(n: int) -> Scatter:
    at = tuple(0.1 + 0.8 * (0.618034 * k % 1) for k in range(n))
    return Scatter(Axis("x", 0.0, 1.0), Axis("y", 0.0, 1.0), at, at[::-1], tuple(range(n)), n)


@pytest.mark.parametrize("index", range(6))
def test_the_table_counts_every_row_once(mixed, index):
    assert counted(histogram_figure(mixed.rows, index)) == len(mixed.X)


def test_counts_are_those_between_the_edges_and_the_rest_is_said(mixed):
    figure = histogram_figure(mixed.rows, "income")
    data, income = figure.data, mixed.X["income"].dropna()
    assert len(data.edges) == len(data.count) + 1 == BINS + 1
    expected = np.histogram(income, data.edges)[0]
    assert np.abs(np.array(data.count) - expected).sum() <= 2  # edges are rounded
    assert data.x.high < income.max()
    assert [line[0] for line in figure.table.rows][-2:] == ["(beyond what is drawn)", MISSING]
    assert re.search(r"beyond what is drawn: \d\.\d%; missing: (9|10|11)\.\d%\.$", figure.alt)


def test_the_alternative_text_gives_quartiles(known):
    alt = histogram_figure(known.rows, "a").alt
    found = re.match(r"Half of 4,000 rows have a between −(\S+) and (\S+), the median is (\S+)\.$", alt)
    low, high, median = (float(text.replace("−", "-")) for text in found.groups())
    assert (low, high, median) == pytest.approx((0.5, 0.5, 0.0), abs=0.05)


def test_levels_are_counted_most_frequent_first_and_rare_ones_together(mixed):
    data = histogram_figure(mixed.rows, "color").data
    assert data.edges == ()
    named = [at for at, level in enumerate(data.x.levels) if level in COLORS]
    counts = [data.count[at] for at in named]
    expected = mixed.X["color"].value_counts()
    assert counts == sorted((expected[data.x.levels[at]] for at in named), reverse=True)
    assert data.x.levels[-2:] == (MISSING, "(7 others)")
    assert len(data.x.levels) == 21
    assert sum(data.count) == len(mixed.X)
    assert histogram_figure(mixed.rows, "size").data.x.levels == ("s", "m", "l")


def test_dates_have_a_time_axis_and_dates_in_words(mixed):
    figure = histogram_figure(mixed.rows, "sold")
    assert figure.data.x.time
    assert figure.table.rows[0][0].startswith("2020-01-01 to 2020-01-3")


def test_predictions_have_a_histogram_of_their_own(mixed, known, constant):
    figure = predictions_histogram(mixed.rows, 0)
    assert (figure.key, figure.data.x.label) == ("o0-predictions", "prediction of prediction 0")
    assert counted(figure) == len(mixed.X)
    few = predictions_histogram(known.predicted(known.X["a"] > 0)).data
    assert few.x.levels == ("0", "1")
    assert few.count == ((known.X["a"] <= 0).sum(), (known.X["a"] > 0).sum())
    assert predictions_histogram(constant.rows).data == Histogram(
        Axis("prediction", -0.5, 0.5, levels=("3.5",)), (), (500,)
    )


def test_every_row_of_a_light_tailed_feature_is_drawn():
    column = np.random.default_rng(0).uniform(0, 1e-5, size=5000)
    assert sum(_histogram("k", Feature("x", "numeric"), column).data.count) == 5000


def test_bars_stand_between_their_edges_as_high_as_their_counts():
    data = rich_histogram()
    bars, shown = mark(data.scene(), "bars"), [k for k, count in enumerate(data.count) if count]
    assert bars.left == pytest.approx([data.edges[k] for k in shown], abs=0.03)
    assert bars.right == pytest.approx([data.edges[k + 1] for k in shown], abs=0.03)
    assert set(bars.bottom) == {0.0}
    assert bars.top[8] == data.count[8] == 400
    assert bars.tips[8] == "MedInc 5.33 to 5.94\n400 rows"


def test_an_empty_bin_has_no_bar_and_a_single_row_a_visible_one_on_its_level():
    scene = edge_histogram().scene()
    bars = mark(scene, "bars")
    assert [(left + right) / 2 for left, right in zip(bars.left, bars.right, strict=True)] == pytest.approx([0, 1])
    assert bars.top[1] / scene.panels[0].units_up(1.0) == pytest.approx(1)
    assert bars.tips == (f"{TEX} clear\n1,500,000 rows", f"{TEX} {HOSTILE}\n1 row")


def test_bars_beyond_the_axis_are_cut_off():
    bars = mark(Histogram(Axis("x", 1.0, 2.0), (0.0, 1.5, 3.0), (4, 4)).scene(), "bars")
    assert min(bars.left) >= 1.0
    assert max(bars.right) <= 2.0


@pytest.mark.parametrize("data", [rich_histogram(), edge_histogram(), Histogram(Axis("x", 0.0, 1.0), (), ())])
def test_a_small_histogram_has_the_same_bars_and_no_words(data):
    scene = data.small_scene()
    small, large = mark(scene, "bars"), mark(data.scene(), "bars")
    assert scene.size == (150, 36)
    assert not written(scene)
    assert len(small.left) == len(large.left)
    assert max(small.top, default=0) == max(large.top, default=0)


def test_one_live_plot_shows_all_figures_of_a_kind():
    assert_one_form(rich_scatter(), edge_scatter(), scatter(0))
    assert_one_form(rich_histogram(), edge_histogram(), Histogram(Axis("x", 0.0, 1.0), (0.0, 1.0), (0,)))
