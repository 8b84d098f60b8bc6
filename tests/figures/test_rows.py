"""Rows: encoded once, sampled the same way every time, evaluated only where a figure needs it; effects with bands."""

import numpy as np
import pytest

from anova_report import FunctionalANOVA, measures
from anova_report.core.result.expansion import Expansion
from anova_report.errors import InputError, UnknownTermError
from anova_report.figures.effects import main_effect
from anova_report.figures.geometry import Axis
from anova_report.figures.pairs import pair_surface
from anova_report.figures.rows import (
    SAMPLE_ROWS,
    Effect,
    Rows,
    bounds,
    effect_axis,
    effect_columns,
    effect_head,
    term_of_order,
)
from anova_report.figures.slices import pair_slices

ALONG = Axis("effect", -1.0, 1.0)
VALUE, NOTHING = np.array([-1.0, 0.5, 1.0]), np.zeros(2)


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


def test_a_main_effect_of_81_features_evaluates_one_component_on_a_grid_and_on_the_rows_of_its_words(wide, evaluated):
    main_effect(wide.rows, 3)
    assert 0 < sum(evaluated) <= 250 + len(wide.rows.looked_at)


def test_a_surface_evaluates_one_component_on_its_cells_and_on_the_rows_of_its_words(known, evaluated):
    pair_surface(known.rows, ("a", "c"))
    assert sum(evaluated) == 36 * 36 + len(known.X)


def test_the_sample_is_the_same_every_time_and_another_for_another_seed(wide):
    first, again = (Rows.of(wide.dec, wide.X) for _ in range(2))
    other = Rows.of(wide.dec, wide.X, seed=1)
    np.testing.assert_array_equal(first.sample, again.sample)
    assert not np.array_equal(first.sample, other.sample)
    assert len(np.unique(first.sample)) == SAMPLE_ROWS
    assert (np.diff(first.sample) > 0).all()


def test_explained_are_the_explanations_of_the_sample(wide):
    sample = wide.rows.sample
    np.testing.assert_allclose(wide.rows.explained[:, 0], wide.dec.predict(wide.X[sample]), rtol=1e-12)


def test_a_component_does_not_depend_on_the_columns_it_does_not_have(mixed):
    """The first row serves for the other columns, whatever it holds."""
    at = np.array([1.0, 10.0])
    reordered = Rows.of(mixed.dec, mixed.X.iloc[::-1])
    for output in (0, 1):
        np.testing.assert_array_equal(mixed.rows.component((0,), [at], output), reordered.component((0,), [at], output))


def test_an_effect_on_a_grid_is_the_component_with_its_band_if_there_is_one(known, published):
    at = np.linspace(-0.9, 0.9, 7)
    table = known.X.head(7).assign(a=at)
    band = measures.bands(known.dec, "a", table)
    effect = known.rows.effect((0,), [at], 0)
    np.testing.assert_array_equal(effect.value, band.value)
    np.testing.assert_array_equal(effect.lower, band.lower)
    np.testing.assert_array_equal(effect.upper, band.upper)
    np.testing.assert_array_equal(effect[2:4].upper, band.upper[2:4])
    without = published.rows.effect((0,), [np.array([0.0, 0.5])], 0)
    assert without.lower is without[:1].upper is None


def test_features_are_found_by_name_and_position(mixed):
    assert mixed.rows.feature("size") == mixed.rows.feature(2) == 2
    for wrong in ("weight", 6, -1):
        with pytest.raises(UnknownTermError, match="There is no feature"):
            mixed.rows.feature(wrong)


@pytest.mark.parametrize("row", [-1, 4000])
def test_a_row_that_is_not_there_is_refused(known, row):
    with pytest.raises(InputError, match=f"There is no row {row}; the positions of the 4,000 rows begin with 0"):
        main_effect(known.rows, "a", row=row)


def test_a_table_must_have_rows_and_predictions_must_fit_them_and_the_outputs(mixed):
    with pytest.raises(InputError, match="The table has no rows"):
        Rows.of(mixed.dec, mixed.X.head(0))
    with pytest.raises(InputError, match="Pass one prediction per row"):
        Rows.of(mixed.dec, mixed.X, mixed.predictions[1:])
    with pytest.raises(InputError, match=r"have 1 output\(s\) and the decomposition 2"):
        Rows.of(mixed.dec, mixed.X, mixed.predictions[:, 0])


def test_a_term_of_another_order_is_refused(known):
    assert term_of_order(known.dec, ("c", "a"), 2) == (0, 2)
    with pytest.raises(InputError, match=r"A term of 1 feature\(s\) is drawn here, and a × c has 2"):
        main_effect(known.rows, ("a", "c"))
    with pytest.raises(InputError, match=r"A term of 2 feature\(s\)"):
        pair_surface(known.rows, "a")
    with pytest.raises(UnknownTermError, match="There is no component"):
        pair_slices(known.rows, ("a", "b"))


def test_outputs_are_drawn_by_name_or_position_and_others_refused(mixed):
    with pytest.raises(InputError, match="Choose one of the outputs"):
        main_effect(mixed.rows, 0, output=2)
    assert main_effect(mixed.rows, "rooms", "prediction 1") == main_effect(mixed.rows, "rooms", 1)


def test_a_single_row_can_be_drawn():
    X = np.random.default_rng(0).normal(size=(200, 2))
    dec = FunctionalANOVA.published(K=1, d=2).fit(X, X[:, 0]).decomposition_
    rows = Rows.of(dec, X[:1], [X[0, 0]])
    axis = main_effect(rows, 0).data.x
    assert axis.low < X[0, 0] < axis.high


def test_bounds_are_as_fine_as_the_effect_and_empty_where_unknown():
    lower, upper = bounds(Effect(VALUE, VALUE - 1 / 3, VALUE + 1 / 3))
    assert (lower, upper) == ((-1.3333, 0.1667, 0.6667), (-0.6667, 0.8333, 1.3333))
    assert bounds(Effect(VALUE, None, None)) == ((), ())
    assert bounds(Effect(NOTHING, NOTHING - 0.001, NOTHING + 0.001)) == ((-0.001, -0.001), (0.001, 0.001))


@pytest.mark.parametrize(("value", "half", "least"), [(VALUE, 0.5, 1.5), (VALUE, 1e6, 1.0), (NOTHING, 7, 7)])
def test_the_axis_holds_the_band_unless_it_would_squash_the_effect(known, value, half, least):
    axis = effect_axis(known.dec, Effect(value, value - half, value + half), 0)
    assert axis.low < -least
    assert axis.high > least
    assert axis.high - axis.low < 4 * max(np.ptp(value), 4.0)
    assert axis.label == "effect on the prediction"


def test_tables_have_bounds_only_where_they_are_known():
    with_band, without = Effect(VALUE, VALUE - 1, VALUE + 1), Effect(VALUE, None, None)
    assert len(effect_head(with_band)) == len(effect_columns(with_band, ALONG)) == 3
    assert len(effect_head(without)) == len(effect_columns(without, ALONG)) == 1
    assert effect_columns(with_band, ALONG)[1] == ["−2", "−0.5", "0"]
