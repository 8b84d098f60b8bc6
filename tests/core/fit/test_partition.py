"""Units: whole ones are learned from or held out, and copies are told from cells of a table."""

import itertools

import numpy as np
import pytest

from anova_report.core.basis.tally import hash_rows, tally
from anova_report.core.fit.jackknife_groups import REPLICATES
from anova_report.core.fit.partition import divide, find_units
from anova_report.core.fit.row_blocks import ArrayRows, ChunkedRows
from anova_report.core.input.features import Feature
from anova_report.core.input.units import GivenUnits
from anova_report.core.randomness import stream

SHARES = (0.6, 0.2, 0.2)


def units_of(X: np.ndarray, given: np.ndarray | None = None, kinds: str = "", kind: str = "group", source=None):
    """Find the units of a table; the letter n in `kinds` stands for a nominal column."""
    source = source or ArrayRows(X, np.zeros((len(X), 1)))
    features = []
    for index in range(X.shape[1]):
        nominal = kinds[index : index + 1] == "n"
        levels = tuple(map(str, range(int(X[:, index].max()) + 1))) if nominal else ()
        features.append(Feature(f"x{index}", "nominal" if nominal else "numeric", levels))
    units = None if given is None else GivenUnits(kind, given)
    return find_units(source, tally(source, X.shape[1]), features, units, seed=0)


def repeated(n_different: int, times: int, n_features: int = 3) -> np.ndarray:
    """Repeat rows, in random order."""
    rng = np.random.default_rng(n_different)
    X = np.repeat(rng.normal(size=(n_different, n_features)), times, axis=0)
    X[X[:, 0] > 1, 1] = np.nan
    return X[rng.permutation(len(X))]


def whole(parts: np.ndarray, labels: np.ndarray) -> bool:
    """Whether all rows of one label are in one part."""
    pairs = np.unique(np.stack([labels, parts]), axis=1)
    return pairs.shape[1] == len(np.unique(labels))


def everywhere(groups, n_rows: int) -> np.ndarray:
    return np.concatenate([groups(number, min(8192, n_rows - at)) for number, at in enumerate(range(0, n_rows, 8192))])


@pytest.mark.parametrize(("n_different", "times"), [(1000, 5), (4000, 5), (100, 20)])
def test_copies_are_on_one_side_of_every_split(n_different, times):
    X = repeated(n_different, times)
    units = units_of(X)
    assert (units.partition.unit, units.partition.n_units) == ("equal rows", n_different)
    assert units.partition.n_copies == (times - 1) * n_different
    hashes = hash_rows(X)
    groups = everywhere(units.groups(SHARES), len(X))
    for parts in (groups, units.folds(5), everywhere(units.replicates, len(X))):
        assert whole(parts, hashes)
    np.testing.assert_allclose(np.bincount(groups) / len(X), SHARES, atol=0.02)


def test_units_are_the_same_from_chunks_and_for_renamed_permuted_or_stretched_columns():
    X = repeated(3000, 4)
    known = units_of(X).of_rows
    chunks = [(X[at : at + 1000], np.zeros((len(X[at : at + 1000]), 1))) for at in range(0, len(X), 1000)]
    for same in (
        units_of(X, source=ChunkedRows(lambda: chunks)),
        units_of(X[:, ::-1]),
        units_of(np.exp(X)),
    ):
        np.testing.assert_array_equal(same.of_rows, known)


def discrete(levels: tuple[int, ...], n_rows: int) -> np.ndarray:
    return np.column_stack([np.random.default_rng(at).integers(0, n, n_rows) for at, n in enumerate(levels)]).astype(
        float
    )


