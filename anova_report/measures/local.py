"""What the prediction of one row is made of, and which rows are worth a look."""

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.input.predictions import read_predictions
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.core.result.expansion import row_blocks
from anova_report.core.result.terms import Term
from anova_report.errors import InputError
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.scale import predictions_note
from anova_report.measures.sentences.rows import unseen_words
from anova_report.measures.support import unseen_terms

MOST_ROWS = 20_000  # of more rows, so many at equal steps are looked at: evaluating all would take minutes

NAMED = 2  # contributions that a sentence names in each direction
SMALL = 0.05  # of the largest contribution: below it a contribution is not worth naming

Reason: TypeAlias = Literal["typical", "highest", "lowest", "largest residual"]


@dataclass(frozen=True)
class Contribution:
    """What one term adds to the prediction of a row."""

    term: Term
    label: str
    value: float


@dataclass(frozen=True)
class FeatureValue:
    """The ANOVA-Shapley value of one feature in a row: every component shared equally among its features."""

    feature: str
    value: float
    title: str = ""  # what readers see for its name


@dataclass(frozen=True, repr=False)
class RowExplanation(Shown):
    """What the prediction of one row is made of: mean + contributions + remainder = prediction.

    Parameters
    ----------
    mean : float
    contributions : tuple of Contribution
        In the order of the decomposition.
    explained : float
        The mean and all contributions.
    prediction, remainder : float or None
        The prediction of the black box, and that minus `explained`; None where it was not given.
    features : tuple of FeatureValue
        ANOVA-Shapley values; with the mean they add up to `explained`.
    unseen_terms : tuple of Term
        What the fit has not seen of the row: values of one feature, and combinations of two values.
    """

    mean: float
    contributions: tuple[Contribution, ...]
    explained: float
    prediction: float | None
    remainder: float | None
    features: tuple[FeatureValue, ...]
    unseen_terms: tuple[Term, ...] = ()

    @property
    def unseen(self) -> tuple[str, ...]:
        """What the fit has not seen of the row, in words."""
        return tuple(unseen_words(self.unseen_terms, [value.title or value.feature for value in self.features]))

    def claims(self, rows: tuple[int, ...] = (), output: int = 0) -> Claims:
        """State what the prediction is made of: the whole, what moves it most in either direction, and the sum."""
        whole, value = (
            ("explained value", self.explained) if self.prediction is None else ("prediction", self.prediction)
        )
        ranked = self.ranked()
        least = SMALL * abs(ranked[0].value) if ranked else 0.0
        pushes = (item for sign in (1, -1) for item in [part for part in ranked if part.value * sign > least][:NAMED])
        of: dict[str, Any] = {"rows": rows, "output": output}
        total = [] if self.remainder is None else [{"explained": self.explained, "residual": self.remainder}]
        return (
            Claim(whole, {"value": value, "mean": self.mean}, **of),
            *(Claim("contribution", {"value": item.value}, (item.term,), **of) for item in pushes),
            *(Claim("sum of contributions", numbers, **of) for numbers in total),
            *(Claim("not seen in the fit", features=term, **of) for term in self.unseen_terms),
        )

    def ranked(self) -> tuple[Contribution, ...]:
        """Contributions by size, largest first, whatever their sign."""
        return tuple(sorted(self.contributions, key=lambda item: -abs(item.value)))

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`."""
        return {
            "term": ["mean", *(item.label for item in self.contributions)],
            "indices": [(), *(item.term for item in self.contributions)],
            "contribution": [self.mean, *(item.value for item in self.contributions)],
        }


@dataclass(frozen=True)
class NotableRow:
    """A row that is worth a look: its position in the table, why, and at which place it is for that reason."""

    row: int
    reason: Reason
    place: int = 1


def explanation(
    dec: Decomposition, X: Any, prediction: float | None = None, output: str | int | None = None
) -> RowExplanation:
    """Take the prediction of one row apart.

    Parameters
    ----------
    dec : Decomposition
    X : table of shape (1, n_features)
    prediction : float, optional
        The prediction of the black box; without it the remainder is unknown.
    output : str or int, optional
        Which output, where there are several.

    Examples
    --------
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
    >>> dec = FunctionalANOVA.published(K=1, d=2, d_density=0, scaling=None).fit(X, X[:, 0] + X[:, 1]).decomposition_
    >>> found = explanation(dec, [[0.5, -0.25]], prediction=0.3)
    >>> round(found.explained, 6), round(found.remainder, 6)
    (0.25, 0.05)
    """
    values = dec.encode(X)
    if len(values) != 1:
        raise InputError(f"One row is explained at a time; got {len(values)}. Pass a table of one row.")
    return encoded_explanation(dec, values, prediction, dec.output_index(output))


def encoded_explanation(
    dec: Decomposition, values: Floats, prediction: float | None = None, output: int = 0
) -> RowExplanation:
    """Take the prediction of one row apart that `Decomposition.encode` has read, shape (1, n_features)."""
    components = dec.expansion.evaluate(values)[0, :, output]
    mean = float(dec.expansion.mean[output])
    contributions = tuple(
        Contribution(term, dec.label(term), float(value)) for term, value in zip(dec.terms, components, strict=True)
    )
    explained = math.fsum((mean, *(item.value for item in contributions)))
    shapley = components @ dec.membership
    return RowExplanation(
        mean=mean,
        contributions=contributions,
        explained=explained,
        prediction=None if prediction is None else float(prediction),
        remainder=None if prediction is None else float(prediction) - explained,
        features=tuple(map(FeatureValue, dec.feature_names, shapley.tolist(), dec.feature_titles)),
        unseen_terms=unseen_terms(dec, values),
    )


def notable_rows(
    dec: Decomposition, X: Any, predictions: Any = None, output: str | int | None = None
) -> tuple[NotableRow, ...]:
    """Find the rows a reader wants explained first.

    The typical row is closest to average in all components and the residual together; then come the highest and the
    lowest explanation and, where predictions are given, the largest residual. No row is listed twice: where one is
    notable for two reasons, the next is listed, with its place. Of very many rows, some at equal steps are looked at.

    Parameters
    ----------
    dec : Decomposition
    X : table of shape (n_rows, n_features)
    predictions : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
    output : str or int, optional
        Which output, where there are several.
    """
    values, chosen = dec.encode(X), dec.output_index(output)
    given = None if predictions is None else given_predictions(dec, predictions, values)[0][:, chosen]
    looked_at = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_ROWS)).astype(np.intp))
    explained, distance = np.empty(len(looked_at)), np.empty(len(looked_at))
    for rows in row_blocks(len(looked_at)):
        components = dec.expansion.evaluate(values[looked_at[rows]])[:, :, chosen]
        explained[rows] = dec.expansion.mean[chosen] + components.sum(axis=1)
        distance[rows] = (components**2).sum(axis=1)  # from averages, which are zero
    residual = np.zeros_like(explained) if given is None else given[looked_at] - explained
    orders: dict[Reason, Floats] = {"typical": distance + residual**2, "highest": -explained, "lowest": explained}
    if given is not None:
        orders["largest residual"] = -np.abs(residual)
    found: dict[int, NotableRow] = {}
    for reason, order in orders.items():
        ranked = looked_at[np.argsort(order, kind="stable")[: len(found) + 1]].tolist()
        free = [NotableRow(row, reason, place) for place, row in enumerate(ranked, 1) if row not in found]
        found |= {item.row: item for item in free[:1]}
    return tuple(found.values())


def given_predictions(dec: Decomposition, predictions: Any, values: Floats) -> tuple[Floats, str]:
    """Read predictions for encoded rows, shape (n_rows, n_outputs), and say in words if something about them is odd.

    Raises
    ------
    InputError
        If they cannot be the predictions of what was decomposed.
    """
    given = read_predictions(predictions, len(values)).values
    if given.shape[1] != len(dec.output_names):
        raise InputError(
            f"The predictions have {given.shape[1]} output(s) and the decomposition {len(dec.output_names)}. Pass the "
            "predictions that were decomposed."
        )
    return given, predictions_note(dec, values, given)
