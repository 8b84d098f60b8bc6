"""Other explanations beside a decomposition: tables that can be read, reasons where there is nothing to show."""

import numpy as np
import pytest
from bs4 import BeautifulSoup

from anova_report import explain
from anova_report.compare import METHODS, agreement, attribute
from anova_report.errors import InputError
from anova_report.report import build_audit
from benchmarks import side_by_side
from benchmarks.blackboxes import KINDS, Trained
from benchmarks.experiments import Experiment
from benchmarks.side_by_side import (
    Asked,
    agreement_table,
    attributions,
    compare,
    counterparts,
    methods_for,
    model_table,
    model_words,
    single_rows,
)
from tests.benchmarks.stand_ins import small_dataset


def model(rows):
    """Answer by a sum, in which the second feature counts most."""
    return np.sin(rows["a"]) + 3 * rows["b"]


@pytest.fixture(scope="module")
def X():
    return small_dataset("california_housing", 300).X


@pytest.fixture(scope="module")
def dec(X):
    return explain(model, X, max_order=1, random_state=0, progress=False)


@pytest.fixture(scope="module")
def asked(dec, X):
    return compare(dec, X, model, ("ale", "treeshap", "pdp"))


def cells(view):
    rows = BeautifulSoup(view._repr_html_(), "html.parser").select("tr")
    return [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in rows]


def test_every_kind_of_model_has_methods_that_exist():
    assert set(side_by_side.USUAL) == set(KINDS)
    assert {name for names in side_by_side.USUAL.values() for name in names} <= set(METHODS)
    assert methods_for("xgb")[0] == "treeshap"
    assert methods_for("xgb", ["pdp"]) == ("pdp",)
    assert methods_for("xgb", []) == ()


def test_a_method_that_cannot_explain_the_model_says_why_and_others_go_on(asked):
    assert [each.method for each in asked] == ["ale", "treeshap", "pdp"]
    assert [each.agreement is None for each in asked] == [False, True, False]
    assert asked[1].reason.endswith(".")
    assert asked[0].reason == ""


def test_agreement_is_that_of_the_method_on_the_same_rows(asked, dec, X):
    expected = agreement(dec, X, attribute("ale", model, X, like=dec, random_state=0, progress=False))
    assert asked[0].agreement == expected


def test_what_was_said_can_be_laid_over_main_effects(asked):
    assert [each.method for each in attributions(asked)] == ["ale", "pdp"]
    assert attributions(()) == ()


def test_the_table_lists_features_by_share_with_every_method_that_has_something_to_say(asked):
    head, *rows = cells(agreement_table(asked))
    assert head[:3] == ["Feature", "Share", "Accumulated local effects: correlation"]
    assert len(head) == 2 + 2 * 2
    assert [row[0] for row in rows][:2] == ["b", "a"]
    assert float(rows[0][2].removeprefix("> ")) > 0.99
    assert {len(row) for row in rows} == {len(head)}


def test_a_row_budget_is_passed_on(dec, X):
    (one,) = compare(dec, X, model, ("ale",), max_rows=50)
    assert one.agreement.features[0].n_rows == 50


def test_what_each_method_is_held_against_is_told_in_words(asked):
    head, first, missing, _ = cells(counterparts(asked))
    assert head == ["Method", "Held against", "Because"]
    assert first[1] == "main effect"
    assert "local differences" in first[2]
    assert missing[1:] == ["–", asked[1].reason]


def test_without_any_method_the_tables_are_empty_but_there():
    assert cells(agreement_table(())) == [["Feature", "Share"]]
    assert cells(counterparts(())) == [["Method", "Held against", "Because"]]


def test_an_unknown_method_is_refused_before_any_is_asked(dec, X):
    with pytest.raises(InputError, match="There is no method 'tarot'"):
        compare(dec, X, model, ("tarot",))


def test_views_have_text_where_there_is_no_browser_and_escape_what_they_show():
    hostile = Asked("ale", "<b>Bold</b>", reason="<script>alert(1)</script>")
    view = counterparts([hostile])
    assert "<b>Bold</b> | – | <script>alert(1)</script>" in repr(view)
    assert "<b>" not in view._repr_html_()
    assert "<script>" not in view._repr_html_()


def test_a_model_is_described_with_settings_and_performance():
    trained = Trained(None, np.zeros(1234), 0.8125, 2.5)
    one = Experiment("diabetes", "ebm", bags=2)
    assert model_words(one, trained).startswith("Diabetes (Pima), EBM: accuracy 0.812 on the fifth of the rows")
    facts = dict(cells(model_table(one, trained))[1:])
    assert facts["Dataset"] == "Diabetes (Pima), 1,234 rows"
    assert facts["Settings"].endswith("outer_bags 2")
    assert facts["Performance"] == "accuracy 0.812 on test rows"
    assert facts["Trained in"] == "2.5 s"


def test_single_rows_are_shown_as_force_plots_and_networks(dec, X):
    audit = build_audit(dec, X, np.asarray(model(X)), random_state=0, progress=False)
    view = single_rows(audit, top=1)
    page = BeautifulSoup(view._repr_html_(), "html.parser")
    (case, *_) = audit.outputs[0].cases
    keys = (case.force, case.network)
    assert [figure.h4.get_text(strip=True) for figure in page.select("figure")] == [
        audit.figures[key].title for key in keys if key
    ]
    assert repr(view).startswith(f"{audit.figures[case.force].title}: From the mean")
    assert len(page.select("svg[role=img]")) == len([key for key in keys if key])
