"""Networks: who is drawn, where and how large, with words that touch nothing."""

import math
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA, explain, measures
from anova_report.figures.networks import (
    MOST_EDGES,
    MOST_NODES,
    RADII,
    WIDTHS,
    Edge,
    Network,
    Node,
    _circle,
    local_network,
    network_figure,
)
from anova_report.figures.rows import Rows
from anova_report.figures.style import SMALL, TEXT
from anova_report.figures.text import clean, shorten, width
from tests.figures.samples import LONG, edge_network, rich_network


def test_nodes_stand_apart_on_the_circle(known, wide):
    for figure in (network_figure(known.dec), network_figure(wide.dec)):
        places = [(node.x, node.y) for node in figure.data.nodes]
        assert all(math.hypot(*place) == pytest.approx(1, abs=1e-3) for place in places)
        assert len(set(places)) == len(places)
        assert places[0] == (0.0, 1.0)


def test_nodes_are_main_effects_and_edges_are_pairs_by_structural_share(known):
    data = network_figure(known.dec).data
    share = {item.term: item.structural for item in measures.variance_shares(known.dec).terms}
    for node in data.nodes:
        assert node.value == pytest.approx(share[(node.feature,)], abs=1e-4)
        assert node.label == known.dec.feature_names[node.feature]
    edge = data.edges[0]
    assert {data.nodes[edge.first].feature, data.nodes[edge.second].feature} == {0, 2}
    assert edge.value == pytest.approx(share[(0, 2)], abs=1e-4)
    assert not data.signed


def test_strong_pairs_stand_side_by_side():
    weights = {(0, 3): 5.0, (3, 5): 4.0, (1, 2): 1.0, (2, 5): 0.5}
    order = _circle(range(6), weights)
    neighbors = {frozenset(pair) for pair in pairwise([*order, order[0]])}
    assert sorted(order) == list(range(6))
    assert {frozenset(pair) for pair in weights} <= neighbors
    assert _circle([2, 0, 1], {(0,): 1.0}) == [0, 1, 2]


def test_of_many_features_only_some_are_drawn(wide):
    data = network_figure(wide.dec).data
    assert len(data.nodes) == MOST_NODES
    assert data.edges == ()
    largest = max(measures.variance_shares(wide.dec).terms, key=lambda item: item.total)
    assert largest.term[0] in {node.feature for node in data.nodes}


def test_edges_connect_nodes_that_are_there_and_triples_are_no_edges(mixed, triple):
    for figure in (network_figure(mixed.dec, 0), network_figure(triple.dec), network_figure(triple.dec, top=2)):
        assert len(figure.data.edges) <= MOST_EDGES
        for edge in figure.data.edges:
            assert edge.first != edge.second
            assert max(edge.first, edge.second) < len(figure.data.nodes)
    assert len(network_figure(triple.dec).data.edges) == 3


def test_a_local_network_shows_signed_contributions(known):
    data = local_network(known.rows, 12).data
    contribution = {item.term: item.value for item in known.rows.explanation(12, 0).contributions}
    assert data.signed
    assert {(node.feature,): node.value for node in data.nodes} == pytest.approx(
        {(at,): contribution[(at,)] for at in range(3)}, abs=1e-3
    )
    assert data.edges[0].value == pytest.approx(contribution[(0, 2)], abs=1e-3)
    assert (data.label, data.target) == ("contribution to the prediction", "prediction")


def test_features_stand_in_the_same_place_for_all_rows(known):
    def places(figure):
        return {node.feature: (node.x, node.y) for node in figure.data.nodes}

    assert places(local_network(known.rows, 0)) == places(local_network(known.rows, 99))
    assert places(local_network(known.rows, 0)) == places(network_figure(known.dec))


def test_the_table_lists_what_is_drawn_largest_first(known):
    figure = network_figure(known.dec)
    assert [line[0] for line in figure.table.rows][:2] == ["a × c", "a"]
    assert len(figure.table.rows) == len(figure.data.nodes) + len(figure.data.edges)
    assert figure.alt.startswith("The largest structural shares are those of a × c (4")


def test_a_constant_model_has_a_network_without_edges(constant):
    for figure in (network_figure(constant.dec), local_network(constant.rows, 0)):
        assert figure.data.edges == ()
        assert {node.value for node in figure.data.nodes} == {0.0}
        assert item(figure.data, "edges").x0 == ()


def test_keys_of_figures_tell_rows_and_outputs_apart(mixed):
    keys = {local_network(mixed.rows, row, output).key for row in (0, 1) for output in (0, 1)}
    assert keys == {f"o{output}-row-{row}-network" for row in (0, 1) for output in (0, 1)}