@pytest.mark.parametrize(
    ("X", "kinds"),
    [
        (discrete((3, 4, 5), 5000), ""),
        (discrete((2,) * 9, 5000), ""),
        (discrete((30, 30), 5000), "nn"),
        (discrete((30, 30), 5000), ""),
        (discrete((100,), 5000), ""),
        (discrete((12, 24, 7, 60), 5000), ""),
        (np.random.default_rng(0).normal(size=(5000, 2)), ""),
    ],
    ids=["3x4x5", "nine binary", "two nominal", "two numbers", "one number", "calendar", "continuous"],
)
def test_rows_of_few_values_and_rows_without_copies_stay_on_their_own(X, kinds):
    units = units_of(X, kinds=kinds)
    assert (units.partition.unit, units.partition.n_units, units.partition.n_copies) == ("row", len(X), 0)
    assert units.of_rows is None


@pytest.mark.parametrize(("n_units", "n_rows"), [(5, 300), (23, 6000), (500, 6000)])
def test_named_groups_stay_whole_and_parts_are_balanced(n_units, n_rows):
    rng = np.random.default_rng(0)
    # Few large and many small groups.
    codes = np.append(np.arange(n_units), (n_units * rng.random(n_rows - n_units) ** 2).astype(np.intp))
    units = units_of(rng.normal(size=(n_rows, 2)), codes)
    assert (units.partition.unit, units.partition.n_units) == ("group", n_units)
    folds = units.folds(5)
    replicates = everywhere(units.replicates, n_rows)
    groups = everywhere(units.groups(SHARES), n_rows)
    assert all(whole(parts, codes) for parts in (folds, replicates, groups))
    assert len(np.unique(folds)) == 5
    assert len(np.unique(groups)) == 3
    assert len(np.unique(replicates)) == min(n_units, REPLICATES)
    largest = np.bincount(codes).max()
    assert np.ptp(np.bincount(folds)) <= largest
    # Replicates are joined by fours where the noise of a projection is measured: few of them must not fall together.
    assert len(np.unique(replicates // 4)) >= min(n_units, 14)


def test_the_largest_units_are_divided_first_each_to_the_emptiest_part():
    for seed, sizes in itertools.product(range(5), ([5, 4, 3, 3, 3], [9, 1, 1, 1, 1, 1, 1, 1, 1, 1])):
        parts = divide(np.array(sizes, dtype=float), [0.5, 0.5], stream(seed, "parts"))
        assert abs(np.diff(np.bincount(parts, weights=sizes)))[0] <= 2
    assert len({tuple(divide(np.ones(12), [0.5, 0.5], stream(seed, "parts"))) for seed in range(5)}) == 5


def test_groups_that_share_copies_are_joined():
    X = np.random.default_rng(0).normal(size=(1000, 2))
    codes = np.arange(1000) // 50
    X[50:60], X[110:120] = X[0:10], X[55:65]  # group 0 with 1, and 1 with 2
    units = units_of(X, codes)
    assert units.partition.n_units == 18
    assert units.partition.n_apart == 0
    assert whole(units.folds(5), hash_rows(X))
    assert len(set(units.folds(5)[:150].tolist())) == 1


def test_copies_that_would_chain_all_groups_together_are_counted_instead():
    X = np.random.default_rng(0).normal(size=(1000, 2))
    X[500:] = X[:500]
    codes = np.tile(np.arange(20), 50)
    codes[500:] = np.random.default_rng(1).integers(0, 20, size=500)
    units = units_of(X, codes, kind="time block")
    assert (units.partition.unit, units.partition.n_units, units.partition.n_copies) == ("time block", 20, 500)
    assert units.partition.n_apart == 2 * (codes[500:] != codes[:500]).sum()
    np.testing.assert_array_equal(units.of_rows, codes)


def test_equal_rows_have_one_hash_and_others_each_their_own():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 300, size=(50_000, 2)).astype(float)
    X[rng.random(len(X)) < 0.1, 1] = np.nan
    X[(X[:, 0] == 0) & (rng.random(len(X)) < 0.5), 0] = -0.0
    n_different = len(np.unique(np.nan_to_num(X, nan=-1.0) + 0.0, axis=0))
    hashes = np.unique(hash_rows(X))
    assert len(hashes) == n_different
    bits = np.unpackbits(hashes.view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
    assert abs(bits - 0.5).max() < 0.02
