from dataclasses import replace
from datetime import datetime
from pathlib import Path

import ipywidgets
import numpy as np
import pytest
from bs4 import BeautifulSoup

from anova_report.errors import InputError
from anova_report.explorer.controls import (
    LONGEST,
    MOST_EDITORS,
    Controls,
    Editors,
    RowSlider,
    Saving,
    brief,
    slider_range,
)
from anova_report.explorer.fragments import FileLink
from anova_report.measures.values import MISSING, NOT_SEEN
from anova_report.measures.variance import feature_totals, variance_shares
from tests.explorer import examples
from tests.explorer.examples import HOSTILE


@pytest.fixture
def notices() -> list[str]:
    return []


def controls_of(example, notices, **choices):
    state = example.state(**choices)
    controls = Controls(state, notices.append)
    state.observe(lambda _change: controls.follow())
    return state, controls


@pytest.fixture
def known(notices):
    return controls_of(examples.known(), notices)


def labelled(widget):
    """All controls inside a widget."""
    if isinstance(widget, ipywidgets.Box):
        return [found for child in widget.children for found in labelled(child)]
    return [widget]


def test_terms_are_listed_by_share_whatever_their_labels_and_follow_the_state(notices):
    state, controls = controls_of(examples.named(), notices)
    shares = variance_shares(examples.named().dec).ranked()
    assert [term for _, term in controls.term.options] == [share.term for share in shares]
    assert controls.term.options[0][0].startswith(f"{shares[0].structural:.1%}")
    assert controls.term.options[0][0].endswith(f" · {shares[0].label}")
    for term in ((2,), (0, 1)):  # both have the label "a × b"
        controls.term.value = term
        assert state.term == term
        state.term = "b"
        state.term = term
        assert controls.term.value == term


def test_searching_shortens_the_list_and_keeps_the_term(known):
    state, controls = known
    state.term = "b"
    controls.search.value = "a"
    found = {label.partition(" · ")[2] for label, _ in controls.term.options}
    assert found == {share.label for share in state.shares if "a" in share.label}
    assert (state.term, controls.term.value) == ((1,), None)
    controls.search.value = ""
    assert controls.term.value == (1,)


def test_the_list_can_be_kept_to_main_effects_and_opened_again(known):
    state, controls = known
    controls.order.value = 1
    assert {len(term) for _, term in controls.term.options} == {1}
    controls.order.value = next(value for label, value in controls.order.options if label == "all terms")
    assert state.order is None
    assert len(controls.term.options) == len(state.shares)


def test_box_slider_and_buttons_choose_the_row_and_follow_each_other(known):
    state, controls = known
    controls.row.value = 12
    assert (state.row, controls.slider.value) == (12, 12)
    controls.slider.value = 40
    assert (state.row, controls.row.value) == (40, 40)
    assert controls.slider.max == controls.row.max == len(state.rows) - 1
    for name, button in controls.named.items():
        button.click()
        assert controls.row.value == state.row == state.named_row(name)
        assert button.tooltip.startswith("Go to the row ")
        assert button.tooltip.endswith("among all rows")


def test_controls_are_offered_only_where_there_is_a_choice(known, notices):
    _, plain = known
    assert (plain.output.layout.display, plain.scale.layout.display) == ("none", "none")
    _, without = controls_of(examples.known(), notices, predicted=False)
    assert without.named["largest residual"].disabled
    assert without.colour.layout.display == "none"
    _, several = controls_of(examples.mixed(), notices)
    assert several.output.layout.display is None
    _, logits = controls_of(examples.logits(), notices)
    assert logits.scale.layout.display is None


def test_output_scale_and_colours_are_switched(notices):
    state, controls = controls_of(examples.mixed(), notices)
    before = controls.term.options
    controls.output.value = 1
    assert state.output == 1
    assert controls.term.options != before
    state, controls = controls_of(examples.logits(), notices)
    controls.scale.value = "probability"
    controls.colour.value = "x1"
    assert (state.scale, state.colour_by) == ("probability", "x1")
    controls.colour.value = controls.colour.options[0][1]
    assert state.colour_by is None


def test_a_pair_is_switched_between_its_interaction_and_the_joint_effect(notices):
    state, controls = controls_of(examples.map_of_two(), notices, term="b")
    assert controls.joint.layout.display == "none"
    state.term = ("latitude", "longitude")
    assert (controls.joint.layout.display, controls.joint.value) == (None, True)
    controls.joint.value = False
    assert (state.joint, notices) == (False, [""])


