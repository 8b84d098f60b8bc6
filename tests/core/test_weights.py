"""Weights: a row that counts twice is a row that comes twice, and one that counts nothing is not there."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.core.fit import row_blocks
from anova_report.core.input.table import encode_rows, read_sample
from anova_report.core.input.weights import kept, read_weights
from anova_report.errors import InputError, InputTypeError

RNG = np.random.default_rng(3)


def draw(n_rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three features, one of them missing at times, noisy predictions, and whole weights, a quarter of them zero."""
    X = RNG.normal(size=(n_rows, 3))
    predictions = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * RNG.normal(size=n_rows)
    X[RNG.random(n_rows) < 0.05, 2] = np.nan
    return X, predictions, RNG.integers(0, 4, size=n_rows)


def fit(X: Any, predictions: Any, max_order: int = 2, **given: Any) -> Decomposition:
    return FunctionalANOVA(max_order, random_state=0, progress=False).fit(X, predictions, **given).decomposition_


def assert_same(found: Decomposition, wanted: Decomposition, X: np.ndarray, rtol: float = 1e-9) -> None:
    """Components, shares, fidelity, and all intervals."""
    assert found.terms == wanted.terms
    np.testing.assert_allclose(found.components(X), wanted.components(X), rtol=rtol, atol=rtol)
    for measure in (measures.variance_shares, measures.fidelity):
        frames = (pd.DataFrame(measure(dec).frame()) for dec in (found, wanted))
        ours, theirs = (frame.drop(columns="n_rows", errors="ignore") for frame in frames)
        pd.testing.assert_frame_equal(ours, theirs, rtol=rtol)
    band, same = (measures.bands(dec, 0, X[:20]) for dec in (found, wanted))
    np.testing.assert_allclose(band.upper - band.lower, same.upper - same.lower, rtol=1e-6)
    assert found.held_out.effective_rows == pytest.approx(wanted.held_out.effective_rows)


@pytest.fixture(scope="module", params=[300, 7000], ids=["few rows", "many rows"])
def weighted(request):
    X, predictions, weights = draw(request.param)
    return X, predictions, weights, fit(X, predictions, sample_weight=weights)


def test_rows_that_count_twice_are_rows_that_come_twice_in_any_order(weighted):
    X, predictions, weights, dec = weighted
    order = RNG.permutation(np.repeat(np.arange(len(X)), weights))
    assert_same(fit(X[order], predictions[order]), dec, X)


def test_rows_that_count_nothing_are_not_there_and_the_scale_of_weights_does_not_matter(weighted):
    X, predictions, weights, dec = weighted
    counts = weights > 0
    spoilt, wild = predictions.copy(), X.copy()
    spoilt[~counts], wild[~counts] = np.nan, 1e6
    assert_same(fit(wild, spoilt, sample_weight=weights), dec, X[counts])
    assert_same(fit(X[counts], predictions[counts], sample_weight=1e-3 * weights[counts]), dec, X)


def test_equal_weights_are_no_weights():
    X, predictions, _ = draw(300)
    ones, none = fit(X, predictions, 1, sample_weight=np.full(300, 0.1)), fit(X, predictions, 1)
    np.testing.assert_array_equal(ones.components(X), none.components(X))
    assert ones.partition == none.partition
    assert ones.partition.n_effective is None


def test_weights_say_how_many_rows_would_tell_as_much(weighted):
    X, _, weights, dec = weighted
    kish = weights.sum() ** 2 / (weights**2).sum()
    assert dec.partition.total_weight == weights.sum()
    assert dec.partition.n_effective == pytest.approx(kish)
    assert dec.in_sample.n_rows == (weights > 0).sum()
    assert dec.in_sample.effective_rows == pytest.approx(kish)
    assert f"count as {round(kish):,} rows of equal weight" in measures.findings(dec)["AR007"].sentence
    assert dec.held_out.hardest.positions.max() < len(X)
    assert (weights[dec.held_out.hardest.positions] > 0).all()


@pytest.mark.parametrize("weight", [None, "w"])
def test_the_order_of_weighted_rows_and_of_few_rows_does_not_matter(weight):
    X, predictions, weights = draw(300)
    order, given = RNG.permutation(300), (None if weight is None else weights)
    shuffled = fit(X[order], predictions[order], sample_weight=None if given is None else given[order])
    assert_same(shuffled, fit(X, predictions, sample_weight=given), X)


