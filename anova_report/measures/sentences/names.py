"""What features, terms, predictions and rows are called in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from anova_report.core.result import terms
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import Term
from anova_report.measures.wording import enumeration

MOST_NAMED = 4  # features that are named together; others are counted
PREDICTIONS = {"identity": "prediction", "logit": "logit", "probability": "probability", "margin": "margin"}


@dataclass(frozen=True)
class Names:
    """What things are called.

    Parameters
    ----------
    features : tuple of str
    prediction : str
        "prediction", or "logit of versicolor".
    rows : sequence, optional
        What each row is called; by default it is its position.
    """

    features: tuple[str, ...]
    prediction: str = "prediction"
    rows: Sequence[object] | None = None

    @classmethod
    def of(cls, dec: Decomposition, output: int = 0, rows: Sequence[object] | None = None) -> Self:
        """Take the names of a decomposition."""
        return cls(dec.feature_names, prediction_name(dec, output), rows)

    def term(self, term: Term) -> str:
        """Name a term, "MedInc × Latitude"."""
        return terms.label(term, self.features)

    def several(self, features: Sequence[int]) -> str:
        """Name features that are read together, and count those beyond the first few."""
        return enumeration([self.features[index] for index in features], MOST_NAMED)

    def row(self, row: int) -> str:
        """Call a row by its name, or by its position, counted from 0, where it has none."""
        return f"row {row:,}" if self.rows is None or row >= len(self.rows) else str(self.rows[row])


def prediction_name(dec: Decomposition, output: int) -> str:
    """Say what a prediction is: "prediction", "logit of versicolor"."""
    word = PREDICTIONS.get(dec.scale, dec.scale)
    return word if len(dec.output_names) == 1 else f"{word} of {dec.output_names[output]}"
