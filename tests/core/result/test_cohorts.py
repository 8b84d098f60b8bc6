"""Cohorts: some rows under their own law, by the fit of all rows."""

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, explain, measures
from anova_report.errors import InputError
from anova_report.measures.cohorts import cohort_differences


def model(rows: pd.DataFrame) -> np.ndarray:
    return (rows["a"] + 2 * rows["a"] * rows["b"] + np.sin(2 * rows["c"])).to_numpy()


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    columns = {"a": rng.uniform(-1, 1, 2000), "b": rng.uniform(0, 1, 2000), "c": rng.uniform(-1, 1, 2000)}
    return pd.DataFrame({**columns, "d": rng.choice(["x", "y"], 2000)})


@pytest.fixture(scope="module")
def dec(table):
    return explain(model, table, where="a > 0 and d == 'x'", progress=False)


def test_components_are_those_under_the_law_of_the_cohort(dec, table):
    own = table[(table["a"] > 0) & (table["d"] == "x")]
    pd.testing.assert_frame_equal(dec.X, own)
    np.testing.assert_allclose(dec.predictions, model(own))
    assert dec.mean == pytest.approx(model(own).mean(), abs=1e-3)
    # On paper, with independent features: E[a] = E[b] = 1/2 in the cohort.
    truth = {"a": 2 * (own["a"] - 0.5), "b": own["b"] - 0.5, ("a", "b"): 2 * (own["a"] - 0.5) * (own["b"] - 0.5)}
    for term, expected in truth.items():
        found = dec.component(term, own)
        assert np.std(found - expected) < 0.08 * np.std(expected)
    np.testing.assert_allclose(dec.predict(own), dec.whole.predict(own), atol=1e-9)
    np.testing.assert_allclose(dec.component("a", own).mean(), 0, atol=1e-6)


def test_shares_and_what_is_unexplained_are_measured_on_rows_of_the_cohort(dec):
    parts, predictions = dec.components(dec.X), dec.predictions
    left = ((predictions - dec.predict(dec.X)) ** 2).mean() / predictions.var()
    found = cohort_differences(dec, dec.whole)
    assert found.unexplained == pytest.approx(left, rel=1e-6)
    shares = measures.variance_shares(dec)
    for at, share in enumerate(shares.terms):
        assert share.structural == pytest.approx(parts[:, at].var() / predictions.var(), abs=1e-6)
        expected = np.cov(parts[:, at], predictions, ddof=0)[0, 1] / predictions.var()
        assert share.total == pytest.approx(expected, abs=1e-6)
    assert sum(share.total for share in shares.terms) + shares.unexplained == pytest.approx(1, abs=1e-6)


def test_what_differs_is_named(dec):
    found = cohort_differences(dec, dec.whole)
    assert (found.n_rows, found.n_all) == (len(dec.X), 2000)
    assert found.mean == pytest.approx(dec.predictions.mean(), abs=1e-6)
    assert {share.cohort.member.name: share.differs for share in found.shares}["a"]
    with pytest.raises(InputError, match="not that of a cohort"):
        cohort_differences(dec.whole, dec.whole)


def test_the_file_of_a_cohort_says_which_rows_it_is(dec, tmp_path):
    dec.save(tmp_path / "dec.json")
    loaded = Decomposition.load(tmp_path / "dec.json")
    assert loaded.population == dec.population
    assert [note for note in loaded.notes if "a > 0 and d == 'x'" in note]


@pytest.mark.parametrize(
    ("where", "words"),
    [("a > 0.999", "a cohort takes at least 30"), ("a > -2", "All 2,000 rows fulfill"), ("aa > 0", "Did you mean 'a'")],
)
def test_cohorts_of_too_few_or_of_all_rows_are_refused_before_the_model_is_asked(table, where, words):
    def never(_rows: pd.DataFrame) -> np.ndarray:
        raise AssertionError

    with pytest.raises(InputError, match=words):
        explain(never, table, where=where, progress=False)
