import pytest

from anova_report.explorer.views import PROBABILITY_NOTE, row_words, rows_looked_at, term_words, trust_words
from tests.explorer import examples


def test_a_main_effect_is_told_by_its_shares():
    [sentence] = term_words(examples.known().state(term="a"))
    share = next(share for share in examples.known().state().shares if share.term == (0,))
    assert sentence.startswith(f"a carries {share.total:.1%} (95% interval ")
    assert f"{share.structural:.1%} by its own movement" in sentence


def test_a_pair_is_told_beyond_its_parts():
    carried, beyond = term_words(examples.known().state(term=("a", "c")))
    assert carried.startswith("a × c carries")
    assert "knowing both moves the answer by 1.3" in beyond  # the standard deviation of 4ac is 4/3


def test_a_term_of_three_features_says_that_it_has_no_picture():
    example = examples.triple()
    _, sentence = term_words(example.state(term=max(example.dec.terms, key=len)))
    assert sentence.startswith("A term of 3 features has no picture")


def test_without_intervals_none_is_told():
    assert "interval" not in term_words(examples.published().state())[0]


def test_a_row_is_told_by_its_answer_alone():
    [sentence] = row_words(examples.known().views())
    assert sentence.startswith("The answer is ")


def test_edits_are_told_with_what_was_before_and_what_the_model_says():
    example = examples.known()
    views = example.views(model=example.model)
    views.state.edits = {"a": 0.5, "b": 0.0}
    _, edits, model = row_words(views)
    before = example.X.iloc[3]
    assert edits.startswith(f"What if a = 0.5 instead of {before['a']:.3f}".replace("-", "−").rstrip("0"))
    assert edits.count("instead of") == 2
    answer = 4 + 1 + 4 * 0.5 * before["c"]
    assert f"the model itself answers {answer:.3g}" in model


def test_without_a_model_its_answer_to_edits_is_not_known():
    views = examples.known().views()
    views.state.edits = {"a": 0.5}
    assert row_words(views)[-1] == "What the model itself would answer is not known: pass model= to ask it."


def test_a_model_that_fails_is_quoted():
    views = examples.known().views(model=lambda table: table["d"])
    views.state.edits = {"a": 0.5}
    assert "The model itself gave no answer. The model failed on rows 0 to 0: KeyError" in row_words(views)[-1]


def test_probabilities_are_told_with_what_they_are_not():
    views = examples.logits().views(scale="probability")
    *_, way, caution = row_words(views)
    own = examples.logits().model.predict_proba(examples.logits().X[3:4])[0, 1]
    assert way.endswith(f"the answer is {own:.1%}.")
    assert caution == PROBABILITY_NOTE
    assert trust_words(views)[-2:] == (PROBABILITY_NOTE, trust_words(views)[-1])


@pytest.mark.parametrize(
    ("example", "answered", "words"),
    [
        (examples.known, True, None),
        (examples.known, False, "Without answers"),
        (examples.mains_only, True, "a sample of 1,200 of 3,000 rows"),
        (examples.mains_only, True, "There are no interactions"),
    ],
)
def test_what_is_sampled_and_what_is_left_out_is_told(example, answered, words):
    said = " ".join(trust_words(example().views(answered=answered)))
    assert words in said if words else "sample of 1,200 of 1,500" in said


def test_where_named_rows_are_looked_for_is_told():
    assert rows_looked_at(100) == "all rows"
    assert rows_looked_at(50_000) == "20,000 of 50,000 rows"
