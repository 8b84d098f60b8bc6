"""Main effects inside an EBM's interactions: what is orthogonal to what, and projections known on paper."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report.compare.methods.additive import bins_of_rows, main_parts, without_mains
from anova_report.core.libraries import library, quiet
from tests.compare.peers import needs

pytestmark = needs("interpret")

N_ROWS = 1200
FAST = {"outer_bags": 1, "max_rounds": 30, "n_jobs": 1, "random_state": 0}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Dependent numbers, some of them missing, and a level that depends on them."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=N_ROWS)
    b = 0.8 * a + 0.6 * rng.normal(size=N_ROWS)
    town = np.where(a + rng.normal(size=N_ROWS) > 0, "Rome", "Oslo")
    return pd.DataFrame({"a": np.where(rng.random(N_ROWS) < 0.1, np.nan, a), "b": b, "town": pd.Categorical(town)})


@pytest.fixture(scope="module")
def machine(frame: pd.DataFrame) -> Any:
    target = frame["a"].fillna(2.0) * frame["b"] + (frame["town"] == "Rome") * frame["b"]
    made = library("interpret.glassbox", "EBM").ExplainableBoostingRegressor(
        interactions=[("a", "b"), ("b", "town")], **FAST
    )
    with quiet():
        return made.fit(frame, target)


def counted(bins: Any, shape: tuple[int, ...]) -> np.ndarray:
    counts = np.zeros(shape)
    for cell in zip(*bins, strict=True):
        counts[cell] += 1
    return counts


def pairs_of(machine: Any) -> list[int]:
    found = [index for index, term in enumerate(machine.term_features_) if len(term) == 2]
    assert len(found) == 2
    return found


def test_bins_lead_to_the_scores_of_the_ebm_and_missing_values_have_their_own(
    machine: Any, frame: pd.DataFrame
) -> None:
    terms, bins = machine.eval_terms(frame), bins_of_rows(machine, frame)
    for index, scores in enumerate(machine.term_scores_):
        np.testing.assert_array_equal(scores[bins[index]], terms[:, index])
    [alone] = bins[machine.term_features_.index((0,))]
    assert np.array_equal(alone == 0, frame["a"].isna())


def test_a_purified_pair_is_orthogonal_to_every_bin_of_its_features(machine: Any, frame: pd.DataFrame) -> None:
    bins = bins_of_rows(machine, frame)
    for index in pairs_of(machine):
        scores = machine.term_scores_[index]
        pure = without_mains(scores, counted(bins[index], scores.shape))[0][bins[index]]
        assert pure.std() > 0.01
        for axis in bins[index]:
            averages = pd.Series(pure).groupby(axis).mean()
            np.testing.assert_allclose(averages, 0.0, atol=1e-10)


def test_what_is_taken_from_pairs_is_given_to_mains_so_that_the_sum_stays(machine: Any, frame: pd.DataFrame) -> None:
    bins, terms = bins_of_rows(machine, frame), machine.eval_terms(frame)
    held = main_parts(machine, frame, frame)
    pairs = pairs_of(machine)
    pure = [
        without_mains(machine.term_scores_[i], counted(bins[i], machine.term_scores_[i].shape))[0][bins[i]]
        for i in pairs
    ]
    assert held.std(axis=0).min() > 0.01
    # Both are centered by whoever shows them, so the two may differ by a constant.
    apart = terms[:, pairs].sum(axis=1) - np.sum(pure, axis=0) - held.sum(axis=1)
    assert np.ptp(apart) < 1e-10


def test_the_projection_is_the_least_squares_fit_of_indicators(machine: Any, frame: pd.DataFrame) -> None:
    """Bins are cut and the regression is run here, from what the EBM publishes about itself."""
    cuts_a, cuts_b = (machine.bins_[feature][-1] for feature in (0, 1))
    bin_a = np.where(frame["a"].isna(), 0, np.digitize(frame["a"], cuts_a) + 1)
    bin_b = np.digitize(frame["b"], cuts_b) + 1
    town = frame["town"].map(machine.bins_[2][-1]).astype(int).to_numpy()
    expected = np.zeros((N_ROWS, 3))
    for first, second, codes in ((0, 1, (bin_a, bin_b)), (1, 2, (bin_b, town))):
        term = machine.term_features_.index((first, second))
        columns = [np.equal.outer(code, np.unique(code)).astype(float) for code in codes]
        weights = np.linalg.lstsq(np.hstack(columns), machine.eval_terms(frame)[:, term], rcond=None)[0]
        expected[:, first] += columns[0] @ weights[: columns[0].shape[1]]
        expected[:, second] += columns[1] @ weights[columns[0].shape[1] :]
    found = main_parts(machine, frame, frame)
    np.testing.assert_allclose(found - found.mean(axis=0), expected - expected.mean(axis=0), atol=1e-9)


def test_the_law_is_that_of_other_rows_where_others_are_given(machine: Any, frame: pd.DataFrame) -> None:
    few = frame[:100]
    both = main_parts(machine, few, frame)
    np.testing.assert_array_equal(both, main_parts(machine, frame, frame)[:100])
    assert not np.allclose(both, main_parts(machine, few, few))


@pytest.mark.parametrize("rho", [0.0, 0.6, -0.9])
def test_a_product_of_normal_features_holds_the_squares_that_it_must(rho: float) -> None:
    """On paper: x₀x₁ = ρ + ρ/(1+ρ²)·(x₀²−1 + x₁²−1) + a rest that is orthogonal to functions of x₀ and of x₁."""
    grid = np.linspace(-6, 6, 121)
    x0, x1 = np.meshgrid(grid, grid, indexing="ij")
    density = np.exp(-(x0**2 - 2 * rho * x0 * x1 + x1**2) / (2 * (1 - rho**2)))
    found = without_mains(x0 * x1, density)
    square = rho / (1 + rho**2) * (grid**2 - 1)
    inner = np.abs(grid) < 3.5  # further out the grid ends too soon
    for main in found[1]:
        np.testing.assert_allclose(main[inner], square[inner], atol=1e-6)
    rest = x0 * x1 - rho - square[:, None] - square
    np.testing.assert_allclose(found[0][np.ix_(inner, inner)], rest[np.ix_(inner, inner)], atol=1e-6)


def test_features_that_rows_cannot_tell_apart_get_the_same() -> None:
    values = np.arange(5.0)
    found = without_mains(np.multiply.outer(values, values), np.diag([1.0, 2.0, 3.0, 2.0, 1.0]))
    np.testing.assert_allclose(found[1][0], found[1][1])
    np.testing.assert_allclose(np.diag(found[0]), 0.0, atol=1e-12)


def test_cells_without_rows_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    scores, counts = rng.normal(size=(6, 5)), rng.integers(0, 4, size=(6, 5)).astype(float)
    counts[0], counts[:, -1] = 0.0, 0.0
    other = np.where(counts > 0, scores, 1e6)
    found, again = without_mains(scores, counts), without_mains(other, counts)
    for axis in (0, 1):
        known = counts.sum(axis=1 - axis) > 0
        np.testing.assert_allclose(found[1][axis][known], again[1][axis][known], atol=1e-12)
        np.testing.assert_allclose((found[0] * counts).sum(axis=axis), 0.0, atol=1e-12)


def test_of_three_features_pairs_are_taken_away_before_mains() -> None:
    x, y, z = np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0], indexing="ij")
    found = without_mains(x * y * z + 2 * x * y + 3 * x + z, np.ones((2, 2, 2)))
    np.testing.assert_allclose(found[0], x * y * z, atol=1e-12)
    np.testing.assert_allclose(found[1], [[-3, 3], [0, 0], [-1, 1]], atol=1e-12)
    dependent = np.random.default_rng(0).integers(1, 9, size=(2, 2, 2)).astype(float)
    pure = without_mains(x * y * z + x, dependent)[0]
    for axis in range(3):
        np.testing.assert_allclose((pure * dependent).sum(axis=axis), 0.0, atol=1e-12)
