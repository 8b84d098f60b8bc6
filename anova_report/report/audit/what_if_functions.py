"""The functions of features, and products of them, by which a page evaluates components: as few numbers as will do."""

import base64
import gzip
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import Marginal, NominalMarginal, NumericMarginal
from anova_report.core.published.densities import DensityReference
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import Term
from anova_report.report.audit.what_if import MOST_BYTES, PackedNumbers

FINE = 2.0**-36  # of the size of a component, by which rounding one of its functions may change it
ROUGH = 2.0**-7  # of functions that bands alone are made of
LONG_SUM = 2  # functions of one feature for each output: a longer sum of them is written as one function


def packed(lists: Sequence[NDArray[Any]], steps: Sequence[float]) -> PackedNumbers:
    """Write lists of numbers as multiples of powers of two, each list at least as finely as its own step.

    Examples
    --------
    >>> found = packed([np.array([0.5, -1.0]), np.array([3.0])], [0.3, 1.0])
    >>> found.lengths, found.exponents
    ((2, 1), (-2, 0))
    """
    exponents = [_exponent(numbers, step) for numbers, step in zip(lists, steps, strict=True)]
    whole = [np.rint(np.ldexp(numbers, -own)).astype(np.int64) for numbers, own in zip(lists, exponents, strict=True)]
    joined = np.concatenate([np.zeros(0, dtype=np.int64), *whole])
    folded = ((joined << 1) ^ (joined >> 63)).astype("<u8").view(np.uint8).reshape(-1, 8).T
    n_bytes = max((at + 1 for at, plane in enumerate(folded) if plane.any()), default=1)
    data = base64.b64encode(gzip.compress(folded[:n_bytes].tobytes(), compresslevel=9, mtime=0)).decode("ascii")
    return PackedNumbers(tuple(map(len, lists)), tuple(exponents), data)


def rounded(numbers: Floats, step: float) -> Floats:
    """Round numbers as `packed` does."""
    exponent = _exponent(numbers, step)
    return np.asarray(np.ldexp(np.rint(np.ldexp(numbers, -exponent)), exponent))


def _exponent(numbers: Floats, step: float) -> int:
    """Choose a power of two: as fine as a step, but no finer than what is left of a double in so many bytes."""
    least = math.frexp(float(np.abs(numbers).max(initial=0.0)))[1] - 8 * MOST_BYTES + 2
    return max(math.frexp(step)[1] - 1, least, -1000)


def size(numbers: Floats) -> float:
    """Return the root of the sum of squares, or 1 where all are zero."""
    return float(np.sqrt((numbers**2).sum())) or 1.0


class FunctionTable:
    """The functions of one feature that a page holds: those that products take, then sums of them.

    Most functions of a feature are only ever added up: with many digits for the value of a component, with few for its
    band. So the page holds these sums as functions of their own, and the functions themselves roughly.

    Parameters
    ----------
    dec : Decomposition
    feature : int
    """

    def __init__(self, dec: Decomposition, feature: int) -> None:
        reference = dec.expansion.reference
        own = [component for component in dec.expansion.components if feature in component.term]
        most = max((int(c.degrees.max(initial=0)) for c in own), default=0)
        self.feature = feature
        self.marginal: Marginal | None = None
        if isinstance(reference, DensityReference):
            self.values: Floats = np.arange(1.0, most + 1)[:, None]  # a Legendre polynomial is known by its degree
        else:
            self.marginal = reference.marginals[feature]  # type: ignore[attr-defined]  # the only other reference
            self.values = function_values(self.marginal)[:most]
        self.is_used = np.zeros(most + 1, dtype=bool)
        self.weights = np.zeros(most + 1)  # how much of some component each function makes up, at most
        self.sums: list[Floats] = []

    @property
    def has_sums(self) -> bool:
        """Whether sums of functions are functions that the page can evaluate."""
        return isinstance(self.marginal, NumericMarginal)

    @property
    def growth(self) -> Floats:
        """How large each function is one range beyond the range of the fit, where functions go on there."""
        if not isinstance(self.marginal, NumericMarginal) or self.marginal.held or not self.marginal.curved:
            return np.ones(len(self.values))
        return np.asarray(np.abs(self.values[:, -3:-1]).max(axis=1, initial=1.0))

    def add_sums(self, functions: NDArray[np.intp], coefficients: Floats) -> NDArray[np.intp]:
        """Add sums of functions, coefficients of shape (n, n_sums); return what `places` takes for them."""
        before = len(self.sums)
        self.sums += list(coefficients.T @ self.values[functions - 1])
        return np.asarray(-1 - np.arange(before, len(self.sums)), dtype=np.intp)

    def use(self, functions: NDArray[np.intp], shares: Floats) -> None:
        """Use functions in products that make up some shares of a component."""
        self.is_used[functions] = True
        self.weights = np.maximum(self.weights, np.sqrt(np.bincount(functions, shares**2, len(self.weights))))

    def places(self, functions: NDArray[np.intp]) -> NDArray[np.intp]:
        """Tell at which place of the table functions and sums are; 0 is the constant."""
        rank = np.cumsum(self.is_used[1:])
        found = np.where(functions < 0, np.max(rank, initial=0) - functions, np.r_[0, rank][functions.clip(0)])
        return np.asarray(found, dtype=np.intp)

    def packed(self) -> PackedNumbers:
        """Write the table, each function as finely as some component needs it."""
        kept = np.flatnonzero(self.is_used[1:])
        steps = FINE / self.weights[kept + 1].clip(FINE / ROUGH)
        return packed([*self.values[kept], *self.sums], [*steps.tolist(), *([FINE] * len(self.sums))])


