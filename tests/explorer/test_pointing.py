from dataclasses import replace

import numpy as np
import pytest

from anova_report.compare import Attribution, attribute
from anova_report.core.input.features import Feature
from anova_report.explorer.pointing import (
    MOST_GROUPS,
    OTHERS,
    coloured,
    hit,
    marked,
    marked_row,
    overlaid,
    position_of,
    value_at,
    with_slice,
)
from anova_report.explorer.user_input import read_overlays
from anova_report.figures import effects
from anova_report.figures.cases import waterfall
from anova_report.figures.effects import main_effect
from anova_report.figures.geometry import Frame, Panel
from anova_report.figures.networks import local_network, network_figure
from anova_report.figures.pairs import pair_surface
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Box, Dot, Rule, Scene
from anova_report.figures.shares import shares_figure
from anova_report.figures.slices import pair_slices
from anova_report.figures.spread import scatter_figure
from anova_report.figures.trust import matrix_figure
from tests.explorer import examples


@pytest.fixture(scope="module")
def known() -> Rows:
    return examples.known().state().rows


@pytest.fixture(scope="module")
def mixed() -> Rows:
    return examples.mixed().state().rows


@pytest.fixture(scope="module")
def named() -> Rows:
    return examples.named().state().rows


def test_dots_come_before_lines_and_lines_before_boxes_and_the_nearest_first():
    panels = (
        Panel(Frame(0, 0, 100, 100), (0.0, 10.0), (0.0, 10.0)),
        Panel(Frame(0, 0, 100, 100), (0.0, 1.0), (0.0, 1.0)),
    )
    items = (
        Box("cells", (0.0, 5.0), (5.0, 10.0), 0.0, 10.0, None, keys=((0,), (1,))),
        Rule("lines", 0.0, (2.0, 8.0), 10.0, (2.0, 8.0), keys=((0, 1), (1, 2))),
        Dot("points", (0.2, 0.25), 0.2, "fg", panel=1, radius=2.0, keys=(7, 8)),
        Dot("not for clicks", 9.0, 5.0, "fg"),
    )
    scene = Scene("test", (100.0, 100.0), panels, items)
    places = {(2.1, 2.0): 7, (2.4, 2.0): 8, (2.0, 2.9): 7, (6.0, 2.8): (0, 1), (6.0, 7.5): (1, 2)}
    places |= {(1.0, 5.0): (0,), (9.0, 5.0): (1,), (10.0, 8.5): (1, 2), (5.0, 12.0): None}
    assert {place: hit(scene, *place) for place in places} == places


def test_a_click_beyond_the_end_of_a_line_misses_it():
    panel = Panel(Frame(0, 0, 100, 100), (0.0, 100.0), (0.0, 100.0))
    scene = Scene("test", (100.0, 100.0), (panel,), (Rule("lines", 20.0, 50.0, 60.0, 50.0, keys=((0, 1),)),))
    assert [hit(scene, x, 50.0) for x in (8.0, 15.0, 65.0, 72.0)] == [None, (0, 1), (0, 1), None]


def test_share_bars_and_steps_lead_to_their_terms_whatever_their_names(named):
    for scene in (shares_figure(named.dec).scene, waterfall(named, 3).scene):
        [rows] = [item for item in scene.items if getattr(item, "name", "") == "rows"]
        assert {(0, 1), (0,), (2,)} <= set(rows.keys)
        for key, top, bottom in zip(rows.keys, rows.top, rows.bottom, strict=True):
            assert hit(scene, scene.panels[0].x[0], (0.6 * top + 0.4 * bottom)) == key
        assert hit(scene, scene.panels[0].x[0], 99.0) is None
    shares = shares_figure(named.dec).data
    assert hit(shares.scene(), 0.01, float(len(shares.terms))) is None  # what is not explained is no feature


