"""The estimator of the paper: one sparse regression on density-weighted Legendre products.

The closed form: on [-1, 1]^p, with P̃_m the Legendre polynomials that are orthonormal for dx and f_S the density of X_S,

    ξ_S^m(x) = 2^{-(p-|S|)/2} Π_{j∈S} P̃_{m_j}(x_j) / f_S(x_S),  m_j ≥ 1,

is a Riesz basis, and the part of the expansion of ν with index set S is ν_S.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.fit.moments import average_moments
from anova_report.core.input.fingerprint import Fingerprint
from anova_report.core.input.predictions import Predictions
from anova_report.core.input.table import Sample, require_complete_numbers, whole_number
from anova_report.core.published.densities import DensityReference, estimate_densities, fit_scaling
from anova_report.core.published.selection import (
    center_columns,
    independent_columns,
    select_by_bic,
    standardize_columns,
)
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.expansion import Component, Expansion, Families, product_columns
from anova_report.core.result.terms import Term, terms_up_to
from anova_report.errors import InputError


def decompose_as_published(
    sample: Sample, predictions: Predictions, settings: Mapping[str, Any]
) -> tuple[Decomposition, list[NDArray[np.intp]], int]:
    """Run the method of the paper, step by step, with the settings of `PublishedANOVA`.

    Returned are also, for each output, the columns of the design that BIC kept, and how many it had, N(p, K, d).
    """
    _check_settings(settings)
    require_complete_numbers(sample.values, sample.features, "the published method")
    terms = terms_up_to(len(sample.features), settings["K"])
    # Step 1, scaling: standardize, then tanh.
    scaling = fit_scaling(sample.values, sample.features, settings["scaling"])
    # Step 2, densities: f_S by projection, then max(·, density_clip).
    densities = estimate_densities(sample.values, scaling, terms, settings["d_density"])
    reference = DensityReference(scaling, settings["d"], densities, settings["density_clip"])
    # Step 3, design: the columns ξ_S^m, |S| ≤ K, 1 ≤ m_j ≤ d.
    families = reference.families(sample.values)
    design = published_design(reference, families, terms)
    n_columns = design.shape[1]
    # Step 4, selection: LARS cut by BIC, on the columns as they are unless asked otherwise.
    kept = np.arange(n_columns)
    if settings["standardise"]:
        kept = independent_columns(standardize_columns(design), [settings["d"] ** len(term) for term in terms])
        design = design[:, kept]
    center_columns(design)
    selected = [kept[select_by_bic(design, column, settings["max_steps"])] for column in predictions.values.T]
    del design  # the largest array of the fit; what follows needs the selected columns only
    # Step 5, solve, and step 6, recenter: the offsets go into ν_∅.
    expansion = solve_and_recenter(reference, families, terms, selected, predictions.values)
    decomposition = Decomposition(
        features=sample.features,
        output_names=predictions.names,
        expansion=expansion,
        in_sample=average_moments(expansion, sample.values, predictions.values),
        single_output=predictions.single,
        scale=predictions.scale,
        settings=settings,
        fingerprint=Fingerprint.of(sample.values, predictions.values),
    )
    return decomposition, selected, n_columns


def published_design(reference: DensityReference, families: Families, terms: Sequence[Term]) -> Floats:
    """Write the columns ξ_S^m = Π P̃_{m_j}(x_j) / f_S(x_S), 1 ≤ m_j ≤ d, of all terms side by side.

    The constant 2^{-(p-|S|)/2} of the closed form is left out: it changes no component, and for many features it is so
    small that least squares would drop the column.
    """
    widths = [reference.degree ** len(term) for term in terms]
    design = np.empty((len(families(0)), sum(widths)), order="F")
    for term, width, end in zip(terms, widths, np.cumsum(widths), strict=True):
        design[:, end - width : end] = _term_columns(reference, families, term)
    return design


def solve_and_recenter(
    reference: DensityReference,
    families: Families,
    terms: Sequence[Term],
    supports: Sequence[NDArray[np.intp]],
    predictions: Floats,
) -> Expansion:
    """Solve least squares on the selected columns of each output, then center every component."""
    ends = np.cumsum([reference.degree ** len(term) for term in terms])
    coefficients = np.zeros((int(ends[-1]), predictions.shape[1]))
    mean = np.array([column.mean() for column in predictions.T])  # all there is where no column was selected
    for output, support in enumerate(supports):
        if support.size:
            inside = np.split(support, np.searchsorted(support, ends))
            columns = [
                _term_columns(reference, families, term)[:, own - (end - reference.degree ** len(term))]
                for term, end, own in zip(terms, ends, inside, strict=False)
                if own.size
            ]
            design = np.hstack([np.ones((len(predictions), 1)), *columns])
            solution = np.linalg.lstsq(design, predictions[:, output], rcond=None)[0]
            mean[output], coefficients[support, output] = solution[0], solution[1:]
    components = []
    for term, block in zip(terms, np.split(coefficients, ends[:-1]), strict=True):
        used = np.flatnonzero(block.any(axis=1))
        offset = -(_term_columns(reference, families, term)[:, used] @ block[used]).mean(axis=0)
        mean -= offset
        degrees = 1 + np.stack(np.unravel_index(used, (reference.degree,) * len(term)), axis=1)
        components.append(Component(term, degrees, block[used], offset))
    return Expansion(reference, tuple(components), mean)


def _term_columns(reference: DensityReference, families: Families, term: Term) -> Floats:
    products = product_columns([families(feature)[:, 1 : reference.degree + 1] for feature in term])
    return products * reference.weight(term, families)[:, None]


def _check_settings(settings: Mapping[str, Any]) -> None:
    for name, least in (("K", 1), ("d", 1), ("d_density", 0)):
        whole_number(name, settings[name], least)
    if settings["max_steps"] is not None:
        whole_number("max_steps", settings["max_steps"], 1)
    clip = settings["density_clip"]
    if not clip > 0:
        raise InputError(f"density_clip must be above 0, since columns are divided by densities; got {clip!r}.")
