import math
from dataclasses import replace
from itertools import combinations, pairwise

import pytest

from anova_report.figures.kinds import Edge, Network, Node
from anova_report.figures.style import SMALL, TEXT, size
from anova_report.figures.svg.networks import RADII, WIDTHS
from anova_report.figures.svg.text import width
from tests.figures.samples import LONG, edge_network, rich_network
from tests.figures.svg.reading import drawn, number, part, tags, texts


def ring(n: int, signed: bool = False, name: str = "feature") -> Network:
    turn = [math.pi / 2 - 2 * math.pi * k / n for k in range(n)]
    sign = [-1 if signed and k % 2 else 1 for k in range(n)]
    nodes = tuple(Node(f"{name} {k}", math.cos(t), math.sin(t), sign[k] * 0.1 * (k + 1)) for k, t in enumerate(turn))
    edges = tuple(Edge(k, (k + 2) % n, sign[k] * 0.01 * (k + 1)) for k in range(n))
    return Network(nodes, edges, signed, "share of the variance")


def circles(root):
    return tags(part(root, "nodes"), "circle")


def test_the_area_of_a_circle_grows_with_its_value():
    root = drawn(Network((Node("a", -1, 0, 0.4), Node("b", 1, 0, 0.1)), (), False, "share"))
    large, small = (number(circle, "r") for circle in circles(root))
    assert large == pytest.approx(RADII[1])
    assert (large / small) ** 2 == pytest.approx(4, rel=0.02)


def test_circles_stand_where_their_nodes_are_upwards_up():
    data = rich_network()
    found = [(number(circle, "cx"), number(circle, "cy")) for circle in circles(drawn(data))]
    wide = size(data)[0]
    for (x, _), node in zip(found, data.nodes, strict=True):
        assert math.copysign(1, x - wide / 2) == math.copysign(1, node.x) or abs(node.x) < 1e-9
    top = max(range(8), key=lambda k: data.nodes[k].y)
    assert found[top][1] == min(y for _, y in found)


def test_lines_join_the_circles_of_their_pairs():
    data = rich_network()
    root = drawn(data)
    centres = [(number(circle, "cx"), number(circle, "cy")) for circle in circles(root)]
    ordered = sorted(data.edges, key=lambda edge: abs(edge.value))
    for line, edge in zip(tags(part(root, "edges"), "line"), ordered, strict=True):
        assert (number(line, "x1"), number(line, "y1")) == centres[edge.first]
        assert (number(line, "x2"), number(line, "y2")) == centres[edge.second]


def test_lines_are_as_wide_as_their_values_and_the_widest_lies_on_top():
    root = drawn(rich_network())
    widths = [number(line, "stroke-width") for line in tags(part(root, "edges"), "line")]
    assert widths == sorted(widths)
    assert widths[-1] == WIDTHS[1]
    assert widths[-2] == pytest.approx(WIDTHS[1] * 0.04 / 0.21, rel=0.01)
    assert min(widths) >= WIDTHS[0]


def test_signs_are_told_by_colour_and_by_dashes():
    root = drawn(ring(6, signed=True))
    for line in tags(part(root, "edges"), "line"):
        negative = "--negative" in (line.get("stroke") or "")
        assert negative == (line.get("stroke-dasharray") is not None)
    fills = {circle.get("fill") for circle in circles(root)}
    assert len(fills) == 2
    assert {"lowers it", "raises the answer"} <= set(texts(root))


def test_shares_have_no_sign():
    root = drawn(rich_network())
    assert not any(line.get("stroke-dasharray") for line in tags(part(root, "edges"), "line"))
    assert len({circle.get("fill") for circle in circles(root)}) == 1


def test_values_are_percent_for_shares_and_signed_for_contributions():
    assert "40.0%" in texts(drawn(rich_network()))
    assert {"−0.7", "+0.3", "−0.2"} <= set(texts(drawn(edge_network())))


