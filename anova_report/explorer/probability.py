"""Logits of rows shown as probabilities: of whole answers only, since effects do not add up as probabilities."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.special import expit

from anova_report.core.arrays import Floats
from anova_report.figures.columns import Rows
from anova_report.measures.local import Explanation
from anova_report.measures.wording import percent

WORDS = (
    "Whole answers and explanations are shown as probabilities. Effects and contributions stay on the logit scale, "
    "where they add up: what +1 does to a probability depends on where it starts."
)


@dataclass(frozen=True, eq=False)
class ProbabilityRows(Rows):
    """Rows whose answers and explanations were logits and are probabilities now."""

    @classmethod
    def from_logits(cls, rows: Rows) -> Self:
        """Turn the answers of rows into probabilities."""
        answers = None if rows.answers is None else as_probability(rows.answers)
        return cls(replace(rows.dec, scale="probability"), rows.values, answers, rows.seed)

    @cached_property
    def explained(self) -> Floats:
        """Explanations of the rows of `sample` as probabilities, shape (n_sample, n_outputs)."""
        return as_probability(self.dec.expansion.predict(self.values[self.sample]))

    def explanation(self, row: int, output: int) -> Explanation:
        """Explain one row; only the whole is a probability, its parts stay logits."""
        logits = replace(self, answers=None)
        found = Rows.explanation(logits, row, output)
        return replace(found, explained=probability(found.explained))


def as_probability(logits: Floats) -> Floats:
    """Apply the logistic function."""
    return np.asarray(expit(logits), dtype=np.float64)


def probability(logit: float) -> float:
    """Apply the logistic function to one number.

    Examples
    --------
    >>> probability(0.0), round(probability(np.log(3)), 6)
    (0.5, 0.75)
    """
    return float(expit(logit))


def case_words(found: Explanation) -> str:
    """Say where a row starts and where it gets to, as probabilities.

    Examples
    --------
    >>> case_words(Explanation(0.0, (), float(np.log(3)), None, None, ()))
    'As probabilities: from 50.0% at the mean to 75.0% explained.'
    """
    words = f"from {percent(probability(found.mean))} at the mean to {percent(probability(found.explained))} explained"
    if found.answer is None:
        return f"As probabilities: {words}."
    return f"As probabilities: {words}; the answer is {percent(probability(found.answer))}."
