"""Primitives as bokeh glyphs: which glyph draws one, and the columns it is drawn from."""

import math
from collections.abc import Sequence
from functools import singledispatch
from typing import Any, TypeAlias

from bokeh.core.properties import value as constant
from bokeh.models import Image, MultiLine, Quad, Scatter, Segment, VArea
from bokeh.models import Line as LineGlyph
from bokeh.models import Text as TextGlyph
from bokeh.models.glyph import Glyph

from anova_report.figures.geometry import Numbers, Panel
from anova_report.figures.live.looks import GAP, brief, by_name, painted, plain, scale, tip_text
from anova_report.figures.scene import Area, Box, Dot, Heat, Line, Mark, Rule, Text, Tip, column
from anova_report.figures.style import FONT
from anova_report.figures.text import clean, shorten

ColumnData: TypeAlias = dict[str, list[Any]]  # the columns of one source
UNITS = (1.0, 1000.0)  # bokeh counts time in milliseconds
STEPS = 3000  # at least so many along an axis: more cannot be seen, and a page holds many numbers
LARGEST = 3e38  # of single-precision numbers, which pictures hold
PICTURE = "image"  # a column of tables of numbers, which BokehJS wants as arrays
MARKERS = {"dot": "circle", "tick": "dash", "dash": "dash", "cross": "x", "diamond": "diamond", "triangle": "triangle"}
ALIGN = {"start": "left", "middle": "center", "end": "right"}
HATCH: dict[str, Any] = {"hatch_color": "axis", "hatch_scale": 8, "hatch_weight": 0.75}


def is_drawn(item: Mark) -> bool:
    """Whether a primitive is more than a place to click on: it is seen, or says something under the pointer."""
    return not (isinstance(item, Box) and item.color is None and item.tips is None)


@singledispatch
def glyphs(item: Mark) -> list[Glyph]:
    """Return the glyphs of a primitive, drawn one over the other from the same columns."""
    raise NotImplementedError(type(item).__name__)


@singledispatch
def columns(item: Mark, panel: Panel) -> ColumnData:
    """Return the columns of a primitive."""
    raise NotImplementedError(type(item).__name__)


@glyphs.register
def _(item: Box) -> list[Glyph]:
    hatch = {} if item.hatched is False else {**HATCH, "hatch_pattern": "hatch"}
    looks = {"fill_color": _color(item.color), "fill_alpha": _shared(item.opacity, "opacity")}
    return [painted(Quad, line_color=item.edge, line_width=0.75, **looks, **hatch)]


@columns.register
def _(item: Box, panel: Panel) -> ColumnData:
    least = abs(panel.units_across(item.least))
    ends = [(min(pair), max(*pair, min(pair) + least)) for pair in zip(item.left, item.right, strict=True)]
    table: ColumnData = {
        "left": _along_x(panel, [low for low, _ in ends]),
        "right": _along_x(panel, [high for _, high in ends]),
        "bottom": _along_y(panel, item.bottom),
        "top": _along_y(panel, item.top),
    }
    if item.hatched is not False:
        hatched = item.hatched if isinstance(item.hatched, tuple) else (item.hatched,) * len(ends)
        table["hatch"] = ["/" if is_hatched else " " for is_hatched in hatched]
    return table | _looks(item, color=item.color, opacity=item.opacity)


@glyphs.register
def _(item: Line) -> list[Glyph]:
    looks = {"line_width": _shared(item.width, "width"), "line_dash": _dash(item.dash), "line_join": "round"}
    return [painted(MultiLine, line_color=_color(item.color), **looks)]


@columns.register
def _(item: Line, panel: Panel) -> ColumnData:
    table: ColumnData = {
        "xs": [_along_x(panel, xs) for xs in item.x],
        "ys": [_along_y(panel, ys) for ys in item.y],
    }
    return table | _looks(item, color=item.color, width=item.width, dash=item.dash)


@glyphs.register
def _(item: Area) -> list[Glyph]:
    return [painted(VArea, x="x", y1="lower", y2="upper", fill_color=item.color, fill_alpha=item.opacity)]


