"""An empty live plot, what is put around its data, and what is said under the pointer."""

import math
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from bokeh.models import (
    BasicTicker,
    BasicTickFormatter,
    BoxZoomTool,
    ColumnDataSource,
    DatetimeTicker,
    DatetimeTickFormatter,
    FixedTicker,
    Grid,
    HoverTool,
    LinearAxis,
    LinearColorMapper,
    Model,
    NumeralTickFormatter,
    PanTool,
    Plot,
    Range1d,
    ResetTool,
    Ticker,
    TickFormatter,
    Toolbar,
    WheelZoomTool,
)
from bokeh.models.annotations import Legend, LegendItem, Title
from bokeh.models.renderers import GlyphRenderer

from anova_report.figures.live.colours import painted
from anova_report.figures.live.frame import Frame, Side
from anova_report.figures.live.words import LINES, plain
from anova_report.figures.style import FONT, SMALL, TEXT
from anova_report.figures.svg.axes import SLANT
from anova_report.figures.svg.text import shorten

Table: TypeAlias = dict[str, list[Any]]  # the columns of one source
Columns: TypeAlias = dict[str, Table]
Mark: TypeAlias = "GlyphRenderer[Any]"
Mode: TypeAlias = Literal["mouse", "vline"]
Sources: TypeAlias = dict[str, ColumnDataSource]

STRIP_RANGE = "strip"
LABELLED = {  # only the horizontal axis: the label of the other one stands above it
    "axis_label_standoff": 2,
    "axis_label_text_color": "fg",
    "axis_label_text_font": FONT,
    "axis_label_text_font_size": f"{TEXT}px",
    "axis_label_text_font_style": "normal",
}
SEPARATED = 10_000.0  # from here on thousands are separated
# Tools on the plot hide nothing behind them; all tools show only while the pointer is over the plot.
TOOLS = ":host(.bk-inner) { background: none; pointer-events: none } :host(.bk-inner) * { pointer-events: all }"
PICTURE = "image"  # a column of tables of numbers, which BokehJS wants as arrays


def new_plot(kind: str, *, listed: bool = False, headed: bool = False) -> Plot:
    """Make a plot without data that can be moved, zoomed and put back.

    Parameters
    ----------
    kind : str
    listed : bool
        Rows are read from the top, with their names at the left.
    headed : bool
        The horizontal axis stands above the data.
    """
    plot = Plot(
        name=kind,
        title=Title(name="title", visible=False),  # what stands around the plot says it
        toolbar=Toolbar(
            logo=None,
            autohide=True,
            active_scroll=None,  # the wheel scrolls the page until a person asks for it to zoom
            stylesheets=[TOOLS],
            tools=[PanTool(), BoxZoomTool(), WheelZoomTool(), ResetTool()],
        ),
        toolbar_inner=not listed,  # over a list they would hide its first row
        toolbar_location="right" if listed else "above",
        x_range=Range1d(),
        y_range=Range1d(),
        sizing_mode="stretch_width",
        background_fill_color=None,
        border_fill_color=None,
        outline_line_color=None,
    )
    bare = {"axis_line_color": None, "major_tick_line_color": None}
    across = _axis("x-axis", listed=headed, **LABELLED, **(bare if listed else {}))
    up = _axis("y-axis", listed=listed, **bare)
    plot.add_layout(across, "above" if headed else "below")
    plot.add_layout(up, "left")
    axis, dimension = (across, 0) if listed else (up, 1)
    plot.add_layout(painted(Grid, dimension=dimension, axis=axis, grid_line_color="grid", name="grid"))
    plot.add_layout(_label_above(listed), "above")
    return plot


_dressed: WeakKeyDictionary[Plot, Frame] = WeakKeyDictionary()  # what stands around each plot that is alive


