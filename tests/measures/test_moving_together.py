"""Joint effects of features that move together: directions and means known on paper, and bands that hold."""

import numpy as np
import pytest

from anova_report import FunctionalANOVA
from anova_report.core.arrays import Floats
from anova_report.figures.joint_effects import joint_pictures
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Line
from anova_report.measures import joint_effect
from anova_report.measures.moving_together import common_direction, group_means, runs


def moving(n_rows: int = 2000) -> Floats:
    """Three features that follow one number, the last against the others, and one that does not."""
    rng = np.random.default_rng(0)
    common = rng.normal(size=n_rows)
    near = 0.1 * rng.normal(size=(3, n_rows))
    return np.column_stack([common + near[0], np.exp(common + near[1]), -common + near[2], rng.normal(size=n_rows)])


@pytest.fixture(scope="module")
def rows() -> Rows:
    X = moving()
    y = X[:, 0] + np.log(X[:, 1]) - X[:, 2] + X[:, 3]
    return Rows.of(FunctionalANOVA(random_state=0, progress=False).fit(X, y).decomposition_, X, y)


def test_the_direction_is_that_of_the_number_which_all_follow(rows):
    positions, slopes = common_direction(rows.dec, rows.values, (0, 1, 2))
    assert np.abs(slopes) == pytest.approx([3**-0.5] * 3, abs=0.01)
    assert np.sign(slopes[0]) == np.sign(slopes[1]) == -np.sign(slopes[2])
    ranks = np.argsort(np.argsort(rows.values[:, 0])) / len(rows)
    assert abs(np.corrcoef(positions, ranks)[0, 1]) > 0.99
    assert (positions.min(), positions.max()) == pytest.approx((0, 1), abs=1e-3)


def test_another_scale_of_a_feature_and_missing_values_do_not_turn_the_direction(rows):
    values = rows.values.copy()
    values[:, 0] = np.exp(3 * values[:, 0])
    values[:20, 2] = np.nan
    before, after = (common_direction(rows.dec, each, (0, 1, 2)) for each in (rows.values, values))
    assert after[1] == pytest.approx(before[1], abs=0.02)


def test_features_that_do_not_vary_have_no_direction(rows):
    values = rows.values.copy()
    values[:, 1:3] = 1.0
    assert common_direction(rows.dec, values, (0, 1, 2)) is None


def test_means_are_those_of_the_joint_effect_over_the_rows_of_each_group(rows):
    joint = joint_effect(rows.dec, (0, 1, 2))
    group = runs(rows.values[:, 0])
    found = group_means(rows.dec, joint, rows.values, group)
    effect = joint.evaluate(rows.dec, rows.values)
    for number in range(group.max() + 1):
        assert found.value[number] == pytest.approx(effect[group == number].mean())
    # y = 3 × common + the fourth: along any of the three nearly all of it is seen.
    assert found.explained > 0.97
    assert runs(rows.values[:, 3]).max() == group.max()
    assert group_means(rows.dec, joint, rows.values, runs(rows.values[:, 3])).explained < 0.05


def test_bands_of_the_sum_hold_it_although_its_parts_are_hardly_told_apart(rows):
    joint = joint_effect(rows.dec, (0, 1, 2))
    group = runs(rows.values[:, 0])
    found = group_means(rows.dec, joint, rows.values, group)
    X = rows.values
    truth = X[:, 0] + np.log(X[:, 1]) - X[:, 2]
    means = np.bincount(group, weights=truth - truth.mean()) / np.bincount(group)
    held = (found.lower - 0.02 <= means) & (means <= found.upper + 0.02)
    assert held.mean() > 0.8


def test_pictures_are_the_means_and_say_where_they_run(rows):
    along, members = joint_pictures(rows, joint_effect(rows.dec, (0, 1, 2)), key="joint", most=2)
    assert [figure.key for figure in (along, *members)] == ["joint-along", *(figure.key for figure in members)]
    assert len(members) == 2
    (line,) = (item for item in along.scene.items if isinstance(item, Line) and item.name == "component")
    rising = np.sign(line.y[0][-1] - line.y[0][0])
    assert np.all(np.diff(line.y[0]) * rising > 0)
    assert "of its variance over all 2,000 rows" in along.alt
    assert "x0" in along.data.x.label
    assert "rise" in along.data.x.label
    assert "fall" in along.data.x.label
    assert along.table.head[:4] == ("rows", "x0", "x1", "x2")
    assert all("the others moving along as they do in all 2,000 rows" in figure.alt for figure in members)


def test_runs_hold_about_as_many_rows_and_keep_equal_values_together():
    column = np.r_[np.zeros(500), np.arange(1.0, 1501.0)]
    group = runs(column)
    assert len(set(group[:500])) == 1
    assert sorted(set(group.tolist())) == list(range(group.max() + 1))
    assert np.bincount(group)[1:].max() < 2 * np.median(np.bincount(group)[1:])
