"""Support: rows off the data, levels that were pooled, and cells of a pair that hold too few rows."""

import json

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.errors import InputError
from anova_report.measures.support import CELLS, outside_rows, thin_cells


def fit(X: pd.DataFrame, predictions: np.ndarray) -> Decomposition:
    return FunctionalANOVA(random_state=0).fit(X, predictions).decomposition_


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
    X = pd.DataFrame({"color": levels, "size": rng.normal(size=6000)})
    dec = fit(X, np.asarray(X["size"] + (X["color"] == "red")))
    pooled = measures.support(dec, X).features[0]
    rare = [level for level in ("plum", "teal") if (levels == level).sum() < 10]
    assert list(pooled.pooled_levels) == (rare if len(rare) > 1 else [])
    new = X.head(10).assign(color=["gold"] * 4 + ["red"] * 6)
    assert measures.support(dec, new).features[0].outside == 4


def test_the_support_of_no_rows_is_refused():
    X = np.random.default_rng(0).normal(size=(300, 2))
    dec = FunctionalANOVA(max_order=1, random_state=0).fit(X, X[:, 0]).decomposition_
    with pytest.raises(InputError, match="no rows"):
        measures.support(dec, X[:0])


def correlated(r: float, n_rows: int, seed: int, n_features: int = 2) -> np.ndarray:
    """Normal features of which the first two are correlated."""
    X = np.random.default_rng([seed, 99]).normal(size=(n_rows, n_features))
    X[:, 1] = r * X[:, 0] + np.sqrt(1 - r**2) * X[:, 1]
    return X


@pytest.fixture(scope="module", params=[2, 8], ids=["two features", "eight features"])
def together(request: pytest.FixtureRequest) -> Decomposition:
    X = correlated(0.9, 4000, 0, request.param)
    return FunctionalANOVA(random_state=1).fit(X, X[:, 0] + X[:, 1] + X[:, 0] * X[:, 1]).decomposition_


@pytest.mark.parametrize("r", [-0.9, 0.0])
def test_rows_with_the_same_margins_and_another_joint_law_are_reported(together, r):
    X = correlated(r, 1000, 5, len(together.features))
    joint = measures.support(together, X).joint
    # Nowhere near the diagonal that the rows of the fit lie along: the truth, from the law itself.
    far = np.abs(X[:, 1] - 0.9 * X[:, 0]) > 5 * np.sqrt(1 - 0.81)
    assert joint.pairs[0].term == (0, 1)
    assert joint.pairs[0].rows == joint.unseen >= 0.9 * far.sum() > 0
    found = measures.findings(together, X)["AR010"]
    assert found.status in ("warn", "fail")
    assert "x0 × x1" in found.sentence
    assert found.value < joint.share


def test_fresh_rows_of_the_same_law_and_those_of_the_fit_pass(together):
    fresh, own = (correlated(0.9, 4000, seed, len(together.features)) for seed in (7, 0))
    assert measures.findings(together, fresh)["AR010"].status == "pass"
    assert measures.findings(together, own)["AR010"].sentence.startswith("All rows combine")


def test_a_row_in_unseen_cells_says_so_and_others_say_nothing(together):
    rows = np.zeros((3, len(together.features)))
    rows[:, :2] = [(1.5, -1.5), (1.5, 1.5), (9.0, 9.0)]
    words = [measures.explanation(together, rows[at : at + 1]).unseen for at in range(3)]
    assert words == [("this combination of x0 and x1",), (), ("this value of x0", "this value of x1")]


def test_old_files_and_the_published_method_know_nothing_of_the_joint_law(together, tmp_path):
    path = tmp_path / "dec.json"
    together.save(path)
    X = correlated(-0.9, 500, 5, len(together.features))
    assert measures.support(Decomposition.load(path), X) == measures.support(together, X)
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["joint_support"]
    path.write_text(json.dumps(document), encoding="utf-8")
    for dec in (Decomposition.load(path), fit_pair(X[:, :2])):
        assert measures.support(dec, X[:, : len(dec.features)]).joint is None
        assert measures.findings(dec, X[:, : len(dec.features)])["AR010"].status == "not applicable"
