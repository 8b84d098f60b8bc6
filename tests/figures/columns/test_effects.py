"""Main effects: which kind of picture a feature gets, and its words."""

import pytest

from anova_report.figures.columns import Rows, main_effect

KINDS = {
    "income": "curve",
    "colour": "levels",
    "size": "levels",
    "member": "levels",
    "sold": "curve",
    "rooms": "levels",
}


@pytest.mark.parametrize("name", KINDS)
def test_numbers_get_a_curve_and_levels_get_bars(mixed, name):
    assert main_effect(mixed.rows, name).kind == KINDS[name]


def test_keys_and_titles_say_output_and_feature(mixed):
    figure = main_effect(mixed.rows, "sold", 1)
    assert figure.key == "o1-main-4"
    assert figure.title == "Main effect of sold"
    assert main_effect(mixed.rows, "sold", key="mine").key == "mine"


def test_a_feature_is_found_by_index_name_or_term(mixed):
    assert main_effect(mixed.rows, 2) == main_effect(mixed.rows, "size") == main_effect(mixed.rows, (2,))


def test_the_same_rows_give_the_same_figure(mixed):
    assert main_effect(mixed.rows, "income") == main_effect(Rows.of(mixed.dec, mixed.X), "income")


def test_outputs_have_effects_of_their_own(mixed):
    first, second = (main_effect(mixed.rows, "size", output).data for output in (0, 1))
    assert max(first.value) > 0.8
    assert max(map(abs, second.value)) < 0.1
    assert first.y.label == "effect on the answer of answer 0"


def test_a_scaled_model_has_scaled_effects(published):
    dec = type(published.dec)(
        **{name: getattr(published.dec, name) for name in published.dec.__dataclass_fields__} | {"scale": "logit"}
    )
    assert main_effect(Rows.of(dec, published.X), 0).data.y.label == "effect on the logit"
