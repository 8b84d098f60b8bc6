"""The parts of interactions, evaluated once for all interactions that share them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals
from anova_report.core.chunks import CHUNKS, Cuts, sum_runs
from anova_report.core.design import Columns
from anova_report.core.terms import Term, ancestors


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
        """Take parts out of interactions, in place; `values` has shape (n_outputs, n_interactions, n_rows)."""
        if not self.terms:
            return
        blocks = {term: self._split(term, shifts[term]) for term in self.terms}
        values -= np.array([shifts[term][0] for term in self.terms], dtype=values.dtype).T[:, :, None]
        for part, sharing in self.sharing.items():
            weights = np.stack([blocks[self.terms[index]][part].T for index in sharing], axis=1).astype(values.dtype)
            values[:, sharing] -= weights @ self.evaluate(part, functions)

    def products(self, functions: Sequence[Reals], values: Reals, cuts: Cuts) -> list["Products"]:
        """Sum part times interaction over runs of rows; `values` has shape (n_outputs, n_interactions, n_rows)."""
        by_part: list[dict[Term, Reals]] = [{} for _ in cuts]
        for part, sharing in self.sharing.items():
            own = self.evaluate(part, functions)
            shared = values[:, sharing].reshape(-1, values.shape[2])
            for found, (_, cut) in zip(by_part, cuts, strict=True):
                found[part] = (shared[:, cut] @ own[:, cut].T).reshape(len(values), len(sharing), -1)
        constants = sum_runs(values, cuts)
        return [
            Products(chunk, constant, found)
            for (chunk, _), constant, found in zip(cuts, constants, by_part, strict=True)
        ]

    def _split(self, term: Term, shift: Floats) -> dict[Term, Floats]:
        found, start = {}, 1
        for part in self.of(term):
            stop = start + len(self.columns.positions[part])
            found[part] = shift[start:stop]
            start = stop
        return found


@dataclass(frozen=True, eq=False)
class Products:
    """Sums of part times interaction over rows of one chunk.

    Parameters
    ----------
    chunk : int
    constant : array of shape (n_outputs, n_interactions)
    by_part : dict of Term to array of shape (n_outputs, n_sharing, n_columns)
    """

    chunk: int
    constant: Reals
    by_part: dict[Term, Reals]


class PartSums:
    """Sums of part times interaction over each chunk of rows.

    Attributes
    ----------
    constant : array of shape (n_chunks, n_outputs, n_interactions)
    by_part : dict of Term to array of shape (n_chunks, n_outputs, n_sharing, n_columns)
    """

    def __init__(self, parts: Parts, n_outputs: int, n_chunks: int = CHUNKS) -> None:
        self.parts = parts
        self.constant = np.zeros((n_chunks, n_outputs, len(parts.terms)))
        self.by_part = {
            part: np.zeros((n_chunks, n_outputs, len(sharing), len(parts.columns.positions[part])))
            for part, sharing in parts.sharing.items()
        }

    def add(self, found: Iterable[Products]) -> None:
        """Count some rows."""
        for products in found:
            self.constant[products.chunk] += products.constant
            for part, sums in products.by_part.items():
                self.by_part[part][products.chunk] += sums

    def of(self, term: Term) -> Floats:
        """Return the sums of one interaction, (n_outputs, n_chunks, n_parts), in the order of `Parts.positions`."""
        index = self.parts.terms.index(term)
        found = [self.constant[:, :, [index]]]
        for part in self.parts.of(term):
            at = int(np.searchsorted(self.parts.sharing[part], index))
            found.append(self.by_part[part][:, :, at])
        return np.concatenate(found, axis=2).transpose(1, 0, 2)
