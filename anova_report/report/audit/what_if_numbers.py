"""From a decomposition to the numbers a page evaluates: functions of features, coefficients, cells without rows."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import stdtrit

from anova_report.core.basis.marginals import NominalMarginal
from anova_report.core.diagnostics.joint_support import CellAxis, UnseenCells
from anova_report.core.input.features import ROWS_EACH, UNSEEN
from anova_report.core.published.densities import DensityReference
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.expansion import Reference
from anova_report.io import sinks
from anova_report.measures.groups import members
from anova_report.measures.intervals import LEVEL
from anova_report.measures.sentences.names import Names, prediction_name
from anova_report.report.audit.what_if import (
    EmptyCells,
    FeatureSet,
    InputFunctions,
    OutputTerms,
    StartRow,
    WhatIf,
)
from anova_report.report.audit.what_if_functions import (
    FINE,
    FunctionTable,
    Products,
    packed,
    products_of,
    size,
)
from anova_report.report.audit.what_if_replicates import packed_replicates

LINKS = {"logit": "logit", "log": "log"}  # of scales; predictions on others are shown as they are
QUANTILES = 128  # steps
MOST_LETTERS = 1_600_000  # of all numbers; of more, those of bands are left out
MOST_NAMED = 20  # levels: of more, those that few rows have are not named, as elsewhere on the page


def evaluated(dec: Decomposition, starts: tuple[StartRow, ...] = (), spans: tuple[float, ...] = ()) -> WhatIf:
    """Collect what a page needs to evaluate a decomposition: components to nine digits and more, bands to two.

    Parameters
    ----------
    dec : Decomposition
    starts : tuple of StartRow
        Rows from which a reader may start.
    spans : tuple of float
        Of each feature the range over which its values are told apart.

    Examples
    --------
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> found = evaluated(FunctionalANOVA(random_state=0).fit(X, X[:, 0]).decomposition_)
    >>> found.link, [one.name for one in found.inputs], found.terms
    ('identity', ['x0', 'x1'], ((0,), (1,)))
    """
    components, reference = dec.expansion.components, dec.expansion.reference
    tables = [FunctionTable(dec, index) for index in range(len(dec.features))]
    products = [products_of(dec, at, tables) for at in range(len(components))]
    densities = clip = None
    if isinstance(reference, DensityReference):
        own = [reference.densities[c.term].ravel() for c in components]
        densities, clip = packed(own, [FINE * size(each) for each in own]), reference.clip
    found = WhatIf(
        link=LINKS.get(dec.scale, "identity"),
        scale=dec.scale,
        unit=Names.of(dec).unit,
        inputs=tuple(map(partial(_input, dec), tables)),
        terms=dec.terms,
        functions=packed([each.places(tables).ravel() for each in products], [1.0] * len(products)),
        outputs=tuple(_output(dec, output, products, tables) for output in range(len(dec.output_names))),
        n_replicates=0 if dec.uncertainty is None else len(dec.uncertainty.in_sample),
        quantiles=_quantiles(),
        unseen=() if dec.joint_support is None else tuple(map(_empty_cells, dec.joint_support.pairs)),
        densities=densities,
        clip=clip or 0.0,
        members=tuple(FeatureSet(sinks.cut(own.name), own.features) for own in members(dec)),
        starts=tuple(replace(start, values=page_values(dec, start.values)) for start in starts),
        spans=spans,
    )
    letters = sum(len(own.table.data) for own in found.inputs)
    letters += sum(len(own.replicates.data) for own in found.outputs if own.replicates is not None)
    return _without_bands(found) if letters > MOST_LETTERS else found


def _without_bands(found: WhatIf) -> WhatIf:
    outputs = tuple(replace(own, replicates=None) for own in found.outputs)
    return replace(found, outputs=outputs, bands_left_out=True)


def page_values(dec: Decomposition, values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Count levels as the page does, which does not name all of them."""
    found = list(values)
    for index, named in _named(dec).items():
        value = found[index]
        if value is not None and value != UNSEEN:
            found[index] = float(named.index(int(value)) if value in named else len(named))
    return tuple(found)


