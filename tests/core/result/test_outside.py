"""Rows beyond what a fit has seen: held or continued by family, told by `outside`, and warned of once a call."""

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.errors import ExtrapolationWarning
from anova_report.report import build_audit
from anova_report.report.page.render import render

FUNCTIONS: dict[str, Callable[[Decomposition, object], np.ndarray]] = {
    "predict": Decomposition.predict,
    "components": Decomposition.components,
    "component": lambda dec, X: dec.component("size", X),
    "shapley": Decomposition.shapley,
}


def table(n_rows: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "size": rng.uniform(1, 9, size=n_rows),
            "color": rng.choice(["blue", "red"], size=n_rows),
            "sold": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 400, size=n_rows), "D"),
        }
    )


def model(X: pd.DataFrame) -> np.ndarray:
    """Step at 5, as trees do, and never above 3."""
    return np.asarray(2.0 * (X["size"] > 5) + 1.0 * (X["color"] == "red"))


@pytest.fixture(scope="module")
def dec() -> Decomposition:
    return FunctionalANOVA(family="waves", random_state=0).fit(table(), model(table())).decomposition_


@pytest.fixture
def strange() -> pd.DataFrame:
    """Rows of which the second to the fifth lie beyond the fit, each in its own way."""
    X = table().head(6).copy()
    X.loc[1, "size"] = 59.0
    X["color"] = X["color"].astype(object)
    X.loc[2, "color"] = "green"
    X.loc[3, "size"] = np.nan
    X.loc[4, "sold"] = pd.Timestamp("2031-01-01")
    return X


def test_steps_stay_what_they_were_however_far_a_row_lies(dec):
    """The model returns 2 or 3 for every larger size, and so does its explanation."""
    far = table().head(50).assign(size=np.geomspace(9.5, 1e6, 50))
    with pytest.warns(ExtrapolationWarning):
        found = dec.predict(far)
    np.testing.assert_allclose(found, model(far), atol=0.1)


def test_polynomials_go_on_as_the_line_that_the_model_is():
    X = np.random.default_rng(0).normal(size=(500, 2))
    dec = explain(lambda rows: 3 * rows[:, 0] - rows[:, 1], X, family="polynomials", progress=False)
    with pytest.warns(ExtrapolationWarning):
        found = dec.predict([[50.0, -20.0]])
    assert found == pytest.approx([170.0], rel=1e-3)


def test_outside_tells_row_by_row_and_feature_by_feature(dec, strange):
    expected = np.zeros((6, 3), dtype=bool)
    expected[[1, 2, 3, 4], [0, 1, 0, 2]] = True
    np.testing.assert_array_equal(dec.outside(strange), expected)
    assert not dec.outside(table()).any()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_of_rows_warns_once_with_counts_features_and_ranges(dec, strange, name):
    with pytest.warns(ExtrapolationWarning) as caught:
        FUNCTIONS[name](dec, strange)
    (warning,) = caught
    assert warning.filename == __file__ or name == "component"  # where it was called
    said = str(warning.message)
    low, high = (f"{end:.6g}" for end in (table()["size"].min(), table()["size"].max()))
    assert f"size beyond {low} to {high} in 1 row" in said
    assert "size missing, as it never was, in 1 row" in said
    if name == "component":  # that of size, which reads no other
        assert said.startswith("2 of 6 rows lie beyond")
        assert "color" not in said
    else:
        assert said.startswith("4 of 6 rows lie beyond")
        assert "color with a level it has not seen in 1 row" in said
        assert "sold beyond 2020-01-01 00:00:00 to 2021-02-03 00:00:00 in 1 row" in said


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rows_of_the_fit_and_rows_within_it_are_not_warned_of(dec, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FUNCTIONS[name](dec, table())
        FUNCTIONS[name](dec, table().assign(size=5.0))


def test_the_estimator_warns_as_its_decomposition_does():
    X = np.random.default_rng(0).uniform(size=(300, 2))
    fanova = FunctionalANOVA(max_order=1, random_state=0).fit(X, X.sum(axis=1))
    with pytest.warns(ExtrapolationWarning, match="1 of 2 rows lies beyond") as caught:
        fanova.predict([[0.5, 0.5], [0.5, 2.0]])
    assert [warning.filename for warning in caught] == [__file__]


def test_of_many_features_some_are_named():
    X = np.random.default_rng(0).uniform(size=(300, 11))
    dec = FunctionalANOVA(max_order=1, random_state=0).fit(X, X.sum(axis=1)).decomposition_
    with pytest.warns(ExtrapolationWarning, match="x7 beyond .* in 1 row, and 3 more"):
        dec.predict(np.full((1, 11), 2.0))


def test_the_published_method_has_no_range():
    X = np.random.default_rng(0).normal(size=(300, 2))
    dec = FunctionalANOVA.published(K=1, d=3).fit(X, X[:, 0]).decomposition_
    assert not dec.outside(100 * X).any()


def test_a_page_names_the_rows_beyond_the_fit_and_nothing_else_warns(dec, strange):
    shown = pd.concat([table(), strange], ignore_index=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = render(build_audit(dec, shown, predictions=model(shown), progress=False))
        own = measures.findings(dec, table())["AR009"].sentence
    (finding,) = [measures.findings(dec, shown)["AR009"].sentence]
    assert "4 of 606 rows lie beyond" in finding
    assert "size beyond 1." in finding
    assert "These are row 601, row 602, row 603 and row 604 (rows are counted from 0)." in finding
    assert "row 601, row 602, row 603 and row 604" in page
    assert own == "All rows lie within the values that the fit has seen of each feature."


def test_rows_are_called_by_their_names_and_more_than_a_handful_are_counted(dec):
    far = table().head(20).assign(size=100.0)
    names = [f"stone {number}" for number in range(20)]
    sentence = measures.findings(dec, far, row_names=names)["AR009"].sentence
    assert "These are stone 0, stone 1, stone 2, stone 3, stone 4 and 15 more." in sentence


def test_of_a_dask_frame_outside_is_computed_later(dec, strange):
    dask_frames = pytest.importorskip("dask.dataframe")
    lazy = dec.outside(dask_frames.from_pandas(strange, npartitions=2))
    np.testing.assert_array_equal(lazy.compute(scheduler="synchronous"), dec.outside(strange))
