"""Which products of functions are columns of the fit, and which term each belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals
from anova_report.core.basis.marginals import Marginal
from anova_report.core.result.terms import Term


@dataclass(frozen=True, eq=False)
class ColumnBlock:
    """Columns of one term that entered the design together."""

    term: Term
    # shape (n_columns, order): which function of each feature, counted from 0 without the constant
    functions: NDArray[np.intp]
    # Share of the predictions' variance that the block is expected to explain; main effects always stay.
    gain: float = np.inf


@dataclass(frozen=True, eq=False)
class Columns:
    """The constant, then column blocks in the order in which they entered; main effects first."""

    blocks: tuple[ColumnBlock, ...]

    @cached_property
    def starts(self) -> list[int]:
        """First column of each block, and one past the last."""
        return [int(end) for end in np.cumsum([1, *(len(block.functions) for block in self.blocks)])]

    @property
    def size(self) -> int:
        """Number of columns, the constant included."""
        return self.starts[-1]

    @cached_property
    def positions(self) -> dict[Term, NDArray[np.intp]]:
        """Columns of each term."""
        found: dict[Term, list[NDArray[np.intp]]] = {}
        for block, start in zip(self.blocks, self.starts, strict=False):
            found.setdefault(block.term, []).append(np.arange(start, start + len(block.functions)))
        return {term: np.concatenate(pieces) for term, pieces in found.items()}

    @cached_property
    def functions(self) -> dict[Term, NDArray[np.intp]]:
        """Functions of the columns of each term, in the order of `positions`."""
        found: dict[Term, list[NDArray[np.intp]]] = {}
        for block in self.blocks:
            found.setdefault(block.term, []).append(block.functions)
        return {term: np.concatenate(pieces) for term, pieces in found.items()}

    def with_blocks(self, blocks: Sequence[ColumnBlock]) -> "Columns":
        """Append column blocks."""
        return Columns((*self.blocks, *blocks))

    def first(self, size: int) -> "Columns":
        """Keep the leading columns, whole blocks of them."""
        return Columns(tuple(block for block, end in zip(self.blocks, self.starts[1:], strict=True) if end <= size))

    def by_gain(self) -> tuple["Columns", NDArray[np.intp]]:
        """Order the blocks by expected explained variance, the most first; also tells where each column was before."""
        order = sorted(range(len(self.blocks)), key=lambda index: -self.blocks[index].gain)
        positions = [np.arange(self.starts[index], self.starts[index + 1]) for index in order]
        return Columns(tuple(self.blocks[index] for index in order)), np.concatenate([np.zeros(1, np.intp), *positions])

    def design(self, functions: Sequence[Reals], out: Reals) -> Reals:
        """Evaluate all columns into `out`, shape (n_columns, n_rows)."""
        out[0] = 1.0
        for block, start in zip(self.blocks, self.starts, strict=False):
            rows = out[start : start + len(block.functions)]
            np.take(functions[block.term[0]], block.functions[:, 0], axis=0, out=rows, mode="clip")
            for feature, chosen in zip(block.term[1:], block.functions.T[1:], strict=True):
                rows *= functions[feature][chosen]
        return out

    def roughness(self, marginals: Sequence[Marginal]) -> Floats:
        """Penalty of each column in the smooth fit, the sum of those of its functions; 0 for the constant."""
        penalties = [np.zeros(1)]
        for block in self.blocks:
            factors = zip(block.term, block.functions.T, strict=True)
            penalties.append(np.sum([marginals[feature].roughness[chosen] for feature, chosen in factors], axis=0))
        return np.concatenate(penalties)


class Evaluator:
    """Fitted components on row blocks, without forming the design; coefficients are (n_columns, n_outputs)."""

    def __init__(self, columns: Columns, coefficients: Floats) -> None:
        self.constant = coefficients[0].astype(np.float32)
        self.functions = columns.functions
        by_output = np.ascontiguousarray(coefficients.T, dtype=np.float32)
        self.coefficients = {term: by_output[:, at] for term, at in columns.positions.items()}

    def component(self, term: Term, functions: Sequence[Reals]) -> Reals:
        """Evaluate one term, shape (n_outputs, n_rows)."""
        first, *others = zip(term, self.functions[term].T, strict=True)
        products = functions[first[0]][first[1]]
        for feature, chosen in others:
            products *= functions[feature][chosen]
        return np.asarray(self.coefficients[term] @ products)

    def components(self, terms: Sequence[Term], functions: Sequence[Reals]) -> Reals:
        """Evaluate some terms, shape (n_outputs, n_terms, n_rows)."""
        values = np.empty((len(self.constant), len(terms), functions[0].shape[1]), dtype=np.float32)
        for index, term in enumerate(terms):
            values[:, index] = self.component(term, functions)
        return values

    def total(self, functions: Sequence[Reals]) -> Reals:
        """Evaluate the sum of the constant and all terms, shape (n_outputs, n_rows)."""
        total = np.repeat(self.constant[:, None], functions[0].shape[1], axis=1)
        for term in self.coefficients:
            total += self.component(term, functions)
        return total
