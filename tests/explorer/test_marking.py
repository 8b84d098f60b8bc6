import numpy as np
import pytest
from anova_report.figures.columns import Rows, main_effect, pair_surface, scatter_figure, shares_figure

from anova_report.explorer.pointing import marked, marked_row, place, value_at
from tests.explorer import examples


@pytest.fixture(scope="module")
def mixed() -> Rows:
    return examples.mixed().state().rows


@pytest.fixture(scope="module")
def known() -> Rows:
    return examples.known().state().rows


def surfaces(rows):
    return [term for term in rows.dec.terms if len(term) == 2]


@pytest.mark.parametrize("index", range(7))
@pytest.mark.parametrize("row", [0, 1, 8])
def test_a_row_is_marked_where_the_figure_itself_would_mark_it(mixed, index, row):
    plain, own = (main_effect(mixed, (index,), row=chosen).data for chosen in (None, row))
    found = marked(main_effect(mixed, (index,)), mixed, (index,), mixed.values[row]).data
    assert plain.marked is None
    assert found.marked == (own.marked if own.marked is None else pytest.approx(own.marked, rel=1e-3))


def test_a_row_is_marked_on_every_surface_where_the_figure_itself_would_mark_it(mixed):
    assert surfaces(mixed)
    for term in surfaces(mixed):
        own = pair_surface(mixed, term, row=5).data.marked
        found = marked(pair_surface(mixed, term), mixed, term, mixed.values[5]).data.marked
        assert found == (own if own is None else pytest.approx(own, rel=1e-3))


def test_a_missing_value_has_no_place_on_a_curve(mixed):
    missing = int(np.flatnonzero(np.isnan(mixed.values[:, 0]))[0])
    assert marked(main_effect(mixed, (0,)), mixed, (0,), mixed.values[missing]).data.marked is None


def test_an_edited_value_is_marked_although_no_row_has_it(known):
    values = np.array([0.123456, 0.5, 0.5])
    assert marked(main_effect(known, (0,)), known, (0,), values).data.marked == 0.123456
    assert marked(pair_surface(known, (0, 2)), known, (0, 2), values).data.marked == (0.123456, 0.5)


def test_a_level_without_a_place_is_not_marked(mixed):
    unseen = np.full(7, -1.0)
    assert marked(main_effect(mixed, (1,)), mixed, (1,), unseen).data.marked is None


def test_other_figures_stay_as_they_are(known):
    figure = shares_figure(known.dec)
    assert marked(figure, known, (0,), known.values[0]) is figure
    assert marked_row(figure, 0, 1.0, 1.0) is figure


def test_levels_are_found_in_the_order_of_the_picture(mixed):
    axis = main_effect(mixed, (1,)).data.x
    codes = {name: float(code) for code, name in enumerate(mixed.dec.features[1].levels)}
    for position, name in enumerate(axis.levels):
        assert place(mixed, 1, axis, codes[name]) == position
        assert value_at(mixed, 1, axis, position + 0.4) == codes[name]


def test_positions_beyond_an_axis_belong_to_its_ends(known, mixed):
    curve, bars = main_effect(known, (0,)).data.x, main_effect(mixed, (1,)).data.x
    assert value_at(known, 0, curve, 99.0) == curve.high
    assert value_at(mixed, 1, bars, -3.0) == value_at(mixed, 1, bars, 0.0)


def test_a_row_among_the_points_is_marked_without_another_point(known):
    figure = scatter_figure(known)
    row = figure.data.rows[17]
    found = marked_row(figure, row, 0.0, 0.0).data
    assert (found.marked, found.rows, found.at) == (17, figure.data.rows, figure.data.at)


def test_a_row_that_is_no_point_becomes_the_last_and_fits_into_the_picture(known):
    figure = scatter_figure(known)
    row = next(row for row in range(len(known)) if row not in figure.data.rows)
    found = marked_row(figure, row, 99.0, -99.0).data
    assert (found.marked, found.rows[-1], found.at[-1], found.value[-1]) == (len(figure.data.at), row, 99.0, -99.0)
    assert found.x.low <= -99.0
    assert found.y.high >= 99.0
