"""How much of an interaction functions of its parts explain on rows the fit has not seen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anova_report.core.arrays import Floats, Reals
from anova_report.core.moments import MomentSums, relations
from anova_report.core.terms import Term

DEGREE = 8  # of the functions of a part that are tried at most: finer ones could not be told from chance
ROWS_PER_FUNCTION = 50  # and of few rows fewer functions are tried


@dataclass(frozen=True, eq=False)
class PartProducts:
    """Sums over rows for the regression of components on functions of one of their parts.

    Parameters
    ----------
    gram : array of shape (n_functions, n_functions)
    cross : array of shape (n_outputs, n_sharing, n_functions)
    """

    gram: Floats
    cross: Floats

    def __add__(self, other: "PartProducts") -> "PartProducts":
        """Count other rows as well."""
        return PartProducts(self.gram + other.gram, self.cross + other.cross)


class LeakageSums:
    """Sums over rows for the regression of every component ν_S on functions of X_T, T ⊊ S.

    Parameters
    ----------
    terms : sequence of Term
    n_rows : int
        How many rows will come.
    """

    def __init__(self, terms: Sequence[Term], n_rows: int) -> None:
        self._degree = min(DEGREE, max(1, n_rows // ROWS_PER_FUNCTION))
        self._position = {term: index for index, term in enumerate(terms)}
        self.relations = relations(terms)
        self.sharing: dict[Term, list[int]] = {}
        for term, part in self.relations:
            self.sharing.setdefault(part, []).append(self._position[term])
        self._sums: dict[Term, PartProducts] = {}

    def products(self, functions: Sequence[Reals], components: Floats) -> dict[Term, PartProducts]:
        """Sum over some rows; `components` has shape (n_outputs, n_terms + 1, n_rows)."""
        found = {}
        for part, sharing in self.sharing.items():
            tried = _functions(part, functions, self._degree)
            found[part] = PartProducts(tried @ tried.T, components[:, sharing] @ tried.T)
        return found

    def add(self, products: dict[Term, PartProducts]) -> None:
        """Count some rows."""
        for part, found in products.items():
            self._sums[part] = self._sums[part] + found if part in self._sums else found

    def shares(self, sums: MomentSums) -> Floats:
        """Share of Var(ν_S) that X_T explains, less what chance would explain, shape (n_relations, n_outputs)."""
        means = sums.firsts / sums.n_rows
        shares = np.zeros((len(self.relations), len(means)))
        for row, (term, part) in enumerate(self.relations):
            at = self._position[term]
            mean = means[:, at]
            variance = sums.seconds[:, at, at] / sums.n_rows - mean**2
            cross = self._sums[part].cross[:, self.sharing[part].index(at)].T / sums.n_rows
            solved = np.linalg.lstsq(self._sums[part].gram / sums.n_rows, cross, rcond=1e-8)[0]
            explained = (cross * solved).sum(axis=0) - mean**2
            chance = (len(cross) - 1) / sums.n_rows
            share = np.divide(explained, variance, out=np.zeros_like(variance), where=variance > 0)
            shares[row] = np.clip((share - chance) / (1 - chance), 0.0, 1.0) if chance < 1 else 0.0
        return shares


def _functions(part: Term, functions: Sequence[Reals], degree: int) -> Floats:
    """Evaluate the constant and low functions of a part's features, and for two features their products."""
    constant = np.ones((1, functions[0].shape[1]))
    values = constant
    for feature in part:
        own = np.concatenate([constant, functions[feature][: degree if len(part) == 1 else max(1, degree // 2)]])
        values = (values[:, None] * own[None]).reshape(-1, values.shape[1])
    return np.asarray(values, dtype=np.float64)
