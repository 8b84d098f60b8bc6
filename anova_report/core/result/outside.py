"""Rows beyond what a fit has seen of single features: how many, of which features, and what was seen instead."""

import math
import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import MarginalReference, NumericMarginal
from anova_report.core.input.features import UNSEEN, Feature
from anova_report.core.input.table import NAMES_SHOWN
from anova_report.core.result.expansion import Reference
from anova_report.core.result.population import rows_of
from anova_report.errors import ExtrapolationWarning


def outside_words(
    features: Sequence[Feature], reference: Reference, values: Floats, read: Sequence[int] | None = None
) -> tuple[str, ...]:
    """Say of each feature how many encoded rows lie beyond what the fit has seen of it, and what it has seen.

    One sentence for each reason, in the order of the features; of those that are `read`, by default all.
    """
    found = []
    outside = _outside(reference, values, read)
    for index in np.flatnonzero(outside.any(axis=0)).tolist():
        column, name = values[outside[:, index], index], features[index].name
        absent = np.isnan(column)
        unseen = (column == UNSEEN) & features[index].has_levels
        beyond = column[~absent & ~unseen]
        if beyond.size:
            found.append(f"{name} beyond {_seen(features[index], reference, index)} in {rows_of(beyond.size)}")
        if unseen.any():
            found.append(f"{name} with a level it has not seen in {rows_of(int(unseen.sum()))}")
        if absent.any():
            found.append(f"{name} missing, as it never was, in {rows_of(int(absent.sum()))}")
    return tuple(found)


def named(words: Sequence[str]) -> str:
    """Join what is said of several features, and only count those beyond `NAMES_SHOWN`."""
    more = len(words) - NAMES_SHOWN
    return ", ".join([*words[:NAMES_SHOWN], *([f"and {more} more"] if more > 0 else [])])


def warn_outside(
    features: Sequence[Feature], reference: Reference, values: Floats, read: Sequence[int] | None, stacklevel: int
) -> None:
    """Warn, once for all encoded rows, where some lie beyond what the fit has seen of the features that are read."""
    n_outside = int(_outside(reference, values, read).any(axis=1).sum())
    if n_outside:
        words = named(outside_words(features, reference, values, read))
        warnings.warn(
            f"{n_outside:,} of {rows_of(len(values))} {'lies' if n_outside == 1 else 'lie'} beyond what the fit has "
            f"seen: {words}. What is said about such rows is extrapolated; "
            "Decomposition.outside marks them.",
            ExtrapolationWarning,
            stacklevel=stacklevel + 1,
        )


def _outside(reference: Reference, values: Floats, read: Sequence[int] | None) -> NDArray[np.bool_]:
    outside = reference.outside(values)
    if read is not None:
        outside[:, np.setdiff1d(np.arange(values.shape[1]), read)] = False
    return outside


def _seen(feature: Feature, reference: Reference, index: int) -> str:
    """Write the ends of the values that the fit has seen of an ordered feature."""
    marginal = reference.marginals[index] if isinstance(reference, MarginalReference) else None
    if not isinstance(marginal, NumericMarginal):
        return "its levels"
    low, high = (_value(feature, float(marginal.knots[end])) for end in (0, -1))
    return f"{low} to {high}"


def _value(feature: Feature, value: float) -> str:
    if feature.has_levels:
        return feature.levels[int(value)]
    if feature.kind == "datetime":
        return str(np.datetime64(math.floor(value), "s")).replace("T", " ")
    return f"{value:.6g}" + (" s" if feature.kind == "duration" else "")
