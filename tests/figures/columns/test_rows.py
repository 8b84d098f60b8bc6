"""Rows: encoded once, sampled the same way every time, evaluated only where a figure needs it."""

import numpy as np
import pytest

from anova_report import FunctionalANOVA, measures
from anova_report.core.expansion import Expansion
from anova_report.errors import InputError, UnknownTermError
from anova_report.figures import columns
from anova_report.figures.columns import Rows
from anova_report.figures.columns.rows import SAMPLE_ROWS, term_of_order


@pytest.fixture
def evaluated(monkeypatch) -> list[int]:
    """Count rows times components of every evaluation."""
    counts: list[int] = []
    real = Expansion.evaluate

    def counting(self, values, terms=None):
        counts.append(len(values) * len(self.components if terms is None else terms))
        return real(self, values, terms)

    monkeypatch.setattr(Expansion, "evaluate", counting)
    return counts


def test_a_main_effect_of_81_features_evaluates_one_component_on_a_grid(wide, evaluated):
    columns.main_effect(wide.rows, 3)
    assert 0 < sum(evaluated) <= 250


def test_pictures_of_one_row_evaluate_one_row(wide, evaluated):
    columns.waterfall(wide.rows, 17)
    columns.force(wide.rows, 17)
    columns.local_network(wide.rows, 17)
    assert sum(evaluated) == 3 * len(wide.dec.terms)


def test_pictures_of_moments_and_of_values_evaluate_nothing(wide, evaluated):
    columns.shares_figure(wide.dec)
    columns.totals_figure(wide.dec)
    columns.network_figure(wide.dec)
    columns.matrix_figure(wide.dec)
    columns.histogram_figure(wide.rows, 80)
    columns.answers_histogram(wide.rows)
    assert evaluated == []


def test_pictures_of_the_gap_share_one_evaluation_of_the_sample(wide, evaluated):
    rows = Rows.of(wide.dec, wide.X, wide.answers)
    columns.scatter_figure(rows)
    columns.regions_figure(rows)
    assert sum(evaluated) == SAMPLE_ROWS * len(wide.dec.terms)
    assert len(rows) > SAMPLE_ROWS


def test_a_surface_evaluates_one_component_on_its_cells(known, evaluated):
    columns.pair_surface(known.rows, ("a", "c"))
    assert sum(evaluated) == 36 * 36


def test_the_sample_is_the_same_every_time_and_another_for_another_seed(wide):
    first, again = (Rows.of(wide.dec, wide.X) for _ in range(2))
    other = Rows.of(wide.dec, wide.X, seed=1)
    np.testing.assert_array_equal(first.sample, again.sample)
    assert not np.array_equal(first.sample, other.sample)
    assert len(np.unique(first.sample)) == SAMPLE_ROWS
    assert (np.diff(first.sample) > 0).all()


def test_few_rows_are_all_in_the_sample(published):
    np.testing.assert_array_equal(published.rows.sample, np.arange(len(published.X)))


def test_explained_are_the_explanations_of_the_sample(wide):
    sample = wide.rows.sample
    np.testing.assert_allclose(wide.rows.explained[:, 0], wide.dec.predict(wide.X[sample]), rtol=1e-12)


def test_a_component_does_not_depend_on_the_columns_it_does_not_have(mixed):
    """The first row serves for the other columns, whatever it holds."""
    at = np.array([1.0, 10.0])
    reordered = Rows.of(mixed.dec, mixed.X.iloc[::-1])
    for output in (0, 1):
        np.testing.assert_array_equal(mixed.rows.component((0,), [at], output), reordered.component((0,), [at], output))


def test_an_effect_on_a_grid_is_the_component_with_its_band(known):
    at = np.linspace(-0.9, 0.9, 7)
    table = known.X.head(7).assign(a=at)
    band = measures.bands(known.dec, "a", table)
    effect = known.rows.effect((0,), [at], 0)
    np.testing.assert_array_equal(effect.value, band.value)
    np.testing.assert_array_equal(effect.lower, band.lower)
    np.testing.assert_array_equal(effect.upper, band.upper)
    np.testing.assert_array_equal(effect[2:4].upper, band.upper[2:4])


def test_without_uncertainty_an_effect_has_no_bounds(published):
    effect = published.rows.effect((0,), [np.array([0.0, 0.5])], 0)
    assert effect.lower is None
    assert effect[:1].upper is None


def test_a_row_is_explained_with_its_answer(mixed):
    found = mixed.rows.explanation(5, 1)
    assert found.answer == mixed.answers[5, 1]
    assert found == measures.explanation(mixed.dec, mixed.X.iloc[[5]], mixed.answers[5, 1], output=1)


def test_features_are_found_by_name_and_position(mixed):
    assert mixed.rows.feature("size") == mixed.rows.feature(2) == 2
    for wrong in ("weight", 6, -1):
        with pytest.raises(UnknownTermError, match="There is no feature"):
            mixed.rows.feature(wrong)


@pytest.mark.parametrize("row", [-1, 4000])
def test_a_row_that_is_not_there_is_refused(known, row):
    with pytest.raises(InputError, match=f"There is no row {row}; the positions of the 4,000 rows begin with 0"):
        columns.waterfall(known.rows, row)


def test_a_table_without_rows_is_refused(known):
    with pytest.raises(InputError, match="The table has no rows"):
        Rows.of(known.dec, known.X.head(0))


def test_answers_must_fit_the_rows_and_the_outputs(mixed):
    with pytest.raises(InputError, match="Pass one answer per row"):
        Rows.of(mixed.dec, mixed.X, mixed.answers[1:])
    with pytest.raises(InputError, match=r"have 1 output\(s\) and the decomposition 2"):
        Rows.of(mixed.dec, mixed.X, mixed.answers[:, 0])


@pytest.mark.parametrize("draw", [columns.scatter_figure, columns.regions_figure, columns.answers_histogram])
def test_figures_that_need_answers_say_so(known, draw):
    with pytest.raises(InputError, match="Pass answers with the rows"):
        draw(Rows.of(known.dec, known.X))


def test_a_term_of_another_order_is_refused(known):
    assert term_of_order(known.dec, ("c", "a"), 2) == (0, 2)
    with pytest.raises(InputError, match=r"A term of 1 feature\(s\) is drawn here, and a × c has 2"):
        columns.main_effect(known.rows, ("a", "c"))
    with pytest.raises(InputError, match=r"A term of 2 feature\(s\)"):
        columns.pair_surface(known.rows, "a")
    with pytest.raises(UnknownTermError, match="There is no component"):
        columns.pair_slices(known.rows, ("a", "b"))


def test_an_output_that_is_not_there_is_refused(mixed):
    with pytest.raises(InputError, match="Choose one of the outputs"):
        columns.main_effect(mixed.rows, 0, output=2)


def test_several_outputs_are_drawn_by_name_or_position(mixed):
    assert columns.main_effect(mixed.rows, "rooms", "answer 1") == columns.main_effect(mixed.rows, "rooms", 1)


def test_a_single_row_can_be_drawn():
    X = np.random.default_rng(0).normal(size=(200, 2))
    dec = FunctionalANOVA.published(K=1, d=2).fit(X, X[:, 0]).decomposition_
    rows = Rows.of(dec, X[:1], [X[0, 0]])
    axis = columns.main_effect(rows, 0).data.x
    assert axis.low < X[0, 0] < axis.high
    assert columns.scatter_figure(rows).data.n_rows == 1
    assert columns.regions_figure(rows).data.count[0] == (1,)
    assert sum(columns.histogram_figure(rows, 0).data.count) == 1
