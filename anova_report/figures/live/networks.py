"""Main effects as circles and pairs as lines between them, live; twin of `svg.networks`."""

from collections.abc import Sequence

from bokeh.models import Plot, Scatter

from anova_report.figures.kinds import Edge, Network
from anova_report.figures.live import marks
from anova_report.figures.live.colours import by_name, painted
from anova_report.figures.live.frame import Frame, Side
from anova_report.figures.live.stage import Columns, Sources, Table, hide_grid, hover, part
from anova_report.figures.live.words import brief, lines, plain
from anova_report.figures.style import SMALL, TEXT, size
from anova_report.figures.svg.networks import LEGEND, NAMED_EDGES, NAMES, WIDTHS, radius
from anova_report.figures.svg.slices import apart
from anova_report.figures.svg.text import clean, shorten
from anova_report.measures.wording import percent, signed

ABOVE = 56.0  # pixels between the highest node and the legend
COLOURS = ("accent", "unexplained", "positive", "negative")
MIDDLE = 0.12  # names of nodes so near the middle stand above or below them


def columns(data: Network) -> Columns:
    """Return the columns of a network."""
    edges = sorted(data.edges, key=lambda edge: abs(edge.value))
    return {
        "edges": _edges(data, edges),
        "nodes": _nodes(data),
        "numbers": _numbers(data, edges),
        "names": _names(data),
    }


def frame(data: Network) -> Frame:
    """Return what stands around a network: as much room beside it as names need."""
    wide, high = size(data)
    across, up = _pixels(data)
    x, y = wide / 2 / across, (high - LEGEND) / 2 / up
    meaning = "orange raises it, blue (dashed) lowers it" if data.signed else "circles main effects, lines pairs"
    said = f"{data.label}: {meaning}"
    label = plain(shorten(clean(said), wide, TEXT))
    return Frame(
        Side("", -x, x, -x, x, ()), Side(label, -y, y, -y, y, ()), size=(wide, high), borders=(0.0, LEGEND, 0.0, 0.0)
    )


def draw(plot: Plot, sources: Sources) -> None:
    """Draw the marks of a network."""
    hide_grid(plot)
    for name in ("x-axis", "y-axis"):
        part(plot, name).visible = False
    colour = by_name("colour", COLOURS)
    looks = {"line_width": "width", "line_dash": "dash", "line_alpha": 0.75}
    edges = marks.strokes(plot, sources["edges"], line_color=colour, **looks)
    node = painted(Scatter, size="size", fill_color=colour, line_color="surface", line_width=2)
    nodes = plot.add_glyph(sources["nodes"], node)
    backed = {"background_fill_color": "surface", "background_fill_alpha": 0.8, "padding": 1}
    marks.texts(plot, sources["numbers"], text_align="center", text_color="fg", **backed)
    place = {"x_offset": "aside", "text_align": "align", "text_baseline": "alphabetic"}
    marks.texts(plot, sources["names"], y_offset="down", text_color="fg", text_font_size=f"{TEXT}px", **place)
    marks.texts(plot, sources["names"], text="number", y_offset="further", **place)
    hover(plot, edges, nodes)


def _pixels(data: Network) -> tuple[float, float]:
    """Return how many pixels one unit across and one unit up are."""
    wide, high = size(data)
    return wide / 2 - NAMES, (high - LEGEND) / 2 - ABOVE


def _held(value: float) -> float:
    return round(min(max(value, -1.0), 1.0), 4)


def _colour(data: Network, value: float, unsigned: str) -> str:
    if not data.signed:
        return unsigned
    return "negative" if value < 0 else "positive"


def _text(data: Network, value: float) -> str:
    return signed(value) if data.signed else percent(value)


