"""What one feature contributes to the predictions of rows, against its value, in the colors of another."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.figures.axes import along, effects_axis, level_axis, number_axis, rounded
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis, Frame, Numbers, Panel, Words
from anova_report.figures.layout import below, frame_within, legend_height
from anova_report.figures.level_scales import level_scale
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Dot, Entry, Legend, Rule, Ruler, Scene, Text
from anova_report.figures.shades import MISSING_VALUE, Shades, shaded
from anova_report.figures.shares import largest_features
from anova_report.figures.style import NOTE, SMALL
from anova_report.figures.swarms import contributions
from anova_report.figures.text import width
from anova_report.figures.ticks import axis_text, effect_text
from anova_report.measures.claims import Claim
from anova_report.measures.sentences.glance import row_effects_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.values import MISSING, quantiles, shown_range
from anova_report.measures.variance import variance_shares

EFFECT_ROWS = 100  # that are drawn: a page holds several such pictures, and stays small
TAIL = 0.005  # of the rows at each end is not drawn where it lies far out
TABLE_PARTS = 8
GUTTER = 52.0  # pixels for rows without the value
GUTTER_PANEL = 1
JITTER, GOLDEN = 0.3, 0.6180339887498949  # of a level, to both sides, and by what step: no two rows lie on each other
WIDE, HIGH = 440.0, 300.0


@dataclass(frozen=True)
class RowEffects:
    """Contributions of a feature to the predictions of some rows, against its value.

    Parameters
    ----------
    x, y : Axis
        Of the feature, and of its contributions.
    at, value : Numbers
        Where each row lies; of rows without the value only the latter counts.
    absent : tuple of bool
        Which rows have no value.
    shade : tuple of int
        The color of each row: a place among the words of `shades`, −1 where the other feature has no value.
    shades : Shades or None
        What colors stand for; None where rows are not colored.
    rows : tuple of int
    n_rows : int
        Of how many rows these are a sample.
    marked : int or None
        Position, among the rows, of one that is looked at.
    names : tuple of str
        What the rows are called; empty where a row is its position.
    """

    x: Axis
    y: Axis
    at: Numbers
    value: Numbers
    absent: tuple[bool, ...]
    shade: tuple[int, ...]
    shades: Shades | None
    rows: tuple[int, ...]
    n_rows: int
    marked: int | None = None
    names: Words = ()

    def scene(self) -> Scene:
        """Lay the points out, with a gutter for rows without the value."""
        gutter = GUTTER if any(self.absent) else 0.0
        main = Panel.of(frame_within(self.x, self.y, Frame(0, 0, WIDE - 8 - gutter, HIGH)), self.x, self.y)
        frame = main.frame
        beside = Frame(frame.right + 10, frame.top, max(frame.right + gutter, frame.right + 11), frame.bottom)
        aside = Panel(beside, (0.0, 1.0), main.y)
        entries = self._entries()
        note = f"{len(self.rows):,} of {self.n_rows:,} rows" if len(self.rows) < self.n_rows else ""
        words: dict[str, Any] = {"panel": GUTTER_PANEL, "anchor": "middle", **NOTE}
        missing = ("missing",) * bool(gutter)
        return Scene(
            "roweffects",
            (WIDE, HIGH + (legend_height(entries, WIDE) + 6 if entries else 0.0)),
            (main, aside),
            (
                Ruler(self.y, "left", grid=True, room=frame.right - width(note, SMALL) - 8),
                replace(below(self.x, frame), grid=True),
                Rule("zero", main.x[0], main.held_y(0.0), main.x[1], main.held_y(0.0)),
                Text("note", main.x[1], main.y[1], (note,), dx=8.0, dy=-15.0, anchor="end", **NOTE),
                Text("missing", 0.5, (main.y[0],) * bool(gutter), missing, dy=12.0, **words),
                *self._points(main),
                Legend(entries, top=HIGH + 4, room=WIDE),
            ),
            zooms="xy",
        )

    def _entries(self) -> tuple[Entry, ...]:
        if self.shades is None:
            return ()
        absent = (Entry("missing", "cross", "muted", marks=("uncolored",)),) if MISSING_VALUE in self.shade else ()
        return self.shades.entries(("points",)) + absent

    def _points(self, main: Panel) -> tuple[Dot, ...]:
        every = range(len(self.rows))
        colored = [at for at in every if self._color(at) != "muted"]
        known = [at for at in colored if not self.absent[at]]
        look: dict[str, Any] = {"radius": 2.5, "rimmed": False, "opacity": 0.8}
        cross: dict[str, Any] = {"color": "muted", "radius": 2.5, "shape": "cross"}
        uncolored = [at for at in every if self._color(at) == "muted" and not self.absent[at]]
        beside = [at for at in every if self.absent[at]]
        marked = [at for at in every if at == self.marked and not self.absent[at]]
        return (
            Dot("points", **self._items(main, known), color=tuple(map(self._color, known)), **look),
            Dot("uncolored", **self._items(main, uncolored), **cross),
            Dot(
                "gutter",
                **self._items(main, beside) | {"x": tuple(self._place(at, 0.5, 0.5) for at in beside)},
                color=tuple(map(self._color, beside)),
                panel=GUTTER_PANEL,
                **look,
            ),
            Dot("marked", **self._items(main, marked), color="fg", radius=5.0, shape="diamond"),
        )

    def _color(self, at: int) -> str:
        if self.shades is None:
            return "accent"
        own = self.shade[at]
        return self.shades.colors[own] if 0 <= own < len(self.shades.words) else "muted"

    def _place(self, at: int, middle: float, reach: float) -> float:
        """Spread rows of one level: by the golden ratio, so that neighbors lie apart."""
        return middle + reach * JITTER * 2 * (((at + 1) * GOLDEN) % 1 - 0.5) * 2

    def _items(self, main: Panel, points: Sequence[int]) -> dict[str, Any]:
        x = (self._place(at, self.at[at], 0.5) if self.x.levels else main.held_x(self.at[at]) for at in points)
        return {
            "x": tuple(x),
            "y": tuple(main.held_y(self.value[at]) for at in points),
            "keys": tuple(self.rows[at] for at in points),
            "tips": tuple(map(self._tip, points)),
        }

    def _tip(self, at: int) -> str:
        name = self.names[at] if self.names else f"row {self.rows[at]:,}"
        place = "missing" if self.absent[at] else axis_text(self.x, self.at[at])
        return f"{name}\n{self.x.label} {place}\ncontribution {effect_text(self.y, self.value[at])}"


def row_effects(
    rows: Rows, feature: str | int, output: str | int = 0, *, by: str | int | None = None, key: str | None = None
) -> Figure:
    """Draw what a feature contributes to the predictions of rows, colored by another.

    By default that is its partner in the largest interaction or, without any, the largest other feature.
    """
    index, chosen = rows.feature(feature), rows.dec.output_index(output)
    other = partner(rows, index, chosen) if by is None else rows.feature(by)
    drawn = rows.sample[np.linspace(0, len(rows.sample) - 1, min(len(rows.sample), EFFECT_ROWS)).astype(np.intp)]
    column, value = rows.values[drawn, index], contributions(rows, drawn, chosen)[:, index]
    x, at, kept = _places(rows, index, column)
    drawn, column, value, at = drawn[kept], column[kept], value[kept], at[kept]
    shades, shade = (None, (0,) * len(drawn)) if other is None else shaded(rows, other, drawn)
    y = effects_axis(rows.dec, chosen, value)
    missing = np.isnan(column)
    data = RowEffects(
        x,
        y,
        at=along(x, np.where(missing, x.low, at)),
        value=rounded(value, y.high - y.low),
        absent=tuple(missing.tolist()),
        shade=shade,
        shades=shades,
        rows=tuple(drawn.tolist()),
        n_rows=len(rows),
        names=() if rows.names is None else tuple(map(rows.name, drawn.tolist())),
    )
    claim = Claim(
        "contributions of a feature",
        {
            "n_drawn": float(len(drawn)),
            "n_rows": float(len(rows)),
            "low": float(value.min(initial=0.0)),
            "high": float(value.max(initial=0.0)),
            "n_missing": float(missing.sum()),
        },
        features=(index,) if other is None else (index, other),
        output=chosen,
        over="drawn rows",
    )
    title = f"Contributions of {rows.dec.features[index].title}, row by row"
    alt = row_effects_words(claim, Names.of(rows.dec, chosen))
    return Figure(key or f"o{chosen}-rows-{index}", title, alt, data, _table(data, column, value), (claim,))


def partner(rows: Rows, index: int, output: int) -> int | None:
    """Choose the feature by which the rows of another are colored; None where there is no other."""
    shares = variance_shares(rows.dec, output).terms
    pairs = {share.term: share.structural for share in shares if index in share.term and len(share.term) == 2}
    if pairs:
        return next(at for at in max(pairs, key=lambda term: pairs[term]) if at != index)
    return next((at for at in largest_features(rows.dec, output) if at != index), None)


def _places(rows: Rows, index: int, column: Floats) -> tuple[Axis, Floats, NDArray[np.bool_]]:
    """Find the axis of a feature, the places of rows along it, and which rows lie on it, or have no value."""
    feature, missing = rows.dec.features[index], np.isnan(column)
    scale = level_scale(rows, index)
    if scale is not None:
        names = [name for name in scale.names if name != MISSING]
        places = scale.positions(column)
        return level_axis(feature.heading, tuple(names)), places.astype(np.float64), missing | (places >= 0)
    every = rows.values[:, index]
    axis = number_axis(feature, *shown_range(every[~np.isnan(every)], TAIL))
    return axis, column, missing | ((column >= axis.low) & (column <= axis.high))


def _table(data: RowEffects, column: Floats, value: Floats) -> Table:
    """Average contributions over parts of the rows, from the lowest to the highest values, or level by level."""
    missing = np.isnan(column)
    at = np.array(data.at)
    if data.x.levels:
        part = at.astype(np.intp)
        names = list(data.x.levels)
    else:
        known = at[~missing]
        ends = np.unique(quantiles(known, np.linspace(0, 1, TABLE_PARTS + 1))) if len(known) else np.zeros(1)
        part = np.searchsorted(ends[1:-1], at, side="right")
        texts = [axis_text(data.x, end) for end in ends.tolist()]
        names = [f"{low} to {high}" for low, high in pairwise(texts)] or texts
    part = np.where(missing, len(names), part)
    lines = []
    for number, name in enumerate([*names, MISSING]):
        own = value[part == number]
        if len(own):
            spots = (float(own.min()), float(own.mean()), float(own.max()))
            lines.append((name, f"{len(own):,}", *(effect_text(data.y, spot) for spot in spots)))
    return Table((data.x.label, "rows", "lowest", "mean", "highest"), tuple(lines))
