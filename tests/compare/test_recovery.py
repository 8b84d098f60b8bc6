"""The promise on real data: of models that are additive by construction, their own main effects are recovered."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report import explain
from anova_report.compare import Agreement, NAMClassifier, NAMRegressor, agreement, attribute
from anova_report.compare.methods.agreement import counterpart_values
from anova_report.core.libraries import library
from anova_report.measures import feature_totals
from benchmarks.datasets import Loaded, available, load
from tests.compare.peers import needs

LARGE, CLOSE = 0.01, 0.98  # which features the promise is about, and how closely they must agree
TRAINING_ROWS = 6000
NAM = {"hidden": (16, 16), "max_epochs": 30, "patience": 10, "learning_rate": 5e-3, "progress": False}


def table(name: str) -> Loaded:
    if not available(name):
        pytest.skip(f"needs {name} in the folder ANOVA_REPORT_DATA")
    return load(name)


def some(loaded: Loaded) -> tuple[pd.DataFrame, pd.Series]:
    """Rows to train a model on."""
    rows = loaded.numbers.sample(min(TRAINING_ROWS, len(loaded.y)), random_state=0)
    return rows, loaded.y[rows.index]


def held(method: str, model: Any, X: pd.DataFrame) -> Agreement:
    dec = explain(model, X, random_state=0, progress=False)
    return agreement(dec, X, attribute(method, model, X, like=dec))


def require_recovery(found: Agreement, at_least: int) -> None:
    """Check the promise, and that it is about so many features."""
    large = {item.feature: item.correlation for item in found.features if item.share >= LARGE}
    assert len(large) >= at_least
    assert {name: value for name, value in large.items() if value is None or value < CLOSE} == {}


@needs("interpret")
def test_an_ebm_of_california_housing_with_ten_interactions() -> None:
    loaded = table("california_housing")
    glassbox = library("interpret.glassbox", "The test")
    settings = {"outer_bags": 1, "max_rounds": 300, "learning_rate": 0.05, "n_jobs": 1, "random_state": 0}
    machine = glassbox.ExplainableBoostingRegressor(interactions=10, **settings).fit(*some(loaded))
    X = loaded.numbers
    dec = explain(machine, X, random_state=0, progress=False)
    theirs = attribute("ebm", machine, X, like=dec)
    assert "Its 10 interactions were freed of main effects first, over the 20,640 rows" in theirs.note
    require_recovery(agreement(dec, X, theirs), at_least=6)
    # Without it the promise would not hold: what the interactions hold of HouseAge changes its shape.
    age = list(X.columns).index("HouseAge")
    native = machine.eval_terms(X.iloc[theirs.rows])[:, machine.term_features_.index((age,))]
    assert np.corrcoef(native, theirs.contributions[:, age])[0, 1] < CLOSE


@needs("torch")
@pytest.mark.parametrize(("name", "at_least"), [("bike_sharing", 5), ("diabetes", 6), ("electrical_grid", 8)])
def test_a_nam(name: str, at_least: int) -> None:
    loaded = table(name)
    kind = NAMRegressor if loaded.dataset.positive is None else NAMClassifier
    X, y = some(loaded)
    require_recovery(held("nam", kind(**NAM).fit(X, y), X), at_least)


@needs("torch")
def test_a_nam_of_california_housing_but_for_the_outermost_thousandth_of_each_feature() -> None:
    """A few districts have ten times the rooms of others: a network follows such values, a function of ranks cannot."""
    loaded = table("california_housing")
    X = loaded.numbers
    model = NAMRegressor(**NAM).fit(*some(loaded))
    dec = explain(model, X, random_state=0, progress=False)
    ours = counterpart_values(dec, dec.encode(X, reader="the test"), "main effect")
    theirs = model.shape_functions(X)
    shares = [total.share for total in feature_totals(dec).features]
    large = [index for index, share in enumerate(shares) if share >= LARGE]
    assert len(large) >= 6
    for index in large:
        low, high = X.iloc[:, index].quantile([0.001, 0.999])
        inner = X.iloc[:, index].between(low, high).to_numpy()
        assert np.corrcoef(ours[inner, index], theirs[inner, index])[0, 1] >= CLOSE
