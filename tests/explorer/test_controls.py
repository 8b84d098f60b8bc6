import ipywidgets
import pytest

from anova_report.explorer.controls import LONGEST, Controls, brief
from anova_report.measures.variance import variance_shares
from tests.explorer import examples
from tests.explorer.examples import HOSTILE


class Told(list):
    """Remembers the words for the user."""

    __call__ = list.append


@pytest.fixture
def told() -> Told:
    return Told()


def controls_of(example, told, **choices):
    state = example.state(**choices)
    controls = Controls(state, told)
    state.observe(lambda _change: controls.follow())
    return state, controls


@pytest.fixture
def known(told):
    return controls_of(examples.known(), told)


def labelled(widget):
    """All controls inside a widget."""
    if isinstance(widget, ipywidgets.Box):
        return [found for child in widget.children for found in labelled(child)]
    return [widget]


def test_terms_are_listed_by_share_with_the_share_beside_the_name(known):
    _, controls = known
    shares = variance_shares(examples.known().dec).ranked()
    assert [term for _, term in controls.term.options] == [share.term for share in shares]
    first, *_ = controls.term.options
    assert first[0] == f"{shares[0].total:.1%} · {shares[0].label}"


def test_choosing_in_the_list_changes_the_term(known):
    state, controls = known
    controls.term.value = (1,)
    assert state.term == (1,)


def test_the_list_follows_the_state(known):
    state, controls = known
    state.term = ("a", "c")
    assert controls.term.value == (0, 2)


def test_searching_shortens_the_list_and_keeps_the_term(known):
    state, controls = known
    state.term = "b"
    controls.search.value = "a"
    assert {label.partition(" · ")[2] for label, _ in controls.term.options} == {
        share.label for share in state.shares if "a" in share.label
    }
    assert state.term == (1,)
    assert controls.term.value is None
    controls.search.value = ""
    assert controls.term.value == (1,)


def test_the_list_can_be_kept_to_main_effects_and_opened_again(known):
    state, controls = known
    controls.order.value = 1
    assert state.order == 1
    assert {len(term) for _, term in controls.term.options} == {1}
    controls.order.value = next(value for label, value in controls.order.options if label == "all terms")
    assert state.order is None
    assert len(controls.term.options) == len(state.shares)


def test_box_and_slider_choose_the_row_and_follow_each_other(known):
    state, controls = known
    controls.row.value = 12
    assert (state.row, controls.slider.value) == (12, 12)
    controls.slider.value = 40
    assert (state.row, controls.row.value) == (40, 40)
    assert controls.slider.max == controls.row.max == len(state.rows) - 1


@pytest.mark.parametrize("name", ["typical", "highest", "lowest", "most extreme", "worst explained"])
def test_buttons_go_to_rows_worth_a_look(known, name):
    state, controls = known
    controls.named[name].click()
    assert state.row == state.named_row(name)
    assert controls.row.value == state.row


def test_without_answers_no_button_offers_the_worst_explained(told):
    _, controls = controls_of(examples.known(), told, answered=False)
    assert controls.named["worst explained"].disabled
    assert controls.colour.layout.display == "none"


def test_output_and_scale_are_offered_only_where_there_is_a_choice(told, known):
    _, plain = known
    assert (plain.output.layout.display, plain.scale.layout.display) == ("none", "none")
    _, several = controls_of(examples.mixed(), told)
    assert several.output.layout.display is None
    _, logits = controls_of(examples.logits(), told)
    assert logits.scale.layout.display is None


def test_another_output_brings_its_own_shares(told):
    state, controls = controls_of(examples.mixed(), told)
    before = controls.term.options
    controls.output.value = 1
    assert state.output == 1
    assert controls.term.options != before


def test_the_scale_and_the_colours_are_switched(told):
    state, controls = controls_of(examples.logits(), told)
    controls.scale.value = "probability"
    controls.colour.value = "x1"
    assert (state.scale, state.colour_by) == ("probability", "x1")
    controls.colour.value = controls.colour.options[0][1]
    assert state.colour_by is None


def test_the_state_is_shown_at_once_and_after_every_change(told):
    state, controls = controls_of(examples.mixed(), told, colour_by="size", output=1, order=1, search="o")
    shown = (controls.colour.value, controls.output.value, controls.order.value, controls.search.value)
    assert shown == ("size", 1, 1, "o")
    state.colour_by = state.order = None
    assert controls.colour.label == "one colour"
    assert controls.order.label == "all terms"


def test_a_refused_choice_is_explained_and_taken_back(known, told):
    state, controls = known
    controls.choose("row", "strangest")
    assert "no row called 'strangest'" in told[-1]
    assert controls.row.value == state.row == 3
    controls.row.value = 5
    assert told[-1] == ""


def test_following_the_state_makes_no_choice_of_its_own(known):
    state, controls = known
    seen = []
    state.observe(lambda change: seen.append(change.name))
    controls.follow()
    state.term = "b"
    assert seen == ["term"]


def test_every_control_has_words_that_a_screen_reader_finds(known):
    _, controls = known
    found = labelled(controls.widget)
    assert len(found) >= 13
    assert all(control.description.strip() for control in found)
    assert len({control.description for control in found}) == len(found)


def test_buttons_say_what_they_would_do(known):
    _, controls = known
    for button in controls.named.values():
        assert button.tooltip.startswith("Go to the row ")
        assert button.tooltip.endswith("among all rows")


def test_long_and_hostile_names_are_cut_and_stay_text(told):
    _, controls = controls_of(examples.mixed(), told)
    labels = [label for label, _ in controls.term.options]
    assert any(HOSTILE in label for label in labels)
    assert not any(getattr(control, "description_allow_html", False) for control in labelled(controls.widget))
    assert len(brief("x" * 500)) == LONGEST
