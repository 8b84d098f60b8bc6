"""Lists of rows to look at: those with the largest residuals, and those about which the fit knows little."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.core.result.expansion import row_blocks
from anova_report.core.result.explanation import rows_and_predictions
from anova_report.core.result.terms import Term
from anova_report.measures.local import given_predictions
from anova_report.measures.support import outside_rows, unseen_pairs, unseen_terms

LISTED = 20  # rows by default: as many as a reader looks up one by one


@dataclass(frozen=True)
class ResidualRow:
    """A row with a large residual: its position, its prediction, what is explained of it, and the difference."""

    position: int
    prediction: float
    explained: float
    residual: float


@dataclass(frozen=True, repr=False)
class LargestResiduals(Shown):
    """Rows with the largest residuals, the largest first.

    Parameters
    ----------
    rows : tuple of ResidualRow
    held : float
        What these rows hold of the sum of all squared residuals.
    n_rows : int
        Of how many rows they were chosen.
    """

    rows: tuple[ResidualRow, ...]
    held: float
    n_rows: int

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`, one line per row."""
        return {field.name: [getattr(row, field.name) for row in self.rows] for field in fields(ResidualRow)}


@dataclass(frozen=True)
class ExtrapolatedRow:
    """A row that is unlike those of the fit: its position, and what the fit has not seen of it."""

    position: int
    unseen: tuple[Term, ...]


@dataclass(frozen=True, repr=False)
class ExtrapolatedRows(Shown):
    """Rows beyond the fit: of values that it has not seen, or that it has not seen together.

    Parameters
    ----------
    rows : tuple of ExtrapolatedRow
        Those with most unseen values first, then those with most unseen combinations.
    n_beyond, n_rows : int
        How many there are, of how many rows.
    features : tuple of str
        What readers see for the features.
    """

    rows: tuple[ExtrapolatedRow, ...]
    n_beyond: int
    n_rows: int
    features: tuple[str, ...]

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`, one line per row."""
        named = [[" × ".join(self.features[at] for at in term) for term in row.unseen] for row in self.rows]
        return {"position": [row.position for row in self.rows], "unseen": list(map(", ".join, named))}


def largest_residuals(
    dec: Decomposition,
    X: Any = None,
    predictions: Any = None,
    output: str | int | None = None,
    most: int = LISTED,
) -> LargestResiduals:
    """List the rows whose predictions lie farthest from what is explained of them.

    Parameters
    ----------
    dec : Decomposition
        An `Explanation` needs nothing else.
    X : table of shape (n_rows, n_features), optional
    predictions : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
    output : str or int, optional
        Which output, where there are several.
    most : int
        How many rows to list.

    Examples
    --------
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).uniform(size=(500, 2))
    >>> predictions = X[:, 0] + np.where(np.arange(500) == 7, 1.0, 0.0)
    >>> dec = FunctionalANOVA(progress=False).fit(X, predictions).decomposition_
    >>> largest_residuals(dec, X, predictions, most=1).rows[0].position
    7
    """
    X, predictions = rows_and_predictions(dec, X, predictions)
    values = dec.encode(X)
    given = given_predictions(dec, predictions, values)[0]
    return encoded_largest_residuals(dec, values, given, dec.output_index(output), most)


def encoded_largest_residuals(
    dec: Decomposition, values: Floats, predictions: Floats, output: int = 0, most: int = LISTED
) -> LargestResiduals:
    """List the same among encoded rows."""
    explained = np.concatenate([dec.expansion.predict(values[rows])[:, output] for rows in row_blocks(len(values))])
    residuals = predictions[:, output] - explained
    order = np.argsort(-np.abs(residuals), kind="stable")[:most]
    listed = np.column_stack([predictions[order, output], explained[order], residuals[order]]).tolist()
    squares = residuals**2
    rows = tuple(ResidualRow(position, *own) for position, own in zip(order.tolist(), listed, strict=True))
    return LargestResiduals(rows, float(squares[order].sum() / (squares.sum() or 1.0)), len(values))


def extrapolated_rows(dec: Decomposition, X: Any = None, most: int = LISTED) -> ExtrapolatedRows:
    """List the rows of which the fit has not seen values, or combinations of two values.

    Parameters
    ----------
    dec : Decomposition
    X : table of shape (n_rows, n_features), optional
        By default the rows of an explanation.
    most : int
        How many rows to list.

    Examples
    --------
    >>> from anova_report import explain
    >>> dec = explain(lambda rows: rows.sum(axis=1), np.random.default_rng(0).uniform(size=(300, 2)), progress=False)
    >>> extrapolated_rows(dec, [[0.5, 0.5], [0.5, 3.0]]).frame()
    {'position': [1], 'unseen': ['x1']}
    """
    X, _ = rows_and_predictions(dec, X, ())
    return encoded_extrapolated_rows(dec, dec.encode(X), most)


def encoded_extrapolated_rows(dec: Decomposition, values: Floats, most: int = LISTED) -> ExtrapolatedRows:
    """List the same among encoded rows."""
    outside, pairs = outside_rows(dec, values).sum(axis=1), unseen_pairs(dec, values)[1].sum(axis=1)
    beyond = np.flatnonzero((outside > 0) | (pairs > 0))
    order = beyond[np.lexsort((beyond, -pairs[beyond], -outside[beyond]))][:most]
    rows = tuple(ExtrapolatedRow(at, unseen_terms(dec, values[at : at + 1])) for at in order.tolist())
    return ExtrapolatedRows(rows, len(beyond), len(values), dec.feature_titles)