def words(root):
    """Boxes of all names and numbers beside circles."""
    found = []
    for group, font in (("names", TEXT), ("numbers", SMALL)):
        for text in tags(part(root, group), "text"):
            x, y, wide = number(text, "x"), number(text, "y"), width(text.text or "", font)
            left = {"start": x, "end": x - wide, "middle": x - wide / 2}[text.get("text-anchor") or "start"]
            found.append((left, y - font + 2, left + wide, y + 1))
    return found


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 12, 14])
@pytest.mark.parametrize("name", ["f", "a longer feature name"])
def test_names_overlap_neither_each_other_nor_the_edge_of_the_page(n, name):
    data = ring(n, name=name)
    found = words(drawn(data))
    wide, high = size(data)
    for left, top, right, bottom in found:
        assert left >= -1
        assert right <= wide + 1
        assert top >= 0
        assert bottom <= high
    for (a, b, c, d), (e, f, g, h) in combinations(found, 2):
        assert c <= e + 0.5 or g <= a + 0.5 or d <= f + 0.5 or h <= b + 0.5


def test_names_lie_outside_the_circle_they_name():
    data = ring(8)
    root = drawn(data)
    for text, circle, node in zip(tags(part(root, "names"), "text"), _sided(root, data), _nodes(data), strict=True):
        if node.x > 0.12:
            assert number(text, "x") > number(circle, "cx") + number(circle, "r")
        elif node.x < -0.12:
            assert number(text, "x") < number(circle, "cx") - number(circle, "r")


def _nodes(data):
    right = [node for node in data.nodes if node.x > 0.12]
    left = [node for node in data.nodes if node.x < -0.12]
    return [*right, *left, *(node for node in data.nodes if abs(node.x) <= 0.12)]


def _sided(root, data):
    by_label = dict(zip((node.label for node in data.nodes), circles(root), strict=True))
    return [by_label[node.label] for node in _nodes(data)]


def test_the_largest_pairs_carry_their_numbers_clear_of_circles_and_each_other():
    root = drawn(ring(12))
    found = tags(part(root, "edge-numbers"), "text")
    assert 1 <= len(found) <= 3
    spots = [(number(text, "x"), number(text, "y") - 4) for text in found]
    for x, y in spots:
        for circle in circles(root):
            assert math.hypot(x - number(circle, "cx"), y - number(circle, "cy")) > number(circle, "r") + 10
    for (a, b), (c, d) in combinations(spots, 2):
        assert math.hypot(a - c, b - d) > 25


def test_long_names_are_cut():
    data = replace(rich_network(), nodes=(Node(LONG, 1.0, 0.0, 0.1), Node(LONG, -1.0, 0.0, 0.1)), edges=())
    for text in tags(part(drawn(data), "names"), "text"):
        assert (text.text or "").endswith("…")
        assert text[0].text == LONG.strip()


@pytest.mark.parametrize("value", [0.0, 1e-12, 1e9])
def test_any_values_can_be_drawn(value):
    nodes = tuple(Node(f"n{k}", math.cos(k), math.sin(k), value) for k in range(4))
    root = drawn(Network(nodes, (Edge(0, 1, value), Edge(2, 3, -value)), True, "contribution"))
    radii = [number(circle, "r") for circle in circles(root)]
    assert max(radii) - min(radii) == 0
    assert all(RADII[0] <= radius <= RADII[1] for radius in radii)


def test_nodes_beyond_the_square_are_held_inside():
    data = Network((Node("far", 9.0, -9.0, 1.0),), (), False, "share")
    (circle,) = circles(drawn(data))
    assert 0 < number(circle, "cx") < size(data)[0]
    assert 0 < number(circle, "cy") < size(data)[1]


def test_a_pair_of_a_node_that_is_not_there_is_left_out():
    root = drawn(Network((Node("a", 0.0, 1.0, 1.0),), (Edge(0, 7, 0.5),), False, "share"))
    assert not tags(part(root, "edges"), "line")


def test_names_on_one_side_keep_their_order():
    data = ring(14)
    root = drawn(data)
    heights = [number(text, "y") for text in tags(part(root, "names"), "text")]
    right = [k for k, node in enumerate(_nodes(data)) if node.x > 0.12]
    wanted = sorted(right, key=lambda k: -_nodes(data)[k].y)
    assert all(heights[b] > heights[a] for a, b in pairwise(wanted))
