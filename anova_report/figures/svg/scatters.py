"""Rows as points, with the line on which both axes are equal."""

from anova_report.figures.kinds import Scatter
from anova_report.figures.style import SMALL, size
from anova_report.figures.svg import axes
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.paths import vertices
from anova_report.figures.svg.scales import Frame, horizontal, vertical
from anova_report.figures.svg.text import width

MANY = 300  # points; from here on they are smaller and fainter


def draw(canvas: Canvas, data: Scatter) -> None:
    """Draw points, darker where they are many."""
    wide, high = size(data)
    place = axes.frame(data.x, data.y, Frame(0, 0, wide - 8, high))
    note = _note(data)
    axes.draw_y(canvas, data.y, place, room=wide - 16 - width(note, SMALL))
    axes.draw_x(canvas, data.x, place, grid=True)
    canvas.note(wide, place.top - 11, note, text_anchor="end")
    window = canvas.group("data", clip_path=canvas.clip(place), fill="none")
    if data.identity:
        _identity(window, data, place)
    _points(window, data, place)
    _marked(canvas, data, place)


def _note(data: Scatter) -> str:
    rows = f"{len(data.at):,} of {data.n_rows:,} rows" if len(data.at) < data.n_rows else ""
    return " · ".join(filter(None, (rows, "dashed: both equal" if data.identity else "")))


def _identity(window: Canvas, data: Scatter, place: Frame) -> None:
    x, y = horizontal(data.x, place), vertical(data.y, place)
    low, high = min(data.x.low, data.y.low), max(data.x.high, data.y.high)
    window.line(x(low), y(low), x(high), y(high), "identity", stroke="axis", stroke_dasharray="4 3")


def _points(window: Canvas, data: Scatter, place: Frame) -> None:
    x, y = horizontal(data.x, place), vertical(data.y, place)
    points = [(x(at), y(value)) for at, value in zip(data.at, data.value, strict=False)]
    if points:
        radius, opacity = (2, 0.35) if len(points) > MANY else (2.5, 0.6)
        window.markers(vertices(points), radius, "accent", opacity)


def _marked(canvas: Canvas, data: Scatter, place: Frame) -> None:
    if data.marked is not None and data.marked < len(data.at):
        x = horizontal(data.x, place).inside(data.at[data.marked])
        y = vertical(data.y, place).inside(data.value[data.marked])
        canvas.circle(x, y, 5.5, "marked", fill="positive", stroke="surface", stroke_width=2)
