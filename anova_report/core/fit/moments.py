"""Second moments of components on a set of rows: all that measures need, so they need no data.

Leakage, how much of an interaction functions of its subterms explain on rows the fit has not seen, is made of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import reduce
from operator import add
from typing import TypeAlias

import numpy as np

from anova_report.core.arrays import Floats, Reals, read_only
from anova_report.core.expansion import Expansion, row_blocks
from anova_report.core.terms import Term, subterms

DEGREE = 8  # of the functions of a subterm that are tried at most: finer ones could not be told from chance
ROWS_PER_FUNCTION = 50  # and with few rows fewer functions are tried


@dataclass(frozen=True, eq=False)
class Moments:
    """Averages over rows of the components and, as a last column, of the gap: the answer minus their sum.

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
    return tuple((term, subterm) for term in terms for subterm in subterms(term) if subterm in known)


@dataclass(frozen=True, eq=False)
class MomentSums:
    """Sums over some rows of columns, of shape (n_outputs, n_terms + 1, n_rows), and of their products."""

    n_rows: int
    firsts: Floats  # shape (n_outputs, n_terms + 1)
    seconds: Floats  # shape (n_outputs, n_terms + 1, n_terms + 1)
    fourths: Floats  # shape (n_relations, n_outputs)

    @classmethod
    def of(cls, columns: Floats, squares: Floats, terms: Sequence[Term]) -> "MomentSums":
        """Sum over rows; `squares` are the squared columns, which others need, too."""
        position = {term: index for index, term in enumerate(terms)}
        fourths = [
            np.einsum("on,on->o", squares[:, position[term]], squares[:, position[subterm]])
            for term, subterm in relations(terms)
        ]
        return cls(
            n_rows=columns.shape[2],
            firsts=columns.sum(axis=2),
            seconds=columns @ columns.transpose(0, 2, 1),
            fourths=np.reshape(fourths, (-1, len(columns))),
        )

    def __add__(self, other: "MomentSums") -> "MomentSums":
        """Count other rows as well."""
        return MomentSums(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def average(self, spread: Floats | float = 1.0) -> Moments:
        """Divide by the number of rows, and give standardised columns the units of the answers, `spread`."""
        seconds = np.moveaxis(self.seconds, 0, 2) * (spread**2 / self.n_rows)
        return Moments(
            n_rows=self.n_rows,
            firsts=self.firsts.T * (spread / self.n_rows),
            seconds=seconds,
            fourths=self.fourths * (spread**4 / self.n_rows),
            squared_gap=seconds[-1, -1].copy(),
        )


def average_moments(expansion: Expansion, values: Floats, answers: Floats) -> Moments:
    """Average the products of components over encoded rows and their answers, shape (n_rows, n_outputs)."""
    terms = tuple(component.term for component in expansion.components)

    def sums(rows: slice) -> MomentSums:
        components = expansion.evaluate(values[rows])
        gap = answers[rows] - expansion.mean - components.sum(axis=1)
        columns = np.concatenate([components, gap[:, None, :]], axis=1)
        columns = np.ascontiguousarray(columns.transpose(2, 1, 0))
        return MomentSums.of(columns, columns**2, terms)

    return reduce(add, map(sums, row_blocks(len(values)))).average()


# Of a subterm: the Gram of its functions, and cross products.
LeakageProducts: TypeAlias = dict[Term, tuple[Floats, Floats]]


class LeakageSums:
    """Sums over rows, `n_rows` in all, for the regression of every component ν_S on functions of X_T, T ⊊ S."""

    def __init__(self, terms: Sequence[Term], n_rows: int) -> None:
        self._degree = min(DEGREE, max(1, n_rows // ROWS_PER_FUNCTION))
        self._position = {term: index for index, term in enumerate(terms)}
        self.relations = relations(terms)
        self.sharing: dict[Term, list[int]] = {}
        for term, subterm in self.relations:
            self.sharing.setdefault(subterm, []).append(self._position[term])
        self._sums: LeakageProducts = {}

    def products(self, functions: Sequence[Reals], components: Floats) -> LeakageProducts:
        """Sum over some rows; `components` has shape (n_outputs, n_terms + 1, n_rows)."""
        found = {}
        for subterm, sharing in self.sharing.items():
            tried = _functions(subterm, functions, self._degree)
            found[subterm] = tried @ tried.T, components[:, sharing] @ tried.T
        return found

    def add(self, products: LeakageProducts) -> None:
        """Count some rows."""
        for subterm, (gram, cross) in products.items():
            old_gram, old_cross = self._sums.get(subterm, (0.0, 0.0))
            self._sums[subterm] = old_gram + gram, old_cross + cross

    def shares(self, sums: MomentSums) -> Floats:
        """Share of Var(ν_S) that X_T explains, less what chance would explain, shape (n_relations, n_outputs)."""
        means = sums.firsts / sums.n_rows
        shares = np.zeros((len(self.relations), len(means)))
        for row, (term, subterm) in enumerate(self.relations):
            at = self._position[term]
            mean = means[:, at]
            variance = sums.seconds[:, at, at] / sums.n_rows - mean**2
            gram, crosses = self._sums[subterm]
            cross = crosses[:, self.sharing[subterm].index(at)].T / sums.n_rows
            solved = np.linalg.lstsq(gram / sums.n_rows, cross, rcond=1e-8)[0]
            explained = (cross * solved).sum(axis=0) - mean**2
            chance = (len(cross) - 1) / sums.n_rows
            share = np.divide(explained, variance, out=np.zeros_like(variance), where=variance > 0)
            shares[row] = np.clip((share - chance) / (1 - chance), 0.0, 1.0) if chance < 1 else 0.0
        return shares


def _functions(subterm: Term, functions: Sequence[Reals], degree: int) -> Floats:
    """Evaluate the constant and low functions of the features of a subterm, and for two features their products."""
    constant = np.ones((1, functions[0].shape[1]))
    values = constant
    for feature in subterm:
        own = np.concatenate([constant, functions[feature][: degree if len(subterm) == 1 else max(1, degree // 2)]])
        values = (values[:, None] * own[None]).reshape(-1, values.shape[1])
    return np.asarray(values, dtype=np.float64)
