"""The points at which two decompositions are compared: rows of a table, or rows made from the features' own laws."""

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.compare.methods.cells import pick
from anova_report.compare.methods.request import draw
from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import MarginalReference, NominalMarginal, NumericMarginal
from anova_report.core.input.features import INTERCHANGEABLE, UNSEEN, Feature
from anova_report.core.input.table import FrameTable, InputTable, open_table
from anova_report.core.randomness import stream
from anova_report.core.result.decomposition import Decomposition
from anova_report.errors import InputError
from anova_report.measures.support import outside_rows, unseen_pairs


@dataclass(frozen=True, eq=False)
class Points:
    """The same rows, as each of two decompositions reads them."""

    # first, second, shape (n_points, n_features): each with the features, in the order and codes, of its decomposition
    first: Floats
    second: Floats
    # first_outside, second_outside: what lies off the data of each
    first_outside: NDArray[np.bool_]
    second_outside: NDArray[np.bool_]
    made_up: bool  # whether rows were made from the laws of the features, for want of a table


def common_features(a: Decomposition, b: Decomposition) -> tuple[str, ...]:
    """List the features that both have, by name and kind, in the order of the first."""
    kinds = {feature.name: feature.kind for feature in b.features}

    def matches(feature: Feature) -> bool:
        theirs = kinds.get(feature.name)
        return theirs == feature.kind or {theirs, feature.kind} == INTERCHANGEABLE

    return tuple(feature.name for feature in a.features if matches(feature))


def points_of(a: Decomposition, b: Decomposition, X: Any, max_rows: int, seed: int) -> Points:
    """Choose the points: rows of X, or rows made from the laws of both where there is no X."""
    if X is not None:
        table = open_table(X)
        return read_points(a, b, pick(table, draw(table.shape[0], max_rows, stream(seed, "compared rows"))))
    first, second = _made_up(a, b, max_rows, seed)
    return Points(first, second, outside_rows(a, first), outside_rows(b, second), made_up=True)


def read_points(a: Decomposition, b: Decomposition, chosen: InputTable) -> Points:
    """Read rows of a table as both do."""

    def read(dec: Decomposition) -> Floats:
        if not isinstance(chosen, FrameTable) or chosen.names is None:
            return dec.encode(chosen.rows(0, chosen.shape[0]))
        # The table may have columns that only the other decomposition knows.
        own = [name for name in chosen.names if name in dec.feature_names]
        return dec.encode(nw.to_native(chosen.frame.select(own)))

    first, second = read(a), read(b)
    return Points(first, second, outside_rows(a, first), outside_rows(b, second), made_up=False)


def common_points(decs: tuple[Decomposition, Decomposition], points: Points) -> NDArray[np.bool_]:
    """Tell which points lie in the data of both."""
    kept = ~(points.first_outside.any(axis=1) | points.second_outside.any(axis=1))
    for dec, values in zip(decs, (points.first, points.second), strict=True):
        kept &= ~unseen_pairs(dec, values)[1].any(axis=1)
    return np.asarray(kept)


def _made_up(a: Decomposition, b: Decomposition, n_points: int, seed: int) -> tuple[Floats, Floats]:
    """Make rows by the law of each feature and the correlations of their ranks: half as in each decomposition."""
    rng = stream(seed, "compared points")
    half = n_points // 2
    first, second = _drawn(a, half, rng), _drawn(b, n_points - half, rng)
    return np.vstack([first, _as_read_by(a, b, second, rng)]), np.vstack([_as_read_by(b, a, first, rng), second])


def _drawn(dec: Decomposition, n_points: int, rng: np.random.Generator) -> Floats:
    """Put values together so that their ranks correlate as in the rows of the fit, as far as that is known."""
    values = _quantiles(dec, n_points)
    scores = rng.normal(size=values.shape)
    if dec.correlations is not None:
        # Normal scores with this correlation have ranks with the given one; rounding may leave it not quite positive.
        sizes, directions = np.linalg.eigh(2 * np.sin(np.pi / 6 * dec.correlations))
        scores = scores * np.sqrt(np.maximum(sizes, 0.0)) @ directions.T
    ranks = scores.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    return np.asarray(np.take_along_axis(values, ranks, axis=0))


