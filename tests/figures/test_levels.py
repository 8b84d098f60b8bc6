"""Bars of levels: right effects in the right order, honest about what is rare, missing or left out, and their scene."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report.figures.effects import main_effect
from anova_report.figures.geometry import Axis
from anova_report.figures.levels import FAINT, Levels
from anova_report.figures.overlays import Overlay
from anova_report.figures.rows import Rows
from anova_report.figures.style import OVERLAYS, TEXT
from anova_report.figures.text import shorten, width
from anova_report.measures.values import MISSING, NOT_SEEN
from tests.figures.conftest import COLORS, Case
from tests.figures.samples import HOSTILE, LONG, edge_levels, rich_levels
from tests.figures.scene_items import assert_one_form, legend, mark, pixels, ruler, written


def bars(case: Case, name: str, output: int = 0, row: int | None = None) -> Levels:
    data = main_effect(case.rows, name, output, row=row).data
    assert isinstance(data, Levels)
    return data


def test_a_bar_is_the_component_of_its_level_with_its_share_of_all_rows(mixed):
    data = bars(mixed, "color")
    for level, value, share in zip(data.x.levels, data.value, data.share, strict=True):
        chosen = mixed.X["color"].isna() if level == MISSING else mixed.X["color"] == level
        component = mixed.dec.component("color", mixed.X[chosen].head(1))[0, 0]
        assert value == pytest.approx(component, abs=1e-4), level
        assert share == pytest.approx(chosen.mean(), abs=1e-4), level


def test_nominal_levels_come_by_effect_with_the_missing_one_last(mixed):
    data = bars(mixed, "color")
    assert data.x.levels[-1] == MISSING
    assert list(data.value[:-1]) == sorted(data.value[:-1], reverse=True)
    assert data.x.levels[0] == COLORS[3]


def test_ordered_levels_numbers_and_truth_values_keep_their_order_and_known_steps_are_found(mixed):
    assert bars(mixed, "size").x.levels == ("s", "m", "l")
    assert bars(mixed, "rooms").x.levels == tuple(str(year) for year in range(2010, 2016))
    assert bars(mixed, "member").x.levels == ("False", "True")
    assert np.diff(bars(mixed, "size").value) == pytest.approx([1.0, 1.0], abs=0.2)
    assert np.diff(bars(mixed, "rooms", 1).value) == pytest.approx(np.ones(5), abs=0.1)


def test_at_most_twenty_levels_and_a_missing_one_are_drawn_and_the_others_counted(mixed):
    data = bars(mixed, "color")
    assert len(data.x.levels) == 21
    assert data.left_out == mixed.X["color"].nunique() - 20
    rarest = mixed.X["color"].value_counts().index[-2:]
    assert not set(rarest) & set(data.x.levels)
    assert f"{data.left_out} rarer levels not drawn" in main_effect(mixed.rows, "color").alt


def test_the_marked_level_is_that_of_the_row_if_it_is_drawn(mixed):
    data = bars(mixed, "size", row=11)
    assert data.x.levels[data.marked] == mixed.X["size"].iloc[11]
    assert bars(mixed, "size").marked is None
    drawn = bars(mixed, "color").x.levels
    hidden = mixed.X["color"].notna() & ~mixed.X["color"].isin(drawn)
    assert bars(mixed, "color", row=int(np.argmax(hidden))).marked is None


def test_pooled_levels_are_flagged_and_named_so_in_the_table(mixed):
    few = mixed.X[mixed.X["color"].isin([*COLORS[:3], *COLORS[24:]])]
    figure = main_effect(Rows.of(mixed.dec, few), "color")
    rare = {level for level, pooled in zip(figure.data.x.levels, figure.data.pooled, strict=True) if pooled}
    index = mixed.dec.feature_names.index("color")
    assert rare == {COLORS[code] for code in mixed.dec.expansion.reference.marginals[index].pooled}
    assert {line[0] for line in figure.table.rows if "(pooled)" in line[0]} == {f"{level} (pooled)" for level in rare}


def test_unseen_levels_are_a_bar_of_their_own(mixed):
    new = mixed.X.head(50).assign(color=["octarine"] * 20 + [COLORS[0]] * 30)
    figure = main_effect(Rows.of(mixed.dec, new), "color")
    position = figure.data.x.levels.index(NOT_SEEN)
    assert figure.data.share[position] == pytest.approx(0.4)
    assert figure.data.value[position] == pytest.approx(mixed.dec.component("color", new.head(1))[0, 0], abs=1e-4)


def test_the_table_holds_every_bar_and_words_name_the_highest_and_the_lowest(mixed):
    figure = main_effect(mixed.rows, "size")
    table, alt = figure.table, figure.alt
    assert table.head == ("size", "share of rows", "effect", "95% from", "95% to")
    assert [line[0] for line in table.rows] == ["s", "m", "l"]
    assert alt.startswith("The effect of size is highest for l (+")
    assert " and lowest for s (−" in alt


def test_the_order_of_rows_does_not_matter(mixed):
    shuffled = Rows.of(mixed.dec, mixed.X.sample(frac=1, random_state=0))
    assert main_effect(shuffled, "color") == main_effect(mixed.rows, "color")


def test_renaming_levels_renames_the_bars_and_changes_nothing_else(mixed):
    color = mixed.dec.features[1]
    paint = replace(color, levels=tuple(level.replace("color", "paint") for level in color.levels))
    dec = replace(mixed.dec, features=(mixed.dec.features[0], paint, *mixed.dec.features[2:]))
    renamed = mixed.X.assign(color=mixed.X["color"].str.replace("color", "paint"))
    before, after = bars(mixed, "color"), main_effect(Rows.of(dec, renamed), "color").data
    assert after.x.levels == tuple(level.replace("color", "paint") for level in before.x.levels)
    assert replace(after, x=before.x) == before


def test_few_values_of_a_constant_model_have_no_effect(constant):
    few = np.repeat([[0.0, 1.0], [1.0, 0.0]], 20, axis=0)
    figure = main_effect(Rows.of(constant.dec, few), 0)
    assert isinstance(figure.data, Levels)
    assert set(figure.data.value) == {0.0}
    assert "is 0 for all 2 levels drawn" in figure.alt


def plain(n: int, **changes) -> Levels:
    """Draw levels with nothing but bars."""
    x, y = Axis("x", -0.5, n - 0.5, levels=tuple(f"level {k}" for k in range(n))), Axis("effect", -1.2, 1.2)
    value = tuple(0.1 * (k - n / 2) for k in range(n))
    return replace(Levels(x, y, value, (1 / n,) * n, (), (), (False,) * n), **changes)


def test_bars_run_from_zero_to_their_effects_the_first_at_the_top():
    data = rich_levels()
    scene = data.scene()
    found = mark(scene, "bars")
    assert list(zip(found.left, found.right, strict=True)) == [(min(0.0, v), max(0.0, v)) for v in data.value]
    assert [(low + high) / 2 for low, high in zip(found.bottom, found.top, strict=True)] == pytest.approx(range(5))
    (panel,) = scene.panels
    assert panel.down(1.0) - panel.down(0.0) == pytest.approx(22.0)
    assert mark(scene, "zero").x0 == (0.0,)
    assert ruler(scene, "below").axis == data.y


def test_what_lies_beyond_the_axis_ends_at_its_end_and_nothing_is_still_seen():
    scene = plain(3, value=(99.0, -99.0, 0.0), lower=(9.0, -99.0, -1.0), upper=(99.0, -9.0, 1.0)).scene()
    assert mark(scene, "bars").right[0] == 1.2
    assert mark(scene, "bars").left[1] == -1.2
    assert mark(scene, "bars").least > 0.5
    assert mark(scene, "whiskers").x1 == (1.2, -1.2, 1.0)


def test_whiskers_are_the_bounds_and_absent_where_there_are_none():
    data = rich_levels()
    found = mark(data.scene(), "whiskers")
    assert (found.x0, found.x1, found.y0) == (data.lower, data.upper, (0.0, 1.0, 2.0, 3.0, 4.0))
    assert mark(plain(3).scene(), "whiskers").x0 == ()


def test_a_marked_level_stands_out_and_without_one_all_are_alike():
    scene = rich_levels().scene()
    assert mark(scene, "bars").opacity == (FAINT, FAINT, 1.0, FAINT, FAINT)
    assert mark(scene, "names").bold == (False, False, True, False, False)
    assert set(mark(plain(3).scene(), "bars").opacity) == {1.0}


def test_names_and_shares_stand_beside_their_bars():
    scene = rich_levels().scene()
    assert mark(scene, "names").words == ("clear", "mist", "light rain", "heavy rain", "missing")
    assert mark(scene, "shares").words == ("63.0%", "26.0%", "8.0%", "1.0%", "2.0%")
    assert mark(scene, "names").y == mark(scene, "shares").y == (0.0, 1.0, 2.0, 3.0, 4.0)
    assert "rows" in written(scene)


def test_names_fit_into_their_column_and_a_pooled_one_keeps_the_word():
    data = plain(2, pooled=(True, False), x=Axis("x", -0.5, 1.5, levels=(LONG, LONG)))
    scene = data.scene()
    found, left = mark(scene, "names"), scene.panels[0].frame.left
    for dx, room in zip(found.dx, found.room, strict=True):
        assert left + dx - width(shorten(LONG, room, TEXT), TEXT) >= 0
    assert found.dx[0] < found.dx[1] - 40
    assert (mark(scene, "pooled").words, mark(scene, "pooled").y) == (("(pooled)",), (0.0,))


def test_hover_text_has_name_effect_band_and_share():
    said = mark(rich_levels().scene(), "bars").tips
    assert said[0].split("\n") == ["clear", "effect +0.21", "band +0.13 to +0.29", "63.0% of rows"]
    assert said[3].startswith("heavy rain (pooled)\n")
    assert mark(edge_levels().scene(), "bars").tips[0].split("\n")[0] == HOSTILE


def test_other_explanations_are_marks_on_their_levels_that_a_legend_names():
    scene = plain(3, overlays=(Overlay("SHAP", (0.0, 2.0), (0.3, -9.0)), Overlay("nothing", (), ()))).scene()
    found = mark(scene, OVERLAYS[0])
    assert (found.x, found.y, found.labels) == ((0.3, -1.2), (0.0, 2.0), ("SHAP", "SHAP"))
    assert found.tips == ("SHAP\neffect +0.3", "SHAP\neffect −9")
    assert [(entry.words, entry.marks) for entry in legend(scene).entries] == [
        ("component", ("bars",)),
        ("SHAP", (OVERLAYS[0],)),
    ]
    assert legend(plain(3).scene()).entries == ()


def test_other_explanations_are_distinguished_by_shape_even_where_colors_are_used_up():
    overlays = tuple(Overlay(f"method {k}", (0.0,), (0.1,)) for k in range(6))
    scene = plain(2, overlays=overlays).scene()
    looks = [(color, shape) for color in OVERLAYS for shape in mark(scene, color).shape]
    assert len(set(looks)) == 6
    assert {shape for _, shape in looks} == {"tick", "cross", "diamond", "triangle"}
    assert scene.panels[0].frame.top >= 17 * 2  # the legend has rows enough for all


@pytest.mark.parametrize(("n", "left_out", "words"), [(1, 1, "1 rarer level not drawn"), (20, 7, "7 rarer levels not")])
def test_levels_that_are_not_drawn_are_counted_on_the_page(n, left_out, words):
    scene = plain(n, left_out=left_out).scene()
    ((x, y),) = pixels(scene, "left-out")
    assert mark(scene, "left-out").words[0].startswith(words)
    assert x + mark(scene, "left-out").dx[0] == 0.0
    assert y + mark(scene, "left-out").dy + 6 < scene.size[1]


def test_all_levels_have_one_form():
    none = replace(edge_levels(), x=replace(edge_levels().x, levels=()), value=(), share=(), pooled=())
    assert_one_form(rich_levels(), edge_levels(), plain(1), none)
