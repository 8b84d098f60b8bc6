"""From a decomposition to the numbers a page evaluates: functions of features, coefficients, cells without rows."""

import base64
import gzip
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import Marginal, MarginalReference, NominalMarginal, NumericMarginal
from anova_report.core.diagnostics.joint_support import CellAxis, UnseenCells
from anova_report.core.published.densities import DensityReference
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.expansion import Component, Expansion, Reference
from anova_report.measures.intervals import LEVEL
from anova_report.measures.sentences.names import prediction_name
from anova_report.report.audit.what_if import (
    MOST_BYTES,
    EmptyCells,
    InputFunctions,
    OutputTerms,
    PackedNumbers,
    WhatIf,
)

LINKS = {"logit": "logit", "log": "log"}  # of scales; predictions on others are shown as they are
FINE = 2.0**-41  # of the size of a component, by which rounding one of its functions may change it
COARSE = 2.0**-4  # of the usual contribution of a replicate: bands are wrong by less than a hundredth
BEYOND = 2.0**-8  # times finer where functions go on beyond the range
QUANTILES = 128  # steps


def what_if(dec: Decomposition) -> WhatIf:
    """Collect what a page needs to evaluate a decomposition: components to nine digits and more, bands to two.

    Examples
    --------
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> found = what_if(FunctionalANOVA(random_state=0).fit(X, X[:, 0]).decomposition_)
    >>> found.link, [one.name for one in found.inputs], found.terms
    ('identity', ['x0', 'x1'], ((0,), (1,)))
    """
    components, reference = dec.expansion.components, dec.expansion.reference
    weights = [_weights(components, feature) for feature in range(len(dec.features))]
    kept = [np.union1d([0], np.flatnonzero(own)) for own in weights]
    places = [
        [np.searchsorted(kept[feature], column) for feature, column in zip(c.term, c.degrees.T, strict=True)]
        for c in components
    ]
    densities = clip = None
    if isinstance(reference, DensityReference):
        own = [reference.densities[c.term].ravel() for c in components]
        densities, clip = packed(own, [FINE * _size(each) for each in own]), reference.clip
    return WhatIf(
        link=LINKS.get(dec.scale, "identity"),
        inputs=tuple(_input(dec, index, kept[index][1:], weights[index]) for index in range(len(weights))),
        terms=dec.terms,
        functions=packed([np.stack(each, axis=1).ravel() for each in places], [1.0] * len(places)),
        outputs=tuple(map(partial(_output, dec), range(len(dec.output_names)))),
        n_replicates=0 if dec.uncertainty is None else len(dec.uncertainty.in_sample),
        quantiles=_quantiles(),
        unseen=() if dec.joint_support is None else tuple(map(_empty_cells, dec.joint_support.pairs)),
        densities=densities,
        clip=clip or 0.0,
    )


def packed(lists: Sequence[NDArray[Any]], steps: Sequence[float]) -> PackedNumbers:
    """Write lists of numbers as multiples of powers of two, each list at least as finely as its own step.

    Examples
    --------
    >>> found = packed([np.array([0.5, -1.0]), np.array([3.0])], [0.3, 1.0])
    >>> found.lengths, found.exponents
    ((2, 1), (-2, 0))
    """
    exponents, whole = [], [np.zeros(0, dtype=np.int64)]
    for numbers, step in zip(lists, steps, strict=True):
        # As finely as wanted, but no finer than what is left of a double, with its sign, in so many bytes.
        least = math.frexp(float(np.abs(numbers).max(initial=0.0)))[1] - 8 * MOST_BYTES + 2
        exponents.append(max(math.frexp(step)[1] - 1, least, -1000))
        whole.append(np.rint(np.ldexp(numbers, -exponents[-1])).astype(np.int64))
    joined = np.concatenate(whole)
    folded = ((joined << 1) ^ (joined >> 63)).astype("<u8").view(np.uint8).reshape(-1, 8).T
    n_bytes = max((at + 1 for at, plane in enumerate(folded) if plane.any()), default=1)
    data = base64.b64encode(gzip.compress(folded[:n_bytes].tobytes(), compresslevel=9, mtime=0)).decode("ascii")
    return PackedNumbers(tuple(map(len, lists)), tuple(exponents), data)


def _size(numbers: Floats) -> float:
    """Return the root of the sum of squares, or 1 where all are zero."""
    return float(np.sqrt((numbers**2).sum())) or 1.0


def _weights(components: Sequence[Component], feature: int) -> Floats:
    """Tell how much of some component each function of a feature makes up, at most, in units of the component."""
    own = [component for component in components if feature in component.term]
    weights = np.zeros(1 + max((int(c.degrees.max(initial=0)) for c in own), default=0))
    for component in own:
        sizes = np.sqrt((component.coefficients**2).sum(axis=0))
        shares = component.coefficients / np.where(sizes > 0, sizes, 1.0)
        degrees, squares = component.degrees[:, component.term.index(feature)], (shares**2).max(axis=1, initial=0.0)
        sums = np.bincount(degrees, squares, len(weights))
        # A function that only replicates use counts for bands.
        np.maximum.at(sums, degrees, 1e-8)
        weights = np.maximum(weights, np.sqrt(sums))
    return weights


