"""The paper's analytical case as an experiment: main effects of every method, and how far they are from the truth.

Three dependent inputs with the FGM law, and a function whose components are known on paper.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from anova_report import Decomposition, explain
from anova_report.compare import Attribution, attribute, find_method
from anova_report.figures.overlays import conditional_means
from benchmarks.judge import Floats
from tests.ground_truth import FGM

NAMES = ("x1", "x2", "x3")
OURS = "Functional ANOVA (ours)"
N_ROWS, SEED = 5000, 0
INSIDE = ("treeshap", "treehfd")  # these look into the trees, and have nothing to say about a function
METHODS = (*INSIDE, "kernelshap", "pdp", "ale", "ebm")
# Every method gets the rows that ours gets, except KernelSHAP, which would take ten minutes for them. TreeHFD is a
# little closer with pairs than without.
SETTINGS: dict[str, dict[str, int]] = {
    "treehfd": {"interaction_order": 2},
    "kernelshap": {"max_rows": 1000},
    "pdp": {"background": N_ROWS, "points": 80},
}
TREES = {"n_estimators": 300, "max_depth": 6, "learning_rate": 0.1, "random_state": SEED}


@dataclass(frozen=True, eq=False)
class Outcome:
    """A decomposition of one black box, other explanations of it, and the error of everybody's main effects.

    Parameters
    ----------
    dec : Decomposition
    X : array of shape (n_rows, 3)
    others : tuple of Attribution
    errors : dict of str to tuple of float
        Root mean square distance from the truth for x1, x2 and x3, by method; ours comes first.
    """

    dec: Decomposition
    X: Floats
    others: tuple[Attribution, ...]
    errors: dict[str, tuple[float, ...]]


def truth(X: Floats, index: int) -> Floats:
    """Evaluate the true main effect of a feature; x3 has none."""
    known = FGM.components.get((index,))
    return np.zeros(len(X)) if known is None else known(X)


def function(X: Any) -> Floats:
    """Prediction as the function itself does, whatever kind of table comes."""
    return FGM.predictions(np.asarray(X, dtype=np.float64))


def table(X: Floats) -> pd.DataFrame:
    """Name the columns, so that every caption does."""
    return pd.DataFrame(X, columns=list(NAMES))


def train(X: Floats) -> Any:
    """Train XGBoost on the function, noise-free."""
    import xgboost

    return xgboost.XGBRegressor(**TREES).fit(table(X), function(X))


def run(model: Any, X: Floats, methods: Sequence[str] = METHODS, seed: int = SEED, progress: bool = False) -> Outcome:
    """Decompose the predictions of a model, ask the other methods about it, and measure all against the truth.

    Parameters
    ----------
    model : object
        The function itself, or a model that was trained on it.
    X : array of shape (n_rows, 3)
    methods : sequence of str
    seed : int
    progress : bool
        Say which method is being asked.
    """
    dec = explain(model, table(X), random_state=seed, progress=False)
    others = []
    for name in methods:
        if progress:
            print(f"… {find_method(name).title}", flush=True)
        settings = {"max_rows": len(X)} | SETTINGS.get(name, {})
        others.append(attribute(name, model, table(X), like=dec, random_state=seed, progress=False, **settings))
    ours = tuple(size(own_effect(dec, X, index) - truth(X, index)) for index in range(3))
    return Outcome(dec, X, tuple(others), {OURS: ours, **{other.title: errors_of(other) for other in others}})


def own_effect(dec: Decomposition, X: Floats, index: int) -> Floats:
    """Evaluate our main effect of a feature; nothing where it was dropped."""
    return dec.component((index,), table(X)) if (index,) in dec.terms else np.zeros(len(X))


def size(gap: Floats) -> float:
    """Measure a gap by its spread: a main effect is known up to a constant."""
    return float(np.std(gap))


def errors_of(other: Attribution) -> tuple[float, ...]:
    """Measure how far a method's lines lie from the truth at the rows it explained.

    The gaps of Shapley-like contributions are averaged over rows with about the same value first, which does away with
    what they hold of interactions: their errors without that would be larger.
    """
    found = []
    for index in range(3):
        values, gap = other.values[:, index], gaps(other, index)
        if other.counterpart == "ANOVA-Shapley value":
            gap = np.interp(values, *conditional_means(values, gap))
        found.append(size(gap))
    return tuple(found)


def gaps(other: Attribution, index: int) -> Floats:
    """Subtract the truth from a method's contributions, row by row, up to a constant."""
    gap: Floats = other.contributions[:, index] - truth(other.values, index)
    return gap - gap.mean()