def test_the_units_order_and_direction_of_columns_do_not_matter_to_weighted_rows():
    X, predictions, weights = draw(300)
    dec = fit(X, predictions, sample_weight=weights)
    turned = fit(np.column_stack([-X[:, 2], 5 * X[:, 0] + 2, X[:, 1]]), predictions, sample_weight=weights)
    for term, same in (((0,), (1,)), ((1,), (2,)), ((2,), (0,)), ((1, 2), (0, 2))):
        ours = dec.component(term, X)
        theirs = turned.component(same, np.column_stack([-X[:, 2], 5 * X[:, 0] + 2, X[:, 1]]))
        np.testing.assert_allclose(theirs, ours, atol=1e-5)


def test_chunks_with_weights_give_what_one_table_gives(weighted, monkeypatch):
    monkeypatch.setattr(row_blocks, "KEPT_BYTES", 0)
    X, predictions, weights, dec = weighted
    starts = range(0, len(X), 333)
    triples = [(X[at : at + 333], predictions[at : at + 333], weights[at : at + 333]) for at in starts]
    # The few come with their weights, the many have them in one array.
    chunks, given = (triples, None) if len(X) < 1000 else ([chunk[:2] for chunk in triples], weights)
    same = FunctionalANOVA(random_state=0, progress=False).fit_chunks(lambda: chunks, sample_weight=given)
    np.testing.assert_array_equal(same.decomposition_.components(X), dec.components(X))
    np.testing.assert_array_equal(same.decomposition_.held_out.seconds, dec.held_out.seconds)


@pytest.mark.parametrize(
    "unit", [{"groups": np.arange(400) % 31}, {"time": np.arange(400.0) // 5}], ids=["group", "time"]
)
def test_groups_and_blocks_of_time_keep_weighted_rows_as_they_keep_repeated_ones(unit):
    X, predictions, weights = draw(400)
    repeated = RNG.permutation(np.repeat(np.arange(400), weights))
    dec = fit(X, predictions, 1, sample_weight=weights, **unit)
    same = fit(X[repeated], predictions[repeated], 1, **{name: given[repeated] for name, given in unit.items()})
    assert same.partition.n_units == dec.partition.n_units
    assert_same(same, dec, X)
    pieces = [(X[at : at + 150], predictions[at : at + 150], weights[at : at + 150]) for at in (0, 150, 300)]
    chunked = FunctionalANOVA(1, random_state=0).fit_chunks(lambda: pieces, **unit).decomposition_
    np.testing.assert_array_equal(chunked.held_out.seconds, dec.held_out.seconds)


def test_a_weighted_sample_explains_the_population_it_stands_for():
    # Rows with x0 > 0 were drawn nine times as often as others; weights undo that. E x0 = 0 and Var = 1 in truth.
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40_000, 2))
    drawn = rng.random(len(X)) < np.where(X[:, 0] > 0, 0.27, 0.03)
    X, weights = X[drawn], np.where(X[drawn][:, 0] > 0, 1.0, 9.0)
    predictions = X[:, 0] + 0.5 * X[:, 1] ** 2
    plain, dec = fit(X, predictions, 1), fit(X, predictions, 1, sample_weight=weights)
    assert abs(plain.mean - 0.5) > 0.5
    assert dec.mean == pytest.approx(0.5, abs=0.06)
    shares = measures.variance_shares(dec).terms
    assert shares[0].structural == pytest.approx(1 / 1.5, abs=0.04)
    known = shares[0].structural_interval
    assert known.low < 1 / 1.5 < known.high
    assert np.average(dec.component(0, X), weights=weights) == pytest.approx(0, abs=1e-6)


def test_bands_are_those_of_the_effective_number_of_rows():
    # Weights that have nothing to do with the rows only cost rows: standard errors grow by the root of n / n_eff.
    rng = np.random.default_rng(8)
    X = rng.normal(size=(8000, 2))
    predictions = X[:, :1] + rng.normal(size=(8000, 10))
    weights = rng.exponential(size=8000)  # Kish: half of the rows
    points = np.column_stack([np.linspace(-1.5, 1.5, 9), np.zeros(9)])
    widths, errors = [], []
    for given in (None, weights):
        dec = fit(X, predictions, 1, sample_weight=given)
        bands = [measures.bands(dec, 0, points, output=output) for output in range(10)]
        widths.append(np.mean([band.upper - band.lower for band in bands]))
        errors.append(np.std(dec.component(0, points) - points[:, :1]))
    assert widths[1] / widths[0] == pytest.approx(2**0.5, rel=0.1)
    assert errors[1] / errors[0] == pytest.approx(2**0.5, rel=0.3)


def test_weights_of_cells_keep_rows_that_are_equal_by_chance_apart():
    X = RNG.integers(0, 3, size=(900, 2)).astype(float)
    predictions = X[:, 0] + X[:, 0] * X[:, 1]
    dec = fit(X, predictions, sample_weight=RNG.uniform(0.9, 1.1, size=900))
    assert dec.partition.unit == "row"
    assert dec.in_sample.effective_rows > 880
    assert measures.fidelity(dec).held_out > 0.999


