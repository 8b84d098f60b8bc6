"""Orthogonality and regions of the residual: against the measures, and each cell where its names say."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.core.result.terms import CARRIES
from anova_report.figures import svg
from anova_report.figures.rows import Rows
from anova_report.figures.scene import ScaleBar, Text
from anova_report.figures.style import SMALL
from anova_report.figures.text import width
from anova_report.figures.trust import Cell, Matrix, Regions, _status, matrix_figure, regions_figure
from anova_report.measures.orthogonality import Cosine
from anova_report.measures.status import COSINE, UNEXPLAINED
from anova_report.measures.values import MISSING
from tests.figures.samples import HOSTILE, LONG, edge_matrix, edge_regions, rich_matrix, rich_regions
from tests.figures.scene_items import assert_one_form, legend, mark, written
from tests.ground_truth import FGM


def cosine(value: float, floor: float, share: float = 0.5) -> Cosine:
    return Cosine((0, 1), (0,), "a × b | a", share, 0.0, 0.01, value, floor, None)


def test_cells_are_cosines_of_their_terms_with_the_main_effect_of_their_row_or_the_mean(known):
    data = matrix_figure(known.dec).data
    measured = {(item.term, item.part): item for item in measures.orthogonality(known.dec).cosines}
    places = [known.dec.feature_names.index(name) for name in data.features]
    assert len(data.cells) == 3 + 2
    for cell in data.cells:
        row, column = places[cell.row], places[cell.column]
        assert cell.term == tuple(sorted({row, column}))
        item = measured[cell.term, () if row == column else (row,)]
        assert (cell.value, cell.floor) == pytest.approx((item.held_out, item.held_out_floor), abs=1e-6)
        assert cell.share == pytest.approx(item.share, abs=1e-6)
        assert cell.label == item.label
    assert data.limit == COSINE.fail


def test_without_held_out_rows_the_rows_of_the_fit_are_judged(published):
    figure = matrix_figure(published.dec)
    measured = {item.label: item for item in measures.orthogonality(published.dec).cosines}
    for cell in figure.data.cells:
        assert cell.value == pytest.approx(measured[cell.label].cosine, abs=1e-6)
        assert cell.floor == pytest.approx(measured[cell.label].noise_floor, abs=1e-6)
    assert figure.alt.startswith("On the rows of the fit,")


@pytest.mark.parametrize(
    ("item", "status"),
    [
        (cosine(-0.01, 0.01), "fine"),
        (cosine(COSINE.warn, 0.01), "slight"),
        (cosine(0.099, 0.1), "fine"),  # beyond the limit, but chance can give it
        (cosine(-0.101, 0.1), "beyond"),
        (cosine(0.9, 0.01, share=CARRIES * 0.99), "small"),
        (cosine(0.9, 0.01, share=CARRIES), "beyond"),
    ],
)
def test_a_status_goes_by_chance_the_limit_and_the_size_of_the_term(item, status):
    assert _status(item) == status


@pytest.fixture(scope="module")
def leaky() -> Decomposition:
    """The published estimator with too coarse a density: pairs keep parts of main effects."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=800)
    X = np.column_stack([first, 0.8 * first + 0.6 * rng.normal(size=800)])
    return FunctionalANOVA.published(K=2, d=3, d_density=0).fit(X, X[:, 0] * X[:, 1] + X[:, 0] ** 3).decomposition_


def test_a_leaky_pair_is_beyond_the_limit_and_orthogonal_components_are_not(leaky):
    figure = matrix_figure(leaky)
    beyond = [cell for cell in figure.data.cells if cell.status == "beyond"]
    assert measures.findings(leaky)["AR004"].status == "fail"
    assert max(beyond, key=lambda cell: abs(cell.value)).label in figure.alt
    assert figure.table.rows[0][-1] == "beyond the limit"
    X = FGM.draw(4000, np.random.default_rng(0))
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, FGM.predictions(X)).decomposition_
    assert not [cell for cell in matrix_figure(dec).data.cells if cell.status == "beyond"]


def test_of_many_features_those_with_pairs_are_drawn_and_triples_are_left_out(wide, triple):
    data = matrix_figure(wide.dec).data
    assert {(cell.row, cell.column) for cell in data.cells} == {(at, at) for at in range(16)}
    assert len(matrix_figure(triple.dec).data.cells) == 3 + 2 * 3
    two = matrix_figure(triple.dec, top=2).data
    assert len(two.features) == 2
    assert sum(cell.row != cell.column for cell in two.cells) == 2


def test_terms_too_small_to_count_come_last_and_are_all_that_a_constant_has(known, constant):
    figure = matrix_figure(constant.dec)
    assert {cell.status for cell in figure.data.cells} == {"small"}
    assert figure.alt.startswith("No interaction has a structural share of 1% or more")
    statuses = [line[-1] for line in matrix_figure(known.dec).table.rows]
    assert statuses == sorted(statuses, key=lambda status: status == "of a term too small to count")


def matrix(*cells: Cell, n: int = 3) -> Matrix:
    return Matrix(tuple(f"feature {k}" for k in range(n)), cells, 0.1)


