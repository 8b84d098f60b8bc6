"""What stands around the data of a live plot: axes, grids, labels, legends, scales of colors."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from bokeh.core.properties import field, value
from bokeh.models import (
    BasicTicker,
    BasicTickFormatter,
    BoxZoomTool,
    DatetimeTicker,
    DatetimeTickFormatter,
    FixedTicker,
    Grid,
    LinearAxis,
    Model,
    NumeralTickFormatter,
    PanTool,
    Plot,
    Range1d,
    ResetTool,
    Toolbar,
    WheelZoomTool,
)
from bokeh.models.annotations import ColorBar, Legend, LegendItem, Title
from bokeh.models.renderers import GlyphRenderer

from anova_report.figures import scene as scenes
from anova_report.figures.geometry import Panel
from anova_report.figures.layout import LEGEND_ROW, NAMES, SAMPLE, SLANT, SPACE, is_slanted, legend_rows, named_levels
from anova_report.figures.live.glyphs import UNITS
from anova_report.figures.live.looks import GAP, change, painted, plain
from anova_report.figures.scene import Dot, Heat, Line, Primitive, Rule, Ruler, ScaleBar, Scene, Text, unzip
from anova_report.figures.style import FONT, NOTE, SMALL, TEXT
from anova_report.figures.text import clean, shorten
from anova_report.figures.ticks import ticks, upright_ticks

Marks: TypeAlias = Mapping[str, Sequence["GlyphRenderer[Any]"]]
Made: TypeAlias = tuple[type[Model], dict[str, Any]]  # a model by its class and properties

SEPARATED = 10_000.0  # from here on thousands are separated
SLANTED = 84.0  # pixels of the longest level name at an angle
DIMENSIONS = {"x": "width", "xy": "both"}
# Tools on the plot hide nothing behind them; all tools show only while the pointer is over the plot.
TOOLS = ":host(.bk-inner) { background: none; pointer-events: none } :host(.bk-inner) * { pointer-events: all }"


def new_plot(scene: Scene) -> Plot:
    """Make a plot without data that can be moved, zoomed and put back where the scene can."""
    sides: Any = DIMENSIONS.get(scene.zooms, "both")
    zoom = [PanTool(dimensions=sides), BoxZoomTool(dimensions=sides), WheelZoomTool(dimensions=sides), ResetTool()]
    return Plot(
        name=scene.kind,
        title=Title(name="title", visible=False),  # what stands around the plot says it
        toolbar=Toolbar(
            logo=None,
            autohide=True,
            active_scroll=None,  # the wheel scrolls the page until a person asks for it to zoom
            stylesheets=[TOOLS],
            tools=[*zoom] if scene.zooms else [],
        ),
        toolbar_inner=bool(scene.zooms),  # over a list they would hide its first row
        toolbar_location="above" if scene.zooms else "right",
        x_range=Range1d(),
        y_range=Range1d(),
        sizing_mode="stretch_width",
        background_fill_color=None,
        border_fill_color=None,
        outline_line_color=None,
    )


def static_parts(scene: Scene) -> Scene:
    """Write with other primitives what bokeh has no model for: a second upright axis, a flat scale of colors, gaps."""
    panels, items = list(scene.panels), list[Primitive]()
    for position, item in enumerate(scene.items):
        if isinstance(item, Ruler) and item.side == "left" and item.panel:
            items += _upright(item, scene.panels[item.panel], f"axis-{position}")
        elif isinstance(item, ScaleBar) and item.flat:
            items += _flat(item, len(panels), f"bar-{position}")
            panels.append(Panel(item.frame, (0.0, 1.0), (0.0, 1.0)))
        else:
            items.append(item)
            if isinstance(item, Heat):
                items.append(_gaps(item, scene.panels[item.panel]))
    return replace(scene, panels=tuple(panels), items=tuple(items))


def add(plot: Plot, scene: Scene) -> None:
    """Make axes, grids, labels, legends and scales of colors; `update` fills them."""
    for position, item in enumerate(scene.items):
        name = f"{type(item).__name__} {position}"
        if isinstance(item, Ruler):
            _add_ruler(plot, item, name)
        elif isinstance(item, scenes.Legend):
            is_below = item.top > scene.frame.bottom
            has_axis = any(isinstance(other, Ruler) and other.side == "below" for other in scene.items)
            margin = 0 if has_axis or not is_below else 8  # an axis below keeps its own distance
            plot.add_layout(_legend(name, item.switches, margin), "below" if is_below else "above")
        elif isinstance(item, ScaleBar):
            plot.add_layout(_color_bar(plot, item, name), "right")


def update(plot: Plot, scene: Scene, before: Scene | None, marks: Marks) -> None:
    """Give them ticks, words and colors' ends; what has not changed is left alone, and a zoom is kept."""
    old = before.items if before else (None,) * len(scene.items)
    for position, (item, shown) in enumerate(zip(scene.items, old, strict=True)):
        name = f"{type(item).__name__} {position}"
        if isinstance(item, Heat):
            low = -item.limit if item.coloring == "diverging" else 0.0
            mapper = marks[item.name][0].glyph.color_mapper
            change(mapper, low=low if item.limit else -1.0, high=item.limit or 1.0)
        elif isinstance(item, Ruler) and (item != shown or before is None or before.panels != scene.panels):
            _fill_ruler(plot, item, scene, name)
        elif isinstance(item, scenes.Legend) and item != shown:
            ncols = max(map(len, legend_rows(item.entries, item.room)), default=1)
            _fill_legend(part(plot, name), _legend_items(item, scene, marks))
            change(part(plot, name), location=(-round(scene.frame.left), 0), ncols=ncols)
        elif isinstance(item, ScaleBar):
            _label_ends(part(plot, name), item.texts)