def test_a_model_is_not_asked_about_rows_that_count_nothing():
    X = pd.DataFrame(RNG.normal(size=(300, 2)), columns=["a", "b"])
    asked = []

    def model(rows: pd.DataFrame) -> np.ndarray:
        asked.append(len(rows))
        return rows["a"].to_numpy()

    weights = pd.Series(np.arange(300) % 3)
    dec = explain(model, X, ask=0, sample_weight=weights, max_order=1, random_state=0, progress=False)
    assert sum(asked) == 200
    np.testing.assert_array_equal(
        dec.components(X), fit(X, X["a"].tolist(), 1, sample_weight=weights.tolist()).components(X)
    )


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0, 2.0], r"sample_weight is negative in 1 row\(s\), first at position 1. .* pass 0"),
        ([1.0, np.nan, np.inf], r"is missing or infinite in 2 row\(s\), first at position 1, 2"),
        ([0.0, 0.0, 0.0], "is zero in all 3 rows, so no row counts"),
        ([1.0, 2.0], "holds 2 values for 3 rows"),
        (np.ones((3, 2)), r"an array of shape \(3, 2\) for 3 rows"),
    ],
)
def test_weights_that_make_no_sense_are_refused_in_words(weights, message):
    with pytest.raises(InputError, match=message):
        read_weights(weights, 3)
    with pytest.raises(InputTypeError, match="sample_weight must hold numbers"):
        read_weights(["a", "b", "c"], 3)


def test_chunks_say_their_weights_in_one_way():
    X = RNG.normal(size=(40, 2))
    whole, bare = (X, X[:, 0], np.ones(40)), (X, X[:, 0])
    for chunks, given, message in (
        ([whole], np.ones(40), "Pass them in one way"),
        ([whole, bare], None, "others without"),
        ([bare, whole], None, "Pass them in one way"),
        ([(*bare, np.ones(39))], None, "A chunk of 40 rows has weights of shape"),
        ([bare], np.ones(41), "holds 41 values for 40 rows"),
    ):
        with pytest.raises(InputError, match=message):
            FunctionalANOVA().fit_chunks(lambda chunks=chunks: chunks, sample_weight=given)


def test_the_published_method_refuses_weights_and_takes_equal_ones():
    X = RNG.uniform(-1, 1, size=(100, 2))
    estimator = FunctionalANOVA.published(K=1, d=2)
    estimator.fit(X, X[:, 0], sample_weight=np.ones(100))
    with pytest.raises(InputError, match="rows that count the same"):
        estimator.fit(X, X[:, 0], sample_weight=np.arange(100))


def test_one_row_that_outweighs_all_others_leaves_numbers():
    X, predictions, _ = draw(60)
    dec = fit(X, predictions, 1, sample_weight=np.r_[1e9, np.ones(59)])
    assert dec.partition.n_effective == pytest.approx(1, abs=1e-6)
    assert np.isfinite(dec.components(X)).all()
    assert np.isfinite(measures.fidelity(dec).in_sample)


def test_a_saved_decomposition_remembers_its_weights(weighted, tmp_path):
    *_, dec = weighted
    dec.save(tmp_path / "d.json")
    loaded = Decomposition.load(tmp_path / "d.json")
    assert loaded.partition == dec.partition
    assert loaded.held_out.effective_rows == dec.held_out.effective_rows


FORMS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "array": lambda table: np.column_stack(list(table.values())),
    "lists": lambda table: [list(row) for row in zip(*table.values(), strict=True)],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_rows_that_count_nothing_are_left_out_of_every_form_of_table(form):
    table = {"a": np.arange(6.0), "b": np.arange(6.0) ** 2}
    weights = read_weights([1, 0, 2, 0, 3, 4], 6)
    found = encode_rows(kept("X", form(table), weights.positions, 6), read_sample(form(table)).features)
    assert found[:, 0].tolist() == [0.0, 2.0, 4.0, 5.0]
    moved = pd.Series(range(6), index=list("fedcba"))
    assert list(kept("y", moved, weights.positions, 6)) == list(kept("y", list(range(6)), weights.positions, 6))
    with pytest.raises(InputError, match="y holds 5 values for 6 rows"):
        kept("y", range(5), weights.positions, 6)


def test_weights_whose_sum_is_no_number_are_refused():
    with pytest.raises(InputError, match=r"is beyond 1e\+70 in 2 row\(s\).* divide all weights"):
        read_weights([1e308, 1e308, 1.0], 3)
