"""Whether the logarithm of positive predictions is closer to a sum of effects than the predictions are."""

from typing import Any

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.estimator import FunctionalANOVA
from anova_report.core.input.weights import kept
from anova_report.core.result.decomposition import Decomposition
from anova_report.errors import AnovaReportError
from anova_report.measures.claims import Claim
from anova_report.measures.fidelity import fidelity

LOOKED_AT = 1500  # a budget of time: rows at equal steps whose main effects are fitted on both scales
LEAST_RATIO = 3.0  # of the largest prediction to the smallest: over less, a logarithm is nearly a line
# Statistics: what main effects of the logarithm leave unexplained, of what those of the predictions do.
CLEARLY_LESS = 0.8


def better_as_logarithms(dec: Decomposition, X: Any, predictions: Floats | None, output: int) -> tuple[Claim, ...]:
    """State how much main effects explain on both scales, where that speaks for logarithms.

    Parameters
    ----------
    dec : Decomposition
        Of the predictions as they are; on other scales nothing is stated.
    X : table of shape (n_rows, n_features)
    predictions : array of shape (n_rows,) or None
        Of one output, for the rows of X.
    output : int
    """
    if dec.scale != "identity" or X is None or predictions is None or not (predictions > 0).all():
        return ()
    if predictions.max() < LEAST_RATIO * predictions.min():
        return ()
    n_rows = len(predictions)
    rows = np.arange(0, n_rows, max(-(-n_rows // LOOKED_AT), 1))
    table, chosen = kept("X", X, rows, n_rows), predictions[rows]
    try:
        plain, logarithms = (_main_effects(table, each) for each in (chosen, np.log(chosen)))
    except AnovaReportError:  # too few rows, or columns that tell nothing here
        return ()
    if 1 - logarithms >= CLEARLY_LESS * (1 - plain):
        return ()
    numbers = {"as_they_are": max(plain, 0.0), "logarithms": logarithms, "n_rows": float(len(rows))}
    return (Claim("main effects of logarithms", numbers, output=output),)


def _main_effects(table: Any, predictions: Floats) -> float:
    fitted = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(table, predictions)
    return fidelity(fitted.decomposition_).best
