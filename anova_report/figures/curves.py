"""Main effects along numbers, with band, density, rug and the effect of a missing value."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.figures.axes import along, number_axis, rounded, row_shares
from anova_report.figures.figure import Table
from anova_report.figures.gaps import Ranges, interpolate, is_kept, kept_ranges, pieces, pinched
from anova_report.figures.geometry import Axis, Frame, Numbers, Panel
from anova_report.figures.layout import below, frame_within, legend_height
from anova_report.figures.overlays import Overlay, overlay_entries, overlay_lines
from anova_report.figures.rows import Effect, Rows, bounds, effect_axis, effect_columns, effect_head
from anova_report.figures.scene import (
    Area,
    Box,
    Dot,
    Entry,
    Legend,
    Line,
    Primitive,
    Rule,
    Ruler,
    Scene,
    Text,
    Tip,
    unzip,
)
from anova_report.figures.style import NOTE, SMALL
from anova_report.figures.ticks import axis_text, effect_text
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.values import quantiles, shown_range, value_text
from anova_report.measures.wording import percent, signed

TAIL = 0.005  # of the rows at each end is not drawn where it lies far out
EVEN_POINTS, RANK_POINTS = 48, 31  # points at equal steps, and at equal steps of the rank: where rows are many
DENSITY_BINS = 30
RUG_ROWS = 60
TABLE_LEVELS = np.r_[0.01, np.linspace(0.1, 0.9, 9), 0.99]
STEADY = 0.8  # a curve rises, or falls, if it hardly ever turns back
STRIP = 30.0  # pixels for the histogram below the curve
MISSING_WIDTH = 64.0  # pixels for the effect of a missing value right of it
FEW_WORDS = 60.0  # pixels that the words "few rows" need
STRIP_PANEL, MISSING_PANEL = 1, 2


@dataclass(frozen=True)
class Atom:
    """An effect that belongs to one value, such as "missing"; bounds equal the value where none are known."""

    value: float
    lower: float
    upper: float
    share: float


@dataclass(frozen=True)
class Curve:
    """A main effect along numbers."""

    x: Axis
    y: Axis
    at: Numbers
    value: Numbers
    # the band; empty where none is known
    lower: Numbers
    upper: Numbers
    # histogram of the rows over the shown range, shares of all rows; one more edge than shares
    density_edges: Numbers
    density_share: Numbers
    rug: Numbers  # values of a few rows
    # of documents of earlier versions: the range that holds all but the outermost rows
    supported: tuple[float, float] | None = None
    missing: Atom | None = None  # the effect of a missing value
    marked: float | None = None  # value of a row that is looked at
    overlays: tuple[Overlay, ...] = ()
    gaps: Ranges = ()  # ranges with too few rows, in which nothing is drawn

    def scene(self, wide: float = 440.0, high: float = 280.0) -> Scene:
        """Lay the curve out: over where the rows are, beside it the effect of a missing value."""
        others = overlay_entries(self.overlays)
        entries = (Entry("component", "line", "fg", marks=("component",)), *others) if others else ()
        top = legend_height(entries, wide) + (2 if entries else 0)
        right = wide - 8 - (MISSING_WIDTH if self.missing else 0.0)
        whole = frame_within(self.x, self.y, Frame(0, top, right, high))
        strip = replace(whole, top=whole.bottom - (STRIP if self.density_share else 0.0))
        main = Panel.of(replace(whole, bottom=strip.top), self.x, self.y)
        low = Panel(replace(strip, top=min(strip.top, strip.bottom - 1)), main.x, (0.0, 1.0), self.x.time)
        aside = Panel(replace(main.frame, left=right, right=wide - 8), (0.0, 1.0), main.y, False, self.y.time)
        own = "fg" if self.overlays else "accent"
        atoms = [(self.missing, "effect", own)] if self.missing else []
        return Scene(
            "curve",
            (wide, high),
            (main, low, aside if self.missing else main),
            (
                *self._few_rows(main, low),
                *self._rows(low),
                Ruler(self.y, "left", grid=True, room=wide - 8),
                below(self.x, low.frame, panel=STRIP_PANEL),
                self._band(),
                zero_across(main),
                *overlay_lines(self.overlays, self.gaps),
                self._line(own),
                self._values(),
                *missing_marks(atoms, self.y, main, strip.bottom, MISSING_PANEL),
                *self._marked(main, low),
                Legend(entries, room=wide, switches=True),
            ),
            zooms="xy",
        )

    def _few_rows(self, main: Panel, low: Panel) -> tuple[Primitive, ...]:
        """Shade where the curve has, or rests on, few rows."""
        few = [(main.held_x(start), main.held_x(end)) for start, end in self.gaps]
        if self.supported is not None:
            ends = (main.x[0], *map(main.held_x, self.supported), main.x[1])
            few = [(left, right) for left, right in (ends[:2], ends[2:]) if right > left]
        left, right = unzip(few, 2)
        said = tuple(sum(pair) / 2 for pair in few if main.across(pair[1]) - main.across(pair[0]) > FEW_WORDS)
        note: dict[str, Any] = {"dy": -14.0, "anchor": "middle", "inside": True}
        return (
            Box("few-rows", left, right, self._bottom(main, low), main.y[1], "shade", under=True),
            Text("few-rows-words", said, 0.0, ("few rows",) * len(said), panel=STRIP_PANEL, **NOTE, **note),
        )

    def _bottom(self, main: Panel, low: Panel) -> float:
        """Return the lower edge of the strip in values of the curve's panel."""
        return main.y[0] - main.units_up(low.frame.height if self.density_share else 0.0)

    def _rows(self, low: Panel) -> tuple[Primitive, ...]:
        """Draw the histogram of the rows, its highest bar as high as the strip allows, and a few rows below it."""
        rug = tuple(at for at in self.rug if low.x[0] <= at <= low.x[1])
        return (
            density_box(self.x, self.density_edges, self.density_share, low, STRIP_PANEL),
            Dot("rug", rug, 2 / STRIP, "muted", panel=STRIP_PANEL, radius=2.0, shape="dash", opacity=0.6),
        )

    def _band(self) -> Area:
        drawn = pinched(self.at, self.lower, self.upper, self.gaps) if self.lower else ((), (), ())
        return Area("band", *drawn, "band", opacity=0.85)

    def _line(self, color: str) -> Line:
        """Draw the curve in the pieces that have rows."""
        x, y = unzip(pieces(self.at, self.value, self.gaps), 2)
        return Line("component", x, y, (color,) * len(x), width=2.25)

    def _values(self) -> Tip:
        """Say the effect at every point of the curve."""
        bands = [band_words(self.y, *band) for band in zip(self.lower, self.upper, strict=True)] or [""] * len(self.at)
        x, y, tips = unzip(
            [
                (at, value, f"{self.x.label} {axis_text(self.x, at)}\neffect {effect_text(self.y, value)}\n{band}")
                for at, value, band in zip(self.at, self.value, bands, strict=True)
                if is_kept(at, self.x, self.gaps)
            ],
            3,
        )
        return Tip("values", x, y, tips=tips)

    def _marked(self, main: Panel, low: Panel) -> tuple[Primitive, ...]:
        """Draw a row's value as a dashed line with a dot on the curve; beyond the axis it stands at its end."""
        drawn = () if self.marked is None else (main.held_x(self.marked),)
        texts = () if self.marked is None else (axis_text(self.x, self.marked),)
        effect = tuple(interpolate(at, self.at, self.value) for at in drawn) if self.at else ()
        tips = tuple(
            f"this row: {text}\neffect {effect_text(self.y, value)}" for text, value in zip(texts, effect, strict=False)
        )
        is_right = tuple(at > sum(main.x) / 2 for at in drawn)
        words: dict[str, Any] = {"dx": tuple(-6.0 if right else 6.0 for right in is_right), "dy": 5.0, "size": SMALL}
        words["anchor"] = tuple("end" if right else "start" for right in is_right)
        return (
            Rule("marked-line", drawn, self._bottom(main, low), drawn, main.y[1], "fg", dash="3 3"),
            Dot("marked", drawn[: len(effect)], tuple(map(main.held_y, effect)), "fg", tips=tips),
            Text("marked-value", drawn, main.y[1], texts, rimmed=True, inside=True, **words),
        )