def test_the_state_is_shown_at_once_and_after_every_change(notices):
    state, controls = controls_of(examples.mixed(), notices, colour_by="size", output=1, order=1, search="o")
    shown = (controls.colour.value, controls.output.value, controls.order.value, controls.search.value)
    assert shown == ("size", 1, 1, "o")
    state.colour_by = state.order = None
    assert (controls.colour.label, controls.order.label) == ("one colour", "all terms")


def test_a_refused_choice_is_explained_and_taken_back(known, notices):
    state, controls = known
    controls.choose("row", "strangest")
    assert "no row called 'strangest'" in notices[-1]
    assert controls.row.value == state.row == 3
    controls.row.value = 5
    assert notices[-1] == ""


def test_following_the_state_makes_no_choice_of_its_own(known):
    state, controls = known
    seen = []
    state.observe(lambda change: seen.append(change.name))
    controls.follow()
    state.term = "b"
    assert seen == ["term"]


def test_long_and_hostile_names_are_cut_and_stay_text(notices):
    _, controls = controls_of(examples.mixed(), notices)
    assert any(HOSTILE in label for label, _ in controls.term.options)
    found = [*labelled(controls.terms), *labelled(controls.rows)]
    assert not any(getattr(control, "description_allow_html", False) for control in found)
    assert len({control.description for control in found}) == len(found)
    assert len(brief("x" * 500)) == LONGEST


def editors_of(example, **choices):
    state, notices = example.state(**choices), []
    editors = Editors(state, Controls(state, notices.append))
    state.observe(lambda _change: editors.follow())
    return state, editors, notices


@pytest.fixture
def edited():
    return editors_of(examples.known())


@pytest.fixture
def mixed():
    return editors_of(examples.mixed())


def test_every_kind_of_value_has_a_control_that_fits_and_shows_the_row(mixed):
    state, editors, _ = mixed
    kinds = [type(editors.editors[index]) for index in range(7)]
    text, choice, slider = ipywidgets.Text, ipywidgets.Dropdown, RowSlider
    assert kinds == [text, choice, choice, choice, text, slider, slider]  # the first numbers may be missing
    assert [editors.editors[index].description for index in (0, 1)] == ["income", HOSTILE]
    for row in (3, 8):
        state.row = row
        own = examples.mixed().X.iloc[row]
        shown = [editors.editors[index].value for index in (1, 3, 4, 5, 6)]
        day = f"{own['sold']:%Y-%m-%d}"
        assert shown == [own[HOSTILE], own["member"], day, own["rooms"], own["lasted"].total_seconds()]
    assert dict(state.edits) == {}


def test_sliders_lists_and_fields_edit_their_values(mixed, edited):
    state, editors, _ = mixed
    for index, value in {2: "l", 3: True, 4: "2021-05-06", 0: "2.5"}.items():
        editors.editors[index].value = value
    assert {name: state.edits[name] for name in ("size", "sold", "income")} == {
        "size": "l",
        "sold": datetime(2021, 5, 6),
        "income": 2.5,
    }
    assert state.values[3] == 1.0
    editors.editors[0].value = ""  # a missing value
    assert state.edits["income"] is None
    assert np.isnan(state.values[0])
    state, editors, _ = edited
    editors.editors[0].value = 0.5
    editors.editors[1].value = -0.5
    assert dict(state.edits) == {"a": 0.5, "b": -0.5}


def test_what_is_not_a_value_is_explained_and_taken_back(mixed):
    state, editors, notices = mixed
    before = editors.editors[4].value
    editors.editors[4].value = "yesterday"
    assert "not a value of 'sold'" in notices[-1]
    assert editors.editors[4].value == before
    assert dict(state.edits) == {}


def test_a_value_that_a_page_only_reports_back_edits_nothing_and_an_edit_is_round(edited):
    state, editors, _ = edited
    slider, own = editors.editors[0], state.values[0]
    slider.value = own * (1 + 1e-12)
    assert dict(state.edits) == {}
    slider.value = 0.123456
    assert dict(state.edits) == {"a": 0.123}
    assert slider.value == 0.123


def test_edits_from_code_move_the_controls_and_reset_takes_all_back(edited):
    state, editors, _ = edited
    assert editors.reset.disabled
    state.edits = {"c": 0.125}
    assert editors.editors[2].value == 0.125
    state.edits = {"c": 99.0}
    assert editors.editors[2].value == editors.editors[2].max == 99.0
    editors.reset.click()
    assert dict(state.edits) == {}
    assert editors.editors[2].value == pytest.approx(examples.known().X["c"][3])
    assert editors.reset.disabled


