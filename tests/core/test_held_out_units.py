"""Held-out rows are new rows: predictions that cannot be predicted are not, however often rows repeat."""

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.errors import InputError

RNG = np.random.default_rng(11)
TIMES = {"many rows": 20, "few rows": 8}  # how often each of 250 rows occurs


def fit(X: object, predictions: np.ndarray, **units: object) -> Decomposition:
    return FunctionalANOVA(1, random_state=0, progress=False).fit(X, predictions, **units).decomposition_


@pytest.mark.parametrize("times", TIMES.values(), ids=TIMES)
def test_noise_on_rows_that_occur_many_times_is_not_predicted(times):
    base, noise = RNG.random((250, 3)), RNG.normal(size=250)
    order = RNG.permutation(250 * times) % 250
    dec = fit(base[order], noise[order])
    assert measures.fidelity(dec).held_out < 0.1
    assert dec.partition.n_units == 250
    assert measures.findings(dec)["AR013"].status == "pass"


@pytest.fixture(scope="module")
def clusters() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    label = RNG.permutation(6000) % 80
    X = RNG.normal(size=(80, 3))[label] + 1e-3 * RNG.normal(size=(6000, 3))
    return X, RNG.normal(size=80)[label], label


@pytest.mark.parametrize("n_rows", [6000, 2000])
def test_noise_on_clusters_is_not_predicted_where_they_are_named(clusters, n_rows):
    X, predictions, label = (each[:n_rows] for each in clusters)
    dec = fit(X, predictions, groups=label)
    known = measures.fidelity(dec)
    assert known.held_out < 0.1
    assert known.held_out_interval.low < 0
    assert measures.findings(dec)["AR013"].status == "pass"


def test_clusters_that_are_not_named_are_a_finding(clusters):
    X, predictions, _ = clusters
    dec = fit(X, predictions)
    assert measures.fidelity(dec).held_out > 0.05  # though nothing can be known of new clusters
    assert measures.findings(dec)["AR013"].status == "fail"


def test_a_walk_in_time_is_predicted_from_neighbors_and_not_from_other_times():
    steps = np.cumsum(RNG.normal(size=(2000, 2)), axis=0)
    X = np.column_stack([np.arange(2000.0), RNG.normal(size=2000)])
    within, beyond = fit(X, steps[:, 0]), fit(X, steps[:, 0], time=X[:, 0])
    assert measures.fidelity(within).held_out > measures.fidelity(beyond).held_out + 0.02
    assert beyond.partition.unit == "time block"


def test_standard_errors_are_those_over_groups_and_empty_replicates_do_not_count():
    # Groups shift the predictions as a whole: a mean over 12 groups of 100 rows is known as from 12 rows.
    label = np.arange(1200) % 12
    X = np.column_stack([np.where(label < 6, -1.0, 1.0) + 0.1 * RNG.normal(size=1200), RNG.normal(size=1200)])
    predictions = RNG.normal(size=12)[label] + 0.1 * RNG.normal(size=1200)
    alone, together = fit(X, predictions), fit(X, predictions, groups=label)
    assert together.uncertainty.in_sample.shape == (12, 1)
    assert together.uncertainty.structural.shape[1] == 12
    widths = [np.diff([known.low, known.high])[0] for known in (_interval(alone), _interval(together))]
    assert widths[1] > 3 * widths[0]
    assert np.isfinite(measures.bands(together, 0, X[:5]).upper).all()


def _interval(dec: Decomposition) -> measures.Interval:
    return measures.variance_shares(dec).terms[0].total_interval


def test_replicates_of_different_groups_are_not_taken_for_the_same():
    X = RNG.normal(size=(300, 2))
    keys = {
        fit(X, X[:, 0], **units).uncertainty.replicate_key
        for units in ({}, {"groups": np.arange(300) % 10}, {"groups": np.arange(300) // 30}, {"time": np.arange(300)})
    }
    assert len(keys) == 4


def test_explain_and_chunks_hold_out_the_same_units():
    X = pd.DataFrame(RNG.normal(size=(600, 2)), columns=["a", "b"])
    label = pd.Series(np.arange(600) % 30)
    whole = fit(X, X["a"].to_numpy(), groups=label)
    asked = explain(lambda rows: rows["a"], X, ask=0, groups=label, max_order=1, random_state=0, progress=False)
    pieces = [(X[at : at + 250], X["a"][at : at + 250]) for at in range(0, 600, 250)]
    chunked = FunctionalANOVA(1, random_state=0).fit_chunks(lambda: pieces, groups=label).decomposition_
    for same in (asked, chunked):
        assert same.partition == whole.partition
        np.testing.assert_array_equal(same.held_out.seconds, whole.held_out.seconds)


def test_the_published_method_holds_out_no_rows():
    X = RNG.uniform(-1, 1, size=(100, 2))
    with pytest.raises(InputError, match="holds out no rows"):
        FunctionalANOVA.published(K=1, d=2).fit(X, X[:, 0], groups=np.arange(100) % 10)


def test_rows_that_drift_in_time_are_a_finding_unless_time_is_given_and_sorted_rows_are_not():
    rng = np.random.default_rng(9)
    walk = np.cumsum(rng.normal(size=(1500, 4)), axis=0)
    drawn = rng.normal(size=(1500, 4))
    found = measures.findings(fit(walk[:, :3], walk[:, 3]))["AR013"]
    assert found.status == "warn"
    assert "time=" in found.advice
    assert measures.findings(fit(walk[:, :3], walk[:, 3], time=np.arange(1500)))["AR013"].status == "pass"
    for rows in (drawn, drawn[drawn[:, 0].argsort()], walk[rng.permutation(1500)]):
        assert fit(rows[:, :3], rows[:, 3]).partition.serial in (None, pytest.approx(0, abs=0.2))


def test_rows_of_clusters_do_not_call_for_columns_that_so_few_places_cannot_support():
    rng = np.random.default_rng(0)
    label = np.repeat(np.arange(150), 20)
    X = rng.normal(size=(150, 5))[label] + 1e-4 * rng.normal(size=(3000, 5))

    def model(rows: np.ndarray) -> np.ndarray:
        return np.sin(2 * rows[:, 0]) * rows[:, 1] + rows[:, 2] ** 2 + np.maximum(rows[:, 3], 0) * rows[:, 4]

    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, model(X), groups=label).decomposition_
    assert sum(len(own.coefficients) for own in dec.expansion.components) < 500
    fresh = rng.normal(size=(3000, 5))
    left = model(fresh) - dec.predict(fresh)
    assert left.var() < 0.1 * model(fresh).var()