def dress(plot: Plot, title: str, frame: Frame) -> None:
    """Give a plot new ranges, axes, labels and colours' ends; its models stay, but for ticks of another kind."""
    part(plot, "title").text = plain(title)
    if _dressed.get(plot) == frame:
        return  # half of the time of a change is spent on what stands around the data, and a zoom is kept
    _dressed[plot] = frame
    plot.update(**dict(zip(("width", "height"), frame.size, strict=True)))
    names = ("min_border_left", "min_border_top", "min_border_right", "min_border_bottom")
    plot.update(**{name: round(pixels) for name, pixels in zip(names, frame.borders, strict=True)})
    across, up, above, grid = (part(plot, name) for name in ("x-axis", "y-axis", "y-label", "grid"))
    for axis, span, side in ((across, plot.x_range, frame.x), (up, plot.y_range, frame.y)):
        span.update(start=side.start, end=side.end, reset_start=side.start, reset_end=side.end)
        _dress_axis(axis, side)
    across.axis_label = shorten(frame.x.label, frame.size[0] - frame.borders[0] - frame.borders[2], TEXT)
    above.update(text=_cut(frame.y.label, frame), offset=0 if above.align == "right" else -round(frame.borders[0]))
    grid.cross_bounds = (frame.y.low, frame.y.high) if grid.axis is across else (frame.x.low, frame.x.high)
    _dress_extras(plot, frame)


def part(plot: Plot, name: str) -> Any:
    """Return what stands around the data by its name; None if there is no such thing."""
    # Bokeh's own search walks through every property of every model, which is felt when a slider is moved.
    around = (plot.title, *plot.above, *plot.below, *plot.left, *plot.right, *plot.center, *plot.toolbar.tools)
    return next((model for model in around if isinstance(model, Model) and model.name == name), None)


def drawn_from(plot: Plot) -> list[ColumnDataSource]:
    """Return the sources of all marks of a plot."""
    marks = [renderer for renderer in plot.renderers if isinstance(renderer, GlyphRenderer)]
    return [mark.data_source for mark in marks if isinstance(mark.data_source, ColumnDataSource)]


def hide_grid(plot: Plot) -> None:
    """Take away grid lines, where cells or nodes stand for themselves."""
    part(plot, "grid").visible = False


def fill(source: ColumnDataSource, columns: Table) -> None:
    """Give a source new columns, all at once; columns that stay as they are would only be sent again for nothing."""
    pictures = {name: [np.array(table, np.float32) for table in columns[name]] for name in columns if name == PICTURE}
    data = columns | pictures
    if not _unchanged(source.data, data):
        source.data = data


