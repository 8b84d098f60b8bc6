"""Networks: main effects as circles, pairs as lines between them, for all rows or for one."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anova_report.core.input.scales import scale_of
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import TIMES, Term
from anova_report.figures.axes import rounded
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Frame, Numbers, Panel
from anova_report.figures.layout import apart
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Anchor, Dot, Entry, Legend, Line, Primitive, Rule, Scene, Text, unzip
from anova_report.figures.shares import largest_features, linked_features
from anova_report.figures.style import NOTE, SMALL, TEXT
from anova_report.measures.claims import Claim
from anova_report.measures.sentences.names import Names, prediction_name
from anova_report.measures.sentences.shares import network_words
from anova_report.measures.variance import variance_shares
from anova_report.measures.wording import factor, percent, signed

MOST_NODES = 14
MOST_EDGES = 16
NAMED = 3
WIDE, HIGH = 560.0, 460.0
RADII = (3.0, 24.0)  # of the smallest and the largest circle
WIDTHS = (0.75, 11.0)  # of the thinnest and the widest line
LEGEND, ABOVE = 22.0, 56.0  # pixels of the legend, and between it and the highest node
NAMES = 154.0  # pixels for names left and right of the circle
EDGE = 30.0  # of these, pixels that shrink with a narrow plot; the rest keeps names inside
NAMED_EDGES = 3  # the largest pairs carry their number
NUMBER = 18.0  # pixels around the middle of such a number
MIDDLE = 0.12  # names of nodes so near the middle stand above or below them
LOWERING = "5 3"  # dashes of a sample


@dataclass(frozen=True)
class Node:
    """A feature in a network: where it stands, in [−1, 1]², its main effect, and which it is (−1: not known)."""

    label: str
    x: float
    y: float
    value: float
    feature: int = -1


@dataclass(frozen=True)
class Edge:
    """A pair in a network: positions of its nodes, and its value."""

    first: int
    second: int
    value: float


@dataclass(frozen=True)
class _Circle:
    """Where something round is drawn, in pixels."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class Network:
    """Main effects as nodes and pairs as edges."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    # whether values are contributions to one prediction, whose sign is shown; otherwise shares of the variance
    signed: bool
    label: str  # what a value is
    target: str = ""  # what contributions are made to; empty for the prediction
    factors: bool = False  # whether contributions are logarithms of factors

    def scene(self) -> Scene:
        """Lay out lines first, then circles, then words over both."""
        panel = Panel.of_pixels(Frame(NAMES - EDGE, LEGEND, WIDE - NAMES + EDGE, HIGH))
        circles = self._circles()
        edges = [edge for edge in self.edges if max(edge.first, edge.second) < len(circles)]
        edges.sort(key=lambda edge: abs(edge.value))
        x, y, radius = unzip([(circle.x, circle.y, circle.radius) for circle in circles], 3)
        color = tuple(self._color(node.value, "accent") for node in self.nodes)
        tips = tuple(f"{node.label}\n{self._text(node.value)}" for node in self.nodes)
        keys = tuple((node.feature,) for node in self.nodes) if self._is_identified else ()
        items = (
            self._lines(edges, circles),
            Dot("nodes", x, y, color, radius=radius, tips=tips, keys=keys),
            self._edge_numbers(edges[-NAMED_EDGES:], circles),
            *self._names(circles),
            *self._legend(),
        )
        return Scene("network", (WIDE, HIGH), (panel,), items)

    @property
    def _is_identified(self) -> bool:
        return all(node.feature >= 0 for node in self.nodes)

    def _circles(self) -> list[_Circle]:
        """Return the nodes in pixels; the area of a circle grows with the size of its value."""
        middle, largest = (HIGH + LEGEND) / 2, max((abs(node.value) for node in self.nodes), default=0.0)
        across, up = WIDE / 2 - NAMES, middle - LEGEND - ABOVE
        shares = [math.sqrt(abs(node.value) / largest) if largest > 0 else 0.0 for node in self.nodes]
        return [
            _Circle(WIDE / 2 + across * _held(node.x), middle - up * _held(node.y), max(RADII[0], RADII[1] * share))
            for node, share in zip(self.nodes, shares, strict=True)
        ]

    def _color(self, value: float, unsigned: str) -> str:
        if not self.signed:
            return unsigned
        return "negative" if value < 0 else "positive"

    def _text(self, value: float) -> str:
        return (factor(value) if self.factors else signed(value)) if self.signed else percent(value)

    def _lines(self, edges: Sequence[Edge], circles: Sequence[_Circle]) -> Rule:
        """Draw pairs, the widest on top; what lowers the prediction has dashes that can be seen at any width."""
        largest = max((abs(edge.value) for edge in edges), default=0.0) or 1.0
        widths = tuple(max(WIDTHS[0], WIDTHS[1] * abs(edge.value) / largest) for edge in edges)
        dashes = tuple(
            f"{6 + 1.5 * wide:.0f} {4 + 0.5 * wide:.0f}" if self.signed and edge.value < 0 else ""
            for edge, wide in zip(edges, widths, strict=True)
        )
        joined = [(circles[edge.first], circles[edge.second]) for edge in edges]
        x0, y0, x1, y1 = unzip([(first.x, first.y, second.x, second.y) for first, second in joined], 4)
        nodes = [(self.nodes[edge.first], self.nodes[edge.second]) for edge in edges]
        tips = tuple(
            f"{TIMES.join((first.label, second.label))}\n{self._text(edge.value)}"
            for (first, second), edge in zip(nodes, edges, strict=True)
        )
        pairs = (sorted((first.feature, second.feature)) for first, second in nodes)
        keys = tuple(map(tuple, pairs)) if self._is_identified else ()
        color = tuple(self._color(edge.value, "unexplained") for edge in edges)
        return Rule("edges", x0, y0, x1, y1, color, width=widths, dash=dashes, opacity=0.75, tips=tips, keys=keys)

    def _edge_numbers(self, edges: Sequence[Edge], circles: Sequence[_Circle]) -> Text:
        """Write the numbers of pairs on their lines, where no circle and no other number is."""
        taken, found = list(circles), list[tuple[float, float, str]]()
        for edge in reversed(edges):
            spot = _free(circles[edge.first], circles[edge.second], taken)
            if edge.value and spot is not None:
                taken.append(spot)
                found.append((spot.x, spot.y, self._text(edge.value)))
        return Text("edge-numbers", *unzip(found, 3), anchor="middle", size=SMALL, rimmed=True)

    def _names(self, circles: Sequence[_Circle]) -> tuple[Primitive, ...]:
        """Write names outside the ring of nodes; on each side they are moved apart where they would touch."""
        anchors = tuple(_anchor(node.x) for node in self.nodes)
        heights = [
            circle.y - circle.radius - 22 if node.y >= 0 else circle.y + circle.radius + 11
            for node, circle in zip(self.nodes, circles, strict=True)
        ]
        for side in ("start", "end"):
            chosen = [position for position, anchor in enumerate(anchors) if anchor == side]
            wanted = [circles[position].y - 2 for position in chosen]
            for position, height in zip(chosen, apart(wanted, LEGEND + 8, HIGH - 22, TEXT + SMALL + 5), strict=True):
                heights[position] = height
        away = {"start": 1, "middle": 0, "end": -1}
        aside = tuple(away[anchor] * (circle.radius + 6) for anchor, circle in zip(anchors, circles, strict=True))
        # A circle inside the ring has more room beside it, of which a narrower live plot keeps two thirds.
        inside = [(WIDE / 2 - NAMES - abs(circle.x - WIDE / 2)) * 2 / 3 for circle in circles]
        rooms = tuple(
            NAMES + more - abs(pixels) - 14 if pixels else 1.6 * NAMES
            for pixels, more in zip(aside, inside, strict=True)
        )
        labels = tuple(node.label for node in self.nodes)
        numbers = tuple(self._text(node.value) for node in self.nodes)
        x, y = tuple(circle.x for circle in circles), tuple(heights)
        return (
            Text("names", x, y, labels, dx=aside, anchor=anchors, room=rooms, rimmed=True),
            Text("numbers", x, y, numbers, dx=aside, dy=13.0, anchor=anchors, rimmed=True, **NOTE),
        )

    def _legend(self) -> tuple[Primitive, ...]:
        """Say what circles, lines and signs mean; signs have samples of their own, lines without points."""
        entries: tuple[Entry, ...] = (
            Entry(f"{self.label}: circles main effects, lines pairs", "dot", "accent", marks=("nodes",)),
        )
        if self.signed:
            entries = (
                Entry(f"raises the {self.target or 'prediction'}", "line", "positive", marks=("raises",)),
                Entry("lowers it", "line", "negative", LOWERING, marks=("lowers",)),
            )
        return (
            Line("raises", ((),), ((),), "positive"),
            Line("lowers", ((),), ((),), "negative", dash=LOWERING),
            Legend(entries, room=WIDE),
        )


def _held(value: float) -> float:
    return min(max(value, -1.0), 1.0)


def _anchor(x: float) -> Anchor:
    if abs(x) < MIDDLE:
        return "middle"
    return "start" if x > 0 else "end"


def _free(first: _Circle, second: _Circle, taken: Sequence[_Circle]) -> _Circle | None:
    """Find a place on a line, near its middle, that is clear of what is there."""
    for share in (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74):
        spot = _Circle(first.x + (second.x - first.x) * share, first.y + (second.y - first.y) * share, NUMBER)
        if all(math.hypot(spot.x - other.x, spot.y - other.y) > NUMBER + other.radius for other in taken):
            return spot
    return None


def network_figure(
    dec: Decomposition, output: str | int = 0, *, top: int = MOST_NODES, key: str | None = None
) -> Figure:
    """Draw main effects as nodes and pairs as edges, as large as their structural shares."""
    chosen = dec.output_index(output)
    values = _structural(dec, chosen)
    features = linked_features(largest_features(dec, chosen), values, top, n_linked=top // 2)
    order = _circle(features, values)
    data = _network(dec, order, values, signed=False, label="structural share of the variance")
    items, names = _items(data, values), Names.of(dec, chosen)
    claims = [
        Claim("structural share", {"share": value}, (term,), output=chosen) for term, value in _named(items, values)
    ]
    words = tuple((names.term(term), percent(value)) for term, value in items)
    return _figure(key or f"o{chosen}-network", "Main effects and pairs", data, words, claims, names)


def local_network(
    rows: Rows, row: int, output: str | int = 0, *, top: int = MOST_NODES, key: str | None = None
) -> Figure:
    """Draw what main effects and pairs contribute to the prediction of one row.

    Features stand in the order of `network_figure`, so that rows can be compared.
    """
    chosen = rows.dec.output_index(output)
    found = rows.explanation(row, chosen)
    values = {item.term: item.value for item in found.contributions}
    features = linked_features(_moved(values, len(rows.dec.features)), values, top, n_linked=top // 2)
    order = _circle(features, _structural(rows.dec, chosen))
    target = prediction_name(rows.dec, chosen)
    data = _network(rows.dec, order, values, signed=True, label=f"contribution to the {target}", target=target)
    items, names = _items(data, values), Names.of(rows.dec, chosen, rows.names)
    of: dict[str, Any] = {"rows": (row,), "output": chosen}
    claims = [Claim("contribution", {"value": value}, (term,), **of) for term, value in _named(items, values)]
    words = tuple((names.term(term), names.effect(value)) for term, value in items)
    title = f"Contributions in {rows.name(row)}"
    return _figure(key or f"o{chosen}-row-{row}-network", title, data, words, claims, names)


def _named(items: Sequence[tuple[Term, float]], values: Mapping[Term, float]) -> list[tuple[Term, float]]:
    """Choose what a caption names: a feature that the model does not read is a node, and has no term."""
    return [item for item in items if item[0] in values][:NAMED]


def _structural(dec: Decomposition, output: int) -> dict[Term, float]:
    return {share.term: share.structural for share in variance_shares(dec, output).terms}


def _moved(values: Mapping[Term, float], n_features: int) -> list[int]:
    """Features by how much their terms move the prediction, whatever the direction."""
    moved = np.zeros(n_features)
    for term, value in values.items():
        moved[list(term)] += abs(value) / len(term)
    return [int(at) for at in np.argsort(-moved, kind="stable")]


def _circle(features: Sequence[int], values: Mapping[Term, float]) -> list[int]:
    """Order features so that strong pairs stand side by side: a chain that takes, at either end, the strongest link."""
    weights = {frozenset(term): abs(value) for term, value in values.items() if len(term) == 2}

    def weight(first: int, second: int) -> float:
        return weights.get(frozenset((first, second)), 0.0)

    left = sorted(features)
    first = max(left, key=lambda at: max((weight(at, other) for other in left if other != at), default=0.0))
    chain = [first]
    left.remove(first)
    while left:
        ends = [(weight(end, at), -at, end) for at in left for end in (chain[-1], chain[0])]
        _, taken, end = max(ends, key=lambda link: link[:2])
        chain.insert(len(chain) if end == chain[-1] else 0, -taken)
        left.remove(-taken)
    return chain


def _network(
    dec: Decomposition,
    order: Sequence[int],
    values: Mapping[Term, float],
    *,
    signed: bool,
    label: str,
    target: str = "",
) -> Network:
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(order)) / len(order)  # clockwise from the top
    across, up = rounded(np.cos(angles), 1.0), rounded(np.sin(angles), 1.0)
    mains = _sizes([values.get((at,), 0.0) for at in order])
    place = {at: position for position, at in enumerate(order)}
    pairs = [term for term, value in values.items() if len(term) == 2 and value and set(term) <= place.keys()]
    strongest = sorted(pairs, key=lambda term: -abs(values[term]))[:MOST_EDGES]
    sizes = _sizes([values[term] for term in strongest])
    return Network(
        nodes=tuple(map(Node, (dec.feature_titles[at] for at in order), across, up, mains, order)),
        edges=tuple(Edge(place[a], place[b], size) for (a, b), size in zip(strongest, sizes, strict=True)),
        signed=signed,
        factors=signed and scale_of(dec.scale).factors,
        label=label,
        target=target,
    )


def _sizes(values: Sequence[float]) -> Numbers:
    return rounded(np.array(values, dtype=np.float64))


def _items(data: Network, values: Mapping[Term, float]) -> list[tuple[Term, float]]:
    """List the main effects and pairs that are drawn with their values, largest first."""
    mains = [(node.feature,) for node in data.nodes]
    pairs = [tuple(sorted((data.nodes[edge.first].feature, data.nodes[edge.second].feature))) for edge in data.edges]
    return sorted(((term, values.get(term, 0.0)) for term in (*mains, *pairs)), key=lambda item: -abs(item[1]))


def _figure(
    key: str,
    title: str,
    data: Network,
    words: tuple[tuple[str, str], ...],
    claims: Sequence[Claim],
    names: Names,
) -> Figure:
    drawn = {"n_features": float(len(data.nodes)), "n_pairs": float(len(data.edges))}
    stated = (*claims, Claim("what is drawn", drawn, rows=claims[0].rows, output=claims[0].output))
    return Figure(key, title, network_words(stated, names), data, Table(("term", data.label), words), stated)
