"""Other explanations next to a decomposition: tables that can be read, reasons where there is nothing to show."""

import numpy as np
import pytest
from bs4 import BeautifulSoup

from anova_report import explain
from anova_report.compare import METHODS
from anova_report.report import build_audit
from benchmarks import side_by_side
from benchmarks.blackboxes import KINDS
from benchmarks.side_by_side import (
    agreement_table,
    compare,
    counterparts,
    methods_for,
    single_rows,
)
from tests.benchmarks.stand_ins import small_dataset


def model(rows):
    """Prediction by a sum, in which the second feature counts most."""
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


def test_the_table_lists_features_by_share_with_every_method_that_has_something_to_say(asked):
    head, *rows = cells(agreement_table(asked))
    assert head[:3] == ["Feature", "Share", "Accumulated local effects: correlation"]
    assert len(head) == 2 + 2 * 2
    assert [row[0] for row in rows][:2] == ["b", "a"]
    assert float(rows[0][2].removeprefix("> ")) > 0.99
    assert {len(row) for row in rows} == {len(head)}


def test_what_each_method_is_compared_with_is_told_in_words(asked):
    head, first, missing, _ = cells(counterparts(asked))
    assert head == ["Method", "Compared with", "Because"]
    assert first[1] == "main effect"
    assert "local differences" in first[2]
    assert missing[1:] == ["–", asked[1].reason]


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