def fit_values(dec: Decomposition, values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Count levels as the fit does; a level that the page does not name, or the fit has not seen, is unknown to it."""
    found = list(values)
    for index, named in _named(dec).items():
        value = found[index]
        if value is not None:
            found[index] = float(named[int(value)]) if 0 <= value < len(named) else UNSEEN
    return tuple(found)


def _named(dec: Decomposition) -> dict[int, list[int]]:
    """List the levels that the page names, in its order, by their features."""
    marginals = {
        index: dec.expansion.reference.marginals[index]  # type: ignore[attr-defined]
        for index, feature in enumerate(dec.features)
        if feature.has_levels
    }
    return {
        index: _named_codes(marginal, dec.in_sample.n_rows)
        for index, marginal in marginals.items()
        if isinstance(marginal, NominalMarginal)
    }


def _input(dec: Decomposition, table: FunctionTable) -> InputFunctions:
    """Collect what is known of one feature, and the functions of it that components take."""
    feature, marginal, support = dec.features[table.feature], table.marginal, dec.joint_support
    shape: dict[str, Any] = {}
    if marginal is None:
        shape = _scaling(dec.expansion.reference, table.feature)
    elif isinstance(marginal, NominalMarginal):
        codes = _named_codes(marginal, dec.in_sample.n_rows)
        shape = _named_levels(feature.levels, marginal, codes) | {"missing": marginal.missing_cell >= 0}
    else:
        shape = {name: tuple(getattr(marginal, name).tolist()) for name in ("breaks", "gaps", "heavy")}
        shape["ends"] = (float(marginal.knots[0]), float(marginal.knots[-1]))
        shape |= {"missing": bool(marginal.missing), "held": marginal.held or not marginal.curved}
    if marginal is not None and support is not None and any(table.feature in pair.term for pair in support.pairs):
        axis = CellAxis(marginal, support.n_cells)
        shape |= {"edges": tuple(axis.edges.tolist()), "n_known": axis.n_known}
    name, columns = sinks.cut(feature.name), tuple(map(sinks.cut, feature.columns))  # only to be shown
    return InputFunctions(name, feature.kind, table.packed(), columns=columns, **shape)


def _scaling(reference: Reference, index: int) -> dict[str, Any]:
    """Tell by what the published functions scale a value, if by anything."""
    scaling = reference.scaling if isinstance(reference, DensityReference) else None
    if scaling is None or scaling.centre is None or scaling.spread is None:
        return {}
    return {"scaling": (float(scaling.centre[index]), float(scaling.spread[index]))}


def _named_levels(levels: tuple[str, ...], marginal: NominalMarginal, named: list[int]) -> dict[str, Any]:
    """Name levels, those that few rows have only where there are few levels; a cell without a name stands for them."""
    others = [code for code in range(len(levels)) if code not in named][:1]
    return {
        "levels": tuple(sinks.cut(levels[code]) for code in named),
        "cells": tuple(int(marginal.cells[code]) for code in [*named, *others]),
    }


def _named_codes(marginal: NominalMarginal, n_rows: int) -> list[int]:
    """List the levels that the page names: of many, those that are not pooled; nor is a single one that is rare."""
    codes = range(len(marginal.cells))
    if len(codes) <= MOST_NAMED:
        return list(codes)
    # All functions of a cell and the constant, squared, add up to one over its share of the rows.
    shares = 1 / (1 + (marginal.table**2).sum(axis=0))
    known = [code for code in codes if code not in marginal.pooled]
    few = [code for code in known if shares[marginal.cells[code]] * n_rows < ROWS_EACH - 0.5]
    return [code for code in known if code not in few] if not marginal.pooled and len(few) == 1 else known


def _output(
    dec: Decomposition, output: int, products: Sequence[Products], tables: Sequence[FunctionTable]
) -> OutputTerms:
    components = dec.expansion.components
    coefficients = [each.coefficients[:, output] for each in products]
    return OutputTerms(
        dec.output_names[output],
        sinks.cut(prediction_name(dec, output)),
        float(dec.expansion.mean[output]),
        tuple(float(component.offset[output]) for component in components),
        packed(coefficients, [FINE**2 * size(each) for each in coefficients]),  # as finely as can be
        packed_replicates(dec, output, products, tables),
    )


def _quantiles() -> tuple[float, ...]:
    """Tabulate Student's t by one over the degrees of freedom."""
    degrees = QUANTILES / np.arange(1, QUANTILES + 1)
    return tuple(stdtrit(np.r_[1e12, degrees], (1 + LEVEL) / 2).tolist())


def _empty_cells(pair: UnseenCells) -> EmptyCells:
    written = pair.to_document()
    return EmptyCells(pair.term, tuple(written["shape"]), written["cells"])
