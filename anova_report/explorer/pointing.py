"""What a click hits, and what the choice adds to figures: a marked row, a slice, colours, other explanations."""

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.result.terms import Term
from anova_report.explorer.user_input import FeatureLine, OtherExplanation
from anova_report.figures.axes import rounded, value_axis
from anova_report.figures.curves import Curve
from anova_report.figures.figure import Figure
from anova_report.figures.gaps import is_kept
from anova_report.figures.geometry import Axis, Panel
from anova_report.figures.level_scales import level_scale
from anova_report.figures.levels import Levels
from anova_report.figures.overlays import Overlay, overlay_line
from anova_report.figures.pairs import Surface, on_plane, side
from anova_report.figures.row_effects import RowEffects
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Box, Dot, Key, Rule, Scene, column
from anova_report.figures.slices import Slices, slice_gaps
from anova_report.figures.spread import Scatter
from anova_report.figures.style import SLICES
from anova_report.figures.swarms import Swarm
from anova_report.measures.values import MISSING, quantiles, value_text

REACH = 9.0  # pixels beside a dot or a line that still hit it
MOST_GROUPS = len(SLICES)
OTHERS = "others"


def hit(scene: Scene, x: float, y: float) -> Key | None:
    """Find the term or the row whose item lies at a place in values of the first panel, if any does.

    Dots come before lines, lines before boxes, and the nearest before others.
    """
    place = scene.panels[0].across(x), scene.panels[0].down(y)
    for kind in (Dot, Rule, Box):
        near = [
            found
            for item in scene.items
            if isinstance(item, kind)
            for found in zip(item.keys, _distances(item, scene.panels[item.panel], place), strict=False)
        ]
        key, (beyond, _) = min(near, key=lambda found: found[1], default=(None, (math.inf, 0.0)))
        if beyond <= REACH:
            return key
    return None


def _distances(item: Dot | Rule | Box, panel: Panel, place: tuple[float, float]) -> Iterator[tuple[float, float]]:
    """Return, for each item, the pixels from its edge to a place, and those from its middle."""
    match item:
        case Dot():
            for at, value, radius in zip(item.x, item.y, column(item.radius, len(item.x)), strict=True):
                away = math.dist((panel.across(at), panel.down(value)), place)
                yield max(away - radius, 0.0), away
        case Rule():
            for x0, y0, x1, y1 in zip(item.x0, item.y0, item.x1, item.y1, strict=True):
                start, end = (panel.across(x0), panel.down(y0)), (panel.across(x1), panel.down(y1))
                across, down = end[0] - start[0], end[1] - start[1]
                length = across**2 + down**2
                share = ((place[0] - start[0]) * across + (place[1] - start[1]) * down) / length if length else 0.0
                share = min(max(share, 0.0), 1.0)
                away = math.dist((start[0] + share * across, start[1] + share * down), place)
                yield away, away
        case Box():
            for left, right, bottom, top in zip(item.left, item.right, item.bottom, item.top, strict=True):
                x_ends = sorted((panel.across(left), panel.across(right)))
                y_ends = sorted((panel.down(bottom), panel.down(top)))
                is_inside = x_ends[0] <= place[0] <= x_ends[1] and y_ends[0] <= place[1] <= y_ends[1]
                yield 0.0 if is_inside else math.inf, 0.0


def position_of(rows: Rows, index: int, axis: Axis, value: float) -> float | None:
    """Find an encoded value of a feature along an axis; None where the axis has no place for it."""
    if not axis.levels:
        return None if math.isnan(value) else float(value)
    scale = level_scale(rows, index)
    position = None if scale is None else scale.position(value)
    # A picture may have its levels in an order of its own.
    return None if scale is None or position is None else float(axis.levels.index(scale.names[position]))


def value_at(rows: Rows, index: int, axis: Axis, position: float) -> float:
    """Find the encoded value at a position along an axis, that of the nearest level where there are levels."""
    scale = level_scale(rows, index) if axis.levels else None
    if scale is None:
        return float(min(max(position, axis.low), axis.high))
    nearest = axis.levels[min(max(round(position), 0), len(axis.levels) - 1)]
    return float(scale.codes[scale.names.index(nearest)])


def marked(figure: Figure, rows: Rows, term: Term, values: Floats) -> Figure:
    """Mark where a row with these encoded values lies in a main effect or a surface; other figures stay as they are."""
    data = figure.data
    if isinstance(data, Surface):
        axes = zip(on_plane(rows.dec, term), (data.x, data.y), strict=True)
        x, y = (position_of(rows, index, axis, values[index]) for index, axis in axes)
        return replace(figure, data=replace(data, marked=None if x is None or y is None else (x, y)))
    if not isinstance(data, Curve | Levels):
        return figure
    spot = position_of(rows, term[0], data.x, values[term[0]])
    if isinstance(data, Curve):
        return replace(figure, data=replace(data, marked=spot))
    return replace(figure, data=replace(data, marked=None if spot is None else int(spot)))


def marked_row(figure: Figure, row: int, at: float, value: float) -> Figure:
    """Mark a row among points; where it is not one of them it becomes the last, and the axes are made to hold it."""
    data = figure.data
    if not isinstance(data, Scatter):
        return figure
    if row in data.rows:
        return replace(figure, data=replace(data, marked=data.rows.index(row)))
    x, y = (replace(axis, low=min(axis.low, at, value), high=max(axis.high, at, value)) for axis in (data.x, data.y))
    places = replace(data, x=x, y=y, at=(*data.at, at), value=(*data.value, value))
    return replace(figure, data=replace(places, rows=(*data.rows, row), marked=len(data.rows)))


