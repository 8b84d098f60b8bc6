"""Main effects: which kind of picture a feature gets, one axis for several, and other explanations over them."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report.compare.methods.attribution import Attribution
from anova_report.core.input.features import Feature
from anova_report.figures.curves import Curve
from anova_report.figures.effects import main_effect, overlaid
from anova_report.figures.geometry import Axis
from anova_report.figures.levels import Levels
from anova_report.figures.overlays import MOST_POINTS, conditional_means, overlay_line
from anova_report.figures.rows import Rows
from tests.figures.samples import figure, rich_curve, rich_levels, rich_slices

LISTED = {"color", "size", "member", "rooms"}
X = Axis("a", 0.0, 10.0)
NUMBER = Feature("a", "numeric")


def test_numbers_get_a_curve_and_levels_get_bars(mixed):
    kinds = {name: main_effect(mixed.rows, name).kind for name in mixed.dec.feature_names}
    assert kinds == {name: "levels" if name in LISTED else "curve" for name in kinds}


def test_keys_and_titles_say_output_and_feature(mixed):
    figure = main_effect(mixed.rows, "sold", 1)
    assert figure.key == "o1-main-4"
    assert figure.title == "Main effect of sold"
    assert main_effect(mixed.rows, "sold", key="mine").key == "mine"


def test_a_feature_is_found_by_index_name_or_term(mixed):
    assert main_effect(mixed.rows, 2) == main_effect(mixed.rows, "size") == main_effect(mixed.rows, (2,))


def test_outputs_have_effects_of_their_own(mixed):
    first, second = (main_effect(mixed.rows, "size", output).data for output in (0, 1))
    assert max(first.value) > 0.8
    assert max(map(abs, second.value)) < 0.1
    assert first.y.label == "effect on the prediction of prediction 0"


def test_a_scaled_model_has_scaled_effects(published):
    dec = replace(published.dec, scale="logit")
    assert main_effect(Rows.of(dec, published.X), 0).data.y.label == "effect on the logit"


def test_a_given_axis_of_effects_is_used(known):
    wanted = Axis("effect", -9.0, 9.0)
    assert main_effect(known.rows, "a", y=wanted).data.y == wanted


def attribution(values, contributions, feature=NUMBER, title="SHAP") -> Attribution:
    column = np.asarray(values, dtype=float)[:, None]
    return Attribution(
        method="treeshap",
        title=title,
        features=(feature,),
        rows=np.arange(len(column)),
        values=column,
        contributions=np.asarray(contributions, dtype=float)[:, None],
        output="prediction",
        scale="identity",
        counterpart="ANOVA-Shapley value",
    )


def test_the_line_is_the_mean_over_rows_with_about_the_same_value():
    """Contributions x ± 1, the sign by chance: their mean is x."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, 60_000)
    line = overlay_line(X, NUMBER, attribution(x, x + rng.choice([-1, 1], len(x))))
    assert len(line.at) == MOST_POINTS
    assert line.value == pytest.approx(line.at, abs=0.15)
    assert list(line.at) == sorted(line.at)


def test_a_function_of_the_value_is_drawn_as_it_is():
    x = np.repeat(np.linspace(0, 10, 50), 4)
    line = overlay_line(X, NUMBER, attribution(x, np.sin(x)))
    assert line.value == pytest.approx(np.sin(line.at), abs=1e-3)


def test_means_weigh_every_row_once():
    rng = np.random.default_rng(1)
    values, contributions = rng.normal(size=900), rng.normal(size=900)
    at, means = conditional_means(values, contributions)
    assert len(at) == MOST_POINTS
    assert means.mean() == pytest.approx(contributions.mean())
    assert at.mean() == pytest.approx(values.mean())


def test_rows_of_one_value_stay_together():
    values = np.repeat([1.0, 2.0], [400, 5])
    contributions = np.concatenate([np.random.default_rng(0).normal(size=400), np.full(5, 3.0)])
    at, means = conditional_means(values, contributions)
    assert len(at) == len(set(at.tolist())) <= 2
    assert means[0] == pytest.approx(contributions[:400].mean(), abs=0.05)


def test_rows_that_are_missing_unknown_or_off_the_axis_are_left_out():
    line = overlay_line(X, NUMBER, attribution([1.0, np.nan, 2.0, 99.0], [5.0, 7.0, np.nan, 9.0]))
    assert (line.at, line.value) == ((1.0,), (5.0,))
    assert overlay_line(X, NUMBER, attribution([], [])).at == ()


def test_a_feature_that_the_method_does_not_know_has_no_line():
    assert overlay_line(X, Feature("b", "numeric"), attribution([1.0], [1.0])).at == ()


def test_levels_are_found_by_what_they_are_called_whatever_their_codes():
    theirs = Feature("a", "nominal", ("west", "north"))
    other = attribution([0.0, 0.0, 1.0], [1.0, 3.0, -2.0], theirs)
    drawn = Axis("a", -0.5, 2.5, levels=("north", "south", "west"))
    line = overlay_line(drawn, Feature("a", "nominal", ("north", "south", "west")), other)
    assert (line.at, line.value) == ((0.0, 2.0), (-2.0, 2.0))


def test_missing_values_and_truth_values_are_levels_too():
    kind = Feature("a", "boolean")
    drawn = Axis("a", -0.5, 2.5, levels=("False", "True", "(missing)"))
    line = overlay_line(drawn, kind, attribution([0.0, 1.0, np.nan], [1.0, 2.0, 3.0], kind))
    assert line.value == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("data", [rich_curve(), rich_levels()])
def test_the_axis_of_effects_holds_what_is_laid_over(data):
    made = figure("main", "Main effect", data)
    feature = NUMBER if isinstance(data, Curve) else Feature("a", "nominal", data.x.levels)
    other = attribution([1.0, 1.0, 2.0], [50.0, 50.0, -70.0], feature, title="Wild")
    found = overlaid(made, feature, [other])
    assert isinstance(found.data, Curve | Levels)
    assert found.data.overlays[-1].name == "Wild"
    assert found.data.y.high >= max(found.data.overlays[-1].value)
    assert found.data.y.low <= min(found.data.overlays[-1].value)
    assert "Wild" in found.alt


def test_other_figures_and_methods_without_a_line_change_nothing():
    slices = figure("s", "t", rich_slices())
    assert overlaid(slices, NUMBER, [attribution([1.0], [1.0])]) is slices
    curve = figure("c", "t", rich_curve())
    assert overlaid(curve, Feature("b", "numeric"), [attribution([1.0], [1.0])]) is curve
