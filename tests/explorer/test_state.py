import numpy as np
import pytest

from anova_report.errors import InputError, UnknownTermError
from anova_report.explorer.state import MOST_PAST, NAMED_ROWS, State
from anova_report.explorer.user_input import NOTHING
from anova_report.figures.rows import Rows
from anova_report.measures.variance import variance_shares
from tests.explorer import examples


@pytest.fixture
def state() -> State:
    return examples.known().state()


def watched(state):
    seen = []
    state.observe(lambda change: seen.append((change.name, change.old, change.new)))
    return seen


def test_it_begins_with_the_largest_term_and_the_typical_row():
    example = examples.known()
    state = State(Rows.of(example.dec, example.X, example.predictions), example.X)
    shares = variance_shares(example.dec).terms
    assert state.term == max(shares, key=lambda share: share.total).term
    values = example.X.iloc[state.row]
    components = np.array([2 * values["a"], 3 * values["b"] ** 2 - 1, 4 * values["a"] * values["c"]])
    every = np.column_stack([2 * example.X["a"], 3 * example.X["b"] ** 2 - 1, 4 * example.X["a"] * example.X["c"]])
    assert (components**2).sum() <= np.quantile((every**2).sum(axis=1), 0.02)
    assert (state.output, state.scale, state.colour_by, dict(state.edits)) == (0, "identity", None, {})


def test_first_choices_can_be_given():
    state = examples.mixed().state(output="<i>second</i>", term="rooms", row="highest", colour_by=0, order=1)
    assert (state.output, state.term, state.colour_by, state.order) == (1, (5,), "income", 1)
    explained = examples.mixed().dec.predict(examples.mixed().X)[:, 1]
    assert state.row == explained.argmax()


@pytest.mark.parametrize("given", [(0, 2), [2, 0], ("a", "c"), ("c", 0), ("c", "a"), (np.int64(0), "c")])
def test_a_term_is_set_by_indices_and_names_in_any_order(state, given):
    state.term = given
    assert state.term == (0, 2)


def test_a_term_of_one_feature_needs_no_brackets(state):
    state.term = "b"
    assert state.term == (1,)
    state.term = 2
    assert state.term == (2,)


