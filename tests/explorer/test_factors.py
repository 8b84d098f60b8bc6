"""The explorer of logarithms: factors in files and words, labels and units on controls, rates in what-if."""

import numpy as np
import pandas as pd
import pytest

from anova_report import explain
from anova_report.explorer import Explorer
from anova_report.explorer.downloads import columns
from anova_report.explorer.fragments import checked, sentences
from anova_report.explorer.views import row_words, term_words

SLOPE, JUMP = 0.02, 0.4
DRIVER = "Age of <script>driver</script>"


def claims(rows):
    """Predict claims, which are a rate times the exposure."""
    return rows.Exposure * rate(rows)


def rate(rows):
    return 0.1 * np.exp(SLOPE * (rows.DrivAge - 20) + JUMP * rows.north + 0.01 * rows.north * (rows.DrivAge - 45))


@pytest.fixture(scope="module")
def explorer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"DrivAge": rng.uniform(20, 70, 1200).round(), "north": rng.integers(0, 2, 1200).astype(float)})
    X["Exposure"] = rng.uniform(0.1, 1.0, 1200)
    said = {"units": {"DrivAge": "years"}, "prediction_name": "frequency", "prediction_unit": "a year"}
    dec = explain(claims, X, exposure="Exposure", labels={"DrivAge": DRIVER}, progress=False, **said)
    return Explorer(dec, backend="svg")


@pytest.fixture
def views(explorer):
    explorer.state.term, explorer.state.row, explorer.state.edits = (0,), 3, {}
    return explorer.views


def test_files_of_main_effects_hold_factors(views):
    found = pd.DataFrame(columns(next(iter(views.term().values()))))
    assert list(found)[:2] == [f"{DRIVER} (years)", "factor"]
    age, factor = found.iloc[:, 0].to_numpy(), found.factor.to_numpy()
    dec = views.rows.dec
    at = pd.DataFrame({"DrivAge": age, "north": 0.0})
    np.testing.assert_allclose(factor, np.exp(dec.component("DrivAge", at)), rtol=1e-4)
    assert (found.lower <= found.factor).all()


def test_files_of_a_row_multiply_to_the_prediction(views):
    found = pd.DataFrame(columns(views.row()["waterfall"]))
    assert list(found) == ["term", "values", "factor", "indices"]
    assert found.term.iloc[0] == "base rate"
    X = views.state.table
    known = rate(X.iloc[[3]]).item()
    assert found.factor.iloc[-1] == pytest.approx(known, rel=1e-3)
    assert found.factor.iloc[:-1].prod() == pytest.approx(known, rel=1e-3)
    drawn = pd.DataFrame(columns(views.trust()["scatter"]))
    np.testing.assert_allclose(drawn["frequency (a year)"], rate(X.iloc[drawn.row]), rtol=1e-3)


def test_files_of_pairs_hold_factors(explorer, views):
    explorer.state.term = (0, 1)
    figures = views.term()
    surface, lines = (pd.DataFrame(columns(figures[name])) for name in ("surface", "slices"))
    for found in (surface, lines):
        assert "factor" in found.columns
        assert 0.5 < found.factor.dropna().min() < 1 < found.factor.max() < 2


def test_what_if_asks_for_the_rate(explorer, views):
    explorer.state.edits = {"DrivAge": 70.0}
    words = " ".join(row_words(views))
    north = views.state.table.north.iloc[3]
    wanted = rate(pd.DataFrame({"DrivAge": [70.0], "north": [north]})).item()
    assert f"What if {DRIVER} = 70 years instead of" in words
    assert f"the model itself predicts {wanted:.3g} a year, ×" in words


def test_words_are_factors_and_escaped(explorer, views):
    said = [*term_words(views.state), *row_words(views)]
    assert any("multiplies the prediction by" in sentence for sentence in said)
    shown = sentences(said)
    assert "<script" not in shown
    checked(shown)
    editor = next(iter(explorer.editors.editors.values()))
    assert f"{DRIVER} (years)" in {each.description for each in explorer.editors.editors.values()} or editor
