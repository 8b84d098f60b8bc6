"""Entries of a proxy ledger add up, are what their definition says, and say what is direct."""

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA, measures
from anova_report.errors import InputError

N = 1200


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], N, p=[0.3, 0.7])
    income = rng.normal(size=N) + (sex == "m")
    X = pd.DataFrame({"income": income, "age": rng.normal(size=N), "sex": sex})
    f = 2 * X["income"] + X["age"] + 0.5 * (X["sex"] == "m") + 0.3 * X["income"] * X["age"] + np.sin(9 * X["age"])
    predictions = f.to_numpy()
    return FunctionalANOVA(random_state=0, progress=False).fit(X, predictions).decomposition_, X, predictions


def test_entries_add_up_and_are_differences_of_means(fitted):
    dec, X, predictions = fitted
    w = np.random.default_rng(1).gamma(2.0, size=N)
    [found] = measures.protected_columns(dec, ["sex"], X, predictions, sample_weight=w)
    [ledger] = found.ledgers
    assert (ledger.level, found.standing) == ("m", "read")
    m = (X["sex"] == "m").to_numpy()

    def apart(values):
        return np.average(values[m], weights=w[m]) - np.average(values[~m], weights=w[~m])

    assert sum(entry.value for entry in ledger.entries) + ledger.residual.value == pytest.approx(
        apart(predictions), abs=1e-9
    )
    assert ledger.whole.value == pytest.approx(apart(predictions), abs=1e-9)
    for entry in ledger.entries:
        assert entry.value == pytest.approx(apart(dec.component(entry.term, X)), abs=1e-9)
        assert entry.direct == (dec.feature_index("sex") in entry.term)
        assert entry.interval.low <= entry.value <= entry.interval.high
    assert ledger.direct.value + ledger.proxies.value + ledger.residual.value == pytest.approx(ledger.whole.value)
    assert ledger.direct.value == pytest.approx(0.5, abs=0.1)
    assert ledger.frame()["value"][-1] == ledger.whole.value


def test_a_number_is_measured_per_standard_deviation(fitted):
    dec, X, predictions = fitted
    column = X["income"].to_numpy() + np.random.default_rng(2).normal(size=N)
    column[:50] = np.nan
    [found] = measures.protected_columns(dec, {"wealth": column}, X, predictions)
    [ledger] = found.ledgers
    a = column[50:]
    assert (found.n_missing, found.standing, found.groups) == (50, "not given", ())
    assert ledger.whole.value == pytest.approx(np.cov(a, predictions[50:], bias=True)[0, 1] / a.std(), abs=1e-9)
    assert sum(entry.value for entry in ledger.entries) + ledger.residual.value == pytest.approx(
        ledger.whole.value, abs=1e-9
    )
    assert ledger.entries[0].label == "income"
    assert ledger.direct.value == 0


def test_every_level_is_held_against_all_others_and_small_ones_are_counted(fitted):
    dec, X, predictions = fitted
    region = np.array(["north", "south", "west"])[np.random.default_rng(3).integers(0, 3, N)].astype(object)
    region[:20] = "isle"
    [found] = measures.protected_columns(dec, {"region": region}, X, predictions)
    assert [ledger.level for ledger in found.ledgers] == ["north", "south", "west"]
    assert [group.level for group in found.groups] == ["north", "south", "west"]
    assert found.n_small == 1
    north = region == "north"
    assert found.ledgers[0].whole.value == pytest.approx(predictions[north].mean() - predictions[~north].mean())
    assert found.groups[0].predicted == pytest.approx(predictions[north].mean())


def test_intervals_of_means_and_differences_are_those_of_the_textbook(fitted):
    dec, X, predictions = fitted
    [found] = measures.protected_columns(dec, ["sex"], X, predictions)
    m = (X["sex"] == "m").to_numpy()
    error = np.sqrt(sum(predictions[side].var() / side.sum() for side in (m, ~m)))
    whole = found.largest.whole
    assert whole.interval.high - whole.value == pytest.approx(1.96 * error, rel=0.02)
    mean = found.groups[1]
    assert mean.predicted_interval.high - mean.predicted == pytest.approx(
        1.96 * predictions[m].std() / np.sqrt(m.sum()), rel=0.02
    )


def test_columns_that_say_nothing_are_refused(fitted):
    dec, X, predictions = fitted
    for columns, words in (
        ({"one": np.ones(N)}, "'one' is the same in all 1,200 rows"),
        (["region"], "names the column 'region', and there is none"),
        ({"few": [1, 2, 3]}, "holds 3 values for 1,200 rows"),
        ({"ids": [f"c{row}" for row in range(N)]}, "too few rows of any value"),
    ):
        with pytest.raises(InputError, match=words):
            measures.protected_columns(dec, columns, X, predictions)


def test_what_an_interaction_shares_with_its_features_by_chance_is_out_of_its_interval():
    """A pair of 500 rows goes with a column of its first feature; under the law it does not."""
    held, plain = 0, 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, size=(500, 2))
        predictions = X[:, 0] + 3 * X[:, 0] * X[:, 1]
        dec = FunctionalANOVA(random_state=0, progress=False).fit(X, predictions).decomposition_
        [found] = measures.protected_columns(dec, {"a": X[:, 0] + 0.1 * rng.normal(size=500)}, X, predictions)
        [pair] = [entry for entry in found.largest.entries if len(entry.term) == 2]
        held += pair.interval.low <= 0 <= pair.interval.high
        width = (pair.interval.high - pair.interval.low) / 2
        h = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std()
        plain += width < 0.7 * 1.96 * (h * 3 * X[:, 0] * X[:, 1]).std() / 500**0.5
        assert pair.interval.low <= pair.value <= pair.interval.high
    assert (held >= 10, plain) == (True, 12)


def test_a_ledger_of_few_rows_levels_and_weights_has_intervals(fitted):
    dec, X, predictions = fitted
    small = slice(0, 45)
    [found] = measures.protected_columns(
        dec, {"a": X["income"].to_numpy()[small]}, X[small], predictions[small], sample_weight=np.linspace(1, 2, 45)
    )
    assert all(np.isfinite([e.interval.low, e.interval.high]).all() for e in found.largest.entries)
