from datetime import datetime

import ipywidgets
import numpy as np
import pytest
from anova_report.figures.columns.axes import MISSING, NOT_SEEN

from anova_report.explorer.controls import Controls
from anova_report.explorer.editors import MOST, Editors, round_steps
from anova_report.measures.variance import feature_totals
from tests.explorer import examples
from tests.explorer.examples import HOSTILE


def editors_of(example, **choices):
    state = example.state(**choices)
    told = []
    controls = Controls(state, told.append)
    editors = Editors(state, controls)
    state.observe(lambda _change: editors.follow())
    return state, editors, told


@pytest.fixture
def known():
    return editors_of(examples.known())


@pytest.fixture
def mixed():
    return editors_of(examples.mixed())


def test_every_kind_of_value_has_a_control_that_fits(mixed):
    _, editors, _ = mixed
    kinds = [type(editors.editors[index]) for index in range(7)]
    assert kinds == [
        ipywidgets.Text,  # numbers that may be missing
        *[ipywidgets.Dropdown] * 3,
        ipywidgets.Text,
        *[ipywidgets.FloatSlider] * 2,
    ]
    assert [editors.editors[index].description for index in (0, 1)] == ["income", HOSTILE]


def test_controls_show_the_values_of_the_row(mixed):
    state, editors, _ = mixed
    X = examples.mixed().X
    for row in (3, 8):
        state.row = row
        own = X.iloc[row]
        assert editors.editors[1].value == own[HOSTILE]
        assert editors.editors[3].value == own["member"]
        assert editors.editors[4].value == f"{own['sold']:%Y-%m-%d}"
        assert editors.editors[5].value == own["rooms"]
        assert editors.editors[6].value == own["lasted"].total_seconds()
    assert dict(state.edits) == {}


def test_a_slider_edits_its_value(known):
    state, editors, _ = known
    editors.editors[0].value = 0.5
    assert dict(state.edits) == {"a": 0.5}
    editors.editors[1].value = -0.5
    assert dict(state.edits) == {"a": 0.5, "b": -0.5}


def test_lists_and_fields_edit_their_values(mixed):
    state, editors, _ = mixed
    editors.editors[2].value = "l"
    editors.editors[3].value = True
    editors.editors[4].value = "2021-05-06"
    editors.editors[0].value = "2.5"
    own = {"size": "l", "member": True, "sold": datetime(2021, 5, 6), "income": 2.5}
    assert {name: value for name, value in state.edits.items() if name != "member"} == {
        name: value for name, value in own.items() if name != "member"
    }
    assert state.values[3] == 1.0


def test_an_empty_field_means_a_missing_value(mixed):
    state, editors, _ = mixed
    assert not np.isnan(state.values[0])
    editors.editors[0].value = ""
    assert state.edits["income"] is None
    assert np.isnan(state.values[0])


def test_what_is_no_value_is_explained_and_taken_back(mixed):
    state, editors, told = mixed
    before = editors.editors[4].value
    editors.editors[4].value = "yesterday"
    assert "no value of 'sold'" in told[-1]
    assert editors.editors[4].value == before
    assert dict(state.edits) == {}


def test_a_slider_that_only_snaps_to_its_step_edits_nothing(known):
    state, editors, _ = known
    slider = editors.editors[0]
    slider.value = slider.value + 0.5 * slider.step
    assert dict(state.edits) == {}
    slider.value = slider.value + 2 * slider.step
    assert "a" in state.edits


def test_reset_takes_all_edits_back(known):
    state, editors, _ = known
    assert editors.reset.disabled
    editors.editors[0].value = 0.5
    assert not editors.reset.disabled
    editors.reset.click()
    assert dict(state.edits) == {}
    assert editors.editors[0].value == pytest.approx(examples.known().X["a"][3])
    assert editors.reset.disabled


def test_edits_from_code_move_the_controls(known):
    state, editors, _ = known
    state.edits = {"c": 0.125}
    assert editors.editors[2].value == 0.125
    state.edits = {"c": 99.0}
    assert editors.editors[2].value == 99.0
    assert editors.editors[2].max == 99.0


def test_of_many_features_the_most_important_have_controls_and_others_can_be_added():
    state, editors, _ = editors_of(examples.mains_only())
    totals = [total.share for total in feature_totals(examples.mains_only().dec).features]
    ranked = sorted(range(12), key=lambda index: -abs(totals[index]))
    assert set(editors.editors) == set(ranked[:MOST])
    assert editors.other.label == "another feature …"
    left = [value for _, value in editors.other.options[1:]]
    assert left == sorted(ranked[MOST:])
    editors.other.value = left[1]
    added = editors.editors[left[1]]
    assert added in editors.others.children
    added.value = added.max
    assert list(state.edits) == [f"x{left[1]}"]
    assert left[1] not in [value for _, value in editors.other.options]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0, 99_999.0], (0.0, 99_999.0, 1.0)),
        ([-1.234, 1.0], (-1.24, 1.0, 0.01)),
        ([1e6 + 0.5, 3.5e6], (1e6, 3.5e6, 1e4)),
        ([0.1, 0.1003], (0.1, 0.1003, 1e-6)),
        ([2.5, 2.5], (2.0, 3.0, 1.0)),
    ],
)
def test_steps_of_a_slider_are_round_and_its_ends_hold_all_values(values, expected):
    assert round_steps(np.array(values)) == pytest.approx(expected)


def test_where_all_features_have_controls_no_other_is_offered(known):
    _, editors, _ = known
    assert editors.other.layout.display == "none"


def test_levels_can_be_missing_where_some_are(mixed):
    example = examples.mixed()
    X = example.X.copy()
    X.loc[3, HOSTILE] = None
    state, editors, _ = editors_of(examples.Example(example.dec, X, example.answers))
    assert editors.editors[1].label == MISSING
    editors.editors[1].value = "green"
    assert state.edits[HOSTILE] == "green"
    editors.editors[1].label = MISSING
    assert state.edits[HOSTILE] is None
    _, others, _ = mixed
    assert MISSING not in [label for label, _ in others.editors[1].options]


def test_a_level_that_the_fit_has_not_seen_is_called_so_and_cannot_be_chosen():
    example = examples.mixed()
    X = example.X.copy()
    X.loc[3, HOSTILE] = "violet"
    state, editors, told = editors_of(examples.Example(example.dec, X, example.answers))
    assert editors.editors[1].label == NOT_SEEN
    assert dict(state.edits) == {}
    editors.editors[1].value = "green"
    editors.editors[1].value = NOT_SEEN
    assert "no value of" in told[-1]
    assert editors.editors[1].value == "green"


def test_every_control_has_words_that_a_screen_reader_finds(mixed):
    _, editors, _ = mixed
    found = [*editors.others.children, editors.other, editors.reset]
    assert all(control.description.strip() for control in found)