def test_of_the_waterfall_neither_ends_nor_small_terms_together_lead_anywhere(known):
    figure = waterfall(known, 3, top=2)
    assert figure.data.steps[-1].label.endswith("further terms")
    for row in (0, 2, 3, 4):
        assert hit(figure.scene, figure.data.base, float(row)) is None


@pytest.mark.parametrize("draw", [lambda rows: network_figure(rows.dec), lambda rows: local_network(rows, 3)])
def test_circles_of_a_network_lead_to_main_effects_and_lines_to_pairs(named, draw):
    scene = draw(named).scene
    marks = {item.name: item for item in scene.items if hasattr(item, "keys")}
    nodes, edges = marks["nodes"], marks["edges"]
    assert (2,) in nodes.keys
    assert (0, 1) in edges.keys
    for key, x, y in zip(nodes.keys, nodes.x, nodes.y, strict=True):
        assert hit(scene, x + 3, y) == key
    middles = [
        ((x0 + x1) / 2, (y0 + y1) / 2) for x0, y0, x1, y1 in zip(edges.x0, edges.y0, edges.x1, edges.y1, strict=True)
    ]
    found = {hit(scene, *middle) for middle in middles}
    assert {(0, 1), (3, 4)} <= found
    assert hit(scene, 5.0, 5.0) is None


def test_a_cell_of_the_matrix_leads_to_its_term_and_others_nowhere(named):
    figure = matrix_figure(named.dec)
    places = {(cell.column, cell.row): cell.term for cell in figure.data.cells}
    assert {(0, 1), (2,)} <= set(places.values())
    count = len(figure.data.features)
    for place in ((column, row) for column in range(count) for row in range(count)):
        assert hit(figure.scene, place[0] + 0.3, place[1] - 0.3) == places.get(place)


def test_a_point_leads_to_its_row_and_other_pictures_nowhere(known):
    figure = scatter_figure(known)
    for position in (0, 100, 700):
        place = figure.data.at[position], figure.data.value[position]
        found = figure.data.rows.index(hit(figure.scene, *place))
        assert (figure.data.at[found], figure.data.value[found]) == pytest.approx(place, abs=1e-3)
    assert hit(figure.scene, figure.data.x.low, figure.data.y.high) is None
    assert hit(main_effect(known, (0,)).scene, 0.0, 0.0) is None


@pytest.mark.parametrize("index", range(7))
def test_a_row_is_marked_where_the_figure_itself_would_mark_it(mixed, index):
    for row in (0, 1, 8):
        own = main_effect(mixed, (index,), row=row).data.marked
        found = marked(main_effect(mixed, (index,)), mixed, (index,), mixed.values[row]).data.marked
        assert found == (own if own is None else pytest.approx(own, rel=1e-3))


def test_a_row_is_marked_on_every_surface_where_the_figure_itself_would_mark_it(mixed):
    terms = [term for term in mixed.dec.terms if len(term) == 2]
    assert terms
    for term in terms:
        own = pair_surface(mixed, term, row=5).data.marked
        found = marked(pair_surface(mixed, term), mixed, term, mixed.values[5]).data.marked
        assert found == (own if own is None else pytest.approx(own, rel=1e-3))


def test_missing_values_and_unknown_levels_have_no_mark_and_edited_values_have(mixed, known):
    missing = int(np.flatnonzero(np.isnan(mixed.values[:, 0]))[0])
    assert marked(main_effect(mixed, (0,)), mixed, (0,), mixed.values[missing]).data.marked is None
    assert marked(main_effect(mixed, (1,)), mixed, (1,), np.full(7, -1.0)).data.marked is None
    values = np.array([0.123456, 0.5, 0.5])
    assert marked(main_effect(known, (0,)), known, (0,), values).data.marked == 0.123456
    assert marked(pair_surface(known, (0, 2)), known, (0, 2), values).data.marked == (0.123456, 0.5)


