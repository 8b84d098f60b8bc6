"""No picture shows an effect where too few rows lie: every drawn piece, cell and sentence, counted row by row."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA
from anova_report.compare.methods.attribution import Attribution
from anova_report.compare.versions.decompositions import compare_decompositions
from anova_report.figures.contrast_filling import Sides, contrast_figure
from anova_report.figures.contrasts import Contrast, LevelContrast
from anova_report.figures.curves import Curve
from anova_report.figures.effects import main_effect, overlaid
from anova_report.figures.figure import Figure
from anova_report.figures.levels import Levels
from anova_report.figures.pair_contrasts import pair_contrast
from anova_report.figures.pairs import Surface, pair_surface
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Area, Box, Heat, Line, Tip
from anova_report.figures.slices import Slices, pair_slices
from anova_report.measures.near_rows import Reach
from tests.figures.scene_items import mark, written

SLACK = 1e-3  # of an axis: values on a page are rounded


def gapped(n_rows: int = 3000) -> pd.DataFrame:
    """Rows in two clouds with a wide gap in between, a heavy tail, and a level that hardly any row has."""
    rng = np.random.default_rng(0)
    near = rng.uniform(size=n_rows) < 0.6
    a = np.where(near, rng.normal(0, 0.5, n_rows), rng.normal(6, 0.5, n_rows))
    b = np.where(near, rng.normal(0, 1, n_rows), rng.normal(4, 1, n_rows))
    tail = rng.exponential(size=n_rows) ** 3
    a[:2] = 3.0  # two rows are alone in the gap
    level = np.where(near, rng.choice(["p", "q", "r"], size=n_rows), rng.choice(["p", "q"], size=n_rows)).astype(object)
    level[:3] = "rare"
    return pd.DataFrame({"a": a, "b": b, "tail": tail, "level": level})


@pytest.fixture(scope="module")
def rows() -> Rows:
    """A function that is wild where no rows are: between and beyond the two clouds."""
    X = gapped()
    y = (X["a"] - 3) ** 3 / 20 + X["a"] * X["b"] / 3 + np.sqrt(X["tail"]) + X["tail"] * X["b"] / 20
    y += X["level"].map({"p": 0.0, "q": 1.0, "r": -1.0, "rare": 40.0}) * (1 + 0.2 * X["b"])
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, y).decomposition_
    return Rows.of(dec, X, y)


def close(rows: Rows, column: np.ndarray, place: float, length: float) -> np.ndarray:
    """Tell which rows lie close to a place, by the words of the page."""
    return np.abs(column - place) <= (rows.reach.distance + SLACK) * length


def length_of(axis) -> float:
    return axis.high - axis.low


def assert_line_has_rows(rows: Rows, column: np.ndarray, axis, x) -> None:
    for place in np.linspace(x[0], x[-1], 200):
        assert close(rows, column, place, length_of(axis)).sum() >= rows.reach.rows, place


def along_axis(figure: Figure) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Go through everything that a figure draws along its horizontal axis, in pieces."""
    for item in figure.scene.items:
        if isinstance(item, Line) and item.name not in ("identity",):
            yield from ((item.name, piece) for piece in item.x)
        if isinstance(item, Area):
            points = zip(item.x, item.lower, item.upper, strict=True)
            for (start, *first), (end, *second) in pairwise(points):
                if first[0] < first[1] and second[0] < second[1]:  # elsewhere nothing is seen of it
                    yield item.name, (start, end)
        if isinstance(item, Tip):
            yield from ((item.name, (at, at)) for at in item.x)


def test_a_curve_and_its_band_end_where_rows_end_and_leave_inner_gaps(rows):
    for name in ("a", "b", "tail"):
        figure = main_effect(rows, name)
        assert isinstance(figure.data, Curve)
        drawn = list(along_axis(figure))
        assert {"component", "band", "values"} <= {item for item, _ in drawn}
        column = rows.values[:, rows.feature(name)]
        for _, piece in drawn:
            assert_line_has_rows(rows, column, figure.data.x, piece)


def test_the_gap_between_two_clouds_is_shaded_and_hides_nothing_that_has_rows(rows):
    figure = main_effect(rows, "a")
    data = figure.data
    inner = [(low, high) for low, high in data.gaps if low > data.x.low and high < data.x.high]
    assert len(inner) == 1
    assert 1.0 < inner[0][0] < inner[0][1] < 5.0
    column = rows.values[:, 0]
    for low, high in data.gaps:
        for place in np.linspace(low, high, 52)[1:-1]:
            fewer = np.abs(column - place) <= (rows.reach.distance - SLACK) * length_of(data.x)
            assert fewer.sum() < rows.reach.rows
    assert "few rows" in written(figure.scene)