def density_box(x: Axis, edges: Numbers, shares: Numbers, low: Panel, panel: int) -> Box:
    """Draw the histogram of rows in a strip, its highest bar as high as the strip allows."""
    highest, high = max(shares, default=0.0) or 1.0, low.frame.height
    bins = [(*ends, share) for ends, share in zip(pairwise(edges), shares, strict=False) if share > 0]
    tips = [f"{x.label} {axis_text(x, a)} to {axis_text(x, b)}\n{percent(share)} of rows" for a, b, share in bins]
    left, right, share = unzip([(low.held_x(first), low.held_x(last), part) for first, last, part in bins], 3)
    top = tuple(max((1 - 5 / high) * part / highest, 0.5 / high) for part in share)
    return Box("density", left, right, 0.0, top, "density", panel=panel, under=True, tips=tuple(tips))


def missing_marks(
    drawn: Sequence[tuple[Atom, str, str]], y: Axis, main: Panel, bottom: float, panel: int
) -> tuple[Primitive, ...]:
    """Draw effects of a missing value as dots with whiskers right of the curves.

    Parameters
    ----------
    drawn : sequence of (Atom, str, str)
        Each with its name and its color.
    y : Axis
    main : Panel
        Of the curves.
    bottom : float
        The pixel below which words stand.
    panel : int
        Position of the panel right of the curves, which is 1 wide.
    """
    apart = 12.0 / MISSING_WIDTH
    items = [
        (
            *(0.6 + apart * (position - (len(drawn) - 1) / 2), color),
            *map(main.held_y, (atom.lower, atom.upper, atom.value)),
            f"missing, {percent(atom.share)} of rows\n{name} {effect_text(y, atom.value)}\n"
            + band_words(y, atom.lower, atom.upper),
        )
        for position, (atom, name, color) in enumerate(drawn)
    ]
    at, colors, lower, upper, value, tips = unzip(items, 6)
    once = [percent(atom.share) for atom, _, _ in drawn[:1]]
    words: dict[str, Any] = {"panel": panel, "anchor": "middle", **NOTE}
    name, share = (tuple(bottom - main.frame.bottom + pixels for _ in once) for pixels in (12, 26))
    return (
        Rule("missing-band", at, lower, at, upper, colors, panel=panel, width=1.5),
        Dot("missing", at, value, colors, panel=panel, tips=tips),
        Text("missing-words", 0.6, main.y[:1] * len(once), ("missing",) * len(once), dy=name, **words),
        Text("missing-share", 0.6, main.y[:1] * len(once), tuple(once), dy=share, **words),
    )


