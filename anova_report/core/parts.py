"""The parts of interactions, evaluated once for all interactions that share them."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals
from anova_report.core.chunks import CHUNKS
from anova_report.core.design import Columns
from anova_report.core.terms import Term, ancestors

Cuts = Sequence[tuple[int, slice]]


class Parts:
    """Which columns of a fit are parts of which interactions.

    Parameters
    ----------
    columns : Columns
    terms : sequence of Term
        The interactions.
    """

    def __init__(self, columns: Columns, terms: Sequence[Term]) -> None:
        self.columns = columns
        self.terms = tuple(terms)
        sharing: dict[Term, list[int]] = {}
        for index, term in enumerate(self.terms):
            for part in self.of(term):
                sharing.setdefault(part, []).append(index)
        self.sharing = {part: np.array(indices) for part, indices in sharing.items()}

    def of(self, term: Term) -> list[Term]:
        """List the parts of an interaction that have columns; the constant is not listed."""
        return [part for part in ancestors(term) if part in self.columns.positions]

    def positions(self, term: Term) -> NDArray[np.intp]:
        """Columns of the parts of an interaction, the constant first."""
        own = [self.columns.positions[part] for part in self.of(term)]
        return np.concatenate([np.zeros(1, dtype=np.intp), *own])

    def evaluate(self, part: Term, functions: Sequence[Reals]) -> Reals:
        """Evaluate the columns of one part, shape (n_columns, n_rows)."""
        chosen = self.columns.functions[part]
        if len(part) == 1:
            # Main effects use the leading functions of a feature: a view, where a choice would copy.
            return functions[part[0]][: len(chosen)]
        factors = [functions[feature][which] for feature, which in zip(part, chosen.T, strict=True)]
        return np.asarray(np.prod(factors, axis=0))

    def subtract(self, shifts: Mapping[Term, Floats], functions: Sequence[Reals], values: Reals) -> None:
        """Take parts out of interactions, in place; `values` has shape (n_rows, n_interactions, n_outputs)."""
        if not self.terms:
            return
        blocks = {term: self._split(term, shifts[term]) for term in self.terms}
        values -= np.array([shifts[term][0] for term in self.terms], dtype=values.dtype)
        for part, sharing in self.sharing.items():
            weights = np.stack([blocks[self.terms[index]][part] for index in sharing], axis=1).astype(values.dtype)
            moved = self.evaluate(part, functions).T @ weights.reshape(len(weights), -1)
            values[:, sharing] -= moved.reshape(len(values), len(sharing), -1)

    def products(self, functions: Sequence[Reals], values: Reals, cuts: Cuts) -> "PartSums":
        """Sum part times interaction over each chunk; `values` has shape (n_rows, n_interactions, n_outputs)."""
        sums = PartSums(self, values.shape[2])
        for chunk, cut in cuts:
            sums.constant[chunk] += values[cut].sum(axis=0)
        for part, sharing in self.sharing.items():
            own = self.evaluate(part, functions)
            shared = np.ascontiguousarray(values[:, sharing]).reshape(len(values), -1)
            into = sums.by_part[part].reshape(CHUNKS, len(own), -1)
            for chunk, cut in cuts:
                into[chunk] += own[:, cut] @ shared[cut]
        return sums

    def _split(self, term: Term, shift: Floats) -> dict[Term, Floats]:
        found, start = {}, 1
        for part in self.of(term):
            stop = start + len(self.columns.positions[part])
            found[part] = shift[start:stop]
            start = stop
        return found


class PartSums:
    """Sums of part times interaction over each chunk of rows.

    Attributes
    ----------
    constant : array of shape (CHUNKS, n_interactions, n_outputs)
    by_part : dict of Term to array of shape (CHUNKS, n_columns, n_sharing, n_outputs)
    """

    def __init__(self, parts: Parts, n_outputs: int) -> None:
        self.parts = parts
        self.constant = np.zeros((CHUNKS, len(parts.terms), n_outputs))
        self.by_part = {
            part: np.zeros((CHUNKS, len(parts.columns.positions[part]), len(sharing), n_outputs))
            for part, sharing in parts.sharing.items()
        }

    def add(self, other: "PartSums") -> None:
        """Count the sums over other rows as well."""
        self.constant += other.constant
        for part, sums in other.by_part.items():
            self.by_part[part] += sums

    def of(self, term: Term) -> Floats:
        """Return the sums of one interaction, (CHUNKS, n_parts, n_outputs), in the order of `Parts.positions`."""
        index = self.parts.terms.index(term)
        found = [self.constant[:, index][:, None]]
        for part in self.parts.of(term):
            at = int(np.searchsorted(self.parts.sharing[part], index))
            found.append(self.by_part[part][:, :, at])
        return np.concatenate(found, axis=1)