# The scene.


def item(data, name):
    return next(found for found in data.scene().items if getattr(found, "name", type(found).__name__) == name)


def ring(n: int, signed: bool = False, name: str = "feature") -> Network:
    turn = [math.pi / 2 - 2 * math.pi * k / n for k in range(n)]
    sign = [-1 if signed and k % 2 else 1 for k in range(n)]
    nodes = tuple(Node(f"{name} {k}", math.cos(t), math.sin(t), sign[k] * 0.1 * (k + 1), k) for k, t in enumerate(turn))
    edges = tuple(Edge(k, (k + 2) % n, sign[k] * 0.01 * (k + 1)) for k in range(n))
    return Network(nodes, edges, signed, "share of the variance")


def test_the_area_of_a_circle_grows_with_its_value():
    large, small = item(Network((Node("a", -1, 0, 0.4), Node("b", 1, 0, 0.1)), (), False, "share"), "nodes").radius
    assert large == RADII[1]
    assert (large / small) ** 2 == pytest.approx(4)


def test_coordinates_are_pixels_and_upwards_is_up():
    data = rich_network()
    nodes, (wide, high) = item(data, "nodes"), data.scene().size
    for node, x, y in zip(data.nodes, nodes.x, nodes.y, strict=True):
        assert math.copysign(1, x - wide / 2) == math.copysign(1, node.x) or abs(node.x) < 1e-9
        assert 0 < y < high
    assert nodes.y[0] == min(nodes.y)
    (panel,) = data.scene().panels
    assert (panel.across(123.0), panel.down(321.0)) == pytest.approx((123.0, 321.0))
    reach = max(RADII) + 2
    assert panel.frame.left + reach < min(nodes.x) < max(nodes.x) < panel.frame.right - reach  # nothing is cut off


def test_lines_join_the_circles_of_their_pairs_as_wide_as_their_values_the_widest_on_top():
    data, edges, nodes = rich_network(), item(rich_network(), "edges"), item(rich_network(), "nodes")
    ordered = sorted(data.edges, key=lambda edge: abs(edge.value))
    for at, edge in enumerate(ordered):
        assert (edges.x0[at], edges.y0[at]) == (nodes.x[edge.first], nodes.y[edge.first])
        assert (edges.x1[at], edges.y1[at]) == (nodes.x[edge.second], nodes.y[edge.second])
    assert list(edges.width) == sorted(edges.width)
    assert edges.width[-2:] == pytest.approx((WIDTHS[1] * 0.04 / 0.21, WIDTHS[1]))
    assert min(edges.width) >= WIDTHS[0]


def test_signs_are_shown_by_color_and_by_dashes_in_whole_pixels():
    data = ring(6, signed=True)
    for color, dash in zip(item(data, "edges").color, item(data, "edges").dash, strict=True):
        assert (color == "negative") == bool(dash)
        assert all(part.isdecimal() for part in dash.split())
    assert item(data, "nodes").color == ("positive", "negative") * 3
    plain = rich_network()
    assert set(item(plain, "nodes").color) == {"accent"}
    assert set(item(plain, "edges").dash) == {""}


def test_the_legend_says_what_contributions_are_made_to():
    def words(data):
        return [entry.words for entry in item(data, "Legend").entries]

    assert words(ring(3, signed=True)) == ["raises the prediction", "lowers it"]
    to = Network((), (), True, "contribution to the logit of to the top", "logit of to the top")
    assert words(to)[0] == "raises the logit of to the top"
    assert words(rich_network()) == ["share of the variance: circles main effects, lines pairs"]


def test_values_are_percent_for_shares_and_signed_for_contributions():
    assert item(rich_network(), "numbers").words[0] == "40.0%"
    assert item(edge_network(), "numbers").words == ("−0.7", "+0.3")
    assert item(rich_network(), "edges").tips[-1] == "Latitude × Longitude\n21.0%"
    assert item(rich_network(), "nodes").tips[0] == "MedInc\n40.0%"