def zero_across(panel: Panel) -> Rule:
    """Draw where an effect is nothing, if the panel shows it."""
    shown = (0.0,) if min(panel.y) <= 0 <= max(panel.y) else ()
    return Rule("zero", panel.x[0], shown, panel.x[1], shown)


def band_words(y: Axis, lower: float, upper: float) -> str:
    """Write a band along an axis, if there is one."""
    return f"band {effect_text(y, lower)} to {effect_text(y, upper)}" if lower < upper else ""


def curve(rows: Rows, index: int, output: int, y: Axis | None, row: int | None) -> tuple[Curve, Claims, Table]:
    """Make the curve of a feature, what its caption states, and a table of its numbers."""
    column = rows.values[:, index]
    known = column[~np.isnan(column)]
    x = number_axis(rows.dec.features[index], *shown_range(known, TAIL))
    points, at = curve_points(known, x)
    with_missing = np.r_[points, np.nan] if len(known) < len(column) else points
    everywhere = rows.effect((index,), [with_missing], output)
    effect, atom = everywhere[: len(points)], atom_of(everywhere, len(points), 1 - len(known) / len(column))
    edges = np.linspace(x.low, x.high, DENSITY_BINS + 1)
    gaps = axis_gaps(rows, known, x)
    held = shown(np.array(at), x, gaps)
    lower, upper = bounds(effect)
    data = Curve(
        x,
        y or effect_axis(rows.dec, everywhere[held_points(held, len(everywhere.value))], output),
        at=at,
        value=rounded(effect.value),
        lower=lower,
        upper=upper,
        density_edges=along(x, edges),
        density_share=rounded(np.histogram(known, edges)[0] / len(column), 1.0),
        rug=_rug(rows, index, x),
        missing=atom,
        marked=_marked_value(rows, index, row, x),
        gaps=gaps,
    )
    claims = curve_claims(rows, index, output, data, effect[held] if held.any() else effect)
    drawn = everywhere[held_points(held, len(everywhere.value))]
    return data, claims, _table(rows, index, known, points[held], drawn, data.y)


def axis_gaps(rows: Rows, known: Floats, x: Axis) -> Ranges:
    """Find the ranges of an axis in which too few rows lie."""
    found = rows.reach.gaps(known, x.low, x.high)
    return tuple((low, high) for low, high in (along(x, np.array(ends)) for ends in found) if low < high)


def shown(values: Floats, x: Axis, gaps: Ranges) -> NDArray[np.bool_]:
    """Tell which values lie on the drawn part of an axis and in none of its gaps."""
    found = np.zeros(len(values), dtype=bool)
    for low, high in kept_ranges(x.low, x.high, gaps):
        found |= (values >= low) & (values <= high)
    return found


def held_points(held: NDArray[np.bool_], count: int) -> NDArray[np.intp]:
    """Return the positions of points that have rows, or of all if none has, and of what follows them."""
    kept = held if held.any() else np.ones(len(held), dtype=bool)
    return np.flatnonzero(np.r_[kept, np.ones(count - len(held), dtype=bool)])