def function_values(marginal: Marginal) -> Floats:
    """Write every function of a feature as numbers, in the order that `InputFunctions` states."""
    if isinstance(marginal, NominalMarginal):
        return np.hstack([marginal.table, marginal.evaluate(np.array([np.nan]))])
    ends = marginal.slopes[:, [0, -1]] * (marginal.breaks[-1] - marginal.breaks[0])
    values = np.hstack([marginal.table, marginal.jumps, ends]) / math.sqrt(1 - marginal.missing)
    if marginal.missing:
        spread = math.sqrt(marginal.missing * (1 - marginal.missing))
        indicator = np.full((1, values.shape[1]), -marginal.missing / spread)
        indicator[:, len(marginal.breaks) :] = 0.0
        values = np.vstack([indicator, values])
    return np.hstack([values, marginal.evaluate(np.array([np.nan]))])


@dataclass(frozen=True, eq=False)
class Products:
    """One component as a page evaluates it.

    Parameters
    ----------
    term : Term
    functions : array of shape (n_products, order)
        Of each feature of the term: which function, or which sum of functions, a product takes.
    coefficients : array of shape (n_products, n_outputs)
    traced : array of shape (n_outputs, n_products, n_replicates), or None
        What replicates contributed to coefficients.
    """

    term: Term
    functions: NDArray[np.intp]
    coefficients: Floats
    traced: Floats | None

    def places(self, tables: Sequence[FunctionTable]) -> NDArray[np.intp]:
        """Tell at which places of the tables the functions are."""
        return np.stack([tables[feature].places(self.functions[:, at]) for at, feature in enumerate(self.term)], axis=1)


def products_of(dec: Decomposition, at: int, tables: Sequence[FunctionTable]) -> Products:
    """Write a component, given by its position, with long sums of functions of one feature as single functions."""
    own, traced = dec.expansion.components[at], None
    if dec.uncertainty is not None:
        traced = np.stack([each.components[at].coefficients for each in dec.uncertainty.components])
    coefficients = own.coefficients.copy()
    sizes = np.array([size(column) for column in coefficients.T])
    summed: list[NDArray[np.intp]] = []
    for position, feature in enumerate(own.term):
        alone = (own.degrees[:, position] > 0) & ((own.degrees > 0).sum(axis=1) == 1)
        if tables[feature].has_sums and alone.sum() > LONG_SUM * len(sizes):
            functions = np.zeros((len(sizes), len(own.term)), dtype=np.intp)
            functions[:, position] = tables[feature].add_sums(own.degrees[alone, position], coefficients[alone] / sizes)
            coefficients[alone] = 0.0
            summed.append(functions)
    return _used(Products(own.term, own.degrees, coefficients, traced), sizes, summed, tables)


def _used(
    own: Products, sizes: Floats, summed: Sequence[NDArray[np.intp]], tables: Sequence[FunctionTable]
) -> Products:
    """Leave out products that add nothing, tell tables which functions the others take, and append sums."""
    kept = (own.coefficients != 0).any(axis=1)
    if own.traced is not None:
        kept |= (own.traced != 0).any(axis=(0, 2))
    shares = np.abs(own.coefficients / sizes).max(axis=1, initial=0.0)[kept]
    for position, feature in enumerate(own.term):
        tables[feature].use(own.functions[kept, position], shares)
    weights = [np.diag(sizes)] * len(summed)  # a sum belongs to one output
    return Products(
        own.term,
        np.concatenate([own.functions[kept], *summed]),
        np.concatenate([own.coefficients[kept], *weights]),
        None if own.traced is None else np.pad(own.traced[:, kept], ((0, 0), (0, len(summed) * len(sizes)), (0, 0))),
    )
