"""Two decompositions at the same points, and what is drawn of a main effect in both.

Components have mean zero over these points, so that constants do not differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from anova_report.compare.versions.comparison_claims import difference_claims
from anova_report.compare.versions.differences import EffectDifference
from anova_report.compare.versions.points import common_features, points_of, recoded
from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import Term
from anova_report.figures.axes import (
    along,
    effects_axis,
    level_axis,
    number_axis,
    rounded,
    row_shares,
    value_axis,
)
from anova_report.figures.contrasts import Contrast, LevelContrast, Trace
from anova_report.figures.curves import (
    DENSITY_BINS,
    TABLE_LEVELS,
    TAIL,
    atom_of,
    axis_gaps,
    curve_points,
    held_points,
    shown,
)
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis
from anova_report.figures.level_scales import LevelScale, level_scale
from anova_report.figures.rows import Effect, Rows, bounds
from anova_report.figures.ticks import bound_text
from anova_report.measures.sentences.comparison import difference_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.values import shown_range, value_text

HEAD = ("difference", "95% from", "95% to", "beyond chance")
UNKNOWN = "–"
LEAST_DIFFERENCE = 0.1  # of the axis of effects: how far that of a difference reaches from zero at least


@dataclass(frozen=True, eq=False)
class Sides:
    """Two decompositions and the points at which they are compared."""

    names: tuple[str, str]
    rows: tuple[Rows, Rows]  # the same points, as each decomposition reads them
    outputs: tuple[int, int]
    outside: tuple[NDArray[np.bool_], NDArray[np.bool_]]  # shape (n_points, n_features); what lies off the data of each

    @classmethod
    def of(
        cls,
        decs: tuple[Decomposition, Decomposition],
        X: Any,
        *,
        names: tuple[str, str],
        outputs: tuple[int, int] = (0, 0),
        max_rows: int = 1000,
        seed: int = 0,
    ) -> Self:
        """Choose the points as `compare_decompositions` does with the same arguments."""
        points = points_of(*decs, X, max_rows, seed)
        rows = Rows(decs[0], points.first, seed=seed), Rows(decs[1], points.second, seed=seed)
        return cls(names, rows, outputs, (points.first_outside, points.second_outside))

    @cached_property
    def called(self) -> Names:
        """What the common features and both sides are called."""
        first, second = (rows.dec for rows in self.rows)
        own = [first.features[first.feature_names.index(name)] for name in self.shared]
        others = [second.features[second.feature_names.index(name)] for name in self.shared]
        titles = tuple(ours.title if ours.label else theirs.title for ours, theirs in zip(own, others, strict=True))
        return replace(Names.of(first, self.outputs[0]), features=titles, units=(), sides=self.names)

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """Names of the features that both have."""
        first, second = (rows.dec for rows in self.rows)
        return common_features(first, second)

    def common(self, features: Sequence[str]) -> Term:
        """Find features among the common ones."""
        return tuple(map(self.shared.index, features))

    def label(self, features: Sequence[str]) -> str:
        """Write features, or a term, as readers see them."""
        return self.called.term(self.common(features))

    def positions(self, side: int, features: Sequence[str]) -> list[int]:
        """Find features by name in one of the decompositions."""
        return [self.rows[side].dec.feature_names.index(name) for name in features]

    def kept(self, features: Sequence[str]) -> NDArray[np.bool_]:
        """Tell which points lie on the data of both."""
        off = [self.outside[side][:, self.positions(side, features)] for side in (0, 1)]
        return np.logical_not(np.hstack(off).any(axis=1))

    def term(self, side: int, features: Sequence[str]) -> Term | None:
        """Find a term by names; None where the decomposition does not hold it."""
        term = tuple(sorted(self.positions(side, features)))
        return term if term in self.rows[side].dec.expansion.position else None

    def effect(self, side: int, features: Sequence[str], columns: Sequence[Floats]) -> Effect:
        """Evaluate a component of one side, with its band, at values as the first decomposition codes them.

        A component that is not held is zero. Its mean over the points that are kept is taken off, as it is where
        differences are measured.
        """
        term = self.term(side, features)
        if term is None:
            return Effect(np.zeros(len(columns[0])), None, None)
        rows, output = self.rows[side], self.outputs[side]
        own = [self._recoded(side, name, column) for name, column in zip(features, columns, strict=True)]
        found = rows.effect(term, _ordered(self.positions(side, features), own), output)
        kept = self.kept(features)
        held = rows.component(term, [rows.values[kept, index] for index in term], output) if kept.any() else np.zeros(1)
        return _shifted(found, float(held.mean()))

    def _recoded(self, side: int, name: str, column: Floats) -> Floats:
        """Write codes of levels of the first decomposition as one of the two codes them."""
        source, target = (self.rows[at].dec.features[self.positions(at, [name])[0]] for at in (0, side))
        return recoded(column, source, target)


def _ordered(positions: Sequence[int], columns: Sequence[Floats]) -> list[Floats]:
    """Put columns into the order of the decomposition's own features."""
    return [columns[at] for at in np.argsort(positions)]