def _marked_value(rows: Rows, index: int, row: int | None, x: Axis) -> float | None:
    value = np.nan if row is None else rows.values[rows.position(row), index]
    return None if np.isnan(value) else rounded(np.array([value]), x.high - x.low)[0]


def curve_points(known: Floats, x: Axis) -> tuple[Floats, Numbers]:
    """Choose where a curve is evaluated: evenly, and where rows are many; return the points as they are drawn, too."""
    by_rank = quantiles(known, np.r_[TABLE_LEVELS, np.linspace(TAIL, 1 - TAIL, RANK_POINTS)])
    points = np.unique(np.r_[np.linspace(x.low, x.high, EVEN_POINTS), by_rank].clip(x.low, x.high))
    at, first = np.unique(along(x, points), return_index=True)
    return points[first], tuple(at.tolist())


def atom_of(effect: Effect, position: int, share: float) -> Atom | None:
    """Return the effect of a missing value, which stands at a position after all others, if there is one."""
    if position == len(effect.value):
        return None
    bounds = [effect.value if bound is None else bound for bound in (effect.lower, effect.upper)]
    value, lower, upper = rounded(np.array([series[position] for series in (effect.value, *bounds)]))
    return Atom(value, lower, upper, row_shares(np.array([share]), 1)[0])


def _rug(rows: Rows, index: int, x: Axis) -> Numbers:
    column = rows.values[rows.draw(RUG_ROWS), index]
    return along(x, np.unique(column[(column >= x.low) & (column <= x.high)]))


def curve_claims(rows: Rows, index: int, output: int, data: Curve, effect: Effect) -> Claims:
    """State how a curve runs over the rows, where it is drawn and beyond, how precisely, and what a gap adds."""
    of: dict[str, Any] = {"features": (index,), "output": output}
    values = np.unique(rows.looked_columns((index,))[0])
    values = values[~np.isnan(values)]
    found, drawn = rows.component((index,), [values], output), shown(values, data.x, data.gaps)
    stated = [_course(rows.dec.features[index], values[drawn], found[drawn], of)]
    ends = rows.ends(found)
    if not drawn.any():
        stated = [Claim("effect that is not drawn", {name: ends[name] for name in ("low", "high")}, **of)]
    elif tuple(map(signed, (ends["low"], ends["high"]))) != tuple(
        map(signed, (found[drawn].min(), found[drawn].max()))
    ):
        stated.append(Claim("range over rows", ends, **of))
    if effect.upper is not None:
        width = float(np.median(effect.upper - effect.value))
        stated.append(Claim("median half-width", {"half_width": width}, over="what is drawn", **of))
    if data.missing is not None:
        value = rows.component((index,), [np.array([np.nan])], output)[0]
        absent = {"value": float(value), "share": float(np.isnan(rows.values[:, index]).mean())}
        stated.append(Claim("effect of missing values", absent, **of))
    return tuple(stated)


def _course(feature: Feature, at: Floats, effect: Floats, of: dict[str, Any]) -> Claim:
    """State from where to where an effect runs over the values of rows that are drawn."""
    if not len(at) or not np.ptp(effect):
        value = float(effect[0]) if len(effect) else 0.0
        return Claim("constant effect", {"value": value, "n_places": float(len(at))}, **of)
    span, net = float(np.ptp(at)), float(effect[-1] - effect[0])
    steady = abs(net) >= STEADY * np.abs(np.diff(effect)).sum()
    ends, names = (
        ((0, len(at) - 1), ("first", "last"))
        if steady
        else (
            (int(effect.argmin()), int(effect.argmax())),
            ("low", "high"),
        )
    )
    numbers: dict[str, float] = {}
    for name, position in zip(names, ends, strict=True):
        numbers |= {name: float(effect[position]), f"{name}_at": float(at[position])}
    kind = ("rising effect" if net > 0 else "falling effect") if steady else "bounded effect"
    return Claim(kind, numbers, places=tuple(value_text(feature, float(at[position]), span) for position in ends), **of)


def _table(rows: Rows, index: int, known: Floats, points: Floats, effect: Effect, y: Axis) -> Table:
    at = np.unique(quantiles(known, TABLE_LEVELS).clip(points[0], points[-1]))
    chosen = np.unique(np.abs(points[:, None] - at).argmin(axis=0))
    feature, span = rows.dec.features[index], float(np.ptp(points))
    texts = [value_text(feature, float(points[position]), span) for position in chosen]
    missing = [len(points)] if len(effect.value) > len(points) else []
    texts += [value_text(feature, np.nan) for _ in missing]
    cells = zip(texts, *effect_columns(effect[[*chosen.tolist(), *missing]], y), strict=True)
    return Table((feature.heading, *effect_head(effect)), tuple(cells))
