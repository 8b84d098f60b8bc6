"""Two decompositions of mixed columns, fitted once: after, the effect of the age is another and nothing else."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from anova_report import Decomposition, FunctionalANOVA
from anova_report.report.comparison.build_comparison import build_comparison
from anova_report.report.comparison.comparison import ComparisonPage
from tests.report.fits import prediction, table
from tests.report.samples import SCRIPT

CREATED = "2026-01-02 03:04 UTC"
KINK = 55.0


@dataclass(frozen=True)
class Two:
    """Both decompositions and the rows of both."""

    before: Decomposition
    after: Decomposition
    X: pd.DataFrame

    def page(self, **more: object) -> ComparisonPage:
        settings = {"names": ("before", "after"), "created": CREATED} | more
        return build_comparison(self.before, self.after, self.X, **settings)


def decomposed(X: pd.DataFrame, predictions: np.ndarray, **settings: object) -> Decomposition:
    return FunctionalANOVA(random_state=0, progress=False, **settings).fit(X, predictions).decomposition_


def planted(X: pd.DataFrame) -> np.ndarray:
    """Lift predictions of the old, more the older they are."""
    return np.asarray(0.15 * (X["age"].fillna(45.0) - KINK).clip(lower=0.0))


@cache
def planted_change() -> Two:
    """Plant a change of one main effect, above a kink."""
    X = table()
    return Two(decomposed(X, prediction(X)), decomposed(X, prediction(X) + planted(X)), X)


@cache
def planted_pair() -> Two:
    """Plant a pair of two numbers that go together, most of which is effects of each, and another effect of a level."""
    X = table()
    income, age = X["income"] - X["income"].mean(), X["age"].fillna(45.0) - 50
    added = 3 * np.tanh(income / 2) * np.tanh(age / 10) + 0.8 * (X["region"] == "west")
    return Two(decomposed(X, prediction(X)), decomposed(X, prediction(X) + np.asarray(added)), X)


@cache
def hostile() -> Two:
    """Give the planted pair names that nobody can trust."""
    X = planted_pair().X.rename(columns={"income": SCRIPT, "age": '"><img src=x onerror=alert(1)>'})
    X["region"] = X["region"].replace("west", SCRIPT)
    first = decomposed(X, prediction(planted_pair().X))
    added = 1.5 * np.tanh((X[SCRIPT] - 4) / 2) * np.tanh((planted_pair().X["age"].fillna(45.0) - 50) / 10)
    return Two(first, decomposed(X, prediction(planted_pair().X) + np.asarray(added)), X)