def cell(row: int, column: int, value: float = 0.05, status: str = "slight") -> Cell:
    return Cell(row, column, "label", value, 0.02, 0.1, status, (row, column))


def middles(boxes) -> set[tuple[float, float]]:
    """Row and column of boxes over one cell each."""
    sides = zip(boxes.left, boxes.right, boxes.bottom, boxes.top, strict=True)
    return {((bottom + top) / 2, (left + right) / 2) for left, right, bottom, top in sides}


def test_cells_are_colored_by_size_and_marked_by_status():
    scene = matrix(
        cell(0, 1, -0.09, "beyond"), cell(1, 0), cell(2, 1, 0.09, "small"), cell(2, 2, 0.09, "fine"), cell(0, 7)
    ).scene()
    heat = mark(scene, "cosines")
    assert heat.value == ((None, 0.09, None), (0.05, None, None), (None, 0.09, None))
    assert middles(mark(scene, "small")) == {(2, 1)}
    assert middles(mark(scene, "chance")) == {(2, 2)}
    (ring,) = zip(mark(scene, "beyond").x, mark(scene, "beyond").y, strict=True)
    assert (sum(ring[0][:4]) / 4, sum(ring[1][:4]) / 4) == pytest.approx((1, 0))
    panel = scene.panels[0]
    assert panel.down(2) > panel.down(0)  # rows are read from the top
    assert panel.across(2) > panel.across(0)


def test_a_click_on_a_cell_goes_to_its_term_and_hovering_says_all_of_it():
    cells = mark(rich_matrix().scene(), "cells")
    assert cells.color is None
    assert cells.keys == tuple(cell.term for cell in rich_matrix().cells)
    assert cells.tips[1] == "MedIncHouseAge\ncosine 0.060: beyond the limit\nnoise floor 0.020, structural share 5.0%"
    older = replace(rich_matrix(), cells=tuple(replace(cell, term=()) for cell in rich_matrix().cells))
    assert mark(older.scene(), "cells").keys == ()


def test_cells_of_equal_status_side_by_side_are_one_box():
    boxes = mark(matrix(*(cell(row, at, status="small") for row in (0, 2) for at in (0, 1))).scene(), "small")
    assert sorted(zip(boxes.left, boxes.right, boxes.top, strict=True)) == [(-0.5, 1.5, -0.5), (-0.5, 1.5, 1.5)]


@pytest.mark.parametrize(("value", "words"), [(0.0512, "0.051"), (-0.0512, "0.051"), (2e-16, "0"), (0.0001, "0")])
def test_few_features_have_numbers_in_their_cells(value, words):
    numbers = mark(matrix(cell(0, 1, value), n=10).scene(), "numbers")
    assert (numbers.x, numbers.y, numbers.words) == ((1,), (0,), (words,))
    panel = matrix(n=10).scene().panels[0]
    assert width("0.123", SMALL) <= panel.across(1) - panel.across(0)
    assert mark(matrix(cell(0, 1, value), n=11).scene(), "numbers").words == ()


@pytest.mark.parametrize("status", ["fine", "slight", "beyond", "small"])
def test_the_legend_explains_what_is_there_and_nothing_else(status):
    words = {"beyond": "beyond the limit", "fine": "within what chance gives", "small": "pale: term too small to count"}
    found = [entry.words for entry in legend(matrix(cell(0, 1, status=status)).scene()).entries]
    assert found == ([words[status]] if status in words else [])


@pytest.mark.parametrize("n", [0, 1, 2, 16, 40, 81])
def test_any_number_of_features_fits(n):
    scene = matrix(*(cell(k, (k + 1) % n) for k in range(n)), n=n).scene()
    assert scene.frame.right <= scene.size[0]
    assert legend(scene).top + 17 <= scene.size[1]
    rows, columns = mark(scene, "rows"), mark(scene, "columns")
    assert rows.words == columns.words
    assert all(after - before >= 12 for before, after in pairwise(map(scene.panels[0].down, rows.y)))


def test_a_full_matrix_of_81_features_stays_small():
    data = matrix(*(cell(i, j, status="small") for i in range(81) for j in range(81)), n=81)
    assert len(svg.draw(data.scene(), key="k", title="t", alt="a")) < 50_000


def test_the_residual_is_largest_where_it_was_put_and_colors_reach_it(known):
    spoilt = known.predicted(known.dec.predict(known.X) + 5 * (known.X["b"] > 0.7))
    figure = regions_figure(spoilt)
    at = figure.data.features.index("b")
    sizes = np.array(figure.data.gap[at])
    assert sizes[-1] == sizes.max() == pytest.approx(5 / spoilt.predictions.std(), rel=1e-3)
    assert sizes[:8].max() == pytest.approx(0, abs=1e-6)
    assert f"where b is {figure.data.bins[at][-1]}" in figure.alt
    assert figure.data.limit == pytest.approx(sizes.max(), rel=1e-3)
    assert regions_figure(known.rows).data.limit == pytest.approx(UNEXPLAINED.fail**0.5, abs=1e-3)


