"""Support: rows off the data, levels that were pooled, and cells of a pair that hold too few rows."""

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.errors import InputError
from anova_report.measures.support import CELLS, outside_rows, thin_cells


def fit(X: pd.DataFrame, answers: np.ndarray) -> Decomposition:
    return FunctionalANOVA(random_state=0).fit(X, answers).decomposition_


def fit_pair(X: np.ndarray) -> Decomposition:
    """Fit with all pairs, whatever they explain, as fast as can be."""
    rng = np.random.default_rng(0)
    return FunctionalANOVA.published(K=2, d=1, d_density=0).fit(X, rng.normal(size=len(X))).decomposition_


def rows_of(counts: list[list[int]]) -> np.ndarray:
    """Rows with two features, of which value (i, j) comes as often as the table says."""
    cells = np.argwhere(np.ones_like(counts))
    return np.repeat(cells, np.ravel(counts), axis=0).astype(float)


HAND_MADE = [
    ([[50, 50], [50, 50]], [[0, 0], [0, 0]]),
    ([[495, 5], [5, 495]], [[0, 1], [1, 0]]),  # 250 expected, less than 25 is thin
    ([[475, 25], [25, 475]], [[0, 0], [0, 0]]),
    ([[10, 0, 0], [0, 10, 0], [0, 0, 10]], [[0, 1, 1], [1, 0, 1], [1, 1, 0]]),
    ([[100, 10], [10, 0]], [[0, 0], [0, 1]]),  # 100 / 120 expected, and none there
    ([[100, 10], [10, 1]], [[0, 0], [0, 0]]),  # as many as independent features would put there
]


@pytest.mark.parametrize(("counts", "thin"), HAND_MADE)
def test_a_cell_is_thin_below_a_tenth_of_what_independent_features_would_put_there(counts, thin):
    found, marked = thin_cells(*rows_of(counts).astype(int).T)
    assert found.tolist() == counts
    assert marked.tolist() == np.array(thin, dtype=bool).tolist()


@pytest.mark.parametrize(("counts", "thin"), HAND_MADE)
def test_a_pair_counts_its_rows_in_thin_cells_and_the_share_of_empty_ones(counts, thin):
    X = rows_of(counts)
    (pair,) = measures.support(fit_pair(X), X).pairs
    assert pair.label == "x0 × x1"
    assert pair.thin == np.sum(np.array(counts) * thin)
    assert pair.empty_share == pytest.approx(np.mean(np.array(counts) == 0))


def test_many_values_are_gathered_in_cells_of_equal_frequency():
    first = np.exp(np.linspace(-5, 5, 1200))  # a hundred in each of twelve cells, however they are spaced
    apart, together = (np.column_stack([first, other]) for other in (np.tile([0.0, 1.0], 600), -(first**3)))
    (even,) = measures.support(fit_pair(apart), apart).pairs
    assert (even.thin, even.empty_share) == (0, 0)
    # Of two features of which one follows from the other, only the cells along a diagonal hold rows.
    (diagonal,) = measures.support(fit_pair(together), together).pairs
    assert (diagonal.thin, diagonal.empty_share) == (0, pytest.approx(1 - 1 / CELLS))


def test_missing_values_of_a_feature_with_few_are_a_cell_of_their_own():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 3, size=(2, 4000)).astype(float)
    X = pd.DataFrame({"a": np.where(rng.random(4000) < 0.3, np.nan, a), "b": b})
    dec = fit(X, np.where(X["a"].isna(), b, a * b))
    (pair,) = measures.support(dec, X).pairs
    assert pair.empty_share == 0
    # Where a is missing let b always be 1: two of the cells of a's four values and b's three are empty.
    (dependent,) = measures.support(dec, X.assign(b=np.where(X["a"].isna(), 1.0, b))).pairs
    assert dependent.empty_share == pytest.approx(2 / 12)


def test_the_published_method_has_no_outside():
    X = rows_of([[50, 50], [50, 50]])
    dec = fit_pair(X)
    assert not outside_rows(dec, dec.encode(X * 99)).any()
    assert measures.support(dec, X * 99).outside == 0


def test_unseen_and_pooled_levels_are_counted():
    rng = np.random.default_rng(0)
    levels = rng.choice(["red", "blue", "teal", "plum"], p=[0.6, 0.397, 0.002, 0.001], size=6000)
    X = pd.DataFrame({"colour": levels, "size": rng.normal(size=6000)})
    dec = fit(X, np.asarray(X["size"] + (X["colour"] == "red")))
    pooled = measures.support(dec, X).features[0]
    rare = [level for level in ("plum", "teal") if (levels == level).sum() < 10]
    assert list(pooled.pooled_levels) == (rare if len(rare) > 1 else [])
    new = X.head(10).assign(colour=["gold"] * 4 + ["red"] * 6)
    assert measures.support(dec, new).features[0].outside == 4


def test_the_support_of_no_rows_is_refused():
    X = np.random.default_rng(0).normal(size=(300, 2))
    dec = FunctionalANOVA(max_order=1, random_state=0).fit(X, X[:, 0]).decomposition_
    with pytest.raises(InputError, match="no rows"):
        measures.support(dec, X[:0])
