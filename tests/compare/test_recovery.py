"""On real data: of models that are additive by construction, their own main effects are recovered."""

import numpy as np
import pandas as pd
import pytest

from anova_report import explain
from anova_report.compare import Agreement, agreement, attribute
from anova_report.core.libraries import library
from benchmarks.datasets import Loaded, available, load
from tests.compare.peers import needs

LARGE, CLOSE = 0.01, 0.98  # which features are compared, and how closely they must agree
TRAINING_ROWS = 6000


def table(name: str) -> Loaded:
    if not available(name):
        pytest.skip(f"needs {name} in the folder ANOVA_REPORT_DATA")
    return load(name)


def some(loaded: Loaded) -> tuple[pd.DataFrame, pd.Series]:
    """Rows to train a model on."""
    rows = loaded.numbers.sample(min(TRAINING_ROWS, len(loaded.y)), random_state=0)
    return rows, loaded.y[rows.index]


def require_recovery(found: Agreement, at_least: int) -> None:
    """Check that large effects are recovered, and that there are so many of them."""
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
    assert "Main effects inside its 10 interactions were added to its own first, over the 20,640 rows" in theirs.note
    require_recovery(agreement(dec, X, theirs), at_least=6)
    # Without it they would not be recovered: what the interactions hold of HouseAge changes its shape.
    age = list(X.columns).index("HouseAge")
    native = machine.eval_terms(X.iloc[theirs.rows])[:, machine.term_features_.index((age,))]
    assert np.corrcoef(native, theirs.contributions[:, age])[0, 1] < CLOSE
