"""Columns named like terms, like columns of our own tables, or like the mean: measures look at terms, not at labels."""

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures

NAMES = ("a", "b", "a × b", "effect", "lower", "unexplained", "mean")
WEIGHTS = {(0,): 1.0, (1,): 0.5, (2,): 0.8, (3,): 0.3, (4,): 0.3, (5,): 0.6, (6,): 0.4, (0, 1): 3.0, (2, 6): 0.7}


def fit(X: pd.DataFrame, predictions: np.ndarray) -> Decomposition:
    return FunctionalANOVA(random_state=0).fit(X, predictions).decomposition_


@pytest.fixture(scope="module")
def X() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(0).choice([-1.0, 1.0], size=(5000, 7)), columns=NAMES)


@pytest.fixture(scope="module")
def predictions(X) -> np.ndarray:
    noise = np.random.default_rng(1).normal(size=len(X))
    return np.sum([weight * X.to_numpy()[:, term].prod(axis=1) for term, weight in WEIGHTS.items()], axis=0) + noise


@pytest.fixture(scope="module")
def dec(X, predictions) -> Decomposition:
    return fit(X, predictions)


@pytest.fixture(scope="module")
def plain(X, predictions) -> Decomposition:
    return fit(X.set_axis([f"p{index}" for index in range(7)], axis=1), predictions)


def test_every_term_has_the_share_of_its_own_effect(dec):
    variance = 1.0 + sum(weight**2 for weight in WEIGHTS.values())
    shares = {share.term: share.total for share in measures.variance_shares(dec).terms}
    for term, weight in WEIGHTS.items():
        assert shares[term] == pytest.approx(weight**2 / variance, abs=0.03), term
    assert (dec.resolve("a × b"), dec.resolve(("a", "b"))) == ((2,), (0, 1))
    np.testing.assert_allclose(np.abs(dec.component("a × b", np.eye(7) * 2 - 1)), 0.8, atol=0.1)


def test_names_change_no_measure(dec, plain, X):
    renamed = X.set_axis(plain.feature_names, axis=1)
    ours, theirs = measures.variance_shares(dec), measures.variance_shares(plain)
    assert [(share.term, share.total, share.total_interval) for share in ours.terms] == [
        (share.term, share.total, share.total_interval) for share in theirs.terms
    ]
    totals = [[total.share for total in measures.feature_totals(each).features] for each in (dec, plain)]
    assert totals[0] == totals[1]
    cosines = [
        [(pair.term, pair.part, pair.held_out, pair.leakage) for pair in measures.orthogonality(each).cosines]
        for each in (dec, plain)
    ]
    assert cosines[0] == cosines[1]
    findings = [
        [(item.code, item.status, item.value, item.limit) for item in measures.findings(each, rows).items]
        for each, rows in ((dec, X), (plain, renamed))
    ]
    assert findings[0] == findings[1]
    local = [measures.explanation(each, rows.head(1)) for each, rows in ((dec, X), (plain, renamed))]
    assert local[0].explained == local[1].explained


def test_rows_of_tables_are_distinguished_by_indices(dec, plain, X):
    renamed = X.set_axis(plain.feature_names, axis=1)
    made = [
        [
            measures.variance_shares(each).frame(),
            measures.orthogonality(each).frame(),
            measures.explanation(each, rows.head(1)).frame(),
        ]
        for each, rows in ((dec, X), (plain, renamed))
    ]
    for ours, theirs in zip(*made, strict=True):
        assert list(ours) == list(theirs)
        frame = pd.DataFrame(ours)
        keys = [name for name in frame.columns if name.endswith("indices")]
        assert not frame[keys].duplicated().any()
        pd.testing.assert_frame_equal(
            frame.drop(columns=["term", "label"], errors="ignore"),
            pd.DataFrame(theirs).drop(columns=["term", "label"], errors="ignore"),
        )
    shares = pd.DataFrame(measures.variance_shares(dec).frame())
    assert (shares["term"] == "a × b").sum() == 2  # labels are print: a pair and a column of that name
    assert pd.DataFrame(measures.feature_totals(dec).frame())["feature"].tolist() == list(NAMES)