def _shifted(effect: Effect, mean: float) -> Effect:
    if effect.lower is None or effect.upper is None:
        return Effect(effect.value - mean, None, None)
    return Effect(effect.value - mean, effect.lower - mean, effect.upper - mean)


def contrast_figure(sides: Sides, found: EffectDifference, *, key: str) -> Figure:
    """Draw a main effect as both decompositions have it.

    Parameters
    ----------
    sides : Sides
    found : EffectDifference
        Of one feature, measured at the same points.
    key : str
    """
    index = sides.positions(0, found.features)[0]
    scale = level_scale(sides.rows[0], index)
    data, table = _contrast(sides, found, index) if scale is None else _level_contrast(sides, found, index, scale)
    claims = difference_claims(found, sides.common(found.features), sides.names)
    return Figure(
        key,
        f"Main effect of {sides.label(found.features)}",
        difference_words(claims, sides.called),
        data,
        table,
        claims,
    )


def beyond_points(found: EffectDifference) -> NDArray[np.bool_]:
    """Tell at which points a difference counts: beyond its band, of a component that differs as a whole."""
    exceeds = found.exceeds
    if exceeds is None or not found.differs:
        return np.zeros(len(found.difference), dtype=bool)
    return exceeds


def _contrast(sides: Sides, found: EffectDifference, index: int) -> tuple[Contrast, Table]:
    feature = sides.rows[0].dec.features[index]
    column = sides.rows[0].values[:, index]
    known = column[~np.isnan(column)]
    x = number_axis(feature, *shown_range(known, TAIL))
    points, at = curve_points(known, x)
    share, absent = 1 - len(known) / len(column), len(known) < len(column)
    everywhere = np.r_[points, np.nan] if absent else points
    effects = [sides.effect(side, found.features, [everywhere]) for side in (0, 1)]
    difference = _difference(found, points, effects[1].value[: len(points)] - effects[0].value[: len(points)])
    atoms = [atom_of(effect, len(points), share) for effect in effects]
    edges = np.linspace(x.low, x.high, DENSITY_BINS + 1)
    gaps = axis_gaps(sides.rows[0], known, x)
    held = shown(np.array(at), x, gaps)
    y = _effect_axis(sides, [effect[held_points(held, len(everywhere))] for effect in effects])
    drawn = difference[np.flatnonzero(held)] if held.any() else difference
    data = Contrast(
        x,
        y,
        at=at,
        first=_trace(sides.names[0], effects[0][: len(points)]),
        second=_trace(sides.names[1], effects[1][: len(points)]),
        gap=_difference_axis(sides.names, drawn, y),
        difference=_trace("difference", difference),
        beyond=_ranges(x, found.values[:, 0], beyond_points(found)),
        density_edges=along(x, edges),
        density_share=rounded(np.histogram(known, edges)[0] / len(column), 1.0),
        missing=(atoms[0], atoms[1]) if atoms[0] and atoms[1] else None,
        gaps=gaps,
    )
    return data, _table(sides, found, index, _table_points(found.values[:, 0]), y)


def _level_contrast(
    sides: Sides, found: EffectDifference, index: int, scale: LevelScale
) -> tuple[LevelContrast, Table]:
    feature = sides.rows[0].dec.features[index]
    effects = [sides.effect(side, found.features, [scale.codes]) for side in (0, 1)]
    if feature.kind == "nominal":
        order = np.lexsort((-effects[0].value, np.isnan(scale.codes)))
        scale, effects = scale.reordered(order), [effect[order] for effect in effects]
    at = [_position(found.values[:, 0], code) for code in scale.codes]
    beyond = beyond_points(found)
    data = LevelContrast(
        level_axis(feature.heading, scale.names),
        _effect_axis(sides, effects),
        share=row_shares(scale.count, len(sides.rows[0])),
        first=_trace(sides.names[0], effects[0]),
        second=_trace(sides.names[1], effects[1]),
        beyond=tuple(position is not None and bool(beyond[position]) for position in at),
        left_out=scale.n_left_out,
        few=tuple((scale.count < sides.rows[0].reach.rows).tolist()),
    )
    names = {position: name for position, name in zip(at, scale.names, strict=True) if position is not None}
    return data, _table(sides, found, index, list(names), data.y, names)


