"""Second moments of components on a set of rows: all that measures need, so they need no data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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


def average_moments(expansion: Expansion, values: Floats, answers: Floats) -> Moments:
    """Average the products of components over rows.

    Parameters
    ----------
    expansion : Expansion
    values : array of shape (n_rows, n_features)
    answers : array of shape (n_rows, n_outputs)
    """
    columns = (_columns(expansion, values[rows], answers[rows]) for rows in row_blocks(len(values)))
    return moments_of_columns(columns, tuple(component.term for component in expansion.components))


def moments_of_columns(blocks: Iterable[Floats], terms: Sequence[Term]) -> Moments:
    """Average over blocks of columns of shape (n_rows, n_terms + 1, n_outputs), the gap last."""
    position = {term: index for index, term in enumerate(terms)}
    pairs = [(position[term], position[part]) for term, part in relations(terms)]
    upper, lower = np.array(pairs, dtype=int).reshape(-1, 2).T
    n_rows = 0
    firsts, seconds, fourths = (np.zeros(()) for _ in range(3))
    for block in blocks:
        by_output = np.moveaxis(block, 2, 0)
        n_rows += len(block)
        firsts = firsts + block.sum(axis=0)
        seconds = seconds + np.moveaxis(by_output.transpose(0, 2, 1) @ by_output, 0, 2)
        fourths = fourths + (block[:, upper] ** 2 * block[:, lower] ** 2).sum(axis=0)
    seconds = seconds / n_rows
    return Moments(n_rows, firsts / n_rows, seconds, fourths / n_rows, seconds[-1, -1].copy())


def _columns(expansion: Expansion, values: Floats, answers: Floats) -> Floats:
    components = expansion.evaluate(values)
    gap = answers - expansion.mean - components.sum(axis=1)
    return np.concatenate([components, gap[:, None, :]], axis=1)
