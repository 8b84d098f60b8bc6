"""The estimator of the paper: one sparse regression on density-weighted Legendre products."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.decomposition import Decomposition
from anova_report.core.expansion import Component, Expansion
from anova_report.core.fit.basis import product_columns
from anova_report.core.fit.moments import average_moments
from anova_report.core.input.predictions import Answers
from anova_report.core.input.table import Sample, require_complete_numbers
from anova_report.core.published.densities import DensityReference, ScalingName, estimate_densities, fit_scaling
from anova_report.core.published.selection import independent_columns, select_by_bic, standardise_columns
from anova_report.core.regressor import AnovaRegressor
from anova_report.core.terms import Term, terms_up_to
from anova_report.errors import InputError

Support: TypeAlias = NDArray[np.intp]


class PublishedANOVA(AnovaRegressor):
    """The published estimator, in the paper's words; made by `FunctionalANOVA.published`.

    It is defined for complete numeric columns and keeps a dense matrix of all columns.

    Parameters
    ----------
    K : int
        Highest order of the terms.
    d : int
        Highest degree of the basis in each direction.
    d_density : int
        Highest degree of the projection densities in each direction.
    density_clip : float
        Floor of the densities.
    scaling : {"tanh", None}
        Standardise, then tanh; None where X already lives in [-1, 1]^p.

    Attributes
    ----------
    decomposition_ : Decomposition
    selected_ : list of arrays of int
        For each output the columns of the design that BIC kept.
    n_columns_ : int
        Columns of the design, N(p, K, d).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(500, 2))
    >>> fanova = PublishedANOVA(K=2, d=3, scaling=None).fit(X, X[:, 0] + X[:, 0] * X[:, 1])
    >>> fanova.decomposition_.terms
    ((0,), (1,), (0, 1))
    >>> bool(fanova.score(X, X[:, 0] + X[:, 0] * X[:, 1]) > 0.98)
    True
    """

    def __init__(
        self,
        *,
        K: int = 2,
        d: int = 10,
        d_density: int = 4,
        density_clip: float = 0.01,
        scaling: ScalingName = "tanh",
    ) -> None:
        self.K = K
        self.d = d
        self.d_density = d_density
        self.density_clip = density_clip
        self.scaling = scaling

    def decompose(self, sample: Sample, answers: Answers) -> Decomposition:
        """Run the method of the paper on rows that have been read."""
        self._check_settings()
        require_complete_numbers(sample.values, sample.features, "the published method")
        terms = terms_up_to(len(sample.features), self.K)
        scaling = fit_scaling(sample.values, sample.features, self.scaling)
        densities = estimate_densities(sample.values, scaling, terms, self.d_density)
        reference = DensityReference(scaling, self.d, densities, self.density_clip)
        families = reference.families(sample.values)
        design = standardise_columns(published_design(reference, families, terms))
        self.n_columns_ = design.shape[1]
        kept = independent_columns(design, [self.d ** len(term) for term in terms])
        design = design[:, kept]
        self.selected_ = [kept[select_by_bic(design, column)] for column in answers.values.T]
        del design  # the largest array of the fit; what follows needs the selected columns only
        expansion = solve_and_recentre(reference, families, terms, self.selected_, answers.values)
        return Decomposition(
            features=sample.features,
            output_names=answers.names,
            expansion=expansion,
            in_sample=average_moments(expansion, sample.values, answers.values),
            single_output=answers.single,
            scale=answers.scale,
            settings=self.settings(),
        )

    def _check_settings(self) -> None:
        for name, least in (("K", 1), ("d", 1), ("d_density", 0)):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or value < least:
                raise InputError(f"{name} must be a whole number of at least {least}; {value!r} came.")
        if not self.density_clip > 0:
            raise InputError(
                f"density_clip must be above 0, since densities are divided by; {self.density_clip!r} came."
            )


def published_design(reference: DensityReference, families: Sequence[Floats], terms: Sequence[Term]) -> Floats:
    """Write the columns ξ_S^m = Π P̃_{m_j}(x_j) / f_S(x_S), 1 ≤ m_j ≤ d, of all terms side by side.

    The constant 2^{-(p-|S|)/2} of the theory is left out: it changes no component, and for many features it is so
    small that least squares would drop the column.
    """
    widths = [reference.degree ** len(term) for term in terms]
    design = np.empty((len(families[0]), sum(widths)), order="F")
    for term, width, end in zip(terms, widths, np.cumsum(widths), strict=True):
        design[:, end - width : end] = _term_columns(reference, families, term)
    return design


def solve_and_recentre(
    reference: DensityReference,
    families: Sequence[Floats],
    terms: Sequence[Term],
    supports: Sequence[Support],
    answers: Floats,
) -> Expansion:
    """Solve least squares on the selected columns of each output, then centre every component."""
    widths = np.array([reference.degree ** len(term) for term in terms])
    coefficients = np.zeros((int(widths.sum()), answers.shape[1]))
    mean = np.empty(answers.shape[1])
    for output, support in enumerate(supports):
        mean[output], coefficients[support, output] = _least_squares(
            reference, families, terms, support, answers[:, output]
        )
    components = []
    for term, block in zip(terms, np.split(coefficients, np.cumsum(widths)[:-1]), strict=True):
        used = np.flatnonzero(block.any(axis=1))
        offset = -(_term_columns(reference, families, term)[:, used] @ block[used]).mean(axis=0)
        mean -= offset
        components.append(Component(term, _degrees(used, reference.degree, len(term)), block[used], offset))
    return Expansion(reference, tuple(components), mean)


def _least_squares(
    reference: DensityReference,
    families: Sequence[Floats],
    terms: Sequence[Term],
    support: Support,
    answers: Floats,
) -> tuple[float, Floats]:
    widths = [reference.degree ** len(term) for term in terms]
    if not support.size:
        return float(answers.mean()), np.empty(0)
    columns = [np.ones((len(answers), 1))]
    for term, width, end in zip(terms, widths, np.cumsum(widths), strict=True):
        inside = support[(support >= end - width) & (support < end)] - (end - width)
        if inside.size:
            columns.append(_term_columns(reference, families, term)[:, inside])
    solution = np.linalg.lstsq(np.hstack(columns), answers, rcond=None)[0]
    return float(solution[0]), np.asarray(solution[1:], dtype=np.float64)


def _term_columns(reference: DensityReference, families: Sequence[Floats], term: Term) -> Floats:
    products = product_columns([families[index][:, 1 : reference.degree + 1] for index in term])
    return products * reference.weight(term, families)[:, None]


def _degrees(columns: Support, degree: int, order: int) -> Support:
    """Degrees 1 … d of the products that stand at these columns of a term's block."""
    return 1 + np.stack(np.unravel_index(columns, (degree,) * order), axis=1)
