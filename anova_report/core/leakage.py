"""How much of an interaction functions of its parts explain on rows the fit has not seen."""

from collections.abc import Sequence

import numpy as np

from anova_report.core.arrays import Floats, Reals
from anova_report.core.moments import relations
from anova_report.core.terms import Term

DEGREE = 8  # of the functions of a part that are tried at most: finer ones could not be told from chance
ROWS_PER_FUNCTION = 50  # and of few rows fewer functions are tried


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
        self.relations = relations(terms)
        self._position = {term: index for index, term in enumerate(terms)}
        self._gram: dict[Term, Floats] = {}
        self._cross: dict[tuple[Term, Term], Floats] = {}
        self._squares: Floats = np.zeros(1)
        self._firsts: Floats = np.zeros(1)
        self._rows = 0

    def add(self, functions: Sequence[Reals], components: Floats) -> None:
        """Count some rows; `components` has shape (n_rows, n_terms + 1, n_outputs)."""
        self._rows += len(components)
        self._firsts = self._firsts + components.sum(axis=0)
        self._squares = self._squares + (components**2).sum(axis=0)
        tried = {part: _functions(part, functions, self._degree) for part in {part for _, part in self.relations}}
        for part, values in tried.items():
            self._gram[part] = self._gram.get(part, np.zeros(1)) + values @ values.T
        for term, part in self.relations:
            product = tried[part] @ components[:, self._position[term]]
            self._cross[term, part] = self._cross.get((term, part), np.zeros(1)) + product

    def shares(self) -> Floats:
        """Share of Var(ν_S) that X_T explains, less what chance would explain, shape (n_relations, n_outputs)."""
        shares = np.zeros((len(self.relations), self._squares.shape[-1]))
        for row, (term, part) in enumerate(self.relations):
            at = self._position[term]
            mean = self._firsts[at] / self._rows
            variance = self._squares[at] / self._rows - mean**2
            cross = self._cross[term, part] / self._rows
            solved = np.linalg.lstsq(self._gram[part] / self._rows, cross, rcond=1e-8)[0]
            explained = (cross * solved).sum(axis=0) - mean**2
            chance = (len(cross) - 1) / self._rows
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