def test_levels_are_found_in_the_order_of_the_picture_and_places_beyond_belong_to_the_ends(mixed, known):
    axis = main_effect(mixed, (1,)).data.x
    codes = {name: float(code) for code, name in enumerate(mixed.dec.features[1].levels)}
    for position, name in enumerate(axis.levels):
        assert position_of(mixed, 1, axis, codes[name]) == position
        assert value_at(mixed, 1, axis, position + 0.4) == codes[name]
    assert value_at(mixed, 1, axis, -3.0) == codes[axis.levels[0]]
    curve = main_effect(known, (0,)).data.x
    assert value_at(known, 0, curve, 99.0) == curve.high


def test_a_row_among_the_points_is_marked_and_another_one_is_added(known):
    figure = scatter_figure(known)
    found = marked_row(figure, figure.data.rows[17], 0.0, 0.0).data
    assert (found.marked, found.rows, found.at) == (17, figure.data.rows, figure.data.at)
    row = next(row for row in range(len(known)) if row not in figure.data.rows)
    found = marked_row(figure, row, 99.0, -99.0).data
    assert (found.marked, found.rows[-1], found.at[-1], found.value[-1]) == (len(figure.data.at), row, 99.0, -99.0)
    assert found.x.low <= -99.0
    assert found.y.high >= 99.0


def sliced(rows, term, at, whose="pointer"):
    slices = pair_slices(rows, term)
    return slices, with_slice(slices, rows, term, 0, pair_surface(rows, term), at, whose)


def test_the_slice_through_a_point_is_the_component_there(known):
    slices, found = sliced(known, (0, 2), (0.9, 0.5))
    *others, line = found.data.lines
    np.testing.assert_allclose(line.value, 4 * np.array(line.at) * 0.5, atol=0.25)
    assert line.name == "0.5 (pointer)"
    assert (tuple(others), found.data.x) == (slices.data.lines, slices.data.x)


def test_the_axis_of_effects_stands_still_while_the_point_moves(known):
    found = [sliced(known, (0, 2), (0.0, at))[1].data for at in (-0.9, 0.0, 0.9)]
    [axis] = {data.y for data in found}
    assert axis.high >= max(max(line.value) for data in found for line in data.lines)


def test_a_pair_with_levels_is_cut_at_a_level_and_not_at_a_missing_value(mixed):
    slices, found = sliced(mixed, (0, 3), (4.0, 1.0), "this row")
    line = found.data.lines[-1]
    assert line.name == "True (this row)"
    same = next(other for other in slices.data.lines if other.name == "True")
    assert line.value == pytest.approx(same.value, abs=1e-4)
    slices, found = sliced(mixed, (0, 3), (4.0, np.nan))
    assert found is slices


def groups_of(rows, feature, drawn=None):
    data = scatter_figure(rows).data
    drawn = range(len(rows)) if drawn is None else drawn
    every = replace(data, rows=tuple(drawn), at=(0.0,) * len(drawn), value=(0.0,) * len(drawn))
    found = coloured(replace(scatter_figure(rows), data=every), rows, feature).data
    assert found.grouped_by == feature
    assert len(found.group) == len(drawn)
    assert set(found.group) == set(range(len(found.group_names)))
    return found.group_names, np.array(found.group)


def test_numbers_are_put_into_groups_of_about_equal_size_in_order(known):
    names, group = groups_of(known, "a")
    assert len(names) == MOST_GROUPS
    middles = [known.values[group == position, 0].mean() for position in range(MOST_GROUPS)]
    assert middles == sorted(middles)
    assert np.abs(np.bincount(group) - 300).max() <= 2


def test_levels_and_missing_values_are_groups_and_rarer_levels_share_one(mixed):
    names, group = groups_of(mixed, "size")
    assert names == ("s", "m", "l")
    np.testing.assert_array_equal(group, mixed.values[:, 2])
    names, group = groups_of(mixed, "income")
    assert names[-1] == "(missing)"
    np.testing.assert_array_equal(group == MOST_GROUPS - 1, np.isnan(mixed.values[:, 0]))
    names, _ = groups_of(mixed, "rooms")
    assert (names[-1], len(names)) == (OTHERS, MOST_GROUPS)


