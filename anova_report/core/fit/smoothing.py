"""Ridge fits over a range of smoothing parameters, and the penalties they are made with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import ROUNDING, Floats
from anova_report.core.basis.design import Columns
from anova_report.core.fit.forward_selection import FIRST_FIT, ColumnSearch
from anova_report.core.fit.sums import SURE, VERY_SURE, Normal, factor, mean_squared_error, ridge_fit, solve_upper

# Statistics (`make truth`, `make bench`).
MOST_APART = 30.0  # of the weights of components: beyond, weak ones would be dropped for good
DOUBTFUL = 1000.0  # the others are penalized so much more, so that next to nothing is left of them
UNSEEN = 0.1  # mean square, in the rows of a fit, of a function that has one in all rows: these are not where it varies


@dataclass(frozen=True, eq=False)
class SmoothingSearch:
    """Errors of fits on some rows, measured on others, by smoothing parameter and number of columns.

    One Cholesky factor serves every leading number of columns, so that a path of fits costs little more than one.
    """

    learn: Normal  # rows of the fits
    validation: Mapping[int, Normal]  # groups of rows on which errors are measured
    penalty: Floats  # shape (n_columns,)
    sizes: Sequence[int]  # leading numbers of columns to try

    def errors(self, smoothing: float) -> dict[int, Floats]:
        """Mean squared errors on each group for every size, averaged over outputs, which have unit variance."""
        ridge = smoothing * self.penalty
        # Errors are only compared; where every coefficient pays enough, single precision compares as well.
        upper = factor(self.learn.gram, ridge, single=bool(ridge[1:].min(initial=1.0) > 100 * ROUNDING))
        half = solve_upper(upper, self.learn.cross, transposed=True)
        # With the rest set to zero, the system of all columns is that of the leading ones.
        leading = np.arange(len(half))[:, None] < np.asarray(self.sizes)
        fits = solve_upper(upper, (leading[:, :, None] * half[:, None]).reshape(len(half), -1))
        return {
            group: mean_squared_error(normal, fits).reshape(len(self.sizes), -1).mean(axis=1)
            for group, normal in self.validation.items()
        }


def penalties(search: ColumnSearch, columns: Columns, normal: Normal) -> tuple[Floats, Floats]:
    """Make penalties to choose from, of one row and a smoothing parameter of one, by a first fit with a wide prior.

    In the first, functions that may be noise cost more, as smooth models want; in the second they do not, as models
    want whose steps are too small to be distinguished from noise one by one.
    """
    roughness = columns.roughness(search.marginals)
    ridge = FIRST_FIT / normal.n_rows * roughness
    coefficients = ridge_fit(normal, ridge)
    residual = float(mean_squared_error(normal, coefficients).mean())
    plain = adaptive_weights(columns, roughness**search.power, coefficients)
    plain[unseen(columns, np.diag(normal.gram))] *= DOUBTFUL
    return plain * noise_weights(columns, roughness, ridge, coefficients, residual, normal.n_rows), plain


def unseen(columns: Columns, squares: Floats) -> NDArray[np.bool_]:
    """Find columns with a function that hardly varies in the rows of a fit, where `squares` are those of columns.

    There a product with it is about a multiple of its other factor, and could stand for that at no cost; where the
    function does vary, it would be anything.
    """
    few = {term[0]: squares[at] < UNSEEN for term, at in columns.positions.items() if len(term) == 1}
    found = np.zeros(columns.size, dtype=bool)
    for term, at in columns.positions.items():
        for feature, chosen in zip(term, columns.functions[term].T, strict=True):
            own = few.get(feature, np.zeros(0, dtype=bool))
            known = chosen < len(own)
            found[at[known]] |= own[chosen[known]]
    return found


def adaptive_weights(columns: Columns, penalty: Floats, coefficients: Floats) -> Floats:
    """Penalize weak components more and strong ones less: one round of reweighting by energy.

    The root of the inverse energy, within a factor: the full inverse would drop components for good.
    """
    energy = (coefficients**2 / np.maximum((coefficients[1:] ** 2).sum(axis=0), np.finfo(float).tiny)).mean(axis=1)
    weights = np.ones_like(penalty)
    for positions in columns.positions.values():
        share = max(float(energy[positions].sum()), np.finfo(float).tiny)
        weights[positions] = np.clip((1 / len(columns.positions) / share) ** 0.5, 1 / MOST_APART, MOST_APART)
    return penalty * weights


def noise_weights(
    columns: Columns, roughness: Floats, ridge: Floats, coefficients: Floats, residual: float, n_rows: float
) -> Floats:
    """Penalize functions of main effects more where all of about their roughness may be noise, shape (n_columns,).

    One penalty serves all features, so that a rough main effect would leave the others rough. What chance makes of
    coefficients is computed as if columns were orthonormal: where they are not it is more, and they are left alone.
    `residual` is the mean square of what the fit leaves.
    """
    kept, weights = 1 / (1 + ridge), np.ones_like(roughness)
    noise = max(residual, 0.0) / max(1 - kept.sum() / n_rows, 0.1) / n_rows
    squares = (coefficients**2).mean(axis=1)
    for positions in (own for term, own in columns.positions.items() if len(term) == 1):
        level, sigmas = np.floor(np.log2(np.maximum(roughness[positions], 1.0)) / 2), SURE
        for own in np.unique(level[level > 0]):
            at = positions[level == own]
            expected, chance = (kept[at] ** 2).sum(), np.sqrt(2 * (kept[at] ** 4).sum())
            if squares[at].sum() < noise * (expected + sigmas * chance):
                weights[at], sigmas = DOUBTFUL, VERY_SURE  # rough ones need more where smoother ones may be noise
    return weights