def _edges(data: Network, edges: Sequence[Edge]) -> Table:
    largest = max((abs(edge.value) for edge in edges), default=0.0) or 1.0
    ends = [(data.nodes[edge.first], data.nodes[edge.second]) for edge in edges]
    widths = [round(max(WIDTHS[0], WIDTHS[1] * abs(edge.value) / largest), 2) for edge in edges]
    return {
        "x0": [_held(first.x) for first, _ in ends],
        "y0": [_held(first.y) for first, _ in ends],
        "x1": [_held(second.x) for _, second in ends],
        "y1": [_held(second.y) for _, second in ends],
        "width": widths,
        "colour": [_colour(data, edge.value, "unexplained") for edge in edges],
        "dash": [_dash(data, edge, width) for edge, width in zip(edges, widths, strict=True)],
        "tip": [
            lines(f"{brief(first.label)} × {brief(second.label)}", _text(data, edge.value))
            for (first, second), edge in zip(ends, edges, strict=True)
        ],
    }


def _dash(data: Network, edge: Edge, width: float) -> list[int]:
    """Return dashes of what lowers the answer, which can be told from gaps however wide the line is."""
    return [round(6 + 1.5 * width), round(4 + 0.5 * width)] if data.signed and edge.value < 0 else []


def _radii(data: Network) -> list[float]:
    largest = max((abs(node.value) for node in data.nodes), default=0.0)
    return [radius(node.value, largest) for node in data.nodes]


def _nodes(data: Network) -> Table:
    return {
        "x": [_held(node.x) for node in data.nodes],
        "y": [_held(node.y) for node in data.nodes],
        "size": [round(2 * found, 1) for found in _radii(data)],
        "colour": [_colour(data, node.value, "accent") for node in data.nodes],
        "tip": [lines(brief(node.label), _text(data, node.value)) for node in data.nodes],
    }


def _numbers(data: Network, edges: Sequence[Edge]) -> Table:
    """Return the numbers of the largest pairs, on the middles of their lines."""
    chosen = [edge for edge in edges[-NAMED_EDGES:] if edge.value]
    ends = [(data.nodes[edge.first], data.nodes[edge.second]) for edge in chosen]
    return {
        "x": [(_held(first.x) + _held(second.x)) / 2 for first, second in ends],
        "y": [(_held(first.y) + _held(second.y)) / 2 for first, second in ends],
        "text": [_text(data, edge.value) for edge in chosen],
    }


def _names(data: Network) -> Table:
    """Return the names beside the nodes, on each side moved apart where they would touch."""
    spots = _spots(data)
    turn = {"left": 1, "right": -1, "center": 0}
    aside = [turn[_align(node.x)] * (found + 6) for node, found in zip(data.nodes, _radii(data), strict=True)]
    return {
        "x": [_held(node.x) for node in data.nodes],
        "y": [_held(node.y) for node in data.nodes],
        "text": [plain(shorten(clean(node.label), _room(node.x), TEXT)) for node in data.nodes],
        "number": [_text(data, node.value) for node in data.nodes],
        "align": [_align(node.x) for node in data.nodes],
        "aside": [round(pixels, 1) for pixels in aside],
        "down": [round(spot, 1) for spot in spots],
        "further": [round(spot + SMALL + 2, 1) for spot in spots],
    }


def _room(x: float) -> float:
    return 1.6 * NAMES if _align(x) == "center" else NAMES - 8


def _align(x: float) -> str:
    if abs(x) < MIDDLE:
        return "center"
    return "left" if x > 0 else "right"


def _spots(data: Network) -> list[float]:
    """Return how far below the middle of its node each name stands, in pixels."""
    high, up = size(data)[1] - LEGEND, _pixels(data)[1]
    middles = [high / 2 - up * _held(node.y) for node in data.nodes]
    found = [-size_ - 18 if node.y >= 0 else size_ + 15 for node, size_ in zip(data.nodes, _radii(data), strict=True)]
    for side in ("left", "right"):
        chosen = [position for position, node in enumerate(data.nodes) if _align(node.x) == side]
        wanted = [middles[position] + 2 for position in chosen]
        for position, spot in zip(chosen, apart(wanted, 12, high - 18, TEXT + SMALL + 5), strict=True):
            found[position] = spot - middles[position]
    return found