@columns.register
def _(item: Area, panel: Panel) -> ColumnData:
    bounds = {"lower": _along_y(panel, item.lower), "upper": _along_y(panel, item.upper)}
    return {"x": _along_x(panel, item.x), **bounds}


@glyphs.register
def _(item: Rule) -> list[Glyph]:
    looks = {"line_width": _shared(item.width, "width"), "line_dash": _dash(item.dash), "line_alpha": item.opacity}
    drawn: Glyph = painted(Segment, line_color=_color(item.color), **looks)
    if not item.rimmed:
        return [drawn]
    wide = item.width if isinstance(item.width, float | int) else max(item.width, default=1.0)
    return [painted(Segment, line_color="surface", line_alpha=0.6, line_width=wide + 2.25), drawn]


@columns.register
def _(item: Rule, panel: Panel) -> ColumnData:
    ends: ColumnData = {
        "x0": _along_x(panel, item.x0),
        "y0": _along_y(panel, item.y0),
        "x1": _along_x(panel, item.x1),
        "y1": _along_y(panel, item.y1),
    }
    return ends | _looks(item, color=item.color, width=item.width, dash=item.dash)


@glyphs.register
def _(item: Dot) -> list[Glyph]:
    size = 2 * item.radius if isinstance(item.radius, float | int) else "size"
    if item.shape == "dot":
        rim = {"line_color": "surface", "line_width": 1.5} if item.rimmed else {"line_color": None}
        looks = {"fill_color": _color(item.color), "fill_alpha": item.opacity}
        return [painted(Scatter, marker="circle", size=size, **looks, **rim)]
    wide = "wide" if isinstance(item.shape, tuple) else 0.75 if item.shape == "dash" else 2.0
    outline = {"line_color": _color(item.color), "line_width": wide, "line_alpha": item.opacity}
    marker = MARKERS[item.shape] if isinstance(item.shape, str) else "shape"
    angle = "angle" if isinstance(item.shape, tuple) else math.pi / 2 * (item.shape in ("tick", "dash"))
    return [painted(Scatter, marker=marker, angle=angle, size=size, fill_color=None, **outline)]


@columns.register
def _(item: Dot, panel: Panel) -> ColumnData:
    table: ColumnData = {"x": _along_x(panel, item.x), "y": _along_y(panel, item.y)}
    if isinstance(item.radius, tuple):
        table["size"] = [round(2 * radius, 2) for radius in item.radius]
    if isinstance(item.shape, tuple):
        table["shape"] = [MARKERS[shape] for shape in item.shape]
        table["angle"] = [math.pi / 2 if shape in ("tick", "dash") else 0.0 for shape in item.shape]
        table["wide"] = [2.5 if shape == "tick" else 2.0 for shape in item.shape]
    return table | _looks(item, color=item.color)


@glyphs.register
def _(item: Text) -> list[Glyph]:
    font = {"text_font": constant(FONT), "text_font_size": f"{item.size}px", "text_baseline": "middle"}
    place = {"x_offset": _shared(item.dx, "dx"), "y_offset": _shared(item.dy, "dy")}
    align = ALIGN[item.anchor] if isinstance(item.anchor, str) else "align"
    style = "style" if isinstance(item.bold, tuple) else "bold" if item.bold else "normal"
    looks = {"text_align": align, "text_font_style": style, "text_color": _color(item.color)}
    turn = {"angle": math.radians(item.turned)} if item.turned else {}
    rim = {"text_outline_color": "surface", "text_outline_width": 3} if item.rimmed else {}
    drawn: list[Glyph] = [painted(TextGlyph, text="text", **font, **place, **looks, **turn)]
    return [painted(TextGlyph, text="text", **font, **place, **looks, **turn, **rim), *drawn] if rim else drawn


