"""Clumps: clusters and near-copies are seen, ordinary tables of many kinds are not taken for them."""

from collections.abc import Callable

import numpy as np
import pytest

from anova_report.core.basis.tally import tally
from anova_report.core.diagnostics import near_duplicates
from anova_report.core.diagnostics.near_duplicates import NearDuplicates, find_near_duplicates
from anova_report.core.fit.row_blocks import ArrayRows
from anova_report.core.input.features import Feature
from tests.core.small_fits import correlated


def found(X: np.ndarray, units: np.ndarray | None = None, seed: int = 0) -> NearDuplicates | None:
    source = ArrayRows(X, np.zeros((len(X), 1)))
    features = [Feature(f"x{index}", "numeric") for index in range(X.shape[1])]
    return find_near_duplicates(source, tally(source, X.shape[1]), features, units, seed)


def share(X: np.ndarray, units: np.ndarray | None = None, seed: int = 0) -> float | None:
    near = found(X, units, seed)
    return None if near is None else near.share


def clusters(n_clusters: int, size: int, n_features: int, spread: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n_features)
    label = rng.permutation(np.repeat(np.arange(n_clusters), size))
    return rng.normal(size=(n_clusters, n_features))[label] + spread * rng.normal(size=(len(label), n_features)), label


@pytest.mark.parametrize(
    ("n_clusters", "size", "n_features", "spread"),
    [
        (80, 100, 2, 1e-3),
        (80, 100, 5, 1e-3),
        (80, 100, 5, 0.2),  # blurred: no single row shows it
        (80, 100, 10, 0.3),
        (1000, 5, 1, 1e-6),
        (1000, 5, 4, 1e-6),
        (500, 2, 3, 1e-6),
    ],
)
def test_clusters_and_near_copies_are_seen_unless_they_are_units(n_clusters, size, n_features, spread):
    X, label = clusters(n_clusters, size, n_features, spread)
    assert share(X) > (0.9 if spread < 0.1 else 0.6)
    assert share(X, label) < 0.02


@pytest.mark.parametrize(("n_clusters", "size", "spread"), [(150, 20, 1e-4), (150, 20, 1e-2), (1000, 3, 1e-3)])
def test_rows_of_a_cluster_count_as_one(n_clusters, size, spread):
    X, _ = clusters(n_clusters, size, 5, spread)
    assert found(X).distinct == pytest.approx(1 / size, rel=0.2)


def curve(angle: np.ndarray) -> np.ndarray:
    return np.column_stack([np.cos(angle), np.sin(angle), angle / 5])


# Rows of independent units, with all that makes distances odd.
ORDINARY: dict[str, Callable[[int, np.random.Generator], np.ndarray]] = {
    "uniform": lambda n, rng: rng.random((n, 6)),
    "one feature": lambda n, rng: rng.random((n, 1)),
    "correlated": lambda n, _: correlated(n, 1, rho=0.99, n_features=4),
    "collinear": lambda n, rng: rng.normal(size=(n, 2)) @ np.array([[1.0, 1.0, 1.0], [0.0, 0.01, 0.0]]),
    "heavy tails": lambda n, rng: np.column_stack([rng.standard_cauchy((n, 2)), np.exp(3 * rng.normal(size=n))]),
    "rounded": lambda n, rng: np.round(rng.normal(size=(n, 1)), 2),
    "whole numbers": lambda n, rng: rng.poisson(30, size=(n, 3)).astype(float),
    "zeros": lambda n, rng: rng.exponential(size=(n, 4)) * (rng.random((n, 4)) < 0.3),
    "curve": lambda n, rng: curve(30 * rng.random(n)),
    "walk": lambda n, rng: np.cumsum(rng.normal(size=(n, 3)), axis=0),
    "missing": lambda n, rng: np.where(rng.random((n, 3)) < 0.3, np.nan, rng.normal(size=(n, 3))),
    "eight parts": lambda n, rng: 8 * rng.normal(size=(8, 3))[rng.integers(8, size=n)] + rng.normal(size=(n, 3)),
}


@pytest.mark.parametrize("n_rows", [200, 2500])
@pytest.mark.parametrize("kind", ORDINARY)
def test_ordinary_tables_are_not_taken_for_clusters(kind, n_rows):
    near = found(ORDINARY[kind](n_rows, np.random.default_rng(5)))
    assert near.share < 0.04
    assert near.distinct > 0.96


def test_copies_in_few_groups_or_blocks_of_time_are_seen_and_ordinary_rows_are_not():
    X, _ = clusters(600, 5, 3, 1e-6)
    blocks = np.arange(len(X)) * 20 // len(X)
    assert share(X, blocks) > 0.9
    assert share(np.random.default_rng(0).normal(size=(3000, 3)), blocks) == 0.0
    far, label = clusters(30, 100, 3, 1e-3)
    assert share(far, label) < 0.02


def test_of_a_long_table_whole_windows_are_looked_at_so_that_copies_stay_together(monkeypatch):
    monkeypatch.setattr(near_duplicates, "LOOKED_AT_ROWS", 2000)
    X, _ = clusters(6000, 5, 3, 1e-6)
    assert share(X) > 0.9
    assert share(np.random.default_rng(0).normal(size=(30_000, 3))) < 0.02


def test_without_a_column_of_many_values_nothing_is_said():
    assert share(np.random.default_rng(0).integers(0, 10, size=(1000, 3)).astype(float)) is None
    assert share(np.random.default_rng(0).random((30, 3))) is None


@pytest.mark.filterwarnings("error")
def test_values_far_beyond_the_others_are_no_warning_and_change_nothing_for_the_others():
    X = np.random.default_rng(0).normal(size=(400, 3))
    far = X.copy()
    far[:4, 0] = 1e69, -1e60, 1e40, 1e30
    assert share(far) == pytest.approx(share(X), abs=0.02)
