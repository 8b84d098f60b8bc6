"""Sentences on how often a model was asked, and what that showed."""

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, Explanation, explain
from anova_report.core.fit.asking import Asking
from anova_report.core.result.asked import asked_notes, asked_words

NAMES = ["debt", "rate", "cost", "town", "country"]


def test_a_model_that_was_not_asked_is_not_mentioned():
    assert asked_words(None, NAMES, 600) == asked_notes(None, NAMES, 600) == ()


def test_the_number_of_questions_and_what_they_are_for_is_said_but_is_no_note():
    [words] = asked_words(Asking(18_000), NAMES, 600)
    assert words == (
        "The model was asked at 600 rows of the data and at 18,000 recombined rows, which separate the effects of "
        "dependent inputs; fidelity and shares refer to rows of the data only."
    )
    assert asked_notes(Asking(18_000), NAMES, 600) == ()


def test_columns_that_go_together_and_those_that_are_not_read_are_named():
    asking = Asking(2000, unread=(2,), together=((3, 4),))
    _, together, unread = asked_words(asking, NAMES, 600)
    assert "'town', 'country'" in together
    assert unread.startswith("The model does not read 'cost' on the data: asked 1,000 times with it alone changed")
    assert asked_notes(asking, NAMES, 600) == (unread,)
    assert (
        "'debt', 'rate' on the data: asked 1,000 times with each of them alone"
        in asked_words(Asking(2000, unread=(0, 1)), NAMES, 600)[-1]
    )


def test_recombined_rows_that_were_not_needed_are_not_said_to_help():
    [words] = asked_words(Asking(500), NAMES, 600, used=False)
    assert "which were not needed" in words


@pytest.fixture(scope="module")
def loans() -> Explanation:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 2)), columns=["debt", "rate"])
    X["cost"] = X["debt"] * X["rate"] + 0.01 * rng.normal(size=400)
    return explain(lambda rows: rows["debt"] * rows["rate"], X, ask=2000, progress=False)


def test_a_column_that_the_model_does_not_read_is_a_note_and_has_no_terms(loans, tmp_path):
    assert any(note.startswith("The model does not read 'cost'") for note in loans.notes)
    assert not any(2 in term for term in loans.terms)
    loans.save(tmp_path / "dec.json")
    assert Decomposition.load(tmp_path / "dec.json").notes == loans.notes


def test_a_model_that_refuses_recombined_rows_is_explained_from_its_rows_and_says_why():
    X = np.random.default_rng(0).normal(size=(300, 2))
    X[:, 1] += X[:, 0]
    known = {tuple(row) for row in X}

    def strict(rows: np.ndarray) -> np.ndarray:
        if any(tuple(row) not in known for row in rows):
            raise ValueError("no such row")
        return rows[:, 0]

    dec = explain(strict, X, ask=500, max_order=1, progress=False)
    assert dec.asking.n_asked == 0
    assert dec.notes[0].startswith("The model was asked at 300 rows of the data, and at no recombined rows.")
    assert "no such row" in dec.notes[0]
