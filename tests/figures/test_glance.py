"""All rows at a glance: contributions of features and terms row by row, colors, gutters, places that do not overlap."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from anova_report import explain
from anova_report.figures.row_effects import partner, row_effects
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Dot
from anova_report.figures.shades import shaded
from anova_report.figures.swarms import SWARM_ROWS, feature_swarm, term_swarm
from tests.figures.samples import rich_row_effects, rich_swarm


@pytest.fixture(scope="module")
def rows() -> Rows:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(900, 3)), columns=["a", "b", "c"])
    X["b"] = X["b"].where(rng.random(900) > 0.1)
    X["town"] = rng.choice(["x", "y", "z", "u", "v", "w"], 900, p=[0.4, 0.2, 0.15, 0.1, 0.1, 0.05])

    def model(rows):
        return rows["a"] + rows["a"] * rows["b"].fillna(0.5) + 0.5 * (rows["town"] == "x")

    dec = explain(model, X, ask=2000, progress=False)
    return Rows.of(dec, X, dec.predictions)


def dots(scene, name) -> Dot:
    return next(item for item in scene.items if getattr(item, "name", "") == name)


def test_points_of_features_are_their_shapley_values(rows):
    figure = feature_swarm(rows)
    data = figure.data
    expected = rows.dec.expansion.evaluate(rows.values[list(data.rows)])[:, :, 0] @ rows.dec.membership
    for term, value in zip(data.terms, data.value, strict=True):
        assert value == pytest.approx(expected[:, term[0]].tolist(), abs=1e-4)
    assert len(data.rows) == SWARM_ROWS < data.n_rows == 900
    assert data.labels[0] == "a"


def test_points_of_terms_are_components(rows):
    data = term_swarm(rows).data
    found = rows.dec.expansion.evaluate(rows.values[list(data.rows)], data.terms)[:, :, 0]
    assert np.transpose(data.value) == pytest.approx(found, abs=1e-4)
    assert (0, 1) in data.terms


def test_more_lines_have_fewer_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 12))
    dec = explain(lambda rows: rows.sum(axis=1), X, max_order=1, progress=False)
    data = feature_swarm(Rows.of(dec, X)).data
    assert len(data.labels) == 12
    assert 30 <= len(data.rows) < SWARM_ROWS


def test_colors_are_fifths_of_numbers_and_frequent_levels(rows):
    drawn = np.arange(900)
    numbers, shade = shaded(rows, 0, drawn)
    column = rows.values[:, 0]
    ends = [(column[np.array(shade) == at].min(), column[np.array(shade) == at].max()) for at in range(5)]
    assert all(high <= low for (_, high), (low, _) in pairwise(ends))
    assert np.bincount(shade).tolist() == pytest.approx([180] * 5, abs=2)
    assert numbers.ordered
    levels, shade = shaded(rows, 3, drawn)
    assert not levels.ordered
    assert levels.words[-1] == "other levels"
    codes = [rows.dec.features[3].levels.index(words) for words in levels.words[:-1]]
    assert (np.array(shade) == 4).sum() == (~np.isin(rows.values[:, 3], codes)).sum()


def test_rows_without_a_value_are_crosses_and_stand_in_a_gutter(rows):
    swarm = feature_swarm(rows, by="b").data
    column = rows.values[list(swarm.rows), 1]
    assert len(dots(swarm.scene(), "absent").x) == np.isnan(column).sum() * len(swarm.labels)
    data = row_effects(rows, "b").data
    scene = data.scene()
    assert len(dots(scene, "gutter").x) == sum(data.absent) > 0
    assert dots(scene, "gutter").panel == 1
    assert "missing" in [words for item in scene.items for words in getattr(item, "words", ())]


def test_a_feature_is_colored_by_its_partner_in_the_largest_interaction(rows):
    assert partner(rows, 0, 0) == 1
    assert row_effects(rows, "a").data.shades.by == "b"
    assert row_effects(rows, "a", by="town").data.shades.by == "town"


def test_points_at_one_place_lie_side_by_side():
    scene = rich_swarm().scene()
    points = dots(scene, "points")
    places = list(zip(points.x, points.y, strict=True))
    assert len(set(places)) == len(places)
    for line, spot in enumerate(np.unique(np.round(points.y))):
        assert spot == line
    assert max(abs(y - round(y)) for y in points.y) < 0.5


def test_a_marked_row_is_a_diamond_in_every_line():
    assert len(dots(rich_swarm().scene(), "marked").x) == 3
    assert len(dots(rich_row_effects().scene(), "marked").x) == 1
    assert dots(replace(rich_swarm(), marked=None).scene(), "marked").x == ()


def test_numbers_stand_below_the_pictures(rows):
    table = feature_swarm(rows).table
    assert table.rows[0][0] == "a"
    assert len(table.head) == len(table.rows[0])
    counted = row_effects(rows, "town").table
    assert sum(int(line[1]) for line in counted.rows) == len(row_effects(rows, "town").data.rows)
