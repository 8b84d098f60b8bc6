"""Accumulated local effects against closed forms, where partial dependence and ours say something else."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report.compare import agreement, attribute
from tests.compare.conftest import Case, decompose

CORRELATION = 0.9


@pytest.fixture(scope="module")
def dependent() -> Any:
    """Two standard normal features of correlation 0.9."""
    z = np.random.default_rng(0).normal(size=(4000, 2))
    return np.column_stack([z[:, 0], CORRELATION * z[:, 0] + np.sqrt(1 - CORRELATION**2) * z[:, 1]])


def test_a_linear_function_has_its_slopes_whatever_the_dependence(dependent: Any) -> None:
    found = attribute("ale", lambda rows: 3 * rows[:, 0] - rows[:, 1], dependent)
    expected = np.array([3.0, -1.0]) * dependent
    np.testing.assert_allclose(found.contributions, expected - expected.mean(axis=0), atol=1e-10)


def test_it_stays_on_the_data_where_partial_dependence_leaves_it() -> None:
    rng = np.random.default_rng(0)
    first = rng.uniform(0, 10, size=2000)
    X = np.column_stack([first, first + rng.uniform(-1, 1, size=2000)])

    def cliff(rows: Any) -> Any:
        # Where the features differ by more than 2 there are no rows, and the model says something absurd.
        return rows[:, 0] + 100 * (rows[:, 0] - rows[:, 1] > 2)

    truth = first - first.mean()
    np.testing.assert_allclose(attribute("ale", cliff, X).contributions[:, 0], truth, atol=1e-8)
    averaged = attribute("pdp", cliff, X).contributions[:, 0]
    assert np.sqrt(np.mean((averaged - truth) ** 2)) > 10


def test_a_product_of_dependent_normals_has_a_parabola(dependent: Any) -> None:
    # E[∂(x y)/∂x | x] = E[y | x] = r x, which adds up to r x² / 2.
    found = attribute("ale", lambda rows: rows[:, 0] * rows[:, 1], dependent, bins=60)
    parabola = CORRELATION / 2 * (dependent[:, 0] ** 2 - np.mean(dependent[:, 0] ** 2))
    error = np.sqrt(np.mean((found.contributions[:, 0] - parabola) ** 2))
    assert error < 0.05 * parabola.std()


def test_our_main_effect_of_that_product_is_another_parabola(dependent: Any) -> None:
    # On paper ν_1 = r / (1 + r²) (x² - 1): the two methods share the interaction differently, and words say so.
    def product(rows: Any) -> Any:
        return rows[:, 0] * rows[:, 1]

    dec = decompose(dependent, product(dependent))
    held = agreement(dec, dependent, attribute("ale", product, dependent))
    ratio = held.features[0].ours / held.features[0].theirs
    assert held.features[0].correlation > 0.99
    assert ratio == pytest.approx(2 / (1 + CORRELATION**2), rel=0.05)
    assert "share an interaction differently" in held.why


def test_few_values_are_intervals_of_their_own() -> None:
    X = np.random.default_rng(0).integers(0, 4, size=(300, 2)).astype(float)
    steps = np.array([0.0, 5.0, -1.0, 2.0])
    found = attribute("ale", lambda rows: steps[np.asarray(rows)[:, 0].astype(int)], X)
    expected = steps[X[:, 0].astype(int)]
    np.testing.assert_allclose(found.contributions[:, 0], expected - expected.mean(), atol=1e-12)
    np.testing.assert_allclose(found.contributions[:, 1], 0.0, atol=1e-12)


def test_what_has_no_order_has_no_accumulated_effect_and_the_note_says_so(mixed: Case) -> None:
    found = attribute("ale", mixed.model, mixed.X, like=mixed.dec)
    assert np.isnan(found.contributions[:, 0]).all()
    assert "these have none: color" in found.note
    ages = mixed.X["age"].to_numpy()
    known = ~np.isnan(ages)
    np.testing.assert_array_equal(np.isnan(found.contributions[:, 2]), ~known)
    np.testing.assert_allclose(found.contributions[known, 2], ages[known] - ages[known].mean(), atol=1e-8)
    held = agreement(mixed.dec, mixed.X, found)
    assert (held.features[0].correlation, held.features[0].distance, held.features[0].n_rows) == (None, None, 0)
    assert held.features[2].n_rows == known.sum()
    assert held.features[2].correlation > 0.99


def test_ordered_levels_have_an_order() -> None:
    levels = ["small", "middle", "large"]
    codes = np.random.default_rng(0).integers(0, 3, size=200)
    frame = pd.DataFrame({"size": pd.Categorical.from_codes(codes, levels, ordered=True), "x": np.arange(200.0)})
    found = attribute("ale", lambda rows: rows["size"].cat.codes.to_numpy() ** 2, frame)
    np.testing.assert_allclose(found.contributions[:, 0], codes**2 - np.mean(codes**2), atol=1e-12)
