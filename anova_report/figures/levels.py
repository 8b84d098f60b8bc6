"""Main effects of levels: one bar each, from zero, with the share of the rows that have it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from anova_report.figures.axes import level_axis, rounded, row_shares
from anova_report.figures.curves import band_words
from anova_report.figures.figure import Table
from anova_report.figures.geometry import Axis, Frame, Numbers, Panel
from anova_report.figures.layout import legend_height
from anova_report.figures.level_scales import LevelScale, pooled_levels
from anova_report.figures.overlays import Overlay, looks
from anova_report.figures.rows import Effect, Rows, bounds, effect_axis, effect_columns, effect_head
from anova_report.figures.scene import Box, Dot, Entry, Legend, Primitive, Rule, Ruler, Scene, Text, unzip
from anova_report.figures.style import NOTE, OVERLAYS, SMALL, TEXT
from anova_report.figures.text import clean, width
from anova_report.figures.ticks import effect_text
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.near_rows import Reach
from anova_report.measures.wording import percent

ROW, BAR = 22.0, 12.0  # pixels of a row, and of the bar in it
HEAD = 22.0  # over the first row
NAMES = 170.0  # pixels of the longest name
SHARES = 50.0  # pixels for shares of rows
FAINT = 0.45  # opacity of bars beside a marked one
POOLED = "(pooled)"
SUFFIX = width(f" {POOLED}", SMALL)
# Of other explanations.
SHAPES: tuple[Literal["tick", "cross", "diamond", "triangle"], ...] = ("tick", "cross", "diamond", "triangle")
REACH = (8.0, 4.5, 5.5, 5.0)  # pixels from the middle of each shape


@dataclass(frozen=True)
class Levels:
    """A main effect of levels, one bar each; the axis `x` is that of the levels, `y` that of the effect."""

    x: Axis
    y: Axis
    # effect and share of rows of each level; a missing value is the last level, if there is one
    value: Numbers
    share: Numbers
    # empty where no band is known
    lower: Numbers
    upper: Numbers
    pooled: tuple[bool, ...]  # whether the level was too rare for an effect of its own
    left_out: int = 0  # further, rarer levels that are not drawn
    marked: int | None = None  # position of the level of a row that is looked at
    overlays: tuple[Overlay, ...] = ()
    few: tuple[bool, ...] = ()  # which levels have too few rows for more than a hatched bar

    def scene(self, wide: float = 440.0, high: float | None = None) -> Scene:
        """Lay the bars out, the first at the top: names at their left, shares of rows at their right.

        Where a height is given, the rarer levels that it has no room for are left out.
        """
        if high is not None and len(self.value) > (most := max(int((high - 2 * HEAD - 20 - ROW) / ROW), 1)):
            return self._shortened(most).scene(wide)
        rows = max(len(self.value), 1)
        entries = self._entries()
        top = max(HEAD, legend_height(entries, wide - SHARES) + 4)
        names = (width(clean(name), TEXT) + SUFFIX * self._is_pooled(at) for at, name in enumerate(self.x.levels))
        left = min(NAMES, max(names, default=0.0)) + 14
        panel = Panel.of_rows(Frame(left, top, wide - SHARES, top + ROW * rows), self.y.span, rows)
        zero = panel.held_x(0.0)
        bottom = panel.frame.bottom + HEAD + 20 + (ROW if self.left_out else 0.0)
        return Scene(
            "levels",
            (wide, bottom),
            (panel,),
            (
                Ruler(self.y, "below", grid=True, most=5, room=panel.frame.width + 40),
                Rule("zero", zero, rows - 0.5, zero, -0.5),
                *self._names(panel),
                self._bars(panel),
                self._whiskers(panel),
                *self._others(panel),
                *self._notes(panel),
                Legend(entries, room=wide - SHARES, switches=True),
            ),
        )

    def _shortened(self, most: int) -> "Levels":
        """Keep the levels of which words speak, and of the others those with the most rows, in their order."""
        enough = [at for at in range(len(self.value)) if not self._has_few(at)]
        named = {choose(enough, key=self.value.__getitem__) for choose in (max, min) if enough}
        by_rows = sorted(range(len(self.value)), key=lambda at: (at not in named, -self.share[at]))
        kept = sorted(by_rows[:most])
        columns: dict[str, Any] = {
            name: tuple(getattr(self, name)[at] for at in kept) if getattr(self, name) else ()
            for name in ("value", "share", "lower", "upper", "pooled", "few")
        }
        x = replace(self.x, levels=tuple(self.x.levels[at] for at in kept))
        left_out = self.left_out + len(self.value) - most
        return replace(self, x=x, left_out=left_out, marked=None, overlays=(), **columns)

    def _names(self, panel: Panel) -> tuple[Primitive, ...]:
        """Write the names; that a level is pooled is said apart, so that it is not cut off with a long name."""
        names = self.x.levels[: len(self.value)]
        rare = tuple(float(position) for position in range(len(names)) if self._is_pooled(position))
        aside = tuple(-10.0 - SUFFIX * self._is_pooled(position) for position in range(len(names)))
        room = tuple(panel.frame.left + dx - 2 for dx in aside)
        bold = tuple(position == self.marked for position in range(len(names)))
        low = panel.x[0]
        return (
            Text("names", low, _positions(names), names, dx=aside, anchor="end", bold=bold, room=room),
            Text("pooled", low, rare, (POOLED,) * len(rare), dx=-10.0, anchor="end", **NOTE),
        )

    def _is_pooled(self, position: int) -> bool:
        return position < len(self.pooled) and self.pooled[position]

    def _has_few(self, position: int) -> bool:
        return position < len(self.few) and self.few[position]

    def _bars(self, panel: Panel) -> Box:
        """Draw bars, pale and hatched where few rows have the level; what leaves the axis ends at its end."""
        zero, at = panel.held_x(0.0), _positions(self.value)
        left, right = unzip([tuple(sorted((zero, panel.held_x(value)))) for value in self.value], 2)
        bottom, top = (tuple(position + half for position in at) for half in (BAR / ROW / 2, -BAR / ROW / 2))
        opacity = tuple(1.0 if self.marked in (None, position) else FAINT for position in range(len(at)))
        tips, few = tuple(map(self._tip, range(len(at)))), tuple(map(self._has_few, range(len(at))))
        looks: dict[str, Any] = {"opacity": opacity, "hatched": few, "least": 0.75}
        colors = tuple("band" if rare else "accent" for rare in few)
        return Box("bars", left, right, bottom, top, colors, tips=tips, **looks)

    def _tip(self, position: int) -> str:
        name = self.x.levels[position] + (f" {POOLED}" if self._is_pooled(position) else "")
        band = ""
        if self.lower and self.upper:
            band = band_words(self.y, self.lower[position], self.upper[position])
        rows = f"{percent(self.share[position])} of rows" + (", too few" if self._has_few(position) else "")
        return f"{name}\neffect {effect_text(self.y, self.value[position])}\n{band}\n{rows}"

    def _whiskers(self, panel: Panel) -> Rule:
        at = _positions(self.lower)
        lower, upper = (tuple(map(panel.held_x, bound)) for bound in (self.lower, self.upper))
        return Rule("whiskers", lower, at, upper, at, "fg", width=1.25, rimmed=True)

    def _others(self, panel: Panel) -> tuple[Dot, ...]:
        """Draw other explanations as marks, one primitive for each color, so that a legend can hide them."""
        drawn: dict[str, list[tuple[Any, ...]]] = {color: [] for color in OVERLAYS}
        for position, other in enumerate(self.overlays):
            color, shape = looks(position)
            for at, value in zip(other.at, other.value, strict=False):
                tip = f"{other.name}\neffect {effect_text(self.y, value)}"
                place = panel.held_x(value), float(round(at))
                drawn[color].append((*place, SHAPES[shape], REACH[shape], other.name, tip))
        found = []
        for color, marks in drawn.items():
            x, y, shapes, reach, names, tips = unzip(marks, 6)
            found.append(Dot(color, x, y, color, shape=shapes, radius=reach, rimmed=False, labels=names, tips=tips))
        return tuple(found)

    def _entries(self) -> tuple[Entry, ...]:
        named = [(other.name, *looks(position)) for position, other in enumerate(self.overlays) if other.at]
        others = [Entry(name, SHAPES[shape], color, marks=(color,)) for name, color, shape in named]
        return (Entry("component", "bar", "accent", marks=("bars",)), *others) if others else ()

    def _notes(self, panel: Panel) -> tuple[Primitive, ...]:
        shares = tuple(map(percent, self.share))
        head = ("rows",) if shares else ()
        more = (f"{self.left_out} rarer level{'s' if self.left_out > 1 else ''} not drawn",) if self.left_out else ()
        (low, high), (bottom, top) = panel.x, panel.y
        aside: dict[str, Any] = {"dx": SHARES, "anchor": "end", **NOTE}
        return (
            Text("shares", high, _positions(shares), shares, **aside),
            Text("shares-head", high, (top,) * len(head), head, dy=-14.0, **aside),
            Text("left-out", low, (bottom,) * len(more), more, dx=(-panel.frame.left,) * len(more), dy=48.0, **NOTE),
        )


def _positions(items: Sequence[object]) -> Numbers:
    return tuple(map(float, range(len(items))))


def levels(
    rows: Rows, index: int, scale: LevelScale, output: int, y: Axis | None, row: int | None
) -> tuple[Levels, Claims, Table]:
    """Make the bars of a feature, what their caption states, and a table of their numbers."""
    feature = rows.dec.features[index]
    effect = rows.effect((index,), [scale.codes], output)
    if feature.kind == "nominal":
        # Largest effect first, a missing value last.
        order = np.lexsort((-effect.value, np.isnan(scale.codes)))
        scale, effect = scale.reordered(order), effect[order]
    lower, upper = bounds(effect)
    few = scale.count < rows.reach.rows
    data = Levels(
        level_axis(feature.heading, scale.names),
        y or effect_axis(rows.dec, effect if few.all() else effect[~few], output),
        value=rounded(effect.value),
        share=row_shares(scale.count, len(rows)),
        lower=lower,
        upper=upper,
        pooled=pooled_levels(rows, index, scale.codes),
        left_out=scale.n_left_out,
        marked=None if row is None else scale.position(float(rows.values[rows.position(row), index])),
        few=tuple(few.tolist()),
    )
    shares = [percent(float(count) / len(rows)) for count in scale.count]
    of = {"features": (index,), "output": output}
    return data, level_claims(scale, effect, len(rows), rows.reach, of), _table(data, shares, effect)


def _table(data: Levels, shares: Sequence[str], effect: Effect) -> Table:
    names = [f"{name} {POOLED}" if rare else name for name, rare in zip(data.x.levels, data.pooled, strict=True)]
    head = (data.x.label, "share of rows", *effect_head(effect))
    return Table(head, tuple(zip(names, shares, *effect_columns(effect, data.y), strict=True)))


def level_claims(scale: LevelScale, effect: Effect, n_rows: int, reach: Reach, of: dict[str, Any]) -> Claims:
    """State which levels have the highest and the lowest effect among those with rows enough, and what is left out."""
    enough = np.flatnonzero(scale.count >= reach.rows)
    chosen = enough if len(enough) else np.arange(len(scale.count))
    value = effect.value[chosen]

    def there(kind: str, position: int) -> Claim:
        at = chosen[position]
        code = float(scale.codes[at])
        numbers = {"code": -1.0 if np.isnan(code) else code, "value": float(value[position])}
        numbers["share"] = float(scale.count[at]) / n_rows
        if effect.lower is not None and effect.upper is not None:
            numbers |= {"low": float(effect.lower[at]), "high": float(effect.upper[at])}
        return Claim(kind, numbers, places=(scale.names[at],), **of)

    if len(value) == 1 or not np.ptp(value):
        stated = [Claim("constant effect", {"value": float(value[0]), "n_places": float(len(value))}, **of)]
    else:
        stated = [there("highest level", int(value.argmax())), there("lowest level", int(value.argmin()))]
    n_few = len(scale.count) - len(chosen)
    if n_few:
        stated.append(Claim("levels not compared", {"n_levels": float(n_few), "least": float(reach.rows)}, **of))
    if scale.n_left_out:
        stated.append(Claim("levels not drawn", {"n_levels": float(scale.n_left_out)}, **of))
    return tuple(stated)