def _input(dec: Decomposition, index: int, functions: NDArray[np.intp], weights: Floats) -> InputFunctions:
    """Collect what is known of one feature, and the functions of it that components take."""
    feature, reference, missing = dec.features[index], dec.expansion.reference, False
    ends: tuple[float, ...] = ()
    shape: dict[str, Any] = {}
    if isinstance(reference, DensityReference):
        centre, spread = reference.scaling.centre, reference.scaling.spread
        if centre is not None and spread is not None:
            shape["scaling"] = (float(centre[index]), float(spread[index]))
        values: Floats = functions[:, None].astype(float)  # a Legendre polynomial is known by its degree
    else:
        marginal: Marginal = reference.marginals[index]  # type: ignore[attr-defined]  # the only other reference
        values = _values(marginal)[functions - 1]
        if isinstance(marginal, NominalMarginal):
            missing, shape["cells"] = marginal.missing_cell >= 0, tuple(marginal.cells.tolist())
        else:
            ends, missing = (float(marginal.knots[0]), float(marginal.knots[-1])), bool(marginal.missing)
            shape |= {name: tuple(getattr(marginal, name).tolist()) for name in ("breaks", "gaps", "heavy")}
            shape["held"] = marginal.held or not marginal.curved
        if dec.joint_support is not None and any(index in pair.term for pair in dec.joint_support.pairs):
            axis = CellAxis(marginal, dec.joint_support.n_cells)
            shape |= {"edges": tuple(axis.edges.tolist()), "n_known": axis.n_known}
    table = packed(list(values), (FINE / weights[functions]).tolist())
    return InputFunctions(feature.name, feature.kind, feature.levels, ends, missing, table, **shape)


def _values(marginal: Marginal) -> Floats:
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


def _output(dec: Decomposition, output: int) -> OutputTerms:
    components = dec.expansion.components
    coefficients = [component.coefficients[:, output] for component in components]
    traced = None if dec.uncertainty is None else dec.uncertainty.components[output]
    return OutputTerms(
        dec.output_names[output],
        prediction_name(dec, output),
        float(dec.expansion.mean[output]),
        tuple(float(component.offset[output]) for component in components),
        packed(coefficients, [FINE**2 * _size(each) for each in coefficients]),  # as finely as can be
        None if traced is None else _replicates(traced, _go_on(dec.expansion.reference)),
    )


def _go_on(reference: Reference) -> set[int]:
    """List the features whose functions go on beyond the range, where rough ones grow large that are small inside."""
    marginals = reference.marginals if isinstance(reference, MarginalReference) else ()
    return {
        index
        for index, marginal in enumerate(marginals)
        if isinstance(marginal, NumericMarginal) and marginal.curved and not marginal.held
    }


def _replicates(traced: Expansion, going_on: set[int]) -> PackedNumbers:
    """Write what replicates contributed: to the mean and to offsets, which cancel it, then to coefficients."""
    constants = np.vstack([traced.mean, *(component.offset for component in traced.components)])
    coefficients = [component.coefficients for component in traced.components]
    # What terms take from each other cancels in the whole, which must not drown in what rounding adds to them.
    whole: dict[tuple[tuple[int, int], ...], Floats] = {}
    for component in traced.components:
        for degrees, own in zip(component.degrees.tolist(), component.coefficients, strict=True):
            product = tuple(pair for pair in zip(component.term, degrees, strict=True) if pair[1])
            whole[product] = whole.get(product, 0.0) + own
    whole.pop((), None)
    usual = math.sqrt(sum(float(own @ own) for own in whole.values()) / max(sum(map(np.size, coefficients)), 1))
    sizes = [_size(own) / math.sqrt(max(own.size, 1)) for own in coefficients]
    finer = [BEYOND if going_on & {*component.term} else 1.0 for component in traced.components]
    steps = [COARSE * (min(usual, size) or size) * own for size, own in zip(sizes, finer, strict=True)]
    return packed(
        [constants.ravel(), *(own.ravel() for own in coefficients)], [COARSE * (min(steps, default=1.0)), *steps]
    )


def _quantiles() -> tuple[float, ...]:
    """Tabulate Student's t by one over the degrees of freedom."""
    degrees = QUANTILES / np.arange(1, QUANTILES + 1)
    return tuple(stdtrit(np.r_[1e12, degrees], (1 + LEVEL) / 2).tolist())


def _empty_cells(pair: UnseenCells) -> EmptyCells:
    written = pair.to_document()
    return EmptyCells(pair.term, tuple(written["shape"]), written["cells"])
