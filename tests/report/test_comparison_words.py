import numpy as np
import pytest

from anova_report.compare import compare_decompositions
from anova_report.figures.columns.sides import Sides
from anova_report.report.comparison_words import (
    comparison_notes,
    effects_table,
    facts_table,
    headlines,
    settings_table,
    statement,
)
from tests.report.two_fits import planted_change

NAMES = ("before", "after")


@pytest.fixture(scope="module")
def found():
    two = planted_change()
    return compare_decompositions(two.before, two.after, two.X, names=NAMES)


def test_the_statement_names_what_differs_and_counts_what_agrees(found):
    n_differing = len(found.differing())
    words = statement(found)
    assert f"{n_differing} effect" in words
    assert "age" in words
    assert f"The other {len(found.effects) - n_differing} effects agree" in words


def test_headlines_give_the_fidelity_of_both_and_how_far_apart_they_are(found):
    two = planted_change()
    made = headlines(Sides.of((two.before, two.after), two.X, names=NAMES, max_rows=5000), found)
    assert [item.label for item in made] == [
        "Fidelity of before",
        "Fidelity of after",
        "Effects that differ",
        "Answers apart by",
    ]
    gap = two.after.predict(two.X) - two.before.predict(two.X)
    assert float(made[-1].value) == pytest.approx(float(np.sqrt(np.mean(gap**2))), rel=0.01)
    assert made[2].value == f"{len(found.differing())} of {len(found.effects)}"


def test_the_table_of_effects_has_what_differs_first_and_every_effect_once(found):
    rows = effects_table(found).rows
    assert sorted(row[0] for row in rows) == sorted(item.label for item in found.effects)
    signs = [row[-1] for row in rows]
    assert signs == sorted(signs, reverse=True)
    assert signs[0] == "yes"


def test_facts_and_settings_have_a_column_for_each(found):
    two = planted_change()
    facts = facts_table((two.before, two.after), [found])
    assert facts.head == ("", *NAMES)
    assert ("Rows of the fit", "1,200", "1,200") in facts.rows
    settings = settings_table((two.before, two.after), NAMES)
    assert ("random_state", "0", "0") in settings.rows
    assert not any(row[0] == "progress" for row in settings.rows)


def test_notes_say_how_bands_were_made(found):
    two = planted_change()
    assert comparison_notes((two.before, two.after), found)[0] == found.words
