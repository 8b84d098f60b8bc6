"""Curves against functions known on paper and the laws they obey, and their scene."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA
from anova_report.figures.curves import MISSING_PANEL, STRIP_PANEL, Atom, Curve
from anova_report.figures.effects import main_effect
from anova_report.figures.gaps import interpolate
from anova_report.figures.geometry import Axis
from anova_report.figures.overlays import Overlay
from anova_report.figures.rows import Rows
from anova_report.figures.style import OVERLAYS
from anova_report.measures.values import MISSING
from tests.figures.conftest import Case
from tests.figures.samples import DAY, HOSTILE, NEW_YEAR, edge_curve, rich_curve
from tests.figures.scene_items import assert_one_form, legend, mark, ruler, written


def curve(case: Case, name: str, output: int = 0, row: int | None = None) -> Curve:
    data = main_effect(case.rows, name, output, row=row).data
    assert isinstance(data, Curve)
    return data


@pytest.mark.parametrize(
    ("name", "truth"), [("a", lambda a: 2 * a), ("b", lambda b: 3 * b**2 - 1), ("c", np.zeros_like)]
)
def test_curves_are_the_functions_known_on_paper(known, name, truth):
    data = curve(known, name)
    expected = truth(np.array(data.at))
    np.testing.assert_allclose(data.value, expected, atol=0.12)


def test_a_curve_is_the_component_at_its_points_within_its_band(known):
    data = curve(known, "a")
    table = pd.DataFrame({"a": data.at, "b": 0.0, "c": 0.0})
    np.testing.assert_allclose(data.value, known.dec.component("a", table), atol=1e-3)
    assert (np.array(data.lower) <= data.value).all()
    assert (np.array(data.upper) >= data.value).all()


def test_points_ascend_within_the_axis_and_are_about_a_hundred(known, mixed):
    for data in (curve(known, "a"), curve(mixed, "income"), curve(mixed, "sold")):
        assert 60 <= len(data.at) <= 120
        assert (np.diff(data.at) > 0).all()
        assert data.x.low <= data.at[0]
        assert data.at[-1] <= data.x.high


def test_a_heavy_tail_does_not_squash_the_curve(mixed):
    data, income = curve(mixed, "income"), mixed.X["income"].dropna()
    assert data.x.high < income.max() / 2
    # Rows crowd at the low end of a long axis: there must be points among them.
    assert sum(at <= income.median() for at in data.at) >= 15


def test_density_holds_the_share_of_rows_between_edges(known, mixed):
    data, income = curve(mixed, "income"), mixed.X["income"].to_numpy()
    assert len(data.density_edges) == len(data.density_share) + 1
    inside = np.nanmean((income >= data.x.low) & (income <= data.x.high))
    assert sum(data.density_share) == pytest.approx(inside, abs=1e-3)
    assert sum(data.density_share) < 0.95  # rows with a missing value are rows, too
    assert sum(curve(known, "a").density_share) == pytest.approx(1.0, abs=1e-3)


def test_the_rug_is_made_of_values_of_rows(known):
    data = curve(known, "a")
    assert 0 < len(data.rug) <= 120
    distance = np.abs(np.array(data.rug)[:, None] - known.X["a"].to_numpy()).min(axis=1)
    assert distance.max() <= 1e-4


def test_missing_values_have_an_effect_of_their_own(mixed):
    atom = curve(mixed, "income").missing
    absent = mixed.X["income"].isna()
    assert atom.share == pytest.approx(absent.mean(), abs=1e-4)
    effect = mixed.dec.component("income", mixed.X[absent].head(1))[0, 0]
    assert atom.value == pytest.approx(effect, rel=1e-3)
    assert atom.lower <= atom.value <= atom.upper
    assert curve(mixed, "sold").missing is None
    words = main_effect(mixed.rows, "income").alt
    assert re.search(r"missing values, (9|10|11)\.\d% of the rows, have an effect of", words)


def test_without_uncertainty_there_is_no_band(published):
    data = curve(published, "x0")
    assert data.lower == data.upper == ()
    assert main_effect(published.rows, 0).table.head == ("x0", "effect")


def test_dates_are_seconds_on_a_time_axis_and_dates_in_the_table(mixed):
    figure = main_effect(mixed.rows, "sold", 1)
    assert figure.data.x.time
    first = pd.Timestamp("2020-01-01").timestamp()
    assert figure.data.x.low == pytest.approx(first, abs=100_000)
    assert all(re.fullmatch(r"202[01]-\d\d-\d\d", line[0]) for line in figure.table.rows)


def test_a_step_in_time_is_seen_where_it_is(mixed):
    data = curve(mixed, "sold", output=1)
    step = pd.Timestamp("2021-01-01").timestamp()
    before = [value for at, value in zip(data.at, data.value, strict=True) if at < step - 60 * 86_400]
    after = [value for at, value in zip(data.at, data.value, strict=True) if at > step + 60 * 86_400]
    assert np.mean(after) - np.mean(before) == pytest.approx(1.0, abs=0.15)


def test_the_marked_row_is_marked_at_its_value(mixed):
    income = mixed.X["income"].to_numpy()
    present, absent = int(np.argmax(~np.isnan(income))), int(np.argmax(np.isnan(income)))
    assert curve(mixed, "income", row=present).marked == pytest.approx(income[present], abs=1e-2)
    assert curve(mixed, "income", row=absent).marked is None
    assert curve(mixed, "income").marked is None


def test_the_table_gives_quantiles_with_their_bands(mixed):
    table = main_effect(mixed.rows, "income").table
    assert table.head == ("income", "effect", "95% from", "95% to")
    assert 10 <= len(table.rows) <= 12
    assert table.rows[-1][0] == MISSING


def test_another_unit_of_a_feature_changes_the_values_but_not_the_effects(known):
    changed = known.X.assign(a=32 + 1.8 * known.X["a"])
    dec = FunctionalANOVA(random_state=0, progress=False).fit(changed, known.predictions).decomposition_
    before, after = main_effect(known.rows, "a").table, main_effect(Rows.of(dec, changed), "a").table
    assert [line[1:] for line in before.rows] == [line[1:] for line in after.rows]
    assert before.rows[0][0] != after.rows[0][0]


def test_the_alternative_text_says_how_a_curve_runs_or_between_what_it_lies(known):
    alt = main_effect(known.rows, "a").alt
    found = re.match(r"The effect of a rises from −(\S+) at −(\S+) to \+(\S+) at (\S+); median", alt)
    assert [float(number) for number in found.groups()] == pytest.approx([2, 1, 2, 1], abs=0.15)
    alt = main_effect(known.rows, "b").alt
    found = re.match(r"The effect of b lies between −(\S+) at −?(\S+) and \+(\S+) at −?(\S+);", alt)
    assert [float(number) for number in found.groups()] == pytest.approx([1, 0, 2, 1], abs=0.1)


def test_a_constant_model_has_a_flat_curve(constant):
    figure = main_effect(constant.rows, 0)
    assert set(figure.data.value) == {0.0}
    assert figure.data.y.low < 0 < figure.data.y.high
    assert "is 0 throughout" in figure.alt


def bare(**changes) -> Curve:
    """Draw a curve with nothing but its line."""
    nothing = {"lower": (), "upper": (), "density_edges": (), "density_share": (), "rug": (), "overlays": ()}
    return replace(rich_curve(), **(nothing | {"missing": None, "marked": None, "gaps": ()} | changes))


def test_the_line_and_its_band_are_the_data_in_values_of_the_first_panel():
    data = replace(rich_curve(), gaps=())
    scene = data.scene()
    assert (mark(scene, "component").x, mark(scene, "component").y) == ((data.at,), (data.value,))
    band = mark(scene, "band")
    assert (band.x, band.lower, band.upper) == (data.at, data.lower, data.upper)
    assert (scene.panels[0].x, scene.panels[0].y) == (data.x.span, data.y.span)
    assert (ruler(scene, "below").axis, ruler(scene, "left").axis) == (data.x, data.y)
    assert mark(bare().scene(), "band").x == ()


def test_rows_stand_in_a_strip_below_the_curve_as_high_as_their_shares():
    data = rich_curve()
    scene = data.scene()
    main, strip, _ = scene.panels
    assert strip.frame.top == main.frame.bottom
    assert (strip.frame.left, strip.frame.right, strip.x) == (main.frame.left, main.frame.right, main.x)
    found = mark(scene, "density")
    assert found.panel == STRIP_PANEL
    assert max(found.top) < 1
    shares = [share / max(data.density_share) for share in data.density_share]
    assert [top / max(found.top) for top in found.top] == pytest.approx(shares, abs=0.02)
    assert (found.left[0], found.right[-1]) == (0.5, 15.0)
    assert found.tips[0].startswith("MedInc 0.50 to 1.10\n")
    assert mark(bare(rug=(-5.0, 1.0, 99.0)).scene(), "rug").x == (1.0,)
    assert bare().scene().panels[0].frame.bottom > main.frame.bottom


def test_ranges_with_few_rows_are_shaded_and_hold_neither_line_nor_band_nor_words():
    data = bare(at=(0.5, 5.5, 15.0), value=(0.0, 1.0, 2.9), lower=(-1.0,) * 3, upper=(3.0,) * 3)
    data = replace(data, gaps=((3.0, 9.5), (14.0, 15.0)))
    scene = data.scene()
    shade = mark(scene, "few-rows")
    assert (shade.left, shade.right) == ((3.0, 14.0), (9.5, 15.0))
    assert "few rows" in written(scene)
    line, band = mark(scene, "component"), mark(scene, "band")
    assert line.x == ((0.5, 3.0), (9.5, 14.0))
    assert line.y == (pytest.approx((0.0, 0.5)), pytest.approx((1.8, 2.7)))
    assert band.x == (0.5, 3.0, 3.0, 9.5, 9.5, 14.0)
    assert [high - low for low, high in zip(band.lower, band.upper, strict=True)] == [4.0, 4.0, 0.0, 0.0, 4.0, 4.0]
    assert mark(scene, "values").x == (0.5,)
    assert mark(bare().scene(), "few-rows").left == ()


def test_a_curve_of_an_earlier_document_is_whole_and_its_ends_are_shaded():
    scene = bare(supported=(3.0, 9.5)).scene()
    shade = mark(scene, "few-rows")
    assert (shade.left, shade.right) == ((0.5, 9.5), (3.0, 15.0))
    assert mark(scene, "component").x == (rich_curve().at,)


def test_a_missing_value_is_a_dot_with_a_whisker_right_of_the_curve():
    scene = bare(missing=Atom(-0.4, -0.55, -0.25, 0.031)).scene()
    dot, whisker = mark(scene, "missing"), mark(scene, "missing-band")
    assert dot.panel == whisker.panel == MISSING_PANEL
    assert scene.panels[MISSING_PANEL].frame.left >= scene.panels[0].frame.right
    assert (dot.y, whisker.y0, whisker.y1) == ((-0.4,), (-0.55,), (-0.25,))
    assert dot.tips == ("missing, 3.1% of rows\neffect −0.4\nband −0.55 to −0.25",)
    assert bare().scene().panels[0].frame.right > scene.panels[0].frame.right + 50


@pytest.mark.parametrize(("marked", "at"), [(7.75, 7.75), (-100.0, 0.5), (99.0, 15.0)])
def test_a_marked_row_lies_on_the_curve_or_at_the_end_of_its_axis(marked, at):
    scene = bare(at=(0.5, 15.0), value=(0.0, 1.0), marked=marked).scene()
    assert mark(scene, "marked-line").x0 == mark(scene, "marked").x == (at,)
    assert mark(scene, "marked").y == pytest.approx(((at - 0.5) / 14.5,))
    assert mark(scene, "marked").tips[0].startswith(f"this row: {marked:.2f}\neffect ".replace("-", "−"))


def test_dates_are_written_as_dates():
    times = Axis("when", NEW_YEAR, NEW_YEAR + 400 * DAY, time=True)
    ends = times.low, times.high
    scene = bare(x=times, at=ends, value=(0.0, 1.0), supported=ends, marked=NEW_YEAR + 59 * DAY).scene()
    assert "2024-02-29" in written(scene)
    assert scene.panels[0].x_time
    assert mark(scene, "values").tips[0] == "when 2024-01-01\neffect 0\n"


def test_hover_text_has_place_effect_and_band_whatever_the_names_are():
    data = replace(rich_curve(), x=Axis(HOSTILE, 0.5, 15.0), gaps=())
    place, effect, band = mark(data.scene(), "values").tips[0].split("\n")
    assert place == f"{HOSTILE} 0.50"
    assert effect.startswith("effect −0.7")
    assert band.startswith("band −0.8")


def test_other_explanations_are_dashed_lines_that_a_legend_names_and_hides():
    data = bare(overlays=(*rich_curve().overlays, *(Overlay(f"{k}", (1.0, 9.0), (0.0, 1.0)) for k in range(7))))
    scene = data.scene()
    first = mark(scene, OVERLAYS[0])
    assert (first.x[0], first.y[0]) == (data.overlays[0].at, data.overlays[0].value)
    assert first.labels[0] == first.tips[0] == "partial dependence"
    assert len(set(first.dash)) == len(first.dash) == 3
    named = [(entry.words, entry.marks) for entry in legend(scene).entries]
    assert named[:2] == [("component", ("component",)), ("partial dependence", (OVERLAYS[0],))]
    assert len(named) == 10
    assert scene.panels[0].frame.height > 50
    assert legend(bare().scene()).entries == ()


def test_all_curves_have_one_form():
    cut = bare(gaps=((0.5, 4.0), (6.0, 9.0)))
    assert_one_form(rich_curve(), edge_curve(), bare(), cut, bare(at=(), value=(), marked=3.0))


def test_values_between_points_lie_on_the_line():
    places = (0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0)
    found = [interpolate(at, (1.0, 2.0, 4.0), (10.0, 20.0, 60.0)) for at in places]
    assert found == [10.0, 10.0, 15.0, 20.0, 40.0, 60.0, 60.0]
    assert interpolate(2.0, (1.0, 2.0, 2.0, 3.0), (0.0, 1.0, 5.0, 6.0)) == 1.0