def part(plot: Plot, name: str) -> Any:
    """Return what stands around the data by its name; None if there is no such thing."""
    # Bokeh's own search walks through every property of every model, which is felt when a slider is moved.
    around = (plot.title, *plot.above, *plot.below, *plot.left, *plot.right, *plot.center, *plot.toolbar.tools)
    return next((model for model in around if isinstance(model, Model) and model.name == name), None)


def _add_ruler(plot: Plot, item: Ruler, name: str) -> None:
    is_across = item.side == "below"
    names = {"axis_line_color": None, "major_tick_line_color": None} if item.grid or not is_across else {}
    axis = _axis(name, **names)
    if is_across and item.panel:
        axis.x_range_name = f"x{item.panel}"
    plot.add_layout(axis, item.side)
    if item.grid:
        grid = painted(Grid, dimension=1 - is_across, axis=axis, grid_line_color="grid", name=f"{name} grid")
        plot.add_layout(grid)
    if not is_across:
        plot.add_layout(_line(f"{name} label", "left", "fg", TEXT, standoff=11), "above")


def _axis(name: str, **properties: Any) -> LinearAxis:
    looks = {"axis_line_color": "axis", "major_tick_line_color": "axis", "major_label_text_color": "muted"}
    return painted(
        LinearAxis,
        name=name,
        **(looks | properties),
        ticker=BasicTicker(desired_num_ticks=5),
        formatter=BasicTickFormatter(),
        major_tick_out=4,
        minor_tick_line_color=None,
        major_tick_in=0,
        major_label_standoff=4,
        major_label_text_font=FONT,
        major_label_text_font_size=f"{SMALL}px",
        axis_label_standoff=2,
        axis_label_text_color="fg",
        axis_label_text_font=FONT,
        axis_label_text_font_size=f"{TEXT}px",
        axis_label_text_font_style="normal",
    )


def _fill_ruler(plot: Plot, item: Ruler, scene: Scene, name: str) -> None:
    axis, panel, model = item.axis, scene.panels[item.panel], part(plot, name)
    is_across = item.side == "below"
    low, high = (end * UNITS[axis.time] for end in axis.span)
    slanted = is_across and is_slanted(axis, panel.frame)
    turn = math.radians(SLANT) if slanted else "horizontal"
    names = _names(item, panel, slanted) if axis.levels or axis.log or not scene.zooms else None
    for attribute, (kind, looks) in zip(("ticker", "formatter"), _ticks(item, named=names is not None), strict=True):
        if type(getattr(model, attribute)) is not kind:
            setattr(model, attribute, kind(**looks))
    if names is not None:
        model.ticker.ticks = [position for position, _ in names]
    change(model, bounds=(low, high), major_label_orientation=turn, major_label_overrides=dict(names or ()))
    if is_across:
        change(model, axis_label=plain(shorten(clean(axis.label), item.room or scene.size[0], TEXT)))
    else:
        words = plain(shorten(clean(axis.label), item.room or panel.frame.right - item.label_dx, TEXT))
        change(part(plot, f"{name} label"), text=words, offset=round(item.label_dx - scene.frame.left))
    if item.grid:
        ends = panel.y if is_across else panel.x
        unit = UNITS[panel.y_time if is_across else panel.x_time]
        change(part(plot, f"{name} grid"), cross_bounds=(min(ends) * unit, max(ends) * unit))


