from dataclasses import replace

import numpy as np
import pytest
from anova_report.figures.columns import Rows, main_effect, pair_surface
from anova_report.figures.columns.overlays import overlaid as laid_on_page

from anova_report.compare import Attribution, attribute
from anova_report.core.input.features import Feature
from anova_report.errors import InputError, UnknownTermError
from anova_report.explorer.overlays import Overlay, overlaid, read_overlays
from tests.explorer import examples


@pytest.fixture(scope="module")
def known() -> Rows:
    return examples.known().state().rows


@pytest.fixture(scope="module")
def mixed() -> Rows:
    return examples.mixed().state().rows


@pytest.mark.parametrize(
    "line",
    [
        ("SHAP", "a", [0.0, 0.5], np.array([0.0, 1.0])),
        ["SHAP", 0, (0, "0.5"), [0, 1]],
        {"name": "SHAP", "feature": "a", "at": [0.0, 0.5], "value": [0.0, 1.0]},
        Overlay("SHAP", "a", (0.0, 0.5), (0.0, 1.0)),
    ],
)
def test_lines_come_in_many_forms(known, line):
    assert read_overlays(known, [line]) == (Overlay("SHAP", "a", (0.0, 0.5), (0.0, 1.0)),)


def test_levels_and_dates_are_named_as_in_the_table(mixed):
    lines = [("PDP", "size", ["l", "s"], [1.0, 2.0]), ("PDP", "sold", ["1970-01-02"], [3.0])]
    found = read_overlays(mixed, lines)
    assert [line.at for line in found] == [(2.0, 0.0), (86_400.0,)]
    assert read_overlays(mixed, found) == found


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([("SHAP", "d", [0.0], [0.0])], UnknownTermError, "no feature 'd'"),
        ([("SHAP", "a", [0.0], [np.nan])], InputError, "one finite effect"),
        ([("SHAP", "a", [0.0], ["much"])], InputError, "no numbers"),
        ([("SHAP", "a", ["blue"], [1.0])], InputError, "no value of 'a'"),
        ([("SHAP", "a")], InputError, "name, feature, at, value"),
        ([{"name": "SHAP"}], InputError, "name, feature, at, value"),
        ([7], InputError, "name, feature, at, value"),
        ("SHAP", InputError, "list of lines"),
        (Overlay("SHAP", "a", (), ()), InputError, "list of lines"),
        (7, InputError, "list of lines"),
    ],
)
def test_what_is_no_line_is_refused(known, given, error, words):
    with pytest.raises(error, match=words):
        read_overlays(known, given)


def test_the_lines_of_a_feature_are_drawn_over_its_curve(known):
    lines = read_overlays(known, [("SHAP", "a", [0.5, -0.5], [1.0, -1.0]), ("SHAP", "b", [0.0], [0.0])])
    data = overlaid(main_effect(known, (0,)), known, 0, lines).data
    assert [(line.name, line.at, line.value) for line in data.overlays] == [("SHAP", (-0.5, 0.5), (-1.0, 1.0))]


def test_the_axis_of_effects_holds_other_lines_too(known):
    figure = main_effect(known, (0,))
    data = overlaid(figure, known, 0, read_overlays(known, [("wild", "a", [0.0, 0.1], [-50.0, 70.0])])).data
    assert data.y.low <= -50.0
    assert data.y.high >= 70.0
    assert figure.data.y.high < 10.0


def test_points_beyond_the_picture_are_left_out(known):
    data = overlaid(
        main_effect(known, (0,)), known, 0, read_overlays(known, [("wide", "a", [0.0, 9.0], [1.0, 2.0])])
    ).data
    assert data.overlays[0].at == (0.0,)


def test_marks_of_levels_stand_beside_their_bars(mixed):
    levels = mixed.dec.features[1].levels
    line = ("PDP", 1, list(levels), [float(code) for code in range(len(levels))])
    data = overlaid(main_effect(mixed, (1,)), mixed, 1, read_overlays(mixed, [line])).data
    drawn = {
        data.x.levels[int(at)]: value for at, value in zip(data.overlays[0].at, data.overlays[0].value, strict=True)
    }
    assert drawn == {level: float(code) for code, level in enumerate(levels)}


