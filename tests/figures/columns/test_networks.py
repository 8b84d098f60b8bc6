"""Networks: who is drawn, where, and how large."""

import math
from itertools import pairwise

import pytest

from anova_report import measures
from anova_report.figures.columns import local_network, network_figure
from anova_report.figures.columns.networks import MOST_EDGES, MOST_NODES, _circle


def test_nodes_stand_apart_on_the_circle(known, wide):
    for figure in (network_figure(known.dec), network_figure(wide.dec)):
        places = [(node.x, node.y) for node in figure.data.nodes]
        assert all(math.hypot(*place) == pytest.approx(1, abs=1e-3) for place in places)
        assert len(set(places)) == len(places)
        assert places[0] == (0.0, 1.0)


def test_nodes_are_main_effects_and_edges_are_pairs_by_structural_share(known):
    data = network_figure(known.dec).data
    share = {item.label: item.structural for item in measures.variance_shares(known.dec).terms}
    assert {node.label: node.value for node in data.nodes} == pytest.approx(
        {name: share[name] for name in ("a", "b", "c")}, abs=1e-4
    )
    edge = data.edges[0]
    assert {data.nodes[edge.first].label, data.nodes[edge.second].label} == {"a", "c"}
    assert edge.value == pytest.approx(share["a × c"], abs=1e-4)
    assert not data.signed


def test_strong_pairs_stand_side_by_side():
    weights = {(0, 3): 5.0, (3, 5): 4.0, (1, 2): 1.0, (2, 5): 0.5}
    order = _circle(range(6), weights)
    neighbours = {frozenset(pair) for pair in pairwise([*order, order[0]])}
    assert sorted(order) == list(range(6))
    assert {frozenset(pair) for pair in weights} <= neighbours


def test_without_pairs_features_keep_their_order():
    assert _circle([2, 0, 1], {(0,): 1.0}) == [0, 1, 2]


def test_of_many_features_only_some_are_drawn(wide):
    data = network_figure(wide.dec).data
    assert len(data.nodes) == MOST_NODES
    assert data.edges == ()
    largest = max(measures.variance_shares(wide.dec).terms, key=lambda item: item.total)
    assert largest.label in {node.label for node in data.nodes}


def test_edges_connect_nodes_that_are_there(mixed, triple):
    for data in (
        network_figure(mixed.dec, 0).data,
        network_figure(triple.dec).data,
        network_figure(triple.dec, top=2).data,
    ):
        assert len(data.edges) <= MOST_EDGES
        for edge in data.edges:
            assert edge.first != edge.second
            assert max(edge.first, edge.second) < len(data.nodes)


def test_terms_of_three_features_are_no_edges(triple):
    assert len(network_figure(triple.dec).data.edges) == 3


def test_a_local_network_shows_signed_contributions(known):
    data = local_network(known.rows, 12).data
    contribution = {item.label: item.value for item in known.rows.explanation(12, 0).contributions}
    assert data.signed
    assert {node.label: node.value for node in data.nodes} == pytest.approx(
        {name: contribution[name] for name in ("a", "b", "c")}, abs=1e-3
    )
    assert data.edges[0].value == pytest.approx(contribution["a × c"], abs=1e-3)
    assert data.label == "contribution to the answer"


def test_features_stand_in_the_same_place_for_all_rows(known):
    def places(figure):
        return {node.label: (node.x, node.y) for node in figure.data.nodes}

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


def test_keys_tell_rows_and_outputs_apart(mixed):
    keys = {local_network(mixed.rows, row, output).key for row in (0, 1) for output in (0, 1)}
    assert keys == {f"o{output}-row-{row}-network" for row in (0, 1) for output in (0, 1)}
