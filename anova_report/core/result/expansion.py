"""A sum of component functions that can be evaluated anywhere: reference, coefficients, offsets."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import BLOCK_ROWS, Floats, Reals, read_only
from anova_report.core.result.terms import Term

EVALUATED_ROWS = BLOCK_ROWS // 2  # at once: bounds memory, and fits the cache for a few dozen columns

Families: TypeAlias = Callable[[int], Floats]  # from a feature to its functions on some rows, (n_rows, d_j + 1)


class Reference(Protocol):
    """The functions of one feature, and what their products over a term are multiplied by."""

    @property
    def complete_numbers_only(self) -> bool:
        """Whether nominal columns and missing values have no place in it."""

    def families(self, values: Floats) -> Families:
        """Return what evaluates the functions of a feature when they are first asked for."""

    def outside(self, values: Floats) -> NDArray[np.bool_]:
        """Tell which values lie beyond what the fit has seen, shape (n_rows, n_features)."""

    def weight(self, term: Term, families: Families) -> Floats | None:
        """Evaluate the factor of a term, shape (n_rows,); None stands for 1."""


@dataclass(frozen=True, eq=False)
class Component:
    """One component: ν_S(x) = offset + weight_S(x) Σ_k coefficients[k] Π_{j∈S} φ_{j, degrees[k, j]}(x_j)."""

    term: Term
    degrees: NDArray[np.intp]  # shape (n_products, order): which function of each feature a product takes
    coefficients: Floats  # shape (n_products, n_outputs)
    offset: Floats  # shape (n_outputs,)

    def __post_init__(self) -> None:
        read_only(self.degrees, self.coefficients, self.offset)


@dataclass(frozen=True, eq=False)
class Expansion:
    """The mean and the components of a decomposition, as functions of encoded rows."""

    reference: Reference
    components: tuple[Component, ...]  # sorted by order, then by index
    mean: Floats  # shape (n_outputs,)

    def __post_init__(self) -> None:
        read_only(self.mean)

    @cached_property
    def position(self) -> dict[Term, int]:
        """Where each term stands among the components."""
        return {component.term: index for index, component in enumerate(self.components)}

    def evaluate(self, values: Floats, terms: Sequence[Term] | None = None) -> Floats:
        """Evaluate components, all by default, on encoded rows, shape (n_rows, n_terms, n_outputs)."""
        chosen = self.components if terms is None else [self.components[self.position[term]] for term in terms]
        result = np.empty((len(values), len(chosen), len(self.mean)))
        for rows in row_blocks(len(values)):
            families = self.reference.families(values[rows])
            for index, component in enumerate(chosen):
                products = chosen_products([families(feature) for feature in component.term], component.degrees)
                value = products @ component.coefficients
                weight = self.reference.weight(component.term, families) if len(component.degrees) else None
                result[rows, index] = (value if weight is None else value * weight[:, None]) + component.offset
        return result

    def sums(self, values: Floats, weights: Floats) -> Floats:
        """Sum every component over encoded rows that count by weights: shape (n_terms, n_outputs).

        Weights have the shape (n_rows,), or (n_rows, n_terms) where rows count differently for each component. Products
        are summed before they meet coefficients, so that many outputs cost no more than one.
        """
        result = np.zeros((len(self.components), len(self.mean)))
        for rows in row_blocks(len(values)):
            families = self.reference.families(values[rows])
            for index, component in enumerate(self.components):
                counted = weights[rows] if weights.ndim == 1 else weights[rows, index]
                products = chosen_products([families(feature) for feature in component.term], component.degrees)
                factor = self.reference.weight(component.term, families) if len(component.degrees) else None
                summed = (counted if factor is None else counted * factor) @ products
                result[index] += summed @ component.coefficients + counted.sum() * component.offset
        return result

    def predict(self, values: Floats) -> Floats:
        """Sum the mean and all components, shape (n_rows, n_outputs)."""
        result = np.empty((len(values), len(self.mean)))
        for rows in row_blocks(len(values)):
            result[rows] = self.mean + self.evaluate(values[rows]).sum(axis=1)
        return result


def row_blocks(n_rows: int) -> Iterator[slice]:
    """Cut rows into blocks that bound the memory of what is evaluated on them."""
    for start in range(0, n_rows, EVALUATED_ROWS):
        yield slice(start, min(start + EVALUATED_ROWS, n_rows))


def product_columns(families: Sequence[Reals]) -> Reals:
    """Multiply every column of each family with every column of the others, row by row.

    From shapes (n_rows, d_j) to (n_rows, d_1 * … * d_k); the index of the last family runs fastest.

    Examples
    --------
    >>> product_columns([np.array([[1.0, 2.0]]), np.array([[10.0, 100.0]])]).tolist()
    [[10.0, 100.0, 20.0, 200.0]]
    """

    def times(left: Reals, right: Reals) -> Reals:
        return (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)

    return reduce(times, families)


def chosen_products(families: Sequence[Floats], degrees: NDArray[np.intp]) -> Floats:
    """Multiply, row by row, one chosen column of each family: `degrees` has shape (n_products, n_families).

    Examples
    --------
    >>> left, right = np.array([[1.0, 2.0]]), np.array([[10.0, 100.0]])
    >>> chosen_products([left, right], np.array([[1, 0], [0, 1]])).tolist()
    [[20.0, 100.0]]
    """
    products = families[0][:, degrees[:, 0]]
    for family, column in zip(families[1:], degrees.T[1:], strict=True):
        products *= family[:, column]
    return products