def _names(item: Ruler, panel: Panel, slanted: bool) -> list[tuple[float, str]]:
    """Return the ticks that have a text of their own: names of levels, or numbers where nothing can be zoomed."""
    axis, is_across = item.axis, item.side == "below"
    if not axis.levels:
        length = panel.frame.width if is_across else panel.frame.height
        looks: Any = {"percent": item.percent}
        found = ticks(axis, length, **looks, most=item.most) if is_across else upright_ticks(axis, length, **looks)
        return [(tick.at * UNITS[axis.time], tick.text) for tick in found]
    each = abs(panel.across(1) - panel.across(0)) if is_across else abs(panel.down(1) - panel.down(0))
    room = SLANTED if slanted else each - 4 if is_across else NAMES
    return [(at, plain(shorten(clean(name), room, SMALL))) for at, name in named_levels(axis, each)]


def _ticks(item: Ruler, *, named: bool) -> tuple[Made, Made]:
    low, high = item.axis.span
    if named:
        return (FixedTicker, {}), (BasicTickFormatter, {})
    if item.axis.time:
        return (DatetimeTicker, {}), (DatetimeTickFormatter, {"days": "%e %b", "months": "%b %Y", "hours": "%H:%M"})
    numbers = BasicTicker, {"desired_num_ticks": 5}
    if item.percent:
        return numbers, (NumeralTickFormatter, {"format": "0.[0]%"})
    large = max(abs(low), abs(high)) >= SEPARATED and high - low >= 10
    return numbers, (NumeralTickFormatter, {"format": "0,0.[00]"}) if large else (BasicTickFormatter, {})


def _legend(name: str, switches: bool, margin: int) -> Legend:
    return painted(
        Legend,
        name=name,
        click_policy="hide" if switches else "none",
        orientation="horizontal",
        label_text_font=FONT,
        label_text_font_size=f"{SMALL}px",
        label_text_color="muted",
        border_line_color=None,
        background_fill_color=None,
        inactive_fill_color="surface",  # a veil over names of what is hidden; bokeh's own is white on dark pages, too
        inactive_fill_alpha=0.7,
        padding=0,
        margin=margin,
        spacing=2,  # between rows as between entries; words have room of their own behind them
        glyph_width=round(SAMPLE),
        glyph_height=round(LEGEND_ROW) - 2,
    )


def _legend_items(legend: scenes.Legend, scene: Scene, marks: Marks) -> list[LegendItem]:
    """Return one item for each entry, or one for all entries of marks that carry labels of their own."""
    labelled = {item.name for item in scene.items if isinstance(item, Line | Dot) and item.labels}
    found: dict[tuple[str, ...], LegendItem] = {}
    for entry in legend.entries:
        words = shorten(clean(entry.words), legend.room - SAMPLE - SPACE, SMALL)
        renderers = [renderer for name in entry.marks for renderer in marks.get(name, ())[-1:]]
        is_field = len(entry.marks) == 1 and entry.marks[0] in labelled
        key = entry.marks if is_field else (*entry.marks, entry.words)
        label: Any = field("label") if is_field else value(plain(words) + GAP)
        if renderers and key not in found:
            found[key] = LegendItem(label=label, renderers=renderers)
    return list(found.values())


def _fill_legend(legend: Any, wanted: list[LegendItem]) -> None:
    """Show these items; those of the same marks are named anew, and those that are not wanted are hidden.

    A model that is new in a document makes bokeh walk through all others, which is felt when another pair is chosen.
    """
    known = {tuple(own.renderers): own for own in legend.items}
    shown = [known.pop(tuple(own.renderers), own) for own in wanted]
    for held, own in zip(shown, wanted, strict=True):
        change(held, label=own.label, visible=True)
    for left in known.values():
        change(left, visible=False)
    if [held for held in legend.items if held.visible] != shown:
        legend.items = [*shown, *known.values()]
    change(legend, visible=bool(wanted))


