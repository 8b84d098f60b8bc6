"""Functions of one feature, and their products over a term."""

from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import overload

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals


def legendre(x: Floats, degree: int) -> Floats:
    """Evaluate the Legendre polynomials that are orthonormal for dx on [-1, 1].

    Parameters
    ----------
    x : array of shape (n_rows,)
    degree : int

    Returns
    -------
    array of shape (n_rows, degree + 1)
        Column m is P̃_m = sqrt((2m + 1) / 2) P_m.

    Examples
    --------
    >>> legendre(np.array([1.0]), 2).round(3).tolist()
    [[0.707, 1.225, 1.581]]
    """
    norms = np.sqrt((2 * np.arange(degree + 1) + 1) / 2)
    return np.asarray(np.polynomial.legendre.legvander(x, degree) * norms, dtype=np.float64)


class Families(Sequence[Floats]):
    """The functions of every feature on some rows; those of a feature are evaluated when they are first asked for.

    Parameters
    ----------
    n_features : int
    evaluate : callable
        From the position of a feature to its functions, shape (n_rows, d_j + 1).

    Examples
    --------
    >>> families = Families(81, lambda feature: np.full((2, 3), feature))
    >>> families[80].shape, len(families)
    ((2, 3), 81)
    """

    def __init__(self, n_features: int, evaluate: Callable[[int], Floats]) -> None:
        self._evaluate = cache(evaluate)
        self._n_features = n_features

    def __len__(self) -> int:
        return self._n_features

    @overload
    def __getitem__(self, feature: int) -> Floats: ...
    @overload
    def __getitem__(self, feature: slice) -> Sequence[Floats]: ...
    def __getitem__(self, feature: int | slice) -> Floats | Sequence[Floats]:
        positions = range(self._n_features)[feature]
        if isinstance(positions, range):
            return [self._evaluate(position) for position in positions]
        return self._evaluate(positions)


def product_columns(families: Sequence[Reals]) -> Reals:
    """Multiply every column of each family with every column of the others, row by row.

    Parameters
    ----------
    families : sequence of arrays of shape (n_rows, d_j)

    Returns
    -------
    array of shape (n_rows, d_1 * … * d_k)
        The index of the last family runs fastest.

    Examples
    --------
    >>> product_columns([np.array([[1.0, 2.0]]), np.array([[10.0, 100.0]])]).tolist()
    [[10.0, 100.0, 20.0, 200.0]]
    """

    def times(left: Reals, right: Reals) -> Reals:
        return (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)

    return reduce(times, families)


def chosen_products(families: Sequence[Floats], degrees: NDArray[np.intp]) -> Floats:
    """Multiply, row by row, one chosen column of each family.

    Parameters
    ----------
    families : sequence of arrays of shape (n_rows, d_j)
    degrees : array of int, shape (n_products, n_families)

    Returns
    -------
    array of shape (n_rows, n_products)

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


def contract(tensor: Reals, families: Sequence[Reals]) -> Reals:
    """Evaluate Σ_m tensor[m_1, …, m_k] Π_j family_j[:, m_j] without forming the products.

    Parameters
    ----------
    tensor : array of shape (d_1, …, d_k, n_outputs)
        May use fewer functions than the families hold.
    families : sequence of k arrays of shape (n_rows, ≥ d_j)

    Returns
    -------
    array of shape (n_rows, n_outputs)

    Examples
    --------
    >>> rows = np.array([[1.0, 2.0], [1.0, 3.0]])
    >>> contract(np.array([[0.0], [1.0]]), [rows]).tolist()
    [[2.0], [3.0]]
    """
    first, *rest = families
    result = np.tensordot(first[:, : tensor.shape[0]], tensor, axes=1)
    for family in rest:
        result = np.einsum("nm...,nm->n...", result, family[:, : result.shape[1]])
    return result
