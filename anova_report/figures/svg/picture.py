"""The static interpreter: one function for each primitive of a scene."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from anova_report.figures.geometry import Frame, Panel
from anova_report.figures.layout import (
    LEGEND_GAP,
    LEGEND_ROW,
    NAMES,
    SAMPLE,
    SLANT,
    SPACE,
    entry_width,
    is_slanted,
    legend_rows,
    named_levels,
)
from anova_report.figures.scene import (
    Area,
    Box,
    Dot,
    Entry,
    Heat,
    Legend,
    Line,
    Rule,
    Ruler,
    ScaleBar,
    Scene,
    Text,
    Tip,
    column,
)
from anova_report.figures.style import SMALL
from anova_report.figures.svg.canvas import RIM, Attribute, Canvas
from anova_report.figures.svg.images import COLORS, color_index, draw_cells
from anova_report.figures.svg.paths import area, box, mark, polyline, stroke, vertices
from anova_report.figures.ticks import Tick, ticks, upright_ticks

NOTE: dict[str, Attribute] = {"font_size": SMALL, "fill": "muted"}
MANY = 60  # dots; more are drawn as one path with markers, which keeps pages small


def draw(scene: Scene, *, key: str, title: str, alt: str) -> str:
    """Draw a scene as an SVG element with its own size, title and description.

    Parameters
    ----------
    scene : Scene
    key : str
        Begins every id in the picture.
    title, alt : str
        What it shows, for people who cannot see it.
    """
    drawing = Drawing(scene, Canvas.new(key, scene.kind, scene.size, title, alt))
    for item in scene.items:
        drawing.add(item)
    return drawing.canvas.written()


class Drawing:
    """A picture under way."""

    def __init__(self, scene: Scene, canvas: Canvas) -> None:
        self.panels = scene.panels
        self.canvas = canvas
        self._windows: dict[int, str] = {}

    def add(self, item: Any) -> None:
        """Draw one primitive."""
        drawers: dict[type, Callable[[Any], None]] = {
            Box: self._boxes,
            Line: self._lines,
            Area: self._area,
            Rule: self._rules,
            Dot: self._dots,
            Text: self._texts,
            Heat: self._heat,
            Ruler: self._ruler,
            Legend: self._legend,
            ScaleBar: self._color_bar,
            Tip: lambda _tip: None,  # a still picture says nothing under the pointer
        }
        drawers[type(item)](item)

    @cached_property
    def _hatch(self) -> str:
        return self.canvas.hatch("muted")

    def _window(self, panel: int) -> str:
        if panel not in self._windows:
            self._windows[panel] = self.canvas.clip(f"panel-{panel}", self.panels[panel].frame)
        return self._windows[panel]

    def _boxes(self, item: Box) -> None:
        """Join boxes that look alike into one path."""
        if item.color is None or not item.left:
            return
        panel, count = self.panels[item.panel], len(item.left)
        alike: dict[tuple[str, float, bool], str] = defaultdict(str)
        looks = (column(value, count) for value in (item.color, item.opacity, item.hatched))
        for *sides, color, opacity, hatched in zip(item.left, item.right, item.bottom, item.top, *looks, strict=True):
            frame = _frame(panel, sides, item.least)
            alike[color, opacity, hatched] += box(frame.left, frame.top, frame.right, frame.bottom)
        group = self.canvas.group(item.name, stroke=item.edge)
        for (color, opacity, hatched), shapes in alike.items():
            group.path(shapes, fill=color, fill_opacity=None if opacity == 1 else opacity)
            if hatched:
                group.path(shapes, fill=self._hatch)

    def _lines(self, item: Line) -> None:
        panel = self.panels[item.panel]
        looks = (column(value, len(item.x)) for value in (item.color, item.width, item.dash))
        group = self.canvas.group(
            item.name, clip_path=self._window(item.panel), fill="none", stroke_linejoin="round", stroke_linecap="round"
        )
        for xs, ys, color, width, dash in zip(item.x, item.y, *looks, strict=True):
            if xs:
                shape = polyline(_points(panel, xs, ys))
                wide = width if len(xs) > 1 else 3 * width
                cap = "butt" if dash else None
                group.path(shape, stroke=color, stroke_width=wide, stroke_dasharray=dash or None, stroke_linecap=cap)

    def _area(self, item: Area) -> None:
        if item.x:
            panel = self.panels[item.panel]
            group = self.canvas.group(item.name, clip_path=self._window(item.panel))
            outline = area(_points(panel, item.x, item.upper), _points(panel, item.x, item.lower))
            group.path(outline, fill=item.color, fill_opacity=item.opacity)

    def _rules(self, item: Rule) -> None:
        panel, count = self.panels[item.panel], len(item.x0)
        alike: dict[tuple[str, float, str], str] = defaultdict(str)
        looks = (column(value, count) for value in (item.color, item.width, item.dash))
        for a, b, c, d, color, width, dash in zip(item.x0, item.y0, item.x1, item.y1, *looks, strict=True):
            shape = stroke(panel.across(a), panel.down(b), panel.across(c), panel.down(d))
            alike[color, width, dash] += shape
        if not alike:
            return
        group = self.canvas.group(item.name, fill="none", stroke_opacity=None if item.opacity == 1 else item.opacity)
        if item.rimmed:
            width = max(width for _, width, _ in alike) + 2.25
            group.path("".join(alike.values()), stroke="surface", stroke_width=width, stroke_opacity=0.6)
        for (color, width, dash), shapes in alike.items():
            group.path(shapes, stroke=color, stroke_width=width, stroke_dasharray=dash or None)

    def _dots(self, item: Dot) -> None:
        panel, count = self.panels[item.panel], len(item.x)
        group = self.canvas.group(item.name)
        places = _points(panel, item.x, item.y)
        looks = (column(value, count) for value in (item.color, item.radius, item.shape))
        alike: dict[tuple[str, float, str], list[tuple[float, float]]] = defaultdict(list)
        for place, *look in zip(places, *looks, strict=True):
            alike[look[0], look[1], look[2]].append(place)
        rim: dict[str, Attribute] = {"stroke": "surface", "stroke_width": 1.5} if item.rimmed else {}
        opacity = None if item.opacity == 1 else item.opacity
        for number, ((color, radius, shape), spots) in enumerate(alike.items()):
            if shape != "dot":
                outlines = "".join(mark(shape, x, y, radius) for x, y in spots)
                wide = 0.75 if shape == "dash" else 2.5 if shape == "tick" else 2
                group.path(outlines, stroke=color, stroke_width=wide, stroke_opacity=opacity, fill="none")
            elif count > MANY:
                group.markers(f"{item.name}-{number}", vertices(spots), radius, color, item.opacity)
            else:
                for x, y in spots:
                    group.circle(x, y, radius, fill=color, fill_opacity=opacity, **rim)

    def _texts(self, item: Text) -> None:
        panel, count = self.panels[item.panel], len(item.words)
        if not count:
            return
        size = None if item.size == 12 else item.size
        rim = RIM if item.rimmed else {}
        shared: dict[str, Attribute] = {"font_size": size, **rim}
        shared |= {"text_anchor": item.anchor} if isinstance(item.anchor, str) and item.anchor != "start" else {}
        shared |= {"fill": item.color} if isinstance(item.color, str) and item.color != "fg" else {}
        group = self.canvas.group(item.name, **shared)
        columns = (item.dx, item.dy, item.anchor, item.color, item.bold, item.room)
        looks = (column(value, count) for value in columns)
        for a, b, words, dx, dy, anchor, color, bold, room in zip(item.x, item.y, item.words, *looks, strict=True):
            x, y = panel.across(a) + dx, panel.down(b) + dy
            attributes: dict[str, Attribute] = {
                "text_anchor": anchor if isinstance(item.anchor, tuple) and anchor != "start" else None,
                "fill": color if isinstance(item.color, tuple) else None,
                "font_weight": "600" if bold else None,
                "transform": f"rotate({-item.turned:g} {x:.1f} {y:.1f})" if item.turned else None,
            }
            group.text(x, y, words, size=item.size, room=room, **attributes)

    def _heat(self, item: Heat) -> None:
        frame, group = self.panels[item.panel].frame, self.canvas.group(item.name)
        upwards = self.panels[item.panel].y[1] >= self.panels[item.panel].y[0]
        pixels = [[color_index(value, item.limit, item.coloring) for value in row] for row in item.value]
        draw_cells(group, pixels[::-1] if upwards else pixels, item.coloring, frame)
        columns, rows = item.gaps
        across, down = frame.width / max(columns, 1), frame.height / max(rows, 1)
        upright = (frame.left + across * position for position in range(1, columns))
        level = (frame.top + down * position for position in range(1, rows))
        lines = "".join(stroke(x, frame.top, x, frame.bottom) for x in upright)
        lines += "".join(stroke(frame.left, y, frame.right, y) for y in level)
        if lines and item.value:
            group.path(lines, stroke="surface", stroke_width=1.5, fill="none")

    def _ruler(self, item: Ruler) -> None:
        group, panel = self.canvas.group("x-axis" if item.side == "below" else "y-axis"), self.panels[item.panel]
        if item.side == "left":
            _beside(group, item, panel)
        else:
            _below(group, item, panel)

    def _legend(self, item: Legend) -> None:
        group = self.canvas.group("legend")
        words = self.canvas.group("legend-words", **NOTE)
        for position, row in enumerate(legend_rows(item.entries, item.room)):
            x, middle = item.left, item.top + LEGEND_ROW * (position + 0.5)
            for entry in row:
                self._sample(group, entry, x, middle)
                words.text(x + SAMPLE + SPACE, middle, entry.words, size=SMALL, room=item.room - SAMPLE - SPACE)
                x += entry_width(entry) + LEGEND_GAP

    def _sample(self, group: Canvas, entry: Entry, x: float, middle: float) -> None:
        line: dict[str, Attribute] = {"stroke": entry.color, "stroke_dasharray": entry.dash or None}
        match entry.sample:
            case "line":
                group.line(x, middle, x + SAMPLE, middle, stroke_width=2, **line)
            case "bar" | "thin" | "hatch":
                half = 2 if entry.sample == "thin" else 5
                frame = Frame(x, middle - half, x + SAMPLE, middle + half)
                fill = self._hatch if entry.sample == "hatch" else entry.color
                opacity = None if entry.opacity == 1 else entry.opacity
                group.rect(frame, fill=fill, fill_opacity=opacity, stroke="grid" if entry.sample == "hatch" else None)
            case "dot":
                group.line(x, middle, x + SAMPLE, middle, **line)
                group.circle(x + SAMPLE / 2, middle, 3, fill=entry.color)
            case "ring":
                frame = Frame(x + 2, middle - 5.5, x + 13, middle + 5.5)
                group.rect(frame, rx=2, fill="none", stroke=entry.color, stroke_width=2)
            case shape:
                outline = mark(shape, x + SAMPLE / 2, middle, 5 if shape == "tick" else 4)
                wide = 2.5 if shape == "tick" else 2
                group.path(outline, stroke=entry.color, stroke_width=wide, fill="none")

    def _color_bar(self, item: ScaleBar) -> None:
        group, frame = self.canvas.group("scale"), item.frame
        pixels: Sequence[Sequence[int]] = [range(COLORS)] if item.flat else [[at] for at in reversed(range(COLORS))]
        draw_cells(group, pixels, item.coloring, frame)
        words = group.group("", **NOTE)
        if item.flat:
            middle = (frame.top + frame.bottom) / 2
            words.text(frame.left - 6, middle, item.texts[0], text_anchor="end")
            words.text(frame.right + 6, middle, item.texts[-1])
            return
        for position, text in enumerate(item.texts):
            words.text(frame.right + 5, frame.top + frame.height * position / max(len(item.texts) - 1, 1), text)


def _frame(panel: Panel, sides: Sequence[float], least: float) -> Frame:
    """Return a box in pixels, whichever way its panel runs."""
    left, right = sorted((panel.across(sides[0]), panel.across(sides[1])))
    top, bottom = sorted((panel.down(sides[2]), panel.down(sides[3])))
    return Frame(left, top, max(right, left + least), bottom)


def _points(panel: Panel, xs: Sequence[float], ys: Sequence[float]) -> list[tuple[float, float]]:
    return [(panel.across(x), panel.down(y)) for x, y in zip(xs, ys, strict=True)]


def _beside(group: Canvas, item: Ruler, panel: Panel) -> None:
    """Draw the axis at the left of a panel: names or ticks, grid lines, and a label over it."""
    axis, frame = item.axis, panel.frame
    if axis.levels:
        each = abs(panel.down(1) - panel.down(0))
        shown = tuple(Tick(position, name) for position, name in named_levels(axis, each))
    else:
        shown = upright_ticks(axis, frame.height, percent=item.percent)
    if item.grid and shown:
        lines = "".join(stroke(frame.left, panel.down(tick.at), frame.right, panel.down(tick.at)) for tick in shown)
        group.path(lines, "grid", stroke="grid", fill="none")
    words = group.group("", text_anchor="end", **NOTE)
    for tick in shown:
        words.text(frame.left - 7, panel.down(tick.at), tick.text, size=SMALL, room=NAMES)
    if axis.label:
        group.text(item.label_dx, frame.top - 15, axis.label, room=item.room or frame.right - item.label_dx)


def _below(group: Canvas, item: Ruler, panel: Panel) -> None:
    """Draw the axis below a panel, and its label."""
    axis, frame = item.axis, panel.frame
    if axis.levels:
        _names_below(group, item, panel)
    else:
        shown = ticks(axis, frame.width, percent=item.percent, most=item.most)
        spots = [panel.across(tick.at) for tick in shown]
        if item.grid:
            lines = "".join(stroke(spot, frame.top, spot, frame.bottom) for spot in spots)
            group.path(lines, "grid", stroke="grid", fill="none")
        else:
            lines = "".join(stroke(spot, frame.bottom, spot, frame.bottom + 4) for spot in spots)
            line = stroke(frame.left, frame.bottom, frame.right, frame.bottom)
            group.path(line + lines, stroke="axis", fill="none")
        words = group.group("", text_anchor="middle", **NOTE)
        for spot, tick in zip(spots, shown, strict=True):
            words.text(spot, frame.bottom + 12, tick.text, size=SMALL)
    middle = (frame.left + frame.right) / 2
    group.text(middle, frame.bottom + item.depth - 4, axis.label, room=item.room, text_anchor="middle")


def _names_below(group: Canvas, item: Ruler, panel: Panel) -> None:
    axis, frame = item.axis, panel.frame
    each = abs(panel.across(1) - panel.across(0))
    slanted = is_slanted(axis, frame)
    group.line(frame.left, frame.bottom, frame.right, frame.bottom, stroke="axis")
    words = group.group("", text_anchor="end" if slanted else "middle", **NOTE)
    sine, cosine = math.sin(math.radians(SLANT)), math.cos(math.radians(SLANT))
    for position, name in named_levels(axis, each):
        x = panel.across(position) + (4 if slanted else 0)
        if slanted:
            turn = f"rotate(-{SLANT:.0f} {x:.1f} {frame.bottom + 12:.1f})"
            room = min((item.depth - 30) / sine + 12, x / cosine)
            words.text(x, frame.bottom + 8, name, size=SMALL, room=room, transform=turn)
        else:
            words.text(x, frame.bottom + 12, name, size=SMALL, room=each - 4)