@pytest.mark.parametrize(
    ("name", "wrong", "error", "words"),
    [
        ("term", "d", UnknownTermError, "no feature 'd'"),
        ("term", (0, 9), UnknownTermError, "no feature 9"),
        ("term", None, UnknownTermError, "no feature None"),
        ("row", None, InputError, "position or a name"),
        ("scale", None, InputError, "scale 'identity'"),
        ("row", 1500, InputError, "no row 1500"),
        ("row", -1, InputError, "no row -1"),
        ("row", 2.5, InputError, "position or a name"),
        ("row", True, InputError, "position or a name"),
        ("row", "strangest", InputError, "'typical', 'highest', 'lowest'"),
        ("output", 1, InputError, "outputs 'prediction'"),
        ("output", "other", InputError, "outputs 'prediction'"),
        ("scale", "probability", InputError, "scale 'identity'"),
        ("colour_by", "d", UnknownTermError, "no feature 'd'"),
        ("search", None, InputError, "part of their labels"),
        ("order", 3, InputError, "order 1, 2"),
        ("joint", None, InputError, "joint is True"),
        ("edits", {"a": "blue"}, InputError, "not a value of 'a'"),
        ("edits", {"d": 1}, UnknownTermError, "no feature 'd'"),
        ("overlays", [("SHAP", "a", [1.0], [1.0, 2.0])], InputError, "1 values and 2 effects"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused_and_changes_nothing(state, name, wrong, error, words):
    before = {trait: getattr(state, trait) for trait in state.trait_names()}
    seen = watched(state)
    with pytest.raises(error, match=words):
        setattr(state, name, wrong)
    assert {trait: getattr(state, trait) for trait in state.trait_names()} == before
    assert seen == []


def test_a_pair_that_cannot_be_distinguished_begins_with_its_joint_effect_and_others_with_the_interaction(state):
    state.term = ("a", "c")
    assert state.joint is False
    state.joint = True
    state.term = "a"
    assert state.joint is False
    with pytest.raises(InputError, match="not read together"):
        state.joint = True
    copies = examples.map_of_two().state(term=("latitude", "longitude"))
    assert copies.joint is True
    copies.joint = False
    assert copies.joint is False
    assert examples.known().state(term=("a", "c"), joint=True).joint is True


def test_observers_get_the_old_and_the_new_choice(state):
    seen = watched(state)
    state.row = 7
    state.row = np.int64(7)
    assert seen == [("row", 3, 7)]


def test_rows_have_names_whatever_their_case(state):
    explained = examples.known().dec.predict(examples.known().X)
    residual = np.abs(examples.known().predictions - explained)
    extreme = np.abs(explained - examples.known().dec.mean).argmax()
    expected = {"highest": explained.argmax(), "Lowest": explained.argmin(), "largest_residual": residual.argmax()}
    expected |= {"most extreme": extreme, "typical": state.named_row("typical")}
    assert {name.casefold().replace("_", " ") for name in expected} == set(NAMED_ROWS)
    for name, row in expected.items():
        state.row = name
        assert state.row == row
        assert type(state.row) is int


def test_without_predictions_no_row_has_the_largest_residual():
    state = examples.known().state(predicted=False)
    with pytest.raises(InputError, match="Without predictions"):
        state.row = "largest residual"


def test_named_rows_belong_to_their_output():
    state = examples.mixed().state(row="highest")
    explained = examples.mixed().dec.predict(examples.mixed().X)
    assert state.row == explained[:, 0].argmax()
    state.output = "<i>second</i>"
    state.row = "highest"
    assert state.row == explained[:, 1].argmax()


def test_the_same_row_keeps_its_edits_and_another_row_has_none(state):
    state.edits = {"a": 0.5}
    state.row = 3
    assert dict(state.edits) == {"a": 0.5}
    state.row = 4
    assert state.edits == NOTHING


def test_edits_are_added_one_by_one_and_taken_back_together(state):
    seen = watched(state)
    state.edit("a", 0.5)
    state.edit(1, "-0.25")
    assert dict(state.edits) == {"a": 0.5, "b": -0.25}
    state.reset()
    assert dict(state.edits) == {}
    assert [name for name, _, _ in seen] == ["edits"] * 3


def test_values_are_those_of_the_row_with_its_edits(state):
    own = examples.known().X.iloc[3].to_numpy()
    assert state.values.tolist() == own.tolist()
    state.edit("c", 0.125)
    assert state.values.tolist() == [own[0], own[1], 0.125]
    assert state.rows.values[3].tolist() == own.tolist()


def test_terms_are_listed_by_share_largest_first(state):
    totals = [share.total for share in state.listed]
    assert totals == sorted(totals, reverse=True)
    assert {share.term for share in state.listed} == set(examples.known().dec.terms)


def test_terms_are_found_by_parts_of_their_labels(state):
    state.search = "A C"
    assert [share.label for share in state.listed] == ["a × c"]
    state.search = "nothing like it"
    assert state.listed == ()


def test_only_terms_of_the_wanted_order_are_listed(state):
    state.order = 1
    assert {share.term for share in state.listed} == {(0,), (1,), (2,)}
    state.search = "×"
    assert state.listed == ()
    state.order = None
    assert all(len(share.term) == 2 for share in state.listed)


def test_logits_can_be_looked_at_as_probabilities():
    state = examples.logits().state()
    assert (state.scale, state.scales) == ("logit", ("logit", "probability"))
    state.scale = "probability"
    assert state.scale == "probability"


def test_the_pointer_belongs_to_the_surface_of_the_term(state):
    state.term = ("a", "c")
    state.pointer = (0.5, np.float64(0.25))
    assert state.pointer == (0.5, 0.25)
    state.term = "a"
    assert state.pointer is None
    state.pointer = (0.5, 0.25)
    assert state.pointer is None


def test_it_says_what_it_is(state):
    state.term, state.edits = ("a", "c"), {"a": 1}
    assert repr(state) == "State of output 'prediction', term 'a × c', row 3, edits {'a': 1.0}"


def test_choices_are_taken_back_one_by_one_with_what_followed_from_them():
    state = examples.known().state(term="a")
    assert not state.has_past
    state.edit("a", 0.5)
    state.row = 7  # which forgets the edit
    state.term = ("a", "c")
    state.joint = True
    seen = []
    for _ in range(5):  # once more than there are choices
        state.undo()
        seen.append((state.term, state.joint, state.row, dict(state.edits)))
    assert seen == [
        ((0, 2), False, 7, {}),
        ((0,), False, 7, {}),
        ((0,), False, 3, {"a": 0.5}),
        ((0,), False, 3, {}),
        ((0,), False, 3, {}),
    ]


def test_only_so_many_choices_are_remembered():
    state = examples.known().state()
    for row in range(2 * MOST_PAST):
        state.row = row
    for _ in range(2 * MOST_PAST):
        state.undo()
    assert state.row == MOST_PAST - 1


def test_an_output_that_is_taken_back_brings_its_term_back():
    state = examples.mixed().state(term=0)
    before = state.term
    state.output = 1
    state.term = (0, 3)
    state.undo()
    state.undo()
    assert (state.output, state.term) == (0, before)
