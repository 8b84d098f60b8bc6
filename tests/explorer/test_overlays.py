import numpy as np
import pytest

from anova_report.errors import InputError, UnknownTermError
from anova_report.explorer.overlays import Overlay, overlaid, read_overlays
from anova_report.figures.columns import Rows, main_effect, pair_surface
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


def test_a_figure_without_lines_of_its_own_stays_as_it_is(known):
    lines = read_overlays(known, [("SHAP", "b", [0.0], [0.0])])
    curve, surface = main_effect(known, (0,)), pair_surface(known, (0, 2))
    assert overlaid(curve, known, 0, lines) is curve
    assert overlaid(surface, known, 1, lines) is surface