def test_lines_of_other_explanations_have_the_same_gaps(rows):
    feature = rows.dec.features[0]
    values = rows.values[:, [0]]
    at = np.arange(len(values))
    other = Attribution("other", "Other", (feature,), at, values, values / 6, "y", "identity", "main effect")
    figure = overlaid(main_effect(rows, "a"), feature, [other])
    assert len(mark(figure.scene, "overlay-1").x) == len(mark(figure.scene, "component").x) == 2
    for _, piece in along_axis(figure):
        assert_line_has_rows(rows, rows.values[:, 0], figure.data.x, piece)


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("pair", [("a", "b"), ("b", "tail"), ("b", "level")])
def test_every_colored_cell_of_a_plane_has_rows_enough_close_to_its_middle(rows, pair, joint):
    figure = pair_surface(rows, pair, joint=joint)
    data = figure.data
    assert isinstance(data, Surface)
    (heat,) = (item for item in figure.scene.items if isinstance(item, Heat))
    at = [middles(axis) for axis in (data.x, data.y)]
    columns = [values_along(rows, axis) for axis in (data.x, data.y)]
    sizes, n_empty = [], 0
    for j, line in enumerate(heat.value):
        for i, value in enumerate(line):
            near = close_on(rows, columns[0], at[0][i], data.x) & close_on(rows, columns[1], at[1][j], data.y)
            if value is None:
                n_empty += 1
                assert near.sum() < rows.reach.rows + 40 * SLACK * len(near)
            else:
                sizes.append(abs(value))
                assert near.sum() >= rows.reach.rows
    assert 0 < n_empty < sum(map(len, heat.value))
    assert data.limit == pytest.approx(np.quantile(sizes, 0.99), rel=1e-2)


def middles(axis) -> np.ndarray:
    if axis.levels:
        return np.arange(len(axis.levels))
    edges = np.linspace(axis.low, axis.high, 37)
    return (edges[1:] + edges[:-1]) / 2


def values_along(rows: Rows, axis) -> np.ndarray:
    """Return where rows lie along an axis; of levels their positions on it."""
    index = rows.feature(axis.label)
    column = rows.values[:, index]
    if not axis.levels:
        return column
    names = rows.dec.features[index].levels
    return np.array([axis.levels.index(names[int(code)]) for code in column])


def close_on(rows: Rows, column: np.ndarray, place: float, axis) -> np.ndarray:
    return column == place if axis.levels else close(rows, column, place, length_of(axis))


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("pair", [("a", "b"), ("b", "tail"), ("b", "level")])
def test_slices_run_where_rows_lie_close_along_them_and_across(rows, pair, joint):
    figure = pair_slices(rows, pair, joint=joint)
    data = figure.data
    assert isinstance(data, Slices)
    cut = next(name for name in pair if name != data.x.label)
    column, across = rows.values[:, rows.feature(data.x.label)], pair_surface(rows, pair, joint=joint).data
    other = across.y if across.x.label == data.x.label else across.x
    for line in data.lines:
        value = other.levels.index(line.name) if other.levels else float(line.name.replace("−", "-").replace(",", ""))
        near = close_on(rows, values_along(rows, other), value, other)
        drawn = replace(data, lines=(line,)).scene()
        for piece in mark(drawn, "lines").x:
            for place in np.linspace(piece[0], piece[-1], 60):
                assert (near & close(rows, column, place, length_of(data.x))).sum() >= rows.reach.rows, (cut, place)
    assert any(line.gaps for line in data.lines)


def test_versions_side_by_side_are_drawn_where_points_of_comparison_are(rows):
    changed = replace(rows.dec, expansion=rows.dec.expansion)
    X = gapped()
    found = compare_decompositions(rows.dec, changed, X)
    sides = Sides.of((rows.dec, changed), X, names=("first", "second"))
    kinds = set()
    for effect in found.effects:
        if len(effect.features) == 2:
            for figure in pair_contrast(sides, effect, key="pair"):
                thin = np.array(figure.data.thin)
                (heat,) = (item for item in figure.scene.items if isinstance(item, Heat))
                assert [[value is None for value in line] for line in heat.value] == thin.tolist()
                assert thin.any()
            continue
        figure = contrast_figure(sides, effect, key="main")
        kinds.add(type(figure.data))
        if isinstance(figure.data, Contrast):
            column = sides.rows[0].values[:, sides.positions(0, effect.features)[0]]
            for _, piece in along_axis(figure):
                assert_line_has_rows(sides.rows[0], column, figure.data.x, piece)
    assert kinds == {Contrast, LevelContrast}


