from dataclasses import replace
from itertools import pairwise

import pytest

from anova_report.figures.kinds import Edge, Network, Node
from anova_report.figures.live.networks import columns, frame
from tests.figures.live.reading import built, named
from tests.figures.samples import LONG, edge_network, rich_network


def test_nodes_stand_where_the_data_put_them():
    data, found = rich_network(), columns(rich_network())["nodes"]
    assert found["x"] == pytest.approx([node.x for node in data.nodes], abs=1e-4)
    assert found["y"] == pytest.approx([node.y for node in data.nodes], abs=1e-4)


def test_the_area_of_a_circle_grows_with_its_value():
    found = columns(rich_network())["nodes"]["size"]
    # 0.4 and 0.1 of the variance: four times the area, twice the width.
    four = replace(rich_network(), nodes=(Node("a", 0.0, 0.0, 0.4), Node("b", 1.0, 0.0, 0.1)), edges=())
    sizes = columns(four)["nodes"]["size"]
    assert sizes[0] == pytest.approx(2 * sizes[1], rel=0.01)
    assert max(found) == found[0]
    assert min(found) > 0


def test_edges_join_their_nodes_the_widest_last():
    data, found = rich_network(), columns(rich_network())["edges"]
    assert found["width"] == sorted(found["width"])
    largest = data.nodes[6], data.nodes[7]
    assert (found["x0"][-1], found["x1"][-1]) == pytest.approx((largest[0].x, largest[1].x), abs=1e-4)
    assert found["tip"][-1] == "Latitude × Longitude\n21.0%"


def test_signs_are_told_by_colour_and_dashes():
    found = columns(edge_network())
    assert found["nodes"]["colour"] == ["negative", "positive"]
    assert found["edges"]["colour"] == ["negative"]
    assert len(found["edges"]["dash"][0]) == 2
    assert found["nodes"]["tip"][1].endswith("+0.3")


def test_shares_have_no_sign_and_no_dashes():
    found = columns(rich_network())
    assert set(found["nodes"]["colour"]) == {"accent"}
    assert found["edges"]["dash"] == [[]] * 5


def test_the_largest_pairs_carry_their_numbers():
    assert columns(rich_network())["numbers"]["text"] == ["2.0%", "4.0%", "21.0%"]


def test_names_stand_outside_of_the_circle_of_nodes():
    found = columns(rich_network())["names"]
    for x, align, aside in zip(found["x"], found["align"], found["aside"], strict=True):
        if align != "center":
            assert (aside > 0) == (x > 0)
    assert found["align"][0] == "center"


def test_names_that_would_touch_are_moved_apart():
    near = tuple(Node(f"feature {k}", 0.9, 0.01 * k, 0.1) for k in range(4))
    found = columns(Network(near, (), False, "share"))["names"]
    heights = sorted(-100 * y + down for y, down in zip(found["y"], found["down"], strict=True))
    assert all(after - before > 15 for before, after in pairwise(heights))


def test_a_long_name_is_cut_to_the_room_beside_its_node():
    found = columns(Network((Node(LONG, 1.0, 0.0, 0.1),), (), False, "share"))["names"]["text"]
    assert found[0].endswith("…")


def test_there_are_no_axes():
    plot = built(rich_network())
    assert not any(named(plot, name).visible for name in ("x-axis", "y-axis", "grid"))
    assert frame(rich_network()).x.names == ()


def test_nothing_lies_outside_of_the_plot():
    found = frame(rich_network())
    assert found.x.start < -1 < 1 < found.x.end
    assert found.y.start < -1 < 1 < found.y.end


def test_pairs_of_no_value_are_lines_of_no_importance():
    data = Network((Node("a", -1.0, 0.0, 0.0), Node("b", 1.0, 0.0, 0.0)), (Edge(0, 1, 0.0),), False, "share")
    found = columns(data)
    assert found["edges"]["width"][0] > 0
    assert found["numbers"]["text"] == []