def _as_read_by(dec: Decomposition, other: Decomposition, values: Floats, rng: np.random.Generator) -> Floats:
    """Write rows made for another decomposition as this one reads them; what only this one has follows its own law."""
    found = rng.permuted(_quantiles(dec, len(values)), axis=0)
    for name in common_features(dec, other):
        at, there = dec.feature_names.index(name), other.feature_names.index(name)
        found[:, at] = recoded(values[:, there], other.features[there], dec.features[at])
    return found


def _quantiles(dec: Decomposition, n_points: int) -> Floats:
    """Spread points over the laws of the features, each ascending, missing values last in proportion."""
    reference = dec.expansion.reference
    if not isinstance(reference, MarginalReference):
        raise InputError(
            f"{dec.settings.get('estimator', 'The estimator')} does not keep how its features are distributed, so "
            "there are no points to compare at. Pass X."
        )
    columns = []
    for marginal in reference.marginals:
        if isinstance(marginal, NominalMarginal):
            columns.append(_levels(marginal, n_points))
        else:
            n_missing = round(marginal.missing * n_points)
            columns.append(np.concatenate([_numbers(marginal, n_points - n_missing), np.full(n_missing, np.nan)]))
    return np.column_stack(columns)


def recoded(values: Floats, source: Feature, target: Feature) -> Floats:
    """Write codes of levels as another feature codes them."""
    if not source.has_levels or source.levels == target.levels:
        return values
    known = {level: float(code) for code, level in enumerate(target.levels)}
    # A level that is not known here stays unknown: its code is the last, which -1 finds.
    codes = np.array([*(known.get(level, UNSEEN) for level in source.levels), np.nan, UNSEEN])
    return np.asarray(codes[np.where(np.isnan(values), len(source.levels), values).astype(np.intp)])


def _numbers(marginal: NumericMarginal, n_points: int) -> Floats:
    steps = (np.arange(n_points) + 0.5) / max(n_points, 1)
    if len(marginal.atoms) < len(marginal.knots):
        return np.asarray(np.interp(steps, marginal.ranks, marginal.knots))
    upper = reached_shares(marginal)
    return np.asarray(marginal.knots[np.searchsorted(upper, steps).clip(0, len(upper) - 1)])


def reached_shares(marginal: NumericMarginal) -> Floats:
    """Share of the rows, of those that are not missing, up to and with each of a few values."""
    upper = np.zeros(len(marginal.knots))
    reached = 0.0
    # Each rank lies in the middle of its value's share, which gives the shares back one after the other.
    for index, rank in enumerate(marginal.ranks.tolist()):
        reached = upper[index] = 2 * rank - reached
    return upper


def level_shares(marginal: NominalMarginal) -> tuple[Floats, float]:
    """Share of the rows with each level, and with none; levels that were pooled have equal parts of their share."""
    # Contrasts are orthonormal: the squares of a cell add up to one over its share, less one.
    shares = 1 / (1 + (marginal.table**2).sum(axis=0))
    sizes = np.bincount(marginal.cells, minlength=len(shares)).clip(1)
    missing = float(shares[marginal.missing_cell]) if marginal.missing_cell >= 0 else 0.0
    return np.asarray((shares / sizes)[marginal.cells]), missing


def _levels(marginal: NominalMarginal, n_points: int) -> Floats:
    own, missing = level_shares(marginal)
    codes = np.arange(len(own), dtype=np.float64)
    if missing:
        codes, own = np.r_[codes, np.nan], np.r_[own, missing]
    steps = (np.arange(n_points) + 0.5) / n_points
    return np.asarray(codes[np.searchsorted(np.cumsum(own), steps).clip(0, len(own) - 1)])