def test_bars_of_levels_with_few_rows_are_hatched_and_neither_named_nor_on_the_scale(rows):
    figure = main_effect(rows, "level")
    data = figure.data
    assert isinstance(data, Levels)
    rare = data.x.levels.index("rare")
    assert data.few == tuple(level == "rare" for level in data.x.levels)
    bars = mark(figure.scene, "bars")
    assert isinstance(bars, Box)
    assert bars.hatched == data.few
    assert "rare" not in figure.alt.split(";")[0]
    assert "; 1 level with fewer than 5 rows not compared" in figure.alt
    assert re.search(r"highest for q \(\+[\d.]+, 95% interval \+[\d.]+ to \+[\d.]+, 3\d\.\d% of the rows\)", figure.alt)
    assert data.value[rare] > data.y.high  # its bar ends at the end of the axis
    assert bars.right[rare] == data.y.high


def test_a_small_drawing_shows_the_levels_that_its_words_name(rows):
    data = main_effect(rows, "level").data
    names = tuple(f"level {k:02d}" for k in range(12))
    many = replace(
        data,
        x=replace(data.x, levels=names, high=11.5),
        value=(0.9, *(0.1 * k for k in range(10)), -0.9),
        share=(0.01, *(0.098,) * 10, 0.01),
        lower=(),
        upper=(),
        pooled=(False,) * 12,
        few=(False,) * 12,
    )
    drawn = mark(many.scene(440.0, 200.0), "names").words
    assert len(drawn) < 12
    assert {"level 00", "level 11"} <= set(drawn)


def test_sentences_about_curves_hold_for_the_rows(rows):
    for name in ("a", "b", "tail"):
        column, alt = rows.values[:, rows.feature(name)], main_effect(rows, name).alt
        effect = rows.component((rows.feature(name),), [column], 0)
        every = re.search(r"; over all 3,000 rows it lies between (\S+) and (\S+?)(?:;|\.$)", alt)
        said = [number(text) for text in re.findall(r"[+−]?[\d.,]*\d(?= at )", alt.split(";")[0])]
        if every is not None:
            said += [number(text) for text in every.groups()]
        lowest, highest = min(said), max(said)
        assert lowest == pytest.approx(effect.min(), rel=0.01, abs=0.01)
        assert highest == pytest.approx(effect.max(), rel=0.01, abs=0.01)


@pytest.mark.parametrize("pair", [("a", "b"), ("b", "tail"), ("b", "level")])
def test_sentences_about_planes_hold_for_the_rows(rows, pair):
    figure = pair_surface(rows, pair)
    found = tuple(sorted(map(rows.feature, pair)))
    effect = rows.component(found, [rows.values[:, index] for index in found], 0)
    most, least = (number(text) for text in re.findall(r"(?:most|least), (\S+) at", figure.alt))
    assert effect.min() - 0.01 <= least <= most <= effect.max() + 0.01
    for value in (most, least):  # each is that of a row
        assert np.abs(effect - value).min() <= 0.005 * abs(value) + 1e-3
    every = re.search(r"; over all 3,000 rows, between (\S+) and (\S+?)(?:;|\.$)", figure.alt)
    if every is None:
        assert (least, most) == pytest.approx((effect.min(), effect.max()), rel=0.01)
    else:
        assert [number(text) for text in every.groups()] == pytest.approx([effect.min(), effect.max()], rel=0.01)


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("+", "").replace(",", ""))


@pytest.mark.parametrize("n_rows", [1, 2, 7, 30, 200, 1000])
def test_tables_of_any_size_have_pictures(rows, n_rows):
    few = Rows.of(rows.dec, gapped().tail(n_rows))
    for name in ("a", "tail"):
        figure = main_effect(few, name)
        for _, piece in along_axis(figure):
            assert_line_has_rows(few, few.values[:, few.feature(name)], figure.data.x, piece)
        assert mark(figure.scene, "component").x
    assert np.mean(pair_surface(few, ("a", "b")).data.thin) < 1


def test_the_distance_is_one_of_the_page_and_fits_the_number_of_rows():
    assert Reach.of(100_000) == Reach.of(5000) == Reach(5, 0.05)
    for n_rows in (40, 200, 1000):
        reach = Reach.of(n_rows)
        rng = np.random.default_rng(n_rows)
        at = np.linspace(0.3, 0.7, 30)
        held = reach.enough(tuple(reach.near(rng.uniform(size=n_rows), at, 1.0) for _ in range(2)))
        assert held.mean() > 0.95


def test_gaps_are_found_exactly():
    rng = np.random.default_rng(3)
    for rows_needed in (1, 2, 5):
        reach = Reach(rows_needed, 0.03)
        column = np.r_[rng.normal(size=40), rng.normal(8, 0.2, size=15), np.nan]
        gaps = reach.gaps(column, -3.0, 9.0)
        for place in rng.uniform(-3, 9, size=500):
            few = (np.abs(column - place) <= 0.03 * 12).sum() < rows_needed
            few |= not np.nanmin(column) <= place <= np.nanmax(column)
            assert few == any(low < place < high for low, high in gaps)
