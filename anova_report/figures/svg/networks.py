"""Main effects as circles and pairs as lines between them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anova_report.figures.kinds import Edge, Network, Node
from anova_report.figures.style import SMALL, TEXT, size
from anova_report.figures.svg import legends
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.legends import Entry
from anova_report.figures.svg.slices import apart
from anova_report.measures.wording import percent, signed

RADII = (3.0, 24.0)  # of the smallest and the largest circle
WIDTHS = (0.75, 11.0)  # of the thinnest and the widest line
NAMES = 124.0  # pixels for names left and right of the circle
NAMED_EDGES = 3  # the largest pairs carry their number
LEGEND = 22.0


@dataclass(frozen=True)
class _Place:
    """Where a node is drawn, and how large."""

    x: float
    y: float
    radius: float


def draw(canvas: Canvas, data: Network) -> None:
    """Draw lines first, then circles, then words over both."""
    places = _places(data)
    _legend(canvas, data)
    edges = [edge for edge in data.edges if max(edge.first, edge.second) < len(places)]
    edges.sort(key=lambda edge: abs(edge.value))
    _edges(canvas, data, edges, places)
    _nodes(canvas, data, places)
    _edge_numbers(canvas, data, edges[-NAMED_EDGES:], places)
    _names(canvas, data, places)


def radius(value: float, largest: float) -> float:
    """Return the radius of a circle whose area grows with the size of a value."""
    share = math.sqrt(abs(value) / largest) if largest > 0 else 0.0
    return max(RADII[0], RADII[1] * share)


def _places(data: Network) -> list[_Place]:
    wide, high = size(data)
    middle = (high + LEGEND) / 2
    across, up = wide / 2 - NAMES, middle - LEGEND - 56
    largest = max((abs(node.value) for node in data.nodes), default=0.0)
    return [
        _Place(wide / 2 + across * _held(node.x), middle - up * _held(node.y), radius(node.value, largest))
        for node in data.nodes
    ]


def _held(value: float) -> float:
    return min(max(value, -1.0), 1.0)


def _colour(data: Network, value: float, unsigned: str) -> str:
    if not data.signed:
        return unsigned
    return "negative" if value < 0 else "positive"


def _text(data: Network, value: float) -> str:
    return signed(value) if data.signed else percent(value)


def _legend(canvas: Canvas, data: Network) -> None:
    entries: tuple[Entry, ...] = (Entry(f"{data.label}: circles main effects, lines pairs", "dot", "accent"),)
    if data.signed:
        entries = (
            Entry(f"raises the {_answer(data)}", "line", "positive"),
            Entry("lowers it", "line", "negative", "5 3"),
        )
    legends.draw(canvas, entries, 0, 0, size(data)[0])


def _answer(data: Network) -> str:
    """Return what a contribution goes to, if the label says so."""
    _, found, words = data.label.partition(" to the ")
    return words if found else "answer"


def _edges(canvas: Canvas, data: Network, edges: Sequence[Edge], places: Sequence[_Place]) -> None:
    largest = max((abs(edge.value) for edge in edges), default=0.0)
    group = canvas.group("edges", stroke_opacity=0.75, stroke_linecap="butt")
    for edge in edges:
        first, second = places[edge.first], places[edge.second]
        wide = max(WIDTHS[0], WIDTHS[1] * abs(edge.value) / largest) if largest > 0 else WIDTHS[0]
        dash = f"{6 + 1.5 * wide:.1f} {3 + wide / 2:.1f}" if data.signed and edge.value < 0 else None
        colour = _colour(data, edge.value, "unexplained")
        group.line(first.x, first.y, second.x, second.y, stroke=colour, stroke_width=wide, stroke_dasharray=dash)


def _nodes(canvas: Canvas, data: Network, places: Sequence[_Place]) -> None:
    group = canvas.group("nodes", stroke="surface", stroke_width=2)
    for node, place in zip(data.nodes, places, strict=True):
        group.circle(place.x, place.y, place.radius, fill=_colour(data, node.value, "accent"))


def _edge_numbers(canvas: Canvas, data: Network, edges: Sequence[Edge], places: Sequence[_Place]) -> None:
    """Write the numbers of pairs on their lines, where no circle and no other number is."""
    group = canvas.group("edge-numbers", halo=True, text_anchor="middle", font_size=SMALL)
    taken = list(places)
    for edge in sorted(edges, key=lambda edge: -abs(edge.value)):
        spot = _free(places[edge.first], places[edge.second], taken)
        if edge.value and spot is not None:
            taken.append(spot)
            group.text(spot.x, spot.y + 4, _text(data, edge.value))


def _free(first: _Place, second: _Place, taken: Sequence[_Place]) -> _Place | None:
    for share in (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74):
        spot = _Place(first.x + (second.x - first.x) * share, first.y + (second.y - first.y) * share, 18)
        if all(math.hypot(spot.x - other.x, spot.y - other.y) > spot.radius + other.radius for other in taken):
            return spot
    return None


def _names(canvas: Canvas, data: Network, places: Sequence[_Place]) -> None:
    """Write names outside the circle of nodes; on each side they are moved apart where they would touch."""
    high = size(data)[1]
    groups = canvas.group("names", halo=True), canvas.notes("numbers", halo=True)
    for side in ("start", "end", "middle"):
        chosen = [position for position, node in enumerate(data.nodes) if _side(node) == side]
        wanted = [_wanted(data.nodes[position], places[position]) for position in chosen]
        spots = wanted if side == "middle" else apart(wanted, LEGEND + 12, high - 18, TEXT + SMALL + 5)
        for position, spot in zip(chosen, spots, strict=True):
            _name(groups, data, position, places[position], spot)


def _side(node: Node) -> str:
    if abs(node.x) < 0.12:
        return "middle"
    return "start" if node.x > 0 else "end"


def _wanted(node: Node, place: _Place) -> float:
    """Return the height of a name: beside its circle, above or below it in the middle column."""
    if _side(node) != "middle":
        return place.y + 2
    return place.y - place.radius - 18 if node.y >= 0 else place.y + place.radius + 15


def _name(groups: tuple[Canvas, Canvas], data: Network, position: int, place: _Place, spot: float) -> None:
    node, wide = data.nodes[position], size(data)[0]
    side = _side(node)
    x = place.x + {"start": place.radius + 6, "end": -place.radius - 6, "middle": 0.0}[side]
    room = {"start": wide - x, "end": x, "middle": 1.6 * NAMES}[side]
    groups[0].text(x, spot, node.label, room=room, text_anchor=side)
    groups[1].text(x, spot + 13, _text(data, node.value), text_anchor=side)