def test_residuals_are_root_mean_squares_over_the_standard_deviation(known):
    noisy = known.predictions + np.random.default_rng(0).normal(size=len(known.predictions))
    rows = known.predicted(noisy)
    data = regions_figure(rows).data
    residual = (noisy - known.dec.predict(known.X))[rows.sample]
    assert data.features[0] == "a"
    for sizes, count in zip(data.gap, data.count, strict=True):
        overall = np.sqrt(np.average(np.square(sizes), weights=count))
        assert overall == pytest.approx(np.sqrt((residual**2).mean()) / noisy.std(), rel=1e-3)
        assert len(count) == 10
        assert sum(count) == len(rows.sample)
        assert max(count) - min(count) <= 5


def test_levels_and_missing_values_are_regions_of_their_own(mixed):
    figure = regions_figure(mixed.rows, 0)
    data = figure.data
    bins, counts = (dict(zip(data.features, found, strict=True)) for found in (data.bins, data.count))
    assert bins["size"] == ("s", "m", "l")
    assert bins["income"][-1] == MISSING
    assert len(bins["color"]) == max(map(len, bins.values())) == 10
    assert counts["income"][-1] == mixed.X["income"].iloc[mixed.rows.sample].isna().sum()
    assert len(figure.table.rows) == sum(map(len, data.bins))


def test_only_the_features_that_move_the_predictions_most_are_shown(wide):
    ranked = measures.feature_totals(wide.dec).ranked()
    assert regions_figure(wide.rows).data.features == tuple(total.feature for total in ranked[:8])


def test_a_constant_model_has_no_residual(constant):
    data = regions_figure(constant.rows).data
    assert {size for sizes in data.gap for size in sizes} == {0.0}
    assert data.limit > 0


def test_a_feature_of_which_nearly_all_rows_are_equal_has_few_regions(published):
    table = published.X.copy()
    table[: len(table) * 19 // 20, 0] = 0.5
    data = regions_figure(Rows.of(published.dec, table, published.predictions)).data
    assert 1 <= len(data.bins[data.features.index("x0")]) <= 3
    assert sum(data.count[data.features.index("x0")]) == len(table)


def regions(**changes) -> Regions:
    plain = Regions(
        features=("age", "sex"),
        bins=(("17 to 30", "30 to 50", "50 to 90"), ("Female", "Male")),
        gap=((0.1, 0.4, 0.2), (0.05, 9.0)),
        count=((10, 20, 30), (30, 0)),
        limit=0.5,
    )
    return replace(plain, **changes)


def test_a_region_without_rows_is_grey_and_what_is_no_region_is_blank():
    scene = regions().scene()
    assert mark(scene, "residuals").value == ((0.1, 0.4, 0.2) + (None,) * 7, (0.05,) + (None,) * 9)
    assert middles(mark(scene, "empty")) == {(1, 1)}
    cells = mark(scene, "cells")
    assert len(cells.left) == 5
    assert cells.tips[1] == "age: 30 to 50\nresidual 0.4 standard deviations\n20 rows"
    assert cells.tips[4] == "sex: Male\n\n0 rows"


def test_the_largest_residual_with_rows_is_written_in_its_cell_and_named_beside_it():
    scene = regions().scene()
    largest, places = mark(scene, "largest"), mark(scene, "places")
    assert (largest.x, largest.y, largest.words) == ((1, 0), (0, 1), ("0.4", "0.05"))
    assert places.words == ("30 to 50", "Female")
    assert mark(regions(gap=((0.1, 0.4, 0.2), (0.4, 0.1))).scene(), "largest").bold == (True, True)
    assert mark(rich_regions().scene(), "places").words == ("2 to 3", "mist", "g")
    assert mark(edge_regions().scene(), "places").words == ("no rows",)


def test_more_regions_than_columns_are_cut_off():
    many = tuple(map(str, range(14)))
    scene = Regions(("a",), (many,), ((0.1,) * 14,), ((5,) * 14,), 0.2).scene()
    assert len(mark(scene, "residuals").value[0]) == len(mark(scene, "cells").left) == 10


@pytest.mark.parametrize(
    "data",
    [
        regions(features=(LONG, HOSTILE), bins=((LONG,) * 3, (HOSTILE,) * 2)),
        Matrix((LONG, HOSTILE), (cell(0, 1), cell(1, 0)), 0.1),
    ],
)
def test_names_have_room_or_are_cut_and_the_scale_says_its_ends(data):
    scene = data.scene()
    named = [item for item in scene.items if isinstance(item, Text) and {LONG, HOSTILE} & set(item.words)]
    assert len(named) == 2
    assert all(item.room is not None for item in named)
    (bar,) = (item for item in scene.items if isinstance(item, ScaleBar))
    assert bar.texts == ("0", "0.5" if isinstance(data, Regions) else "0.1")
    assert any("standard deviations" in text or "cosine of the pair" in text for text in written(scene))


def test_one_live_plot_shows_all_figures_of_a_kind():
    assert_one_form(rich_matrix(), edge_matrix(), matrix(cell(0, 1), n=81), matrix(n=0))
    assert_one_form(rich_regions(), edge_regions(), Regions((), (), (), (), 0.0))
