"""Second moments of components on a set of rows: all that measures need, so they need no data."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from anova_report.core.arrays import Floats, read_only
from anova_report.core.expansion import Expansion, row_blocks
from anova_report.core.terms import Term, ancestors


@dataclass(frozen=True, eq=False)
class Moments:
    """Averages over rows of the components and, as a last column, of what they leave of the answer.

    The answer is the mean plus all columns, so every variance and covariance of the answer follows from `seconds`.

    Parameters
    ----------
    n_rows : int
    firsts : array of shape (n_terms + 1, n_outputs)
        Averages of each column.
    seconds : array of shape (n_terms + 1, n_terms + 1, n_outputs)
        Averages of the product of two columns.
    fourths : array of shape (n_relations, n_outputs)
        Averages of ν_S² ν_T² for the relations T ⊊ S, in the order of `relations`.
    squared_gap : array of shape (n_outputs,)
        Average squared gap between answer and explanation. On held-out rows the explanation may hold a term that the
        fit on all rows does not list; then the last column is not the gap alone.
    leakages : array of shape (n_relations, n_outputs) or None
        Share of Var(ν_S) that functions of X_T explain, beyond what chance would.
    """

    n_rows: int
    firsts: Floats
    seconds: Floats
    fourths: Floats
    squared_gap: Floats
    leakages: Floats | None = None

    def __post_init__(self) -> None:
        read_only(self.firsts, self.seconds, self.fourths, self.squared_gap, self.leakages)

    def covariance(self, output: int) -> Floats:
        """Covariances of the components and the gap for one output, shape (n_terms + 1, n_terms + 1)."""
        firsts = self.firsts[:, output]
        return np.asarray(self.seconds[:, :, output] - np.outer(firsts, firsts))


def relations(terms: Sequence[Term]) -> tuple[tuple[Term, Term], ...]:
    """List the pairs (S, T), T ⊊ S not empty, of which both are components.

    Examples
    --------
    >>> relations(((0,), (1,), (0, 1)))
    (((0, 1), (0,)), ((0, 1), (1,)))
    """
    known = set(terms)
    return tuple((term, part) for term in terms for part in ancestors(term) if part in known)


@dataclass(frozen=True, eq=False)
class MomentSums:
    """Sums over some rows of columns, of shape (n_outputs, n_terms + 1, n_rows), and of their products.

    Parameters
    ----------
    n_rows : int
    firsts : array of shape (n_outputs, n_terms + 1)
    seconds : array of shape (n_outputs, n_terms + 1, n_terms + 1)
    fourths : array of shape (n_relations, n_outputs)
    """

    n_rows: int
    firsts: Floats
    seconds: Floats
    fourths: Floats

    @classmethod
    def of(cls, columns: Floats, squares: Floats, terms: Sequence[Term]) -> "MomentSums":
        """Sum over rows; `squares` are the squared columns, which others need, too."""
        position = {term: index for index, term in enumerate(terms)}
        fourths = [
            np.einsum("on,on->o", squares[:, position[term]], squares[:, position[part]])
            for term, part in relations(terms)
        ]
        return cls(
            n_rows=columns.shape[2],
            firsts=columns.sum(axis=2),
            seconds=columns @ columns.transpose(0, 2, 1),
            fourths=np.reshape(fourths, (-1, len(columns))),
        )

    def __add__(self, other: "MomentSums") -> "MomentSums":
        """Count other rows as well."""
        return MomentSums(
            n_rows=self.n_rows + other.n_rows,
            firsts=self.firsts + other.firsts,
            seconds=self.seconds + other.seconds,
            fourths=self.fourths + other.fourths,
        )

    def average(self, spread: Floats | float = 1.0) -> Moments:
        """Divide by the number of rows, and give columns their units back: so much is one of theirs."""
        seconds = np.moveaxis(self.seconds, 0, 2) * (spread**2 / self.n_rows)
        return Moments(
            n_rows=self.n_rows,
            firsts=self.firsts.T * (spread / self.n_rows),
            seconds=seconds,
            fourths=self.fourths * (spread**4 / self.n_rows),
            squared_gap=seconds[-1, -1].copy(),
        )


def average_moments(expansion: Expansion, values: Floats, answers: Floats) -> Moments:
    """Average the products of components over rows.

    Parameters
    ----------
    expansion : Expansion
    values : array of shape (n_rows, n_features)
    answers : array of shape (n_rows, n_outputs)
    """
    terms = tuple(component.term for component in expansion.components)
    columns = (_columns(expansion, values[rows], answers[rows]) for rows in row_blocks(len(values)))
    return reduce(add, (MomentSums.of(block, block**2, terms) for block in columns)).average()


def _columns(expansion: Expansion, values: Floats, answers: Floats) -> Floats:
    components = expansion.evaluate(values)
    gap = answers - expansion.mean - components.sum(axis=1)
    columns = np.concatenate([components, gap[:, None, :]], axis=1)
    return np.ascontiguousarray(columns.transpose(2, 1, 0))
