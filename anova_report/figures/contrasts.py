"""A main effect in two decompositions on the same axes, and where the two differ by more than chance."""

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Any

from anova_report.figures.curves import MISSING_WIDTH, Atom, band_words, density_box, missing_marks, zero_across
from anova_report.figures.gaps import Ranges, is_kept, pieces, pinched
from anova_report.figures.geometry import Axis, Frame, Numbers, Panel, Words
from anova_report.figures.layout import ABOVE, below, frame_within, legend_height, longest
from anova_report.figures.scene import (
    Area,
    Box,
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
from anova_report.figures.style import FIRST, NOTE, SECOND, TEXT
from anova_report.figures.ticks import axis_text, effect_text
from anova_report.measures.wording import percent

WIDE = 440.0
HIGH = 404.0  # of a contrast along numbers
STRIP = 26.0  # pixels for the histogram below the curves
LOWER = 76.0  # pixels for the difference below the curves
APART = 6.0  # between the curves and what stands over the difference
TRACK = 5.0  # pixels for the bar that marks where the two differ
NAMES = 150.0  # the longest name of a level
SHARES = 50.0  # the column of shares of rows
LEVEL = 30.0  # pixels of a level
DASH = "6 3"
BAND = 0.17  # opacity of a band: where two bands overlap both are seen
BEYOND = "difference beyond chance"
DIFFERENCE_PANEL, STRIP_PANEL, MISSING_PANEL = 1, 2, 3
MARGIN_PANEL = 1  # of a list: left of its rows


@dataclass(frozen=True)
class Trace:
    """One of two versions of the same thing: its name, its values, and its band, empty where none is known."""

    name: str
    value: Numbers
    lower: Numbers = ()
    upper: Numbers = ()

    def said(self, position: int, y: Axis) -> str:
        """Write one value with its band, as along an axis."""
        words = f"{self.name} {effect_text(y, self.value[position])}"
        band = band_words(y, self.lower[position], self.upper[position]) if self.lower and self.upper else ""
        return f"{words}, {band}" if band else words


@dataclass(frozen=True)
class Contrast:
    """A main effect along numbers in two decompositions, on the same axes."""

    x: Axis
    y: Axis
    at: Numbers
    first: Trace
    second: Trace
    # Axis of the difference, which is drawn below the two on a scale of its own. Documents that were saved before hold
    # it by this name.
    gap: Axis
    difference: Trace  # second minus first, with its own band
    beyond: tuple[tuple[float, float], ...]  # ranges in which the difference is beyond its band
    # histogram of the points of comparison; one more edge than shares
    density_edges: Numbers
    density_share: Numbers
    missing: tuple[Atom, Atom] | None = None  # the effect of a missing value in both
    gaps: Ranges = ()  # ranges with too few points of comparison, in which nothing is drawn

    def scene(self) -> Scene:
        """Lay both curves out with their bands, below them their difference with its own, and where the rows are."""
        entries = self._entries()
        right = WIDE - 8 - (MISSING_WIDTH if self.missing else 0.0)
        box = Frame(0, legend_height(entries, WIDE) + 2, right, HIGH)
        whole = frame_within(self.x, self.y, box)
        whole = replace(whole, left=max(whole.left, frame_within(self.x, self.gap, box).left))
        strip = replace(whole, top=whole.bottom - STRIP)
        under = replace(whole, top=strip.top - TRACK - LOWER, bottom=strip.top - TRACK)
        main = Panel.of(replace(whole, bottom=under.top - ABOVE - APART), self.x, self.y)
        lower, low = Panel.of(under, self.x, self.gap), Panel(strip, main.x, (0.0, 1.0), self.x.time)
        aside = Panel(replace(main.frame, left=right, right=WIDE - 8), (0.0, 1.0), main.y, False, self.y.time)
        return Scene(
            "contrast",
            (WIDE, HIGH),
            (main, lower, low, aside if self.missing else main),
            (
                *self._beyond(main, lower),
                density_box(self.x, self.density_edges, self.density_share, low, STRIP_PANEL),
                Ruler(self.y, "left", grid=True, room=WIDE - 8),
                Ruler(self.gap, "left", DIFFERENCE_PANEL, grid=True, room=WIDE - 8),
                below(self.x, strip, panel=STRIP_PANEL),
                zero_across(main),
                replace(zero_across(lower), name="difference-zero", panel=DIFFERENCE_PANEL),
                *self._curves(),
                self._values(),
                *missing_marks(self._atoms(), self.y, main, strip.bottom, MISSING_PANEL),
                Legend(entries, room=WIDE, switches=True),
            ),
            zooms="x",
        )

    def _entries(self) -> tuple[Entry, ...]:
        marked = (Entry(BEYOND, "thin", "fg", marks=("beyond",)),) if self.beyond else ()
        return (
            Entry(self.first.name, "line", FIRST, marks=("first", "first-band")),
            Entry(self.second.name, "line", SECOND, DASH, marks=("second", "second-band")),
            *marked,
        )

    def _beyond(self, main: Panel, lower: Panel) -> tuple[Primitive, ...]:
        """Shade where the difference is beyond its band, and mark it with a bar under the difference."""
        left, right = unzip([tuple(map(main.held_x, ends)) for ends in self.beyond], 2)
        foot = lower.y[0] - lower.units_up(TRACK - 1)
        shade: dict[str, Any] = {"color": "shade", "least": 1.0, "under": True}
        tips = tuple(
            f"{self.x.label} {axis_text(self.x, low)} to {axis_text(self.x, high)}\n{BEYOND}"
            for low, high in self.beyond
        )
        return (
            Box("beyond-curves", left, right, *main.y, **shade),
            Box("beyond-difference", left, right, *lower.y, panel=DIFFERENCE_PANEL, **shade),
            Box("beyond", left, right, foot, lower.y[0], "fg", least=1.0, panel=DIFFERENCE_PANEL, tips=tips),
        )

    def _curves(self) -> tuple[Primitive, ...]:
        """Draw bands, then lines over all of them."""
        looks = (("first", self.first, FIRST, "", 0), ("second", self.second, SECOND, DASH, 0))
        every = (*looks, ("difference", self.difference, "fg", "", DIFFERENCE_PANEL))
        bands, lines = [], []
        for name, trace, color, dash, panel in every:
            band = pinched(self.at, trace.lower, trace.upper, self.gaps) if trace.lower else ((), (), ())
            bands.append(Area(f"{name}-band", *band, color, opacity=BAND, panel=panel))
            x, y = unzip(pieces(self.at, trace.value, self.gaps), 2)
            lines.append(Line(name, x, y, color, width=2.25, dash=dash, panel=panel))
        return (*bands, *lines)

    def _atoms(self) -> list[tuple[Atom, str, str]]:
        versions = ((self.first.name, FIRST), (self.second.name, SECOND))
        return [(atom, *version) for atom, version in zip(self.missing or (), versions, strict=False)]

    def _values(self) -> Tip:
        """Say both effects and their difference at every point of the curves."""
        starts = [low for low, _ in self.beyond]

        def is_beyond(at: float) -> bool:
            before = bisect_right(starts, at) - 1
            return before >= 0 and at <= self.beyond[before][1]

        shown = [position for position, at in enumerate(self.at) if is_kept(at, self.x, self.gaps)]
        tips = tuple(
            f"{self.x.label} {axis_text(self.x, at)}\n{self.first.said(position, self.y)}\n"
            f"{self.second.said(position, self.y)}\n{self.difference.said(position, self.gap)}\n"
            f"{BEYOND if is_beyond(at) else ''}"
            for position, at in ((position, self.at[position]) for position in shown)
        )
        x, y = unzip([(self.at[position], self.first.value[position]) for position in shown], 2)
        return Tip("values", x, y, tips=tips)


@dataclass(frozen=True)
class LevelContrast:
    """A main effect of levels in two decompositions, two bars for each level."""

    # `x` is that of the levels, `y` that of the effect
    x: Axis
    y: Axis
    share: Numbers  # share of the points of comparison at each level
    first: Trace
    second: Trace
    beyond: tuple[bool, ...]  # at which levels the difference is beyond its band
    left_out: int = 0  # further, rarer levels that are not drawn
    few: tuple[bool, ...] = ()  # which levels have too few points for more than hatched bars

    def scene(self) -> Scene:
        """Lay out two bars for each level, the first version above the second, with whiskers."""
        entries = self._entries()
        top = legend_height(entries, WIDE - SHARES) + 4
        left, count = longest(self.x.levels, TEXT, NAMES) + 24, len(self.share)
        panel = Panel.of_rows(Frame(left, top, WIDE - SHARES, top + LEVEL * max(count, 1)), self.y.span, count)
        rarer = (f"{self.left_out} rarer level{'s' * (self.left_out > 1)} not drawn",) if self.left_out else ()
        zero, rows = panel.held_x(0.0), tuple(range(count))
        return Scene(
            "levelcontrast",
            (WIDE, 84 + LEVEL * max(count, 1)),
            (panel, row_margin(panel)),
            (
                Ruler(replace(self.y, levels=()), "below", grid=True, most=5, room=panel.frame.width + 40),
                Rule("zero", zero, panel.y[0], zero, panel.y[1]),
                *row_names(self.x.levels, self.beyond, left, 12 / LEVEL),
                Text("shares", panel.x[1], rows, self._shares(), dx=SHARES, anchor="end", **NOTE),
                *self._bars("first", self.first, panel, FIRST, -6 / LEVEL),
                *self._bars("second", self.second, panel, SECOND, 6 / LEVEL),
                Text("left-out", panel.x[0], panel.y[0], rarer, dx=(-left,) * len(rarer), dy=48.0, **NOTE),
                Legend(entries, room=WIDE - SHARES),
            ),
        )

    def _entries(self) -> tuple[Entry, ...]:
        marked = (Entry(BEYOND, "thin", "fg", marks=("beyond",)),) if any(self.beyond) else ()
        return (
            Entry(self.first.name, "bar", FIRST, marks=("first",)),
            Entry(self.second.name, "bar", SECOND, marks=("second",)),
            *marked,
        )

    def _shares(self) -> Words:
        return tuple(map(percent, self.share))

    def _bars(self, name: str, trace: Trace, panel: Panel, color: str, aside: float) -> tuple[Box, Rule]:
        """Draw the bars of one version and their whiskers."""
        zero, half, least = panel.held_x(0.0), 5 / LEVEL, panel.units_across(0.75)
        ends = [panel.held_x(value) for value in trace.value]
        # A bar of nothing is a thin line.
        sides = [(min(zero, end), max(zero, end, min(zero, end) + least)) for end in ends]
        middle = [row + aside for row in range(len(ends))]
        left, right = unzip(sides, 2)
        bottom, top = tuple(at + half for at in middle), tuple(at - half for at in middle)
        known = bool(trace.lower and trace.upper)
        low, high = (tuple(map(panel.held_x, bound)) if known else () for bound in (trace.lower, trace.upper))
        at = tuple(middle) if known else ()
        return (
            Box(name, left, right, bottom, top, color, hatched=self.few or (False,) * len(ends), tips=self._tips()),
            Rule(f"{name}-whiskers", low, at, high, at, "fg", width=1.25, rimmed=True),
        )

    def _tips(self) -> Words:
        rows = zip(self.x.levels, self._shares(), self.beyond, strict=True)
        return tuple(
            f"{level}, {share} of rows\n{self.first.said(row, self.y)}\n{self.second.said(row, self.y)}\n"
            f"difference {effect_text(self.y, self.second.value[row] - self.first.value[row])}\n"
            f"{BEYOND if beyond else ''}"
            for row, (level, share, beyond) in enumerate(rows)
        )


def row_margin(panel: Panel) -> Panel:
    """Return the narrow panel left of a list in which bars mark rows."""
    left = panel.frame.left
    return Panel(replace(panel.frame, left=left - 9, right=left - 9 + TRACK - 1), (0.0, 1.0), panel.y)


def row_names(names: Words, beyond: tuple[bool, ...], left: float, half: float) -> tuple[Box, Text]:
    """Name the rows of a list; in bold and with a bar those in which two versions differ by more than chance."""
    marked = [row for row, found in enumerate(beyond) if found]
    bottom, top = tuple(row + half for row in marked), tuple(row - half for row in marked)
    rows = tuple(range(len(names)))
    bars = Box("beyond", (0.0,) * len(marked), 1.0, bottom, top, "fg", panel=MARGIN_PANEL)
    room = left - 16
    return bars, Text("names", 0.0, rows, names, panel=MARGIN_PANEL, dx=-5.0, anchor="end", bold=beyond, room=room)
