"""Pairs as lines: along one feature, one line for each of some values of the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.figures.axes import along, effects_axis, rounded
from anova_report.figures.curves import axis_gaps, zero_across
from anova_report.figures.figure import Figure, Table
from anova_report.figures.gaps import Piece, Ranges, is_kept, pieces
from anova_report.figures.geometry import Axis, Frame, Panel
from anova_report.figures.layout import apart, below, frame_within, longest
from anova_report.figures.overlays import Overlay
from anova_report.figures.pairs import NO_ROWS, Side, side, side_text
from anova_report.figures.rows import Rows, term_of_order
from anova_report.figures.scene import Dot, Line, Primitive, Rule, Ruler, Scene, Text, Tip, unzip
from anova_report.figures.style import NOTE, SLICES, SMALL, spread
from anova_report.figures.ticks import axis_text, bound_text, effect_text
from anova_report.measures.claims import Claim
from anova_report.measures.joint import joint_effect
from anova_report.measures.sentences.effects import slices_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.values import quantiles
from anova_report.measures.wording import enumeration

SLICE_LEVELS = np.array([0.1, 0.5, 0.9])
TABLE_POINTS = 9
LEVEL_GAP = 0.99  # of the way to a neighboring level: a line ends at the last level that has rows
NAMES = 130.0  # pixels of the longest name beside a line
GAP, NAMES_APART = 9.0, 14.0  # pixels from the lines to their names, and between names
GAP_PANEL = 1
LEADER = "1 3"  # dashes of what leads from a line to its name, and is no part of it


@dataclass(frozen=True)
class Slices:
    """A pair along one axis, one line for each of some values of the other."""

    x: Axis
    y: Axis
    lines: tuple[Overlay, ...]
    by: str = ""  # what the names of the lines are values of, such as "age ="; empty where names speak for themselves

    def scene(self) -> Scene:
        """Lay the lines out, each named at its right end in its own color."""
        wide, high = 440.0, 280.0
        room = longest((self.by, *(line.name for line in self.lines)), SMALL, NAMES)
        main = Panel.of(frame_within(self.x, self.y, Frame(0, 0, wide - room - 18, high)), self.x, self.y)
        frame = main.frame
        # Between lines and names; names stand right of it, where a live plot does not shrink.
        gap = Frame(frame.right, frame.top, frame.right + GAP, frame.bottom)
        aside = Panel(gap, (0.0, GAP), main.y, False, self.y.time)
        colored = zip(self.lines, spread(SLICES, len(self.lines)), strict=True)
        found = [(line, pieces(line.at, line.value, line.gaps), color) for line, color in colored]
        drawn, parts, shown = unzip([item for item in found if item[1]], 3)
        x, y, colors = unzip([(*part, color) for own, color in zip(parts, shown, strict=True) for part in own], 3)
        return Scene(
            "slices",
            (wide, high),
            (main, aside),
            (
                Ruler(self.y, "left", grid=True, room=frame.right),
                below(self.x, frame),
                zero_across(main),
                Line("lines", x, y, colors),
                self._points(main, drawn, shown),
                *self._names(main, drawn, [own[-1] for own in parts], shown, room),
                self._tips(drawn),
            ),
            zooms="xy",
        )

    def _points(self, main: Panel, drawn: Sequence[Overlay], colors: Sequence[str]) -> Dot:
        """Draw dots where there is nothing between two points, or only one."""
        points = [
            (at, value, color)
            for line, color in zip(drawn, colors, strict=True)
            for at, value in self._kept(line)
            if (self.x.levels or len(line.at) == 1) and main.held_x(at) == at and main.held_y(value) == value
        ]
        x, y, shown = unzip(points, 3)
        return Dot("points", x, y, shown, radius=3.5, rimmed=False)

    def _kept(self, line: Overlay) -> list[tuple[float, float]]:
        """Return the points of a line that have rows."""
        return [point for point in zip(line.at, line.value, strict=False) if is_kept(point[0], self.x, line.gaps)]

    def _names(
        self, main: Panel, drawn: Sequence[Overlay], last: Sequence[Piece], colors: tuple[str, ...], room: float
    ) -> tuple[Primitive, ...]:
        """Write the names beside the right ends of their last pieces, moved apart where lines meet."""
        frame, ends = main.frame, tuple(main.held_y(values[-1]) for _, values in last)
        pixels = apart([main.down(end) for end in ends], frame.top - 4, frame.bottom + 4, NAMES_APART)
        spots = tuple(main.y[0] + main.units_up(frame.bottom - pixel) for pixel in pixels)
        gap = 6 if self.x.levels else 2
        starts = tuple(min(main.across(main.held_x(at[-1])) + gap - frame.right, 2.0) for at, _ in last)
        bend = (2.0,) * len(drawn)
        by, names = (self.by,) if self.by else (), tuple(line.name for line in drawn)
        looks: dict[str, Any] = {"panel": GAP_PANEL, "room": room + 4, "dx": 3.0}
        return (
            Rule("leaders", starts, ends, bend, ends, colors, panel=GAP_PANEL, opacity=0.5, dash=LEADER),
            Rule("leaders-aside", bend, ends, GAP, spots, colors, panel=GAP_PANEL, opacity=0.5, dash=LEADER),
            Text("names", GAP, spots, names, color=colors, size=SMALL, **looks),
            Text("names-head", GAP, (main.y[1],) * len(by), by, dy=-15.0, **looks, **NOTE),
        )

    def _tips(self, drawn: Sequence[Overlay]) -> Tip:
        """Say the values of all lines, one below the other, at every place where one has a point."""
        points: dict[float, list[tuple[str, float]]] = {}
        for line in drawn:
            for at, value in self._kept(line):
                points.setdefault(at, []).append((line.name, value))
        places = sorted(points)
        heights = tuple(max(value for _, value in points[at]) for at in places)
        heads = (f"{self.x.label} {axis_text(self.x, at)}\n{self.by}" for at in places)
        tips = tuple(
            "\n".join([head, *(f"{name}: effect {effect_text(self.y, value)}" for name, value in points[at])])
            for head, at in zip(heads, places, strict=True)
        )
        return Tip("values", tuple(places), heights, tips=tips)


def pair_slices(
    rows: Rows, term: object, output: str | int = 0, *, key: str | None = None, joint: bool = False
) -> Figure:
    """Draw a pair, or the joint effect of its features, along the first that has numbers, for some values of the other.

    These are the 10%, 50% and 90% quantiles, or the three most frequent levels.
    """
    found, chosen = term_of_order(rows.dec, term, 2), rows.dec.output_index(output)
    sides = {index: side(rows, index) for index in found}
    line, cut = sorted(found, key=lambda index: sides[index].scale is not None)
    x, cuts, by = sides[line], _cuts(sides[cut]), f"{rows.dec.features[cut].title} ="
    names = slice_names(rows.dec.features[cut], sides[cut], cuts)
    mesh = dict(zip((line, cut), np.meshgrid(x.at, cuts), strict=True))
    columns = [mesh[index].ravel() for index in found]
    values = rows.component(found, columns, chosen, joint=joint).reshape(len(cuts), len(x.at))
    gaps = [slice_gaps(rows, x, sides[cut], value) for value in cuts.tolist()]
    places = along(x.axis, x.at) if x.scale is None else tuple(map(float, range(len(x.at))))
    held = np.array([[is_kept(at, x.axis, own) for at in places] for own in gaps])
    y = effects_axis(rows.dec, chosen, values[held if held.any() else ~held])
    size = float(np.abs(values[held]).max(initial=0.0)) or None
    lines = zip(names, values, gaps, strict=True)
    data = Slices(x.axis, y, tuple(Overlay(name, places, rounded(line, size), own) for name, line, own in lines), by)
    feature = rows.dec.features[line]
    of = {"terms": joint_effect(rows.dec, found, chosen).terms if joint else (found,), "features": (line, cut)}
    courses = zip(names, cuts.tolist(), values, held, strict=True)
    claims = tuple(slice_claim(feature, x, *course, of | {"output": chosen}) for course in courses)
    alt = slices_words(claims, Names.of(rows.dec, chosen))
    both = enumeration([rows.dec.feature_titles[index] for index in found])
    what = f"Joint effect of {both}" if joint else f"Pair {rows.dec.label(found)}"
    table = _table(feature, (x, y), [f"{by} {name}" for name in names], values, held)
    title = f"{what} along {feature.title}"
    return Figure(key or f"o{chosen}-slices-{found[0]}-{found[1]}", title, alt, data, table, claims)


def slice_gaps(rows: Rows, along: Side, across: Side, cut: float) -> Ranges:
    """Find where a line through a plane has too few rows close to it, along the line and across.

    Parameters
    ----------
    rows : Rows
    along, across : Side
        Of the line, and of the value at which the plane is cut.
    cut : float
        That value, encoded.
    """
    close = across.near(np.array([cut]), rows.reach)[0]
    if along.scale is None:
        return axis_gaps(rows, along.column[close & ~np.isnan(along.column)], along.axis)
    counts = along.near(along.at, rows.reach)[:, close].sum(axis=1)
    absent = np.flatnonzero(counts < rows.reach.rows).tolist()
    return tuple((at - LEVEL_GAP, at + LEVEL_GAP) for at in absent)


def _cuts(across: Side) -> Floats:
    """Values of the other feature at which the pair is cut."""
    if across.scale is None:
        return np.unique(quantiles(across.column[~np.isnan(across.column)], SLICE_LEVELS))
    frequent = np.argsort(-across.scale.count, kind="stable")[: len(SLICE_LEVELS)]
    return across.scale.codes[np.sort(frequent)]


def slice_names(feature: Feature, across: Side, cuts: Floats) -> list[str]:
    """Name lines by the values at which they cut the plane."""
    if across.scale is not None:
        return [across.scale.names[at] for at in across.scale.positions(cuts)]
    return [across.text(feature, cut) for cut in cuts.tolist()]


def slice_claim(
    feature: Feature, x: Side, name: str, cut: float, line: Floats, held: NDArray[np.bool_], of: dict[str, Any]
) -> Claim:
    """State from where to where a line runs that cuts the plane at a value of this name."""
    at = -1.0 if np.isnan(cut) else cut  # a missing value has no number
    ends = np.flatnonzero(held)[[0, -1]].tolist() if held.any() else []
    if not ends:
        return Claim("slice without rows", {"cut": at}, places=(name,), **of)
    numbers = {"cut": at}
    for end, position in zip(("first", "last"), ends, strict=True):
        place = float(x.at[position])
        numbers |= {end: float(line[position]), f"{end}_at": -1.0 if np.isnan(place) else place}
    return Claim("slice", numbers, places=(name, *(side_text(feature, x, position) for position in ends)), **of)


def _table(
    feature: Feature, sides: tuple[Side, Axis], names: Sequence[str], values: Floats, held: NDArray[np.bool_]
) -> Table:
    x, y = sides
    chosen = np.unique(np.linspace(0, len(x.at) - 1, TABLE_POINTS).round().astype(int)).tolist()
    cells = np.where(held, np.vectorize(partial(bound_text, y), otypes=[object])(values), NO_ROWS)
    return Table((feature.heading, *names), tuple((side_text(feature, x, at), *cells[:, at].tolist()) for at in chosen))
