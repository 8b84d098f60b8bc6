"""Facts about the rows that were audited: what each feature is, and how the answers are spread."""

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.columns import UNSEEN, Feature
from anova_report.core.decomposition import Decomposition
from anova_report.figures.columns.axes import value_text
from anova_report.measures.variance import answer_variance
from anova_report.measures.wording import counted, number, percent


def feature_summary(feature: Feature, column: Floats) -> str:
    """Say in words which values a feature has.

    Parameters
    ----------
    feature : Feature
    column : array of shape (n_rows,)
        Its encoded values.

    Examples
    --------
    >>> feature_summary(Feature("age", "numeric"), np.array([20.0, 30.0, 70.0]))
    '20 to 70, median 30'
    >>> feature_summary(Feature("sex", "nominal", ("female", "male")), np.array([0.0, 0.0, 1.0, np.nan]))
    '2 levels, most often female (66.7%)'
    """
    known = column[~np.isnan(column)]
    if not len(known):
        return "always missing"
    if feature.has_levels:
        return _levels_summary(feature, known)
    if feature.kind == "boolean":
        return f"true in {percent(float(known.mean()))} of the rows"
    low, middle, high = np.quantile(known, (0.0, 0.5, 1.0), method="inverted_cdf").tolist()
    first, median, last = (value_text(feature, value, high - low) for value in (low, middle, high))
    return f"{first} to {last}, median {median}"


def _levels_summary(feature: Feature, known: Floats) -> str:
    codes, counts = np.unique(known[known != UNSEEN], return_counts=True)
    if not len(codes):
        return "only levels that the fit has not seen"
    most = int(counts.argmax())
    share = percent(float(counts[most] / len(known)))
    return f"{counted(len(codes), 'level', 'levels')}, most often {feature.levels[int(codes[most])]} ({share})"


def answers_summary(dec: Decomposition, answers: Floats | None, output: int) -> str:
    """Say in a sentence how the answers are spread; without them, what the decomposition knows."""
    if answers is None:
        spread = answer_variance(dec, dec.in_sample, output) ** 0.5
        mean = float(dec.expansion.mean[output])
        return f"In the fit the answers had mean {number(mean)} and standard deviation {number(spread)}."
    column = answers[:, output]
    low, first, middle, third, high = np.quantile(column, (0.0, 0.25, 0.5, 0.75, 1.0)).tolist()
    return (
        f"The answers run from {number(low)} to {number(high)}; half of them lie between {number(first)} and "
        f"{number(third)}, around a median of {number(middle)}. Their mean is {number(float(column.mean()))}, "
        f"their standard deviation {number(float(column.std()))}."
    )
