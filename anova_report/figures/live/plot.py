"""The live interpreter: a scene as a bokeh plot, and the next scene of the same form on the same plot."""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, Plot, Range1d
from bokeh.models.renderers import GlyphRenderer

from anova_report.figures.geometry import Panel
from anova_report.figures.live import surroundings
from anova_report.figures.live.glyphs import PICTURE, UNITS, ColumnData, columns, glyphs, is_drawn
from anova_report.figures.live.looks import change, heat_tip, plain, tooltips
from anova_report.figures.scene import Heat, Mark, ScaleBar, Scene, Text, Tip

UNDER_GRID, OVER_ALL = "image", "annotation"  # levels; what lies over all is not cut off at the frame
LEAST = (0.8, 480.0)  # of its width, and pixels: which of both is less
_shown: WeakKeyDictionary[Plot, Scene] = WeakKeyDictionary()  # what each plot that is alive shows


def build(scene: Scene, title: str) -> Plot:
    """Draw a scene as a live plot, as wide as its place and as high as the scene."""
    drawn = surroundings.static_parts(scene)
    plot = surroundings.new_plot(drawn)
    for position in range(1, len(drawn.panels)):
        plot.extra_x_ranges[f"x{position}"], plot.extra_y_ranges[f"y{position}"] = Range1d(), Range1d()
    for item in drawn.items:
        if isinstance(item, Mark) and is_drawn(item):
            _add(plot, item)
    if any(isinstance(item, ScaleBar) and item.flat for item in scene.items):
        plot.max_width = round(scene.size[0])  # a flat scale of colors has room for its words at this width only
    _add_tips(plot, drawn)
    surroundings.add(plot, drawn)
    update(plot, scene, title)
    return plot


def update(plot: Plot, scene: Scene, title: str) -> bool:
    """Show another scene of the same form: new columns, ranges and words in the models that are there.

    Returns
    -------
    bool
        False if the scene has another form than the plot, which then stays as it is.
    """
    before, drawn = _shown.get(plot), surroundings.static_parts(scene)
    if before is not None and before.form != drawn.form:
        return False
    marks = renderers_of(plot)
    shown = before.items if before is not None else (None,) * len(drawn.items)
    for item, old in zip(drawn.items, shown, strict=True):
        if before is not None and item == old and before.panels == drawn.panels:
            continue
        if isinstance(item, Mark) and is_drawn(item):
            fill(marks[item.name][0].data_source, columns(item, drawn.panels[item.panel]))
        if isinstance(item, Heat) and (tip := surroundings.part(plot, f"tip {item.name}")):
            change(tip, **heat_tip(item))
    surroundings.part(plot, "title").text = plain(title)
    if before is None or (before.panels, before.size) != (drawn.panels, drawn.size):
        _set_ranges(plot, drawn)
    surroundings.update(plot, drawn, before, marks)
    _shown[plot] = drawn
    return True


def renderers_of(plot: Plot) -> dict[str, list[Any]]:
    """Return the marks of a plot by the names of their primitives."""
    found: dict[str, list[Any]] = {}
    for renderer in plot.renderers:
        if isinstance(renderer, GlyphRenderer):
            found.setdefault(str(renderer.data_source.name), []).append(renderer)
    return found


def fill(source: ColumnDataSource, table: ColumnData) -> None:
    """Give a source new columns, all at once; columns that stay as they are would only be sent again for nothing."""
    pictures = {PICTURE: [np.array(grid, np.float32) for grid in table[PICTURE]]} if PICTURE in table else {}
    data = table | pictures
    if not _is_unchanged(source.data, data):
        source.data = data


def _is_unchanged(old: Any, new: ColumnData) -> bool:
    if old.keys() != new.keys() or any(len(old[name]) != len(new[name]) for name in new):
        return False
    pictures = zip(old.get(PICTURE, ()), new.get(PICTURE, ()), strict=True)
    return all(old[name] == new[name] for name in new if name != PICTURE) and all(
        np.array_equal(*pair, equal_nan=True) for pair in pictures
    )


def _add(plot: Plot, item: Mark) -> None:
    """Draw the glyphs of a primitive, all from one source."""
    source, level = ColumnDataSource(name=item.name), "glyph"
    if isinstance(item, Heat) or getattr(item, "under", False):
        level = UNDER_GRID
    elif isinstance(item, Text) and not item.inside:
        level = OVER_ALL
    for glyph in glyphs(item):
        renderer = plot.add_glyph(source, glyph, level=level)
        if item.panel:
            renderer.update(x_range_name=f"x{item.panel}", y_range_name=f"y{item.panel}")


def _add_tips(plot: Plot, scene: Scene) -> None:
    """Say what the column `tip` holds for the mark under the pointer."""
    marks = renderers_of(plot)
    items = [item for item in scene.items if isinstance(item, Mark) and item.name in marks]
    said = [marks[item.name][-1] for item in items if item.tips is not None and not isinstance(item, Tip)]
    if said:
        plot.add_tools(HoverTool(renderers=said, tooltips=tooltips("tip"), visible=False))
    for item in items:
        if isinstance(item, Tip):
            nearest: dict[str, Any] = {"renderers": marks[item.name], "tooltips": tooltips("tip"), "mode": "vline"}
            plot.add_tools(HoverTool(**nearest, visible=False))
        elif isinstance(item, Heat) and (item.said or item.x):
            plot.add_tools(HoverTool(renderers=marks[item.name], visible=False, name=f"tip {item.name}"))


def _set_ranges(plot: Plot, scene: Scene) -> None:
    """Give every panel ranges that reach over the frame of all panels, so that its values lie where they belong."""
    frame = scene.frame
    borders = (frame.left, frame.top, scene.size[0] - frame.right, scene.size[1] - frame.bottom)
    names = ("min_border_left", "min_border_top", "min_border_right", "min_border_bottom")
    # What cannot be zoomed keeps a legible size; in a narrower place it is moved.
    least = None if scene.zooms else plot.max_width or round(min(LEAST[0] * scene.size[0], LEAST[1]))
    around = {name: round(max(pixels, 0.0)) for name, pixels in zip(names, borders, strict=True)}
    change(plot, width=round(scene.size[0]), height=round(scene.size[1]), min_width=least, **around)
    for position, panel in enumerate(scene.panels):
        across = plot.extra_x_ranges[f"x{position}"] if position else plot.x_range
        up = plot.extra_y_ranges[f"y{position}"] if position else plot.y_range
        for span, (start, end) in zip((across, up), _reach(panel, scene), strict=True):
            change(span, start=start, end=end, reset_start=start, reset_end=end)


def _reach(panel: Panel, scene: Scene) -> tuple[Sequence[float], Sequence[float]]:
    frame, own = scene.frame, panel.frame
    left, right = panel.units_across(own.left - frame.left), panel.units_across(frame.right - own.right)
    below, above = panel.units_up(frame.bottom - own.bottom), panel.units_up(own.top - frame.top)
    x, y = (panel.x[0] - left, panel.x[1] + right), (panel.y[0] - below, panel.y[1] + above)
    return [value * UNITS[panel.x_time] for value in x], [value * UNITS[panel.y_time] for value in y]