def boxes(data):
    """Find the places of all names and numbers beside circles."""
    for name, font in (("names", TEXT), ("numbers", SMALL)):
        text = item(data, name)
        rooms = text.room or (math.inf,) * len(text.words)
        for x, y, dx, words, anchor, room in zip(text.x, text.y, text.dx, text.words, text.anchor, rooms, strict=True):
            wide = width(shorten(clean(words), room, font), font)
            left = x + dx - {"start": 0, "end": wide, "middle": wide / 2}[anchor]
            middle = y + (text.dy or 0.0)
            yield left, middle - font / 2, left + wide, middle + font / 2


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 12, 14])
@pytest.mark.parametrize("name", ["f", "a longer feature name", LONG])
def test_names_overlap_neither_each_other_nor_the_edge_of_the_picture(n, name):
    data = ring(n, name=name)
    found, (wide, high) = list(boxes(data)), data.scene().size
    for left, top, right, bottom in found:
        assert -1 <= left < right <= wide + 1
        assert 0 <= top < bottom <= high
    for (a, b, c, d), (e, f, g, h) in combinations(found, 2):
        assert c <= e + 0.5 or g <= a + 0.5 or d <= f + 0.5 or h <= b + 0.5


def test_names_stand_outside_of_their_circles_in_the_order_of_these():
    data = ring(14)
    nodes, names = item(data, "nodes"), item(data, "names")
    for radius, dx, anchor in zip(nodes.radius, names.dx, names.anchor, strict=True):
        assert dx == {"start": radius + 6, "end": -radius - 6, "middle": 0}[anchor]
    right = sorted((k for k in range(14) if names.anchor[k] == "start"), key=lambda k: nodes.y[k])
    assert all(names.y[after] > names.y[before] for before, after in pairwise(right))


def test_the_largest_pairs_carry_their_numbers_clear_of_circles_and_each_other():
    numbers, nodes = item(ring(12), "edge-numbers"), item(ring(12), "nodes")
    assert 1 <= len(numbers.words) <= 3
    spots = list(zip(numbers.x, numbers.y, strict=True))
    for spot in spots:
        for x, y, radius in zip(nodes.x, nodes.y, nodes.radius, strict=True):
            assert math.dist(spot, (x, y)) > radius + 10
    assert all(math.dist(*pair) > 25 for pair in combinations(spots, 2))
    assert item(rich_network(), "edge-numbers").words == ("21.0%", "4.0%", "2.0%")


@pytest.mark.parametrize("value", [0.0, 1e-12, 1e9])
def test_any_values_and_places_can_be_drawn(value):
    nodes = tuple(Node(f"n{k}", 9 * math.cos(k), 9 * math.sin(k), value) for k in range(4))
    data = Network(nodes, (Edge(0, 1, value), Edge(2, 3, -value), Edge(0, 7, value)), True, "contribution")
    circles, (wide, high) = item(data, "nodes"), data.scene().size
    assert len(set(circles.radius)) == 1
    assert all(0 < x < wide and 0 < y < high for x, y in zip(circles.x, circles.y, strict=True))
    assert len(item(data, "edges").x0) == 2  # a pair of a node that is not there is left out
    assert len(item(data, "edge-numbers").words) <= 2 * bool(value)


def test_clicks_go_to_terms_whatever_features_are_called():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, size=(1500, 3)), columns=["a × b", "a", "b"])
    predictions = np.asarray(X["a × b"] + X["a"] + X["b"] + 3 * X["a"] * X["b"])
    dec = FunctionalANOVA(2, random_state=0, progress=False).fit(X, predictions).decomposition_
    for figure in (network_figure(dec), local_network(Rows.of(dec, X, predictions), 3)):
        nodes, edges = item(figure.data, "nodes"), item(figure.data, "edges")
        assert nodes.keys == tuple((node.feature,) for node in figure.data.nodes)
        assert edges.keys[-1] == (1, 2)
        assert set(edges.keys) <= set(dec.terms)


def test_networks_of_older_documents_have_nothing_to_click_on():
    old = Network((Node("a", 0.0, 1.0, 0.2), Node("b", 0.0, -1.0, 0.1)), (Edge(0, 1, 0.1),), False, "share")
    assert item(old, "nodes").keys == item(old, "edges").keys == ()


def test_all_networks_have_one_form():
    found = (rich_network(), edge_network(), ring(1), Network((), (), False, "share"))
    assert len({data.scene().form for data in found}) == 1


def test_a_feature_that_the_model_does_not_read_is_a_node_without_a_size():
    X = np.random.default_rng(0).normal(size=(400, 3))
    dec = explain(lambda rows: rows[:, 0] * rows[:, 1] + rows[:, 0], X, progress=False)
    assert (2,) not in dec.terms
    for figure, nothing in ((network_figure(dec), "0%"), (local_network(Rows.of(dec, X, dec.predictions), 0), "0")):
        assert "x2" in [node.label for node in figure.data.nodes]
        assert dict(figure.table.rows)["x2"] == nothing
        assert all(claim.terms[0] in dec.terms for claim in figure.claims if claim.terms)