def test_groups_without_a_point_are_left_out(mixed):
    small = [row for row in range(len(mixed)) if mixed.values[row, 2] != 1.0][:50]
    assert groups_of(mixed, "size", small)[0] == ("s", "l")


def test_the_lines_of_a_feature_are_drawn_over_its_curve_as_far_as_it_reaches(known):
    lines = [("SHAP", "a", [0.5, -0.5, 9.0], [1.0, -50.0, 2.0]), ("SHAP", "b", [0.0], [0.0])]
    figure = main_effect(known, (0,))
    data = overlaid(figure, known, 0, read_overlays(known, lines)).data
    assert [(line.name, line.at, line.value) for line in data.overlays] == [("SHAP", (-0.5, 0.5), (-50.0, 1.0))]
    assert data.y.low <= -50.0 < figure.data.y.low


@pytest.fixture(scope="module")
def partial() -> Attribution:
    """Ask for partial dependence, which for independent inputs is the main effect."""
    example = examples.known()
    return attribute("pdp", example.model, example.X, max_rows=150, progress=False)


def test_an_attribution_is_drawn_over_every_main_effect_as_on_the_page(known, partial):
    lines = read_overlays(known, [partial])
    figure = main_effect(known, (0,))
    [line] = overlaid(figure, known, 0, lines).data.overlays
    assert line.name == partial.title
    # The mean of c over the rows asked about is not exactly zero, and 4ac adds as much to the slope.
    assert np.polyfit(line.at, line.value, 1)[0] == pytest.approx(2.0, abs=0.2)
    assert (line,) == effects.overlaid(figure, known.dec.features[0], [partial]).data.overlays
    [line] = overlaid(main_effect(known, (1,)), known, 1, lines).data.overlays
    assert np.polyfit(line.at, line.value, 2)[0] == pytest.approx(3.0, abs=0.2)


def test_methods_keep_their_places_where_one_has_no_line(known, partial):
    lines = read_overlays(known, [("SHAP", "a", [0.0, 0.5], [0.0, 1.0]), partial, ("SHAP", "b", [0.5], [0.0])])
    over = [overlaid(main_effect(known, (index,)), known, index, lines) for index in (0, 1)]
    assert [[line.name for line in figure.data.overlays] for figure in over] == [["SHAP", partial.title]] * 2
    alone = overlaid(main_effect(known, (1,)), known, 1, [lines[0], partial])
    assert [bool(line.at) for line in alone.data.overlays] == [False, True]
    assert alone.alt.endswith(f"Over it: {partial.title}.")


def test_two_lines_of_one_name_over_one_feature_are_both_drawn(known):
    lines = read_overlays(known, [("SHAP", "a", [0.0], [0.0]), ("SHAP", "a", [0.5], [1.0])])
    drawn = overlaid(main_effect(known, (0,)), known, 0, lines).data.overlays
    assert [line.at for line in drawn] == [(0.0,), (0.5,)]


def test_an_explanation_of_one_output_is_drawn_with_that_output(mixed):
    columns = np.array([[2011.0], [2012.0]]), np.array([[1.0], [2.0]])
    kind = Feature(mixed.dec.features[5].name, "numeric")
    looks = {"counterpart": "main effect", "output": "<i>second</i>", "scale": "identity"}
    other = Attribution("treeshap", "TreeSHAP", (kind,), np.arange(2), *columns, **looks)
    given = read_overlays(mixed, other)
    figures = [overlaid(main_effect(mixed, (5,), output), mixed, 5, given, output) for output in (0, 1)]
    assert [bool(figure.data.overlays) for figure in figures] == [False, True]