@columns.register
def _(item: Text, panel: Panel) -> ColumnData:
    rooms = column(item.room, len(item.words))
    cut = [
        clean(words) if room is None else shorten(clean(words), room, item.size)
        for words, room in zip(item.words, rooms, strict=True)
    ]
    table: ColumnData = {
        "x": _along_x(panel, item.x),
        "y": _along_y(panel, item.y),
        "text": [plain(words) for words in cut],
    }
    if isinstance(item.anchor, tuple):
        table["align"] = [ALIGN[anchor] for anchor in item.anchor]
    if isinstance(item.bold, tuple):
        table["style"] = ["bold" if bold else "normal" for bold in item.bold]
    return table | _looks(item, color=item.color, dx=item.dx, dy=item.dy)


@glyphs.register
def _(item: Heat) -> list[Glyph]:
    cells: list[Glyph] = [Image(image=PICTURE, x="x", y="y", dw="dw", dh="dh", color_mapper=scale(item.coloring))]
    return cells


@columns.register
def _(item: Heat, panel: Panel) -> ColumnData:
    if not item.value or not item.value[0]:
        return {name: [] for name in (PICTURE, "x", "y", "dw", "dh")}
    table = [[math.nan if cell is None else max(-LARGEST, min(LARGEST, cell)) for cell in row] for row in item.value]
    across, down = len(table[0]), len(table)
    x, y = (sorted(ends) for ends in (panel.x, panel.y))
    unit_x, unit_y = UNITS[panel.x_time], UNITS[panel.y_time]
    place = {"x": [x[0] * unit_x], "y": [y[0] * unit_y], "dw": [(x[1] - x[0]) * unit_x], "dh": [(y[1] - y[0]) * unit_y]}
    said: ColumnData = {}
    if item.said:
        said["said"] = [[[tip_text(words) for words in row] for row in item.said]]
    if item.x and item.x.levels:
        said["x_level"] = [[[brief(name) for name in item.x.levels[:across]]] * down]
    if item.y and item.y.levels:
        said["y_level"] = [[[brief(name)] * across for name in item.y.levels[:down]]]
    return {PICTURE: [[_rounded(row, item.limit) for row in table]]} | place | said


@glyphs.register
def _(_item: Tip) -> list[Glyph]:
    return [LineGlyph(x="x", y="y", line_alpha=0.0)]  # of a line, and of nothing else, the nearest point is found


@columns.register
def _(item: Tip, panel: Panel) -> ColumnData:
    return {"x": _along_x(panel, item.x), "y": _along_y(panel, item.y)} | _looks(item)


def _color(color: Any) -> Any:
    return by_name("color") if isinstance(color, tuple) else color


def _shared(value: Any, name: str) -> Any:
    return name if isinstance(value, tuple) else value


def _dash(dash: Any) -> Any:
    return "dash" if isinstance(dash, tuple) else dash or "solid"


def _looks(item: Mark, **properties: Any) -> ColumnData:
    """Return the properties that are columns, and what is said of the items."""
    found: ColumnData = {name: list(value) for name, value in properties.items() if isinstance(value, tuple)}
    if "dash" in found:
        found["dash"] = [dash or "solid" for dash in found["dash"]]
    if item.tips is not None:
        found["tip"] = [tip_text(words) for words in item.tips]
    labels = getattr(item, "labels", None)
    if labels or (labels is not None and not getattr(item, "x", ())):
        # BokehJS looks for this column when a legend is made, which may be before the first labels are there.
        found["label"] = [brief(label) + GAP for label in labels]
    return found


def _along_x(panel: Panel, values: Numbers | Sequence[float]) -> list[float]:
    unit = UNITS[panel.x_time]
    return _rounded([value * unit for value in values], abs(panel.x[1] - panel.x[0]) * unit)


def _along_y(panel: Panel, values: Numbers | Sequence[float]) -> list[float]:
    unit = UNITS[panel.y_time]
    return _rounded([value * unit for value in values], abs(panel.y[1] - panel.y[0]) * unit)


def _rounded(values: Sequence[float], span: float) -> list[float]:
    """Round to what can be seen over a range."""
    decimals = math.ceil(math.log10(STEPS / span)) if span > 0 else 15
    return [round(value, decimals) + 0.0 for value in values]  # no negative zeros