def drop_hidden_entries(plot: Plot) -> None:
    """Forget what legends only keep for another scene, which means nothing where a plot is written."""
    legends: list[Any] = [model for model in (*plot.above, *plot.below) if isinstance(model, Legend)]
    for legend in legends:
        legend.items = [own for own in legend.items if own.visible]


def _color_bar(plot: Plot, item: ScaleBar, name: str) -> ColorBar:
    marks = [found for found in plot.renderers if isinstance(found, GlyphRenderer)]
    cells: Any = next(found for found in marks if found.data_source.name == item.heat)
    return painted(
        ColorBar,
        name=name,
        color_mapper=cells.glyph.color_mapper,
        width=round(item.frame.width),
        height=round(item.frame.height),
        location="top_left",
        ticker=FixedTicker(),
        bar_line_color=None,
        background_fill_color=None,
        major_tick_line_color=None,
        major_label_text_color="muted",
        major_label_text_font=FONT,
        major_label_text_font_size=f"{SMALL}px",
        label_standoff=5,
        padding=6,
    )


def _label_ends(bar: Any, texts: Sequence[str]) -> None:
    """Write texts, given from the high end on, beside the colors at equal steps."""
    low, high = bar.color_mapper.low, bar.color_mapper.high
    # From the low end on: BokehJS drops a label that comes after a higher one.
    at = [low + (high - low) * position / max(len(texts) - 1, 1) for position in range(len(texts))]
    words = {place: plain(text) for place, text in zip(at, reversed(texts), strict=True)}
    change(bar.ticker, ticks=at)
    change(bar, major_label_overrides=words)


def _line(name: str, align: str, color: str, pixels: int, **properties: Any) -> Title:
    looks = {"text_font": FONT, "text_font_size": f"{pixels}px", "text_font_style": "normal", "text_color": color}
    return painted(Title, name=name, align=align, **looks, **properties)


def _upright(item: Ruler, panel: Panel, name: str) -> list[Primitive]:
    found = upright_ticks(item.axis, panel.frame.height)
    at, texts = unzip([(tick.at, tick.text) for tick in found], 2)
    label: dict[str, Any] = {
        "dx": (item.label_dx - panel.frame.left,),  # a column, as it may change
        "dy": -15.0,
        "room": item.room or panel.frame.right - item.label_dx,
    }
    return [
        Rule(f"{name}-grid", panel.x[0], at, panel.x[1], at, "grid", panel=item.panel),
        Text(f"{name}-ticks", panel.x[0], at, texts, panel=item.panel, anchor="end", dx=-7.0, **NOTE),
        Text(f"{name}-label", panel.x[0], panel.y[1], (item.axis.label,), panel=item.panel, **label),
    ]


def _flat(item: ScaleBar, panel: int, name: str) -> list[Primitive]:
    low = -1.0 if item.coloring == "diverging" else 0.0
    colors = tuple(low + (1 - low) * position / 64 for position in range(65))
    return [
        Heat(name, (colors,), item.coloring, 1.0, panel=panel),
        Text(f"{name}-low", 0.0, 0.5, item.texts[:1], panel=panel, dx=-6.0, anchor="end", **NOTE),
        Text(f"{name}-high", 1.0, 0.5, item.texts[-1:], panel=panel, dx=6.0, **NOTE),
    ]


def _gaps(item: Heat, panel: Panel) -> Rule:
    """Return the thin gaps between cells."""
    (left, right), (bottom, top), (columns, rows) = panel.x, panel.y, item.gaps if item.value else (1, 1)
    across = [left + (right - left) * position / columns for position in range(1, columns)]
    up = [bottom + (top - bottom) * position / rows for position in range(1, rows)]
    x0, x1 = (*across, *([left] * len(up))), (*across, *([right] * len(up)))
    y0, y1 = (*([bottom] * len(across)), *up), (*([top] * len(across)), *up)
    return Rule(f"{item.name}-gaps", x0, y0, x1, y1, "surface", panel=item.panel, width=1.5)