def _effect_axis(sides: Sides, effects: list[Effect]) -> Axis:
    """Hold both effects and their bands; a band that runs wild may leave the picture, an effect may not."""
    values = np.concatenate([effect.value for effect in effects])
    reach = np.ptp(values) or np.inf
    bands = [bound for effect in effects for bound in (effect.lower, effect.upper) if bound is not None]
    held = [band.clip(values.min() - reach, values.max() + reach) for band in bands]
    return effects_axis(sides.rows[0].dec, sides.outputs[0], values, *held)


def _difference(found: EffectDifference, points: Floats, value: Floats) -> Effect:
    """Give a difference along an axis the band that was measured at the points of comparison."""
    at, first = np.unique(found.values[:, 0], return_index=True)
    known = ~np.isnan(at)
    if found.lower is None or found.upper is None or not known.any():
        return Effect(value, None, None)
    reach = (bound[first][known] - found.difference[first][known] for bound in (found.lower, found.upper))
    below, above = (np.interp(points, at[known], distance) for distance in reach)
    return Effect(value, value + below, value + above)


def _difference_axis(names: tuple[str, str], difference: Effect, y: Axis) -> Axis:
    """Hold the difference and its band, and never so little that a trifle would look large."""
    least = LEAST_DIFFERENCE * (y.high - y.low)
    bounds = (difference.lower, difference.upper)
    bands = [bound.clip(-y.high + y.low, y.high - y.low) for bound in bounds if bound is not None]
    label = f"{names[1]} over {names[0]}" if y.log else f"{names[1]} minus {names[0]}"
    held = value_axis(label, difference.value, *bands, np.array([-least, least]), origin=True)
    return replace(held, log=y.log)


def _trace(name: str, effect: Effect) -> Trace:
    return Trace(name, rounded(effect.value), *bounds(effect))


def _ranges(x: Axis, values: Floats, beyond: NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
    """Join neighboring points at which a difference counts to ranges that reach half way to their neighbors."""
    order = np.argsort(values, kind="stable")
    order = order[~np.isnan(values[order])]
    spots, marked = values[order], beyond[order]
    if not marked.any():
        return ()
    edges = np.r_[spots[0], (spots[1:] + spots[:-1]) / 2, spots[-1]]
    turns = np.flatnonzero(np.diff(np.r_[False, marked, False].astype(int)))
    ends = along(x, edges[turns].clip(x.low, x.high))
    return tuple((low, high) for low, high in zip(ends[::2], ends[1::2], strict=True) if high > low)


def _position(values: Floats, code: float) -> int | None:
    hits = np.flatnonzero(np.isnan(values) if np.isnan(code) else values == code)
    return int(hits[0]) if len(hits) else None


def _table_points(values: Floats) -> list[int]:
    """Choose points at some ranks of a feature, in its order, and one where it is missing."""
    order = np.argsort(values, kind="stable")
    known = order[~np.isnan(values[order])]
    ranks = np.unique((TABLE_LEVELS * max(len(known) - 1, 0)).round().astype(int))
    missing = order[np.isnan(values[order])][:1]
    return [*known[ranks[ranks < len(known)]].tolist(), *missing.tolist()]


def _table(
    sides: Sides, found: EffectDifference, index: int, at: list[int], y: Axis, names: Mapping[int, str] | None = None
) -> Table:
    """List both versions at some points; `names` says what these are called where they are levels."""
    feature, values = sides.rows[0].dec.features[index], found.values[:, 0]
    span = float(np.nanmax(values) - np.nanmin(values)) if not np.isnan(values).all() else 0.0
    beyond = beyond_points(found)

    def line(position: int) -> tuple[str, ...]:
        series = (found.first, found.second, found.difference, found.lower, found.upper)
        cells = (UNKNOWN if column is None else bound_text(y, float(column[position])) for column in series)
        called = names[position] if names else value_text(feature, float(values[position]), span)
        return called, *cells, "yes" if beyond[position] else "no"

    return Table((feature.heading, *sides.names, *HEAD), tuple(map(line, at)))