def test_of_many_features_the_most_important_have_controls_and_others_can_be_added(edited):
    state, editors, _ = editors_of(examples.mains_only())
    sizes = [total.structural for total in feature_totals(examples.mains_only().dec).features]
    ranked = sorted(range(12), key=lambda index: -sizes[index])
    assert set(editors.editors) == set(ranked[:MOST_EDITORS])
    assert editors.other.label == "another feature …"
    left = [value for _, value in editors.other.options[1:]]
    assert left == sorted(ranked[MOST_EDITORS:])
    editors.other.value = left[1]
    added = editors.editors[left[1]]
    assert added in editors.others.children
    added.value = added.max
    assert list(state.edits) == [f"x{left[1]}"]
    assert left[1] not in [value for _, value in editors.other.options]
    _, every, _ = edited
    assert every.other.layout.display == "none"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0, 99_999.0], (0.0, 99_999.0, 1.0)),
        ([-1.234, 1.0], (-1.234, 1.0, 0.01)),
        ([1e6 + 0.5, 3.5e6], (1e6 + 0.5, 3.5e6, 1e4)),
        ([0.1, 0.1003], (0.1, 0.1003, 1e-6)),
        ([2.5, 2.5], (2.5, 2.5, 1.0)),
        ([*range(998), 5e4 + 0.5, 1e5], (4.0, 994.0, 1.0)),  # rows far out
    ],
)
def test_a_slider_reaches_over_the_values_but_not_to_rows_far_out(values, expected):
    assert slider_range(np.array(values)) == pytest.approx(expected)


def test_a_slider_shows_the_value_of_every_row_exactly_in_skewed_columns_too():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(1500, 3))
    X[:, 0] = np.round(2 * rng.gamma(2.0, 1.5, 1500)) / 2  # halves
    X[::100, 0] = 5000.0
    X[7] = 2.5, 1 / 3, -0.123456
    example = examples.Example(examples.known().dec, X, np.zeros(1500))
    state, editors, _ = editors_of(example, row=7)
    for row in (7, 0, 8, 100, 7):
        state.row = row
        for index, slider in editors.editors.items():
            assert slider.value == X[row, index]
            assert slider.step is None  # a page would move the value to the nearest step
            assert slider.min <= slider.value <= slider.max
    assert editors.editors[0].unit < 0.5
    assert dict(state.edits) == {}


@pytest.mark.parametrize(("level", "label"), [(None, MISSING), ("violet", NOT_SEEN)])
def test_missing_and_unknown_levels_are_called_so(level, label):
    example = examples.mixed()
    X = example.X.copy()
    X.loc[3, HOSTILE] = level
    state, editors, notices = editors_of(examples.Example(example.dec, X, example.predictions))
    assert editors.editors[1].label == label
    assert dict(state.edits) == {}
    editors.editors[1].value = "green"
    assert state.edits[HOSTILE] == "green"
    editors.editors[1].label = label
    if level is None:
        assert state.edits[HOSTILE] is None
    else:  # no value that could be chosen
        assert "not a value of" in notices[-1]
        assert editors.editors[1].value == "green"


LINKS = [FileLink("a.svg", "data:image/svg+xml;base64,YQ==", "Pictures")]


def shown(widget):
    return BeautifulSoup(widget.value, "html.parser").get_text().strip()


def saving_with(write):
    return Saving(lambda kind: [replace(LINKS[0], file=f"a.{kind}")], write, ("page", "svg", "png", "csv"))


@pytest.mark.parametrize("kind", ["svg", "png", "csv"])
def test_one_menu_makes_files_of_what_is_shown(kind):
    saving = saving_with(Path)
    saving.format.value = kind
    assert saving.path.layout.display == "none"
    saving.save.click()
    link = BeautifulSoup(saving.message.value, "html.parser").a
    assert (link["download"], link.has_attr("data-png")) == (f"a.{kind}", kind == "png")
    saving.format.value = "page"
    assert (saving.message.value, saving.path.layout.display) == ("", None)


def test_the_report_is_written_where_the_field_says():
    saving = saving_with(lambda path: Path("/somewhere") / path)
    saving.path.value = "my audit.html"
    saving.save.click()
    assert shown(saving.message) == "Written: /somewhere/my audit.html"
    assert not saving.save.disabled


@pytest.mark.parametrize("error", [InputError("no <rows>"), PermissionError("not here")])
def test_a_report_that_cannot_be_written_says_why(error):
    def write(_path):
        raise error

    saving = saving_with(write)
    saving.save.click()
    assert shown(saving.message) == f"Not written: {error}"
    assert "<rows>" not in saving.message.value
    assert not saving.save.disabled
