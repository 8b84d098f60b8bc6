"""What two samples of the same law change in components, beyond what each fit knows about itself.

Components are relative to the law of the inputs, and that is known from rows only: on other rows of the same kind a
pair hands other averages to its main effects. One of n rows moves the main effect of x_i by ν_ij(x_i, X_j) / n, so the
variance of ν_ij(x_i, X_j) over X_j, divided by n, is added wherever decompositions come from different rows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.decomposition import Decomposition
from anova_report.core.expansion import Component, Expansion
from anova_report.core.marginals import MarginalReference
from anova_report.core.terms import Term

PARTNERS = 24  # values of the other feature, at equal steps of its frequency, over which a variance is taken
VALUES = 128  # values of a feature at which that variance is worked out; others take that of the nearest


@dataclass(frozen=True, eq=False)
class LawVariance:
    """Variances of components at some points because the law of the inputs is known from rows only.

    Parameters
    ----------
    by_term : dict of Term to array of shape (n_points,)
        For pairs, and for main effects of features that have pairs.
    """

    by_term: dict[Term, Floats]

    @classmethod
    def of(cls, dec: Decomposition, output: int, points: Floats) -> "LawVariance":
        """Work out the variances at points, shape (n_points, n_features)."""
        reference = dec.expansion.reference
        found: dict[Term, Floats] = {}
        if not isinstance(reference, MarginalReference) or not len(points):
            return cls(found)
        for component in dec.expansion.components:
            if len(component.term) == 2:
                along = _along(_alone(component, reference, output), points[:, list(component.term)])
                variances = along / dec.in_sample.n_rows
                found[component.term] = variances.sum(axis=0)
                for feature, variance in zip(component.term, variances, strict=True):
                    found[(feature,)] = found.get((feature,), np.zeros(len(points))) + variance
        return cls(found)


def _alone(component: Component, reference: MarginalReference, output: int) -> Expansion:
    """Make an expansion of one pair, a function of its two features only: others need not be evaluated."""
    pair = Component((0, 1), component.degrees, component.coefficients[:, [output]], component.offset[[output]])
    marginals = tuple(reference.marginals[feature] for feature in component.term)
    return Expansion(MarginalReference(marginals), (pair,), np.zeros(1))


def _along(pair: Expansion, points: Floats) -> Floats:
    """Variances of a pair over either of its features, at the points' values of the other, shape (2, n_points)."""
    found = np.empty((2, len(points)))
    for own, other in ((0, 1), (1, 0)):
        at = _values(points[:, own])
        partners = _spread(points[:, other], PARTNERS)
        mixed = np.empty((len(at) * len(partners), 2))
        mixed[:, own], mixed[:, other] = np.repeat(at, len(partners)), np.tile(partners, len(at))
        curve = pair.evaluate(mixed)[:, 0, 0].reshape(len(at), len(partners)).var(axis=1)
        found[own] = curve[_nearest(at, points[:, own])]
    return found


def _spread(values: Floats, most: int) -> Floats:
    """Values at equal steps of their frequency."""
    return np.asarray(np.sort(values)[((np.arange(most) + 0.5) / most * len(values)).astype(np.intp)])


def _values(values: Floats) -> Floats:
    """Choose values of which the nearest can stand for any other, all where there are few; a missing one last."""
    distinct = np.unique(values)
    if len(distinct) <= VALUES:
        return distinct
    return np.unique(np.append(_spread(values, VALUES), distinct[[0, -1]]))


def _nearest(at: Floats, values: Floats) -> NDArray[np.intp]:
    known = at[~np.isnan(at)]
    middles = (known[1:] + known[:-1]) / 2
    return np.where(np.isnan(values), len(at) - 1, np.searchsorted(middles, values))
