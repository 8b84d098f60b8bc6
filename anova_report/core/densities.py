"""The published reference: Legendre polynomials of scaled features, divided by estimated densities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anova_report.core.arrays import Floats, read_only
from anova_report.core.basis import Families, contract, legendre, product_columns
from anova_report.core.scaling import Scaling
from anova_report.core.terms import Term


@dataclass(frozen=True, eq=False)
class DensityReference:
    """Where the published basis lives: scaling, projection densities of every term, and their floor.

    Parameters
    ----------
    scaling : Scaling
    degree : int
        Highest degree of the basis.
    densities : mapping of Term to array of shape (d_density + 1, …, 1)
        Coefficients c_S^m of the projection density of each term.
    clip : float
        Floor of the densities; the projection estimate can be zero or negative.
    """

    scaling: Scaling
    degree: int
    densities: Mapping[Term, Floats]
    clip: float
    complete_numbers_only: bool = True

    def __post_init__(self) -> None:
        read_only(*self.densities.values())

    def families(self, values: Floats) -> Families:
        """Evaluate P̃_0 … P̃_d of every scaled feature."""
        scaled = self.scaling.apply(values)
        density_degree = max((len(tensor) - 1 for tensor in self.densities.values()), default=0)
        degree = max(self.degree, density_degree)
        return Families(scaled.shape[1], lambda index: legendre(scaled[:, index], degree))

    def weight(self, term: Term, families: Sequence[Floats]) -> Floats:
        """Evaluate 1 / f_S, the factor that makes the products hierarchically orthogonal."""
        density = contract(self.densities[term], [families[index] for index in term])[:, 0]
        return np.asarray(1.0 / np.maximum(density, self.clip))


def estimate_densities(values: Floats, scaling: Scaling, terms: Sequence[Term], degree: int) -> dict[Term, Floats]:
    """Estimate the density of every term by projection: c_S^m is the sample mean of Π P̃_{m_j}(X_j).

    Parameters
    ----------
    values : array of shape (n_rows, n_features)
    scaling : Scaling
    terms : sequence of Term
    degree : int
        Highest degree in each direction.

    Examples
    --------
    >>> rows = np.linspace(-1, 1, 2001).reshape(-1, 1)
    >>> density = estimate_densities(rows, Scaling(), [(0,)], degree=2)[(0,)]
    >>> density[:, 0].round(2).tolist()  # f = 1/2 = c_0 P̃_0 with P̃_0 = sqrt(1/2)
    [0.71, 0.0, 0.0]
    """
    scaled = scaling.apply(values)
    families = [legendre(scaled[:, index], degree) for index in range(scaled.shape[1])]
    return {term: _mean_product([families[index] for index in term]) for term in terms}


def _mean_product(families: Sequence[Floats]) -> Floats:
    *before, last = families
    shape = (*(family.shape[1] for family in families), 1)
    if not before:
        return np.reshape(last.mean(axis=0), shape)
    return np.reshape(product_columns(before).T @ last / len(last), shape)
