"""Curves against functions known on paper, and against the laws they obey."""

import re

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA
from anova_report.figures.columns import Rows, main_effect
from anova_report.figures.columns.axes import MISSING
from anova_report.figures.kinds import Curve
from tests.figures.columns.conftest import Case


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


def test_a_curve_is_the_component_at_its_points(known):
    data = curve(known, "a")
    table = pd.DataFrame({"a": data.at, "b": 0.0, "c": 0.0})
    np.testing.assert_allclose(data.value, known.dec.component("a", table), atol=1e-3)


def test_the_band_lies_around_the_curve(known):
    data = curve(known, "b")
    assert len(data.lower) == len(data.upper) == len(data.value) == len(data.at)
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


def test_density_holds_the_share_of_rows_between_edges(mixed):
    data, income = curve(mixed, "income"), mixed.X["income"].to_numpy()
    assert len(data.density_edges) == len(data.density_share) + 1
    inside = np.nanmean((income >= data.x.low) & (income <= data.x.high))
    assert sum(data.density_share) == pytest.approx(inside, abs=1e-3)
    assert sum(data.density_share) < 0.95  # rows with a missing value are rows, too


def test_every_row_of_a_light_tailed_feature_is_in_the_density(known):
    assert sum(curve(known, "a").density_share) == pytest.approx(1.0, abs=1e-3)


def test_the_rug_is_made_of_values_of_rows(known):
    data = curve(known, "a")
    assert 0 < len(data.rug) <= 120
    distance = np.abs(np.array(data.rug)[:, None] - known.X["a"].to_numpy()).min(axis=1)
    assert distance.max() <= 1e-4


def test_all_but_the_outermost_rows_are_supported(known):
    low, high = curve(known, "a").supported
    assert ((known.X["a"] >= low) & (known.X["a"] <= high)).mean() == pytest.approx(0.98, abs=0.005)


def test_missing_values_have_an_effect_of_their_own(mixed):
    atom = curve(mixed, "income").missing
    absent = mixed.X["income"].isna()
    assert atom.share == pytest.approx(absent.mean(), abs=1e-4)
    effect = mixed.dec.component("income", mixed.X[absent].head(1))[0, 0]
    assert atom.value == pytest.approx(effect, rel=1e-3)
    assert atom.lower <= atom.value <= atom.upper
    assert curve(mixed, "sold").missing is None


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


def test_a_monotone_change_of_a_feature_changes_the_values_but_not_the_effects(known):
    """Effects depend on ranks only, so the table at quantiles must read the same."""
    changed = known.X.assign(a=np.exp(2 * known.X["a"]))
    dec = FunctionalANOVA(random_state=0, progress=False).fit(changed, known.answers).decomposition_
    before, after = main_effect(known.rows, "a").table, main_effect(Rows.of(dec, changed), "a").table
    assert [line[1:] for line in before.rows] == [line[1:] for line in after.rows]
    assert before.rows[0][0] != after.rows[0][0]


def test_the_alternative_text_says_how_a_rising_curve_runs(known):
    alt = main_effect(known.rows, "a").alt
    found = re.match(r"The effect of a rises from −(\S+) at −(\S+) to \+(\S+) at (\S+); half", alt)
    assert [float(number) for number in found.groups()] == pytest.approx([2, 1, 2, 1], abs=0.15)


def test_the_alternative_text_says_between_what_a_turning_curve_lies(known):
    alt = main_effect(known.rows, "b").alt
    found = re.match(r"The effect of b lies between −(\S+) at −?(\S+) and \+(\S+) at −?(\S+);", alt)
    assert [float(number) for number in found.groups()] == pytest.approx([1, 0, 2, 1], abs=0.1)


def test_the_alternative_text_tells_of_missing_values(mixed):
    assert re.search(
        r"missing values, (9|10|11)\.\d% of the rows, have an effect of", main_effect(mixed.rows, "income").alt
    )


def test_a_constant_model_has_a_flat_curve(constant):
    figure = main_effect(constant.rows, 0)
    assert set(figure.data.value) == {0.0}
    assert figure.data.y.low < 0 < figure.data.y.high
    assert "is 0 throughout" in figure.alt
