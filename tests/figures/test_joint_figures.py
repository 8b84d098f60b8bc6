"""Joint effects as pictures: against a sum known on paper, as a map, hatched where no rows lie, and their shares."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report.core.input.features import Feature
from anova_report.errors import InputError, UnknownTermError
from anova_report.figures.pairs import on_plane, pair_surface
from anova_report.figures.rows import Rows
from anova_report.figures.shares import joint_shares
from anova_report.figures.slices import pair_slices
from anova_report.measures import fidelity, joint_effect, variance_shares
from tests.figures.scene_items import mark


def middles(axis, n_cells: int = 36) -> np.ndarray:
    edges = np.linspace(axis.low, axis.high, n_cells + 1)
    return (edges[1:] + edges[:-1]) / 2


def named(rows: Rows, *names: str) -> Rows:
    """Give the features other names."""
    return replace(rows, dec=replace(rows.dec, features=tuple(Feature(name, "numeric") for name in names)))


def test_the_joint_effect_of_two_features_is_the_sum_of_both_main_effects_and_their_interaction(known):
    figure = pair_surface(known.rows, ("c", "a"), joint=True)
    a, c = middles(figure.data.x), middles(figure.data.y)
    np.testing.assert_allclose(figure.data.value, 2 * a + 4 * np.outer(c, a), atol=0.3)
    assert figure.title == "Joint effect of a and c"
    share = joint_effect(known.dec, ("a", "c"))
    assert f"{100 * share.total:.1f}% (95% interval" in figure.alt
    assert "both main effects and their interaction together" in figure.alt
    assert figure.key != pair_surface(known.rows, ("a", "c")).key


def test_features_without_an_interaction_have_a_joint_effect_too(known):
    assert (0, 1) not in known.dec.terms
    figure = pair_surface(known.rows, (0, 1), joint=True)
    a, b = middles(figure.data.x), middles(figure.data.y)
    np.testing.assert_allclose(figure.data.value, 2 * a + 3 * b[:, None] ** 2 - 1, atol=0.3)
    assert "This is both main effects together" in figure.alt


def test_slices_of_a_joint_effect_hold_the_main_effects(known):
    alone, joint = (pair_slices(known.rows, ("a", "c"), joint=joint) for joint in (False, True))
    low = [np.array(figure.data.lines[0].value) for figure in (alone, joint)]
    np.testing.assert_allclose(low[1] - low[0], 2 * np.array(alone.data.lines[0].at), atol=0.3)
    assert joint.title == "Joint effect of a and c along a"


def test_it_is_hatched_where_hardly_a_row_lies_and_nowhere_else(known):
    against = Rows.of(known.dec, known.X.assign(c=-known.X["a"]))
    thin = np.array(pair_surface(against, ("a", "c"), joint=True).data.thin)
    across, up = np.meshgrid(np.arange(36), np.arange(36))
    away = np.abs(across + up - 35)
    assert thin[away > 4].all()
    assert not thin[away == 0].any()
    assert not np.any(pair_surface(known.rows, ("a", "c"), joint=True).data.thin)


@pytest.mark.parametrize(
    ("names", "x"),
    [
        (("Latitude", "b", "Longitude"), "Longitude"),
        (("pickup_lat", "b", "pickup_lng"), "pickup_lng"),
        (("longitude", "b", "latitude"), "longitude"),
        (("plate", "b", "longevity"), "plate"),
        (("latitude", "b", "altitude"), "latitude"),
    ],
)
def test_longitude_lies_along_x_and_the_row_is_marked_where_it_is(known, names, x):
    rows = named(known.rows, *names)
    for joint in (False, True):
        data = pair_surface(rows, (0, 2), joint=joint, row=5).data
        assert (data.x.label, {data.x.label, data.y.label}) == (x, {names[0], names[2]})
        marked = dict(zip((data.x.label, data.y.label), data.marked, strict=True))
        assert marked[names[0]] == pytest.approx(known.X["a"][5], abs=1e-4)
    plane = on_plane(rows.dec, (0, 2))
    assert sorted(plane) == [0, 2]
    own = pair_surface(known.rows, (0, 2), joint=True).data.value
    drawn = np.array(data.value)
    np.testing.assert_allclose(drawn if plane == (0, 2) else drawn.T, own)


@pytest.mark.parametrize("features", [("a", "a"), ("a", "b", "c"), ("a",)])
def test_a_plane_has_two_features(known, features):
    with pytest.raises(InputError, match="joint effect of two features"):
        pair_surface(known.rows, features, joint=True)


def test_an_unknown_feature_is_refused(known):
    with pytest.raises(UnknownTermError, match="no feature 'd'"):
        pair_surface(known.rows, ("a", "d"), joint=True)


def test_shares_begin_with_the_joint_effect_and_add_up(triple):
    joint = joint_effect(triple.dec, (0, 1))
    figure = joint_shares(triple.dec, joint, key="shares")
    data = figure.data
    assert (data.labels[0], data.terms[0]) == ("joint effect", (0, 1))
    assert set(data.terms[1:]) == {(0,), (1,), (0, 1)}
    assert data.n_rest == len(triple.dec.terms) - 3
    left = variance_shares(triple.dec).unexplained
    assert data.total[0] + data.rest + left == pytest.approx(1, abs=1e-4)
    assert data.total[0] == pytest.approx(sum(data.total[1:]), abs=1e-4)
    assert len(data.lower) == len(mark(figure.scene, "whiskers").x0) == 4
    assert figure.table.rows[0][0] == "joint effect"


def test_of_many_parts_the_largest_are_drawn_and_the_others_counted(wide):
    joint = joint_effect(wide.dec, range(60))
    figure = joint_shares(wide.dec, joint, key="shares")
    assert len(figure.data.labels) == 9
    assert "52 smaller terms among these features are not drawn" in figure.alt
    assert "x0, x1, x2, x3 and 56 more" in figure.title
    assert figure.data.unexplained == pytest.approx(fidelity(wide.dec).unexplained, abs=5e-4)