def _unchanged(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    if old.keys() != new.keys() or any(len(old[name]) != len(new[name]) for name in new):
        return False
    return all(
        all(map(np.array_equal, old[name], new[name])) if name == PICTURE else old[name] == new[name] for name in new
    )


def hover(plot: Plot, *renderers: Mark, mode: Mode = "mouse", name: str | None = None) -> None:
    """Say what the column `tip` holds for the mark under the pointer, or what the frame has for this name."""
    said = list(LINES.rows)
    plot.add_tools(HoverTool(renderers=list(renderers), tooltips=said, mode=mode, name=name, visible=False))


def note_below(plot: Plot) -> None:
    """Make room for words below the plot; the frame has them."""
    plot.add_layout(_line("note", "left", "muted", SMALL, text_line_height=1.3), "below")


def legend(plot: Plot, *items: LegendItem, switches: bool = False) -> None:
    """Put words to marks above the plot, shown where the frame asks for it; a click on them may switch the marks."""
    words = painted(
        Legend,
        name="legend",
        items=list(items),
        click_policy="hide" if switches else "none",
        ncols=2 if switches else "auto",  # names of methods are long
        orientation="horizontal",
        label_text_font=FONT,
        label_text_font_size=f"{SMALL}px",
        label_text_color="muted",
        border_line_color=None,
        background_fill_color=None,
        inactive_fill_color="surface",  # a veil over names of what is hidden; bokeh's own is white on dark pages, too
        inactive_fill_alpha=0.7,
        padding=0,
        margin=0,
        spacing=12,
    )
    plot.add_layout(words, "above")


def _cut(words: str, frame: Frame, pixels: int = TEXT) -> str:
    return "\n".join(shorten(line, frame.size[0], pixels) for line in words.split("\n"))


def _dress_axis(axis: Any, side: Side) -> None:
    axis.bounds = (side.low, side.high)
    axis.major_label_orientation = math.radians(SLANT) if side.slanted else "horizontal"
    ticker, formatter = _ticks(side)
    for name, wanted in (("ticker", ticker), ("formatter", formatter)):
        if type(getattr(axis, name)) is not type(wanted):
            setattr(axis, name, wanted)
    if side.names is not None:
        axis.ticker.ticks = [position for position, _ in side.names]
    axis.major_label_overrides = dict(side.names or ())


def _ticks(side: Side) -> tuple[Ticker, TickFormatter]:
    if side.names is not None:
        return FixedTicker(), BasicTickFormatter()
    if side.time:
        return DatetimeTicker(), DatetimeTickFormatter(days="%e %b", months="%b %Y", hours="%H:%M")
    if side.percent:
        return BasicTicker(desired_num_ticks=5), NumeralTickFormatter(format="0.[0]%")
    large = max(abs(side.low), abs(side.high)) >= SEPARATED and side.high - side.low >= 10
    numbers = NumeralTickFormatter(format="0,0.[00]") if large else BasicTickFormatter()
    return BasicTicker(desired_num_ticks=5), numbers


def _dress_extras(plot: Plot, frame: Frame) -> None:
    left = round(frame.borders[0])
    for below in plot.extra_y_ranges.values():
        below.update(start=0.0, end=frame.strip, reset_start=0.0, reset_end=frame.strip)
    if words := part(plot, "note"):
        words.update(text=_cut(frame.note, frame, SMALL), offset=-left)
    if entries := part(plot, "legend"):
        entries.update(visible=frame.legend, location=(-left, 0))
    if frame.limits is not None:
        for shades in _scales(plot):
            shades.update(low=frame.limits[0], high=frame.limits[1])
    for name, said in frame.tips.items():
        part(plot, name).update(tooltips=list(said.rows), formatters=said.formatters)


def _scales(plot: Plot) -> list[LinearColorMapper]:
    """Return the scales of colours that marks use."""
    glyphs = [renderer.glyph for renderer in plot.renderers if isinstance(renderer, GlyphRenderer)]
    found = [getattr(glyph, "color_mapper", None) for glyph in glyphs]
    found += [getattr(getattr(glyph, "fill_color", None), "transform", None) for glyph in glyphs]
    return [shades for shades in found if isinstance(shades, LinearColorMapper)]


def _axis(name: str, *, listed: bool = False, **properties: Any) -> LinearAxis:
    standard = {"axis_line_color": "axis", "major_tick_line_color": "axis", "major_label_text_color": "muted"}
    names = {"major_label_text_color": "fg"} if listed else {}
    return painted(
        LinearAxis,
        name=name,
        **(standard | names | properties),
        ticker=BasicTicker(desired_num_ticks=5),
        formatter=BasicTickFormatter(),
        major_tick_out=4,
        minor_tick_line_color=None,
        major_tick_in=0,
        major_label_standoff=4,
        major_label_text_font=FONT,
        major_label_text_font_size=f"{TEXT if listed else SMALL}px",
    )


def _label_above(listed: bool) -> Title:
    """Make room for the label of the vertical axis, over its upper end; lists have a note at the right instead."""
    looks = ("right", "muted", SMALL) if listed else ("left", "fg", TEXT)
    return _line("y-label", *looks, standoff=11)


def _line(name: str, align: str, colour: str, pixels: int, **properties: Any) -> Title:
    looks = {"text_font": FONT, "text_font_size": f"{pixels}px", "text_font_style": "normal", "text_color": colour}
    return painted(Title, name=name, align=align, **looks, **properties)
