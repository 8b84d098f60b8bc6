"""Joint support: cells of two features that the rows of a fit leave empty, by hand and by the laws they come from."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from anova_report.core.arrays import EvenRows
from anova_report.core.basis.marginals import Marginal
from anova_report.core.basis.tally import make_marginals, tally
from anova_report.core.diagnostics import joint_support as module
from anova_report.core.diagnostics.joint_support import JointSupport, UnseenCells, joint_support
from anova_report.core.fit.row_blocks import ArrayRows, ChunkedRows, RowSource
from anova_report.core.input.table import Sample, encode_rows, read_sample


def summarize(sample: Sample, source: RowSource | None = None) -> tuple[tuple[Marginal, ...], JointSupport]:
    rows = source or ArrayRows(sample.values, np.zeros((len(sample.values), 1)))
    counted = tally(rows, len(sample.features))
    marginals = make_marginals(sample.features, counted.books(sample.features), degree=2)["waves"]
    return marginals, joint_support(rows, counted.n_rows, marginals, ())


def unseen(fitted: pd.DataFrame, other: pd.DataFrame) -> np.ndarray:
    """Which of the other rows the fit has not seen."""
    sample = read_sample(fitted)
    marginals, found = summarize(sample)
    return found.unseen(marginals, encode_rows(other, sample.features, "test")).any(axis=1)


def correlated(rng: np.random.Generator, n_rows: int, n_features: int, r: float) -> np.ndarray:
    common, own = rng.normal(size=(n_rows, 1)), rng.normal(size=(n_rows, n_features))
    return np.sqrt(r) * common + np.sqrt(1 - r) * own


def neighbors_in_time(rng: np.random.Generator, n_rows: int, n_features: int) -> np.ndarray:
    columns = [rng.normal(size=n_rows)]
    for _ in range(n_features - 1):
        columns.append(0.9 * columns[-1] + np.sqrt(1 - 0.81) * rng.normal(size=n_rows))
    return np.column_stack(columns)


def steps(rng: np.random.Generator, n_rows: int, n_features: int, r: float, n_values: int) -> np.ndarray:
    return np.floor(norm.cdf(correlated(rng, n_rows, n_features, r)) * n_values)


def levels(rng: np.random.Generator, n_rows: int, n_features: int) -> pd.DataFrame:
    ranks = norm.cdf(correlated(rng, n_rows, n_features, 0.6))
    ends = np.cumsum(1 / np.arange(1, 13))
    codes = np.searchsorted(ends / ends[-1], ranks)
    return pd.DataFrame({f"n{k}": [f"level {code}" for code in column] for k, column in enumerate(codes.T)})


LAWS = {
    "independent": lambda rng, n, p: correlated(rng, n, p, 0.0),
    "correlated": lambda rng, n, p: correlated(rng, n, p, 0.5),
    "strongly correlated": lambda rng, n, p: correlated(rng, n, p, 0.9),
    "in a chain": neighbors_in_time,
    "heavy tails": lambda rng, n, p: correlated(rng, n, p, 0.7) / np.sqrt(rng.chisquare(2.5, size=(n, 1))),
    "four values": lambda rng, n, p: steps(rng, n, p, 0.7, 4),
    "eight values": lambda rng, n, p: steps(rng, n, p, 0.9, 8),
    "nominal": levels,
}


@pytest.mark.parametrize("law", LAWS)
def test_fresh_rows_of_the_same_law_are_rarely_unseen_and_as_often_as_was_foretold(law):
    shares, foretold = [], []
    for seed, (n_rows, n_features) in enumerate([(500, 14), (500, 2), (2000, 8), (3000, 14)]):
        rng = np.random.default_rng([seed, 12])
        sample = read_sample(pd.DataFrame(LAWS[law](rng, n_rows, n_features)))
        fresh = pd.DataFrame(LAWS[law](rng, 2000, n_features))
        marginals, found = summarize(sample)
        shares.append(found.unseen(marginals, encode_rows(fresh, sample.features, "test")).any(axis=1).mean())
        foretold.append(found.chance)
        assert not found.unseen(marginals, sample.values).any()
    assert max(shares) <= 0.01
    assert np.mean(shares) == pytest.approx(np.mean(foretold), abs=0.0025)


@pytest.mark.parametrize(("n_rows", "least"), [(500, 0.02), (5000, 0.05), (20_000, 0.05)])
def test_rows_of_other_joint_laws_with_the_same_margins_are_told(n_rows, least):
    rng = np.random.default_rng(0)
    fitted = pd.DataFrame(correlated(rng, n_rows, 2, 0.9))
    against = correlated(rng, 2000, 2, 0.9) * (1, -1)
    assert unseen(fitted, pd.DataFrame(against)).mean() > 3 * least
    assert unseen(fitted, pd.DataFrame(rng.normal(size=(2000, 2)))).mean() > least


def test_a_cell_is_unseen_where_neither_it_nor_a_neighbor_holds_a_row():
    same = np.repeat(np.arange(8.0), 100)
    (pair,) = summarize(read_sample(np.column_stack([same, same])))[1].pairs
    at = np.arange(8)
    # The neighbors of a cell reach the diagonal from two steps away; missing and unknown values are not asked about.
    assert pair.cells[:8, :8].tolist() == (np.abs(at[:, None] - at) > 2).tolist()
    assert pair.cells.shape == (10, 10)
    assert pair.cells.sum() == pair.cells[:8, :8].sum()


@pytest.mark.parametrize(("count", "is_judged"), [(99, False), (100, True)])
def test_where_few_rows_would_be_anyway_none_says_nothing(count, is_judged):
    # Independent levels would meet in half of the rows of one level: 49.5 or 50.
    level = np.repeat(["one", "other"], count)
    found = summarize(read_sample(pd.DataFrame({"a": level, "b": level})))[1]
    assert [pair.cells[:2, :2].tolist() for pair in found.pairs] == [[[False, True], [True, False]]] * is_judged


def test_levels_and_missing_values_are_cells_of_their_own():
    rng = np.random.default_rng(0)
    kind = rng.choice(["flat", "house", "boat"], p=[0.5, 0.3, 0.2], size=3000)
    floor = np.where(kind == "house", np.nan, rng.normal(size=3000))
    floor[kind == "boat"] = -np.abs(floor[kind == "boat"])
    fitted = pd.DataFrame({"kind": kind, "floor": floor, "lift": np.where(kind == "flat", rng.integers(0, 2, 3000), 0)})
    rows = [
        ("flat", 2.0, 1, False),
        ("house", np.nan, 0, False),
        ("boat", -2.0, 0, False),
        ("flat", np.nan, 1, True),
        ("house", 0.1, 0, True),
        ("boat", 2.0, 0, True),
        ("boat", -1.0, 1, True),
        ("tent", 2.0, 1, False),  # its level is off the margin already
    ]
    other = pd.DataFrame([row[:3] for row in rows], columns=["kind", "floor", "lift"])
    assert unseen(fitted, other).tolist() == [row[3] for row in rows]


def test_rows_in_chunks_give_the_same_summary():
    rng = np.random.default_rng(0)
    values = correlated(rng, 20_000, 4, 0.9)
    sample = read_sample(values)
    predictions = np.zeros((len(values), 1))
    ends = [0, 13, 9000, 9001, 20_000]
    pieces = [(values[start:end], predictions[start:end]) for start, end in pairwise(ends)]
    whole, chunked = summarize(sample)[1], summarize(sample, ChunkedRows(lambda: pieces))[1]
    assert [pair.to_document() for pair in whole.pairs] == [pair.to_document() for pair in chunked.pairs]
    assert whole.chance == chunked.chance


def test_of_many_features_a_bounded_number_is_looked_at(monkeypatch):
    monkeypatch.setattr(module, "MOST_FEATURES", 3)
    monkeypatch.setattr(module, "MOST_PAIRS", 2)
    found = summarize(read_sample(correlated(np.random.default_rng(0), 1000, 5, 0.95)))[1]
    assert len(found.pairs) == 2
    assert {feature for pair in found.pairs for feature in pair.term} <= {0, 1, 2}


def test_cells_are_written_as_bits_and_read_back():
    cells = np.random.default_rng(0).random((7, 5)) < 0.5
    document = UnseenCells((2, 4), cells).to_document()
    assert len(document["cells"]) == 10
    read = UnseenCells.from_document(document)
    assert read.term == (2, 4)
    assert read.cells.tolist() == cells.tolist()


@pytest.mark.parametrize("n_rows", [1, 7, 64, 65, 1000])
def test_even_rows_depend_on_their_number_alone(n_rows):
    rows, rng = np.arange(n_rows), np.random.default_rng(n_rows)
    whole, pieces = EvenRows(64), EvenRows(64)
    whole.add(rows)
    for piece in np.split(rows, np.sort(rng.integers(0, n_rows, size=5))):
        pieces.add(piece)
    assert whole.rows().tolist() == pieces.rows().tolist() == rows[:: whole.step].tolist()
    assert min(32, n_rows) <= len(whole.rows()) <= 64