def with_slice(
    figure: Figure,
    rows: Rows,
    term: Term,
    output: int,
    surface: Figure,
    at: Sequence[float],
    whose: str,
    *,
    joint: bool = False,
) -> Figure:
    """Add the slice through one point of the plane to those of a pair; there is none through a missing value.

    The point is given by its encoded values and by what it is, such as "this row".
    """
    data = figure.data
    if not isinstance(data, Slices) or not isinstance(surface.data, Surface) or np.isnan(at).any():
        return figure
    sides = {index: side(rows, index) for index in term}
    along, across = sorted(term, key=lambda index: sides[index].scale is not None)  # as `pair_slices` chooses
    cut = dict(zip(term, at, strict=True))[across]
    points = {along: sides[along].at, across: np.full(len(sides[along].at), cut)}
    values = rows.component(term, [points[index] for index in term], output, joint=joint)
    text = sides[across].text(rows.dec.features[across], cut)
    gaps = slice_gaps(rows, sides[along], sides[across], cut)
    line = Overlay(f"{text} ({whose})", data.lines[0].at, rounded(values), gaps)
    # The axis of effects holds what is drawn of the surface, so that it stands still while the point moves.
    drawn = np.array(surface.data.value)[~np.array(surface.data.thin)]
    held = [value for at, value in zip(line.at, line.value, strict=True) if is_kept(at, data.x, gaps)]
    y = replace(value_axis(data.y.label, drawn, np.array(held), origin=True), log=data.y.log)
    return replace(figure, data=replace(data, y=y, lines=(*data.lines, line)))


def with_row(figure: Figure, row: int) -> Figure:
    """Mark a row among the points of many, where it is one of them."""
    data = figure.data
    if not isinstance(data, Swarm | RowEffects):
        return figure
    return replace(figure, data=replace(data, marked=data.rows.index(row) if row in data.rows else None))


def coloured(figure: Figure, rows: Rows, feature: str) -> Figure:
    """Put points into at most five groups with a colour each: parts of equal size of a range, or frequent levels."""
    data = figure.data
    if not isinstance(data, Scatter):
        return figure
    index = rows.feature(feature)
    values = rows.values[list(data.rows), index]
    missing = np.isnan(values)
    names, group = _groups(rows, index, values, MOST_GROUPS - int(missing.any()))
    if missing.any() and MISSING not in names:
        group[missing] = len(names)
        names = [*names, MISSING]
    kept = [position for position in range(len(names)) if (group == position).any()]
    of_point = tuple(np.searchsorted(kept, group).tolist())
    kept_names = tuple(names[position] for position in kept)
    return replace(figure, data=replace(data, group=of_point, group_names=kept_names, grouped_by=feature))


def _groups(rows: Rows, index: int, values: Floats, most: int) -> tuple[list[str], NDArray[np.intp]]:
    scale = level_scale(rows, index, most)
    if scale is not None and scale.n_left_out:
        scale = level_scale(rows, index, most - 1)
    if scale is not None:
        group = scale.positions(values)
        others = group < 0
        group[others] = len(scale.names)
        return [*scale.names, OTHERS] if others.any() else list(scale.names), group
    ends = np.unique(quantiles(values[~np.isnan(values)], np.linspace(0, 1, most + 1)))
    texts = [value_text(rows.dec.features[index], end, float(np.ptp(ends))) for end in ends.tolist()]
    names = [f"{low} to {high}" for low, high in pairwise(texts)] or texts
    return names, np.searchsorted(ends[1:-1], values, side="right")


def overlaid(figure: Figure, rows: Rows, index: int, overlays: Sequence[OtherExplanation], output: int = 0) -> Figure:
    """Draw other explanations of a feature over its main effect; the axis of effects holds them, too."""
    data = figure.data
    if not isinstance(data, Curve | Levels):
        return figure
    # A method that has no line here keeps its place, so that each has one colour, and one switch, in all figures.
    lines = tuple(_one_line(rows, index, data.x, method, output) for method in _methods(overlays))
    effects = [effect for line in lines for effect in line.value]
    if not effects:
        return figure
    y = replace(data.y, low=min(data.y.low, *effects), high=max(data.y.high, *effects))
    alt = f"{figure.alt} Over it: {'; '.join(line.name for line in lines if line.at)}."
    return replace(figure, alt=alt, data=replace(data, y=y, overlays=lines))


def _methods(overlays: Sequence[OtherExplanation]) -> list[list[OtherExplanation]]:
    """Put together the lines of the same name over different features: they belong to one method."""
    found: dict[Hashable, list[OtherExplanation]] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for given in overlays:
        key: Hashable = given
        if isinstance(given, FeatureLine):
            key = given.name, seen[given.name, given.feature]
            seen[given.name, given.feature] += 1
        found.setdefault(key, []).append(given)
    return list(found.values())


def _one_line(rows: Rows, index: int, axis: Axis, method: Sequence[OtherExplanation], output: int) -> Overlay:
    """Draw one method's explanation of a feature; an empty line where it has none."""
    feature, outputs = rows.dec.features[index], rows.dec.output_names
    for given in method:
        if not isinstance(given, FeatureLine):
            if len(outputs) == 1 or given.output == outputs[output]:
                return overlay_line(axis, feature, given)
        elif given.feature == feature.name:
            points = zip(given.at, given.value, strict=True)
            spots = [(position_of(rows, index, axis, at), value) for at, value in points]
            drawn = sorted((spot, value) for spot, value in spots if spot is not None and axis.low <= spot <= axis.high)
            return Overlay(given.name, tuple(spot for spot, _ in drawn), tuple(value for _, value in drawn))
    first = method[0]
    return Overlay(first.name if isinstance(first, FeatureLine) else first.title, (), ())