@pytest.fixture(scope="module")
def partial() -> Attribution:
    """Ask for partial dependence, which of independent inputs is the main effect."""
    example = examples.known()
    return attribute("pdp", example.model, example.X, max_rows=150, progress=False)


def test_what_attribute_gave_is_laid_over_every_main_effect(known, partial):
    lines = read_overlays(known, [partial])
    assert lines == (partial,) == read_overlays(known, partial)
    [line] = overlaid(main_effect(known, (0,)), known, 0, lines).data.overlays
    assert line.name == partial.title
    # The mean of c over the rows asked about is not exactly zero, and 4ac adds as much to the slope.
    assert np.polyfit(line.at, line.value, 1)[0] == pytest.approx(2.0, abs=0.2)
    [line] = overlaid(main_effect(known, (1,)), known, 1, lines).data.overlays
    assert np.polyfit(line.at, line.value, 2)[0] == pytest.approx(3.0, abs=0.2)


def test_the_line_in_a_notebook_is_that_of_the_page(known, partial):
    figure, feature = main_effect(known, (0,)), known.dec.features[0]
    ours = overlaid(figure, known, 0, [partial]).data
    assert ours.overlays == laid_on_page(figure, feature, [partial]).data.overlays


def test_methods_keep_their_places_where_one_has_nothing_to_say(known, partial):
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


def about(name: str, values: list[float], contributions: list[float], **more) -> Attribution:
    """Make what a method says about one feature."""
    parts = {"output": "first", "scale": "identity"} | more
    kind = parts.pop("feature", Feature(name, "numeric"))
    columns = (np.array(column)[:, None] for column in (values, contributions))
    rows = np.arange(len(values))
    return Attribution("treeshap", "TreeSHAP", (kind,), rows, *columns, counterpart="main effect", **parts)


def test_levels_are_found_by_name_whatever_their_codes(mixed):
    feature = mixed.dec.features[1]
    other = replace(feature, levels=tuple(reversed(feature.levels)))
    codes = [0.0, 1.0, 2.0]
    given = about(feature.name, codes, [10.0, 20.0, 30.0], feature=other)
    data = overlaid(main_effect(mixed, (1,)), mixed, 1, read_overlays(mixed, given)).data
    [line] = data.overlays
    drawn = {data.x.levels[int(at)]: value for at, value in zip(line.at, line.value, strict=True)}
    assert drawn == {level: 10.0 * (code + 1) for code, level in enumerate(other.levels)}


def test_an_explanation_of_one_output_is_drawn_with_that_output(mixed):
    years = mixed.dec.features[5].name
    given = read_overlays(mixed, about(years, [2011.0, 2012.0], [1.0, 2.0], output="<i>second</i>"))
    figures = [overlaid(main_effect(mixed, (5,), output), mixed, 5, given, output) for output in (0, 1)]
    assert [bool(figure.data.overlays) for figure in figures] == [False, True]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "height"}, "Explain the same features"),
        ({"output": "third"}, "Pass one of these as output="),
    ],
)
def test_an_explanation_of_something_else_is_refused(mixed, changes, words):
    name = changes.pop("name", "income")
    with pytest.raises(InputError, match=words):
        read_overlays(mixed, [about(name, [1.0, 2.0], [1.0, 2.0], **changes)])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scale": "probability"}, "Pass like= the decomposition"),
        ({"scale": "logit", "output": "0"}, "explains the output '0'"),
    ],
)
def test_an_explanation_on_another_scale_or_of_another_class_is_refused(changes, words):
    rows = examples.logits().state().rows
    given = {"output": rows.dec.output_names[0], "scale": "logit"} | changes
    with pytest.raises(InputError, match=words):
        read_overlays(rows, about(rows.dec.feature_names[0], [0.0, 1.0], [0.0, 1.0], **given))


def test_a_figure_without_lines_of_its_own_stays_as_it_is(known):
    lines = read_overlays(known, [("SHAP", "b", [0.0], [0.0])])
    curve, surface = main_effect(known, (0,)), pair_surface(known, (0, 2))
    assert overlaid(curve, known, 0, lines) is curve
    assert overlaid(surface, known, 1, lines) is surface
