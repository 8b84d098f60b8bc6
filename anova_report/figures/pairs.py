"""Pairs: a surface over the plane of two features, its cells, and where rows lie in it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.core.input.scales import scale_of
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import Term
from anova_report.figures.axes import effect_label, level_axis, number_axis, rounded
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis, Frame, Numbers, Panel, Words
from anova_report.figures.layout import LEGEND_ROW, below, entry_width, frame_within, longest
from anova_report.figures.level_scales import LevelScale, level_scale
from anova_report.figures.rows import Rows, term_of_order, two_features
from anova_report.figures.scene import (
    Box,
    Dot,
    Entry,
    Heat,
    Legend,
    Primitive,
    Rule,
    Ruler,
    ScaleBar,
    Scene,
    Text,
    unzip,
)
from anova_report.figures.style import NOTE, SMALL, TEXT, ink
from anova_report.figures.ticks import axis_text
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.joint import joint_claim, joint_effect
from anova_report.measures.near_rows import Reach
from anova_report.measures.sentences.effects import surface_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.values import shown_range, value_text
from anova_report.measures.wording import factor, factor_words, number, signed

TAIL = 0.01  # of the rows at each end is not drawn where it lies far out
CELLS_ALONG = 36
LIMIT_QUANTILE = 0.99  # colors reach their end here: a single cell must not pale all others
TABLE_CELLS = 7
NO_ROWS = "–"  # in a table, where too few rows lie
BAR_WIDTH, BAR_HEIGHT = 10.0, 170.0  # pixels of the scale of colors, which is shorter where the plane is
NUMBERS = (6, 10)  # cells of levels across and down that have room for their numbers
LATITUDE, LONGITUDE = {"latitude", "lat"}, {"longitude", "long", "lon", "lng"}  # words in names of a map's sides
Plane: TypeAlias = tuple["Side", "Side"]


@dataclass(frozen=True)
class Surface:
    """A pair on equal cells of the plane of two axes."""

    x: Axis
    y: Axis
    # one tuple for each cell along `y`, from its low end; in it one number for each cell along `x`
    value: tuple[Numbers, ...]
    thin: tuple[tuple[bool, ...], ...]  # where too few rows lie, so that nothing is drawn
    limit: float  # colors run from −limit to +limit
    label: str  # of the colors
    marked: tuple[float, float] | None = None  # where a row that is looked at lies
    factors: bool = False  # whether values are logarithms of factors

    def scene(self, wide: float = 440.0, high: float = 360.0) -> Scene:
        """Lay the cells out: hatched where too few rows lie, the scale of colors at the right."""
        texts = tuple(map(factor if self.factors else number, (self.limit, 0.0, -self.limit)))
        right = wide - 20 - BAR_WIDTH - longest(texts, SMALL, wide)
        panel = Panel.of(frame_within(self.x, self.y, Frame(0, 0, right, high)), self.x, self.y)
        frame, label = panel.frame, longest((self.label,), TEXT, wide / 2)
        bar = Frame(right + 12, frame.top, right + 12 + BAR_WIDTH, min(frame.bottom, frame.top + BAR_HEIGHT))
        corner: dict[str, Any] = {"dx": (wide - right,), "dy": -15.0, "anchor": "end", "room": wide / 2}
        return Scene(
            "surface",
            (wide, high),
            (panel,),
            (
                self._cells(),
                self._thin(panel),
                self._numbers(),
                Ruler(self.y, "left", room=wide - 12 - label),
                Text("colors", panel.x[1], panel.y[1], (self.label,), **corner, **NOTE),
                ScaleBar(bar, "cells", "diverging", texts),
                *self._below(frame, wide),
                *self._marked(panel),
            ),
            zooms="xy",
        )

    def _below(self, frame: Frame, wide: float) -> tuple[Primitive, ...]:
        """Draw the axis below the plane, and in the line of its label what hatching means."""
        ruler, hatched = below(self.x, frame), any(map(any, self.thin))
        entry = Entry("few rows", "hatch", "muted", marks=("thin",))
        left, top = wide - entry_width(entry), frame.bottom + ruler.depth - 4 - LEGEND_ROW / 2
        room = frame.width - (2 * max(frame.right + 12 - left, 0.0) if hatched else 0.0)
        legend = Legend((entry,) if hatched else (), left=left, top=top, room=wide - left)
        return replace(ruler, room=room), legend

    def _cells(self) -> Heat:
        gaps = max(len(self.x.levels), 1), max(len(self.y.levels), 1)
        sides: dict[str, Any] = {"gaps": gaps, "label": self.label, "x": self.x, "y": self.y}
        cells = self._colored()
        return Heat("cells", cells, "diverging", self.limit, said=self._said(cells) if self.factors else (), **sides)

    def _said(self, cells: tuple[tuple[float | None, ...], ...]) -> tuple[Words, ...]:
        """Say the place and the factor of every cell, which BokehJS cannot write."""
        x, y = (
            cell_middles(axis, count) for axis, count in ((self.x, len(cells[0]) if cells else 0), (self.y, len(cells)))
        )
        return tuple(
            tuple(
                ""
                if value is None
                else f"{self.x.label} {across}\n{self.y.label} {up}\n{self.label} {factor_words(value)}"
                for across, value in zip(x, row, strict=True)
            )
            for up, row in zip(y, cells, strict=True)
        )

    def _colored(self) -> tuple[tuple[float | None, ...], ...]:
        """Return the values of cells with rows enough."""
        return tuple(
            tuple(None if self._is_thin(i, j) else value for i, value in enumerate(row))
            for j, row in enumerate(self.value)
        )

    def _thin(self, panel: Panel) -> Box:
        """Hatch the cells without rows: neighbors in a row of cells are one box, and so are equal runs that touch."""
        found: list[tuple[float, ...]] = []
        begun: dict[tuple[int, int], int] = {}
        (left, right), (bottom, top) = panel.x, panel.y
        across = (right - left) / max(len(self.thin[0]) if self.thin else 0, 1)
        up = (top - bottom) / max(len(self.thin), 1)
        for position, row in enumerate((*self.thin, ())):
            edges = [at for at, (before, after) in enumerate(pairwise((False, *row, False))) if before != after]
            runs = list(zip(edges[::2], edges[1::2], strict=True))
            for run in set(begun) - set(runs):
                sides = left + across * run[0], left + across * run[1]
                found.append((*sides, bottom + up * begun.pop(run), bottom + up * position))
            for run in runs:
                begun.setdefault(run, position)
        starts, ends, lows, highs = unzip(sorted(found), 4)
        return Box("thin", starts, ends, lows, highs, "surface", hatched=True)

    def _numbers(self) -> Text:
        """Write the effect into cells of few levels."""
        across, down = len(self.x.levels), len(self.y.levels)
        cells = []
        if 0 < across <= NUMBERS[0] and 0 < down <= NUMBERS[1]:
            cells = [(i, j, value) for j, row in enumerate(self._colored()) for i, value in enumerate(row)]
        x, y, words, inks = unzip(
            [
                (float(i), float(j), (factor if self.factors else signed)(value), ink(value, self.limit))
                for i, j, value in cells
                if value is not None
            ],
            4,
        )
        return Text("numbers", x, y, words, color=inks, anchor="middle", size=SMALL, inside=True)

    def _is_thin(self, column: int, row: int) -> bool:
        return bool(self.thin) and self.thin[row][column]

    def _marked(self, panel: Panel) -> tuple[Primitive, ...]:
        """Draw a cross where a row lies; around a cell of two levels, which may hold a number, a frame."""
        tips, crosses, frames = tuple[str, ...](), list[tuple[float, float]](), list[tuple[float, ...]]()
        if self.marked is not None:
            place = panel.held_x(self.marked[0]), panel.held_y(self.marked[1])
            tips = (f"this row: {axis_text(self.x, self.marked[0])}, {axis_text(self.y, self.marked[1])}",)
            if self.x.levels and self.y.levels:
                aside, over = 0.5 - panel.units_across(2), 0.5 - panel.units_up(2)
                left, right, low, high = place[0] - aside, place[0] + aside, place[1] - over, place[1] + over
                frames = [(left, low, right, low), (right, low, right, high)]
                frames += [(right, high, left, high), (left, high, left, low)]
            else:
                crosses = [place]
        (x, y), (x0, y0, x1, y1) = unzip(crosses, 2), unzip(frames, 4)
        return (
            Rule("marked-cell", x0, y0, x1, y1, "fg", width=2.0, rimmed=True, tips=tips * len(frames)),
            Dot("marked-halo", x, y, "surface", radius=8.0, opacity=0.7, rimmed=False),
            Dot("marked", x, y, "fg", radius=5.0, shape="cross", tips=tips * len(crosses)),
        )


def cell_middles(axis: Axis, count: int) -> Words:
    """Write the middles of equal cells along an axis, or the names of its levels."""
    wide = (axis.high - axis.low) / max(count, 1)
    return tuple(axis_text(axis, axis.low + (position + 0.5) * wide) for position in range(count))


@dataclass(frozen=True, eq=False)
class Side:
    """One side of the plane."""

    axis: Axis
    at: Floats  # shape (n_cells,); encoded values at the middles of the cells
    scale: LevelScale | None  # of the levels, where the feature has any
    column: Floats  # shape (n_rows,); encoded values of the rows

    def near(self, at: Floats, reach: Reach) -> NDArray[np.bool_]:
        """Tell which rows lie close to each of some values, shape (n_values, n_rows): at levels only their own."""
        if self.scale is None:
            return reach.near(self.column, at, self.axis.high - self.axis.low)
        return np.asarray((self.column == at[:, None]) | (np.isnan(self.column) & np.isnan(at)[:, None]))

    def cells(self, column: Floats) -> NDArray[np.intp]:
        """Find the cell of each value; −1 where it has no place on the axis."""
        if self.scale is not None:
            return self.scale.positions(column)
        low, high = self.axis.low, self.axis.high
        on_axis = (column >= low) & (column <= high)  # what is missing is not
        share = (np.where(on_axis, column, low) - low) / (high - low)
        return np.where(on_axis, (share * len(self.at)).astype(np.intp).clip(max=len(self.at) - 1), -1)

    def text(self, feature: Feature, value: float) -> str:
        """Write an encoded value of a row."""
        return value_text(feature, value, 0.0 if self.scale is not None else self.axis.high - self.axis.low)

    def place(self, value: float) -> float | None:
        """Find an encoded value along the axis; None where it has no place there."""
        if self.scale is None:
            return None if np.isnan(value) else rounded(np.array([value]), self.axis.high - self.axis.low)[0]
        position = self.scale.position(value)
        return None if position is None else float(position)


def side(rows: Rows, index: int) -> Side:
    """Make one side of a plane: equal cells along numbers, or a cell for each level."""
    feature, column = rows.dec.features[index], rows.values[:, index]
    scale = level_scale(rows, index)
    if scale is not None:
        return Side(level_axis(feature.heading, scale.names), scale.codes, scale, column)
    axis = number_axis(feature, *shown_range(column[~np.isnan(column)], TAIL))
    edges = np.linspace(axis.low, axis.high, CELLS_ALONG + 1)
    return Side(axis, (edges[1:] + edges[:-1]) / 2, None, column)


def few_rows(rows: Rows, sides: Plane) -> NDArray[np.bool_]:
    """Tell around which cells of the plane too few rows lie, shape (n_cells of y, n_cells of x)."""
    x, y = sides
    return ~rows.reach.enough((y.near(y.at, rows.reach), x.near(x.at, rows.reach)))


def hatched_claims(rows: Rows, plane: Term, sides: Plane, few: NDArray[np.bool_], of: dict[str, Any]) -> Claims:
    """State how much of a plane is hatched, and how few rows are too few: close along numbers, or of the same level."""
    if not few.any():
        return ()
    numbers = {"share": float(few.mean()), "n_least": float(rows.reach.rows)}
    along = [rows.dec.features[index].title for index, side in zip(plane, sides, strict=True) if side.scale is None]
    if along:
        numbers["distance"] = rows.reach.distance
    places = ("both axes",) if len(along) == 2 else tuple(along)
    return (Claim("hatched part", numbers, over="what is drawn", places=places, **of),)


def pair_surface(
    rows: Rows,
    term: Sequence[object],
    output: str | int = 0,
    *,
    key: str | None = None,
    row: int | None = None,
    joint: bool = False,
) -> Figure:
    """Draw a pair over the plane of its features, the first along x unless the plane is a map.

    Parameters
    ----------
    rows : Rows
    term : Term or pair of names
    output : str or int
    key : str, optional
    row : int, optional
        Position of a row that is marked.
    joint : bool
        Draw the joint effect, both main effects and their interaction together, instead of the interaction alone.
    """
    dec, chosen = rows.dec, rows.dec.output_index(output)
    found = two_features(dec, term) if joint else term_of_order(dec, term, 2)
    plane = on_plane(dec, found)
    x, y = (side(rows, index) for index in plane)
    value = surface_values(rows, plane, (x, y), chosen, joint=joint)
    few = few_rows(rows, (x, y))
    size = np.abs(value if few.all() else value[~few])
    limit = float(np.quantile(size, LIMIT_QUANTILE)) or float(np.abs(value).max()) or 1.0
    data = surface_of((x, y), value, few, limit, dec, chosen)
    data = data if row is None else replace(data, marked=_marked(rows, plane, (x, y), row))
    features = dec.features[plane[0]], dec.features[plane[1]]
    over_rows = rows.component(found, rows.looked_columns(found), chosen, joint=joint)
    together = joint_effect(dec, found, chosen) if joint else None
    of = {"terms": (found,) if together is None else together.terms, "output": chosen}
    claims = surface_claims(rows, plane, (x, y), few, over_rows, of)
    title = f"Pair {dec.label(found)}" if together is None else f"Joint effect of {together.label}"
    if together is not None:
        claims = (*claims, joint_claim(together))
    name, words = "pair" if together is None else "joint", surface_words(claims, Names.of(dec, chosen))
    table = surface_table(features, (x, y), value, few, factor if data.factors else signed)
    return Figure(key or f"o{chosen}-{name}-{found[0]}-{found[1]}", title, words, data, table, claims)


def on_plane(dec: Decomposition, pair: Term) -> Term:
    """Order two features as a plane shows them: the first along x, but longitude where the other is latitude."""
    first, second = (set(re.split("[^a-z]+", dec.feature_names[index].casefold())) for index in pair)
    return pair[::-1] if first & LATITUDE and second & LONGITUDE else pair


def surface_of(
    sides: Plane, value: Floats, few: NDArray[np.bool_], limit: float, dec: Decomposition, output: int
) -> Surface:
    """Make a surface of values in the middle of every cell, rounded to what can be seen; of none where rows are few."""
    cells = tuple(rounded(line, limit) for line in np.where(few, 0.0, value))
    thin_rows = tuple(tuple(line) for line in few.tolist())
    label, factors = effect_label(dec, output), scale_of(dec.scale).factors
    return Surface(
        sides[0].axis, sides[1].axis, cells, thin_rows, rounded(np.array([limit]))[0], label, factors=factors
    )


def surface_values(rows: Rows, plane: Term, sides: Plane, output: int, *, joint: bool = False) -> Floats:
    """Evaluate a pair, or a joint effect, in the middle of every cell, shape (n_cells of y, n_cells of x)."""
    across, along = np.meshgrid(sides[0].at, sides[1].at)
    columns = dict(zip(plane, (across.ravel(), along.ravel()), strict=True))
    pair = tuple(sorted(plane))
    return rows.component(pair, [columns[index] for index in pair], output, joint=joint).reshape(across.shape)


def side_text(feature: Feature, side: Side, position: int) -> str:
    """Write the value in the middle of a cell."""
    if side.scale is not None:
        return side.axis.levels[position]
    return value_text(feature, float(side.at[position]), side.axis.high - side.axis.low)


def surface_table(
    features: tuple[Feature, Feature],
    sides: Plane,
    value: Floats,
    few: NDArray[np.bool_],
    written: Callable[[float], str],
) -> Table:
    """Write about seven cells along each side, none where too few rows lie; `written` writes an effect."""
    across, along = (np.unique(np.linspace(0, len(side.at) - 1, TABLE_CELLS).round().astype(int)) for side in sides)
    (first, second), (x, y) = features, sides
    head = (f"{second.heading} ↓ {first.heading} →", *(side_text(first, x, int(at)) for at in across))

    def cell(row: int, column: int) -> str:
        return NO_ROWS if few[row, column] else written(float(value[row, column]))

    lines = ((side_text(second, y, int(row)), *(cell(int(row), int(at)) for at in across)) for row in along)
    return Table(head, tuple(lines))


def _marked(rows: Rows, plane: Term, sides: Plane, row: int) -> tuple[float, float] | None:
    values = rows.values[rows.position(row), list(plane)].tolist()
    x, y = (side.place(value) for side, value in zip(sides, values, strict=True))
    return None if x is None or y is None else (x, y)


def surface_claims(
    rows: Rows, plane: Term, sides: Plane, few: NDArray[np.bool_], effect: Floats, of: dict[str, Any]
) -> Claims:
    """State the extremes over the rows where a surface is drawn, those over all rows, and what is hatched.

    `effect` is that of the rows that sentences speak of, and `of` says of which terms.
    """
    columns = rows.looked_columns(plane)
    x, y = (side.cells(column) for side, column in zip(sides, columns, strict=True))
    drawn = (x >= 0) & (y >= 0)
    drawn[drawn] = ~few[y[drawn], x[drawn]]
    of, ends = of | {"features": plane}, rows.ends(effect)
    hatched = hatched_claims(rows, plane, sides, few, of)
    if not drawn.any():
        return (Claim("effect that is not drawn", ends, **of), *hatched)
    inside, where = effect[drawn], np.flatnonzero(drawn)
    if not np.ptp(inside):
        return (Claim("constant effect", {"value": float(inside[0]), "n_places": float(len(inside))}, **of), *hatched)

    def there(kind: str, position: int) -> Claim:
        values = [float(column[where[position]]) for column in columns]
        texts = zip(plane, sides, values, strict=True)
        places = tuple(side.text(rows.dec.features[index], value) for index, side, value in texts)
        row = int(rows.looked_at[where[position]])
        return Claim(kind, {"value": float(inside[position])}, rows=(row,), places=places, **of)

    extremes = there("most of an effect", int(inside.argmax())), there("least of an effect", int(inside.argmin()))
    same = [signed(end["value"]) for end in extremes] == [signed(ends[name]) for name in ("high", "low")]
    over_rows = () if same else (Claim("range over rows", ends, **of),)
    return (*extremes, *over_rows, *hatched)
