"""From a decomposition to an audit, output by output."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA, explain, measures
from anova_report import audit as audit_model
from anova_report.figures.figure import Figure
from anova_report.figures.rows import Rows
from anova_report.measures.claims import Claim
from anova_report.measures.status import worst
from anova_report.measures.variance import TermShare
from anova_report.report import Audit, build_audit
from anova_report.report.audit.build_audit import MODEL, count_figures, output_audit, ranked, shares_table
from anova_report.report.audit.row_facts import ChosenRow
from anova_report.report.page.render import render
from tests.report.fits import classes, mixed, published, table

STILL = {"progress": False, "created": "2024-05-01 12:00 UTC"}


@pytest.fixture(scope="module")
def audit() -> Audit:
    fitted = mixed()
    return build_audit(fitted.dec, fitted.X, fitted.predictions, title="Wages", seconds=[("Fit", 1.5)], **STILL)


def test_an_audit_says_what_it_was_given(audit):
    assert audit.title == "Wages"
    assert audit.subject.model == MODEL
    assert audit.subject.n_rows == len(mixed().X)
    assert audit.run.created == "2024-05-01 12:00 UTC"
    assert audit.run.seconds[0] == ("Fit", 1.5)
    assert audit.run.seconds[1][1] > 0


def test_every_feature_is_described(audit):
    assert [feature.name for feature in audit.features] == list(mixed().X.columns)
    assert [feature.kind for feature in audit.features] == ["numeric", "numeric", "nominal", "boolean"]
    assert audit.features[1].missing == pytest.approx(mixed().X["age"].isna().mean())
    assert all(audit.figures[feature.figure].kind == "histogram" for feature in audit.features)


def test_a_saved_audit_is_the_same_when_it_is_read_again(audit, tmp_path):
    again = Audit.load(audit.save(tmp_path / "audit.json"))
    assert again == audit
    assert render(again) == render(audit)


def test_the_same_input_gives_the_same_audit_but_for_its_seconds(audit):
    fitted = mixed()
    again = build_audit(fitted.dec, fitted.X, fitted.predictions, title="Wages", seconds=[("Fit", 1.5)], **STILL)
    assert replace(again, run=audit.run) == audit


def test_rows_can_be_chosen_and_named():
    fitted = published()
    names = [f"probe {number}" for number in range(len(fitted.X))]
    found = build_audit(fitted.dec, fitted.X, fitted.predictions, rows=[4, 2], row_names=names, **STILL)
    assert [case.row for case in found.outputs[0].cases] == ["probe 4", "probe 2"]


def test_several_outputs_are_audited_one_by_one():
    fitted = classes()
    found = build_audit(fitted.dec, fitted.X, fitted.predictions, rows=[0], **STILL)
    assert [output.name for output in found.outputs] == ["low", "high"]
    verdicts = [output.verdict for output in found.outputs]
    assert verdicts == [measures.findings(fitted.dec, fitted.X, output).verdict for output in (0, 1)]
    assert found.verdict == worst(verdicts)


def test_several_outputs_without_interactions_are_audited_in_one_call(tmp_path):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 2)), columns=["a", "b"])
    found = audit_model(lambda rows: np.c_[rows.a, rows.b], X, tmp_path / "a.html", progress=False)
    assert [[main.label for main in output.mains] for output in found.outputs] == [["a", "b"], ["b", "a"]]


def test_predictions_that_never_change_still_give_a_page():
    X = table(200)
    dec = explain(lambda rows: np.full(len(rows), 1.0), X, progress=False)
    found = build_audit(dec, X, np.full(len(X), 1.0), **STILL)
    assert found.verdict == "fail"
    assert "nothing to explain" in render(found)


def test_terms_of_three_features_are_listed():
    X = np.random.default_rng(0).uniform(-1, 1, size=(600, 3))
    predictions = X.sum(axis=1) + X.prod(axis=1)
    dec = FunctionalANOVA.published(K=3, d=1, d_density=0, scaling=None).fit(X, predictions).decomposition_
    found = build_audit(dec, X, predictions, rows=[0], **STILL)
    assert [row[0] for row in found.outputs[0].higher.rows] == ["x0 × x1 × x2"]


def test_only_the_top_terms_of_many_are_drawn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 30))
    predictions = X @ 1.3 ** np.arange(30)
    dec = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(X, predictions).decomposition_
    output = build_audit(dec, X, rows=[0], top_mains=4, **STILL).outputs[0]
    assert [main.label for main in output.mains] == ["x29", "x28", "x27", "x26"]
    assert len(output.more_mains.rows) == 26


def share(total: float, *term: int) -> TermShare:
    """Make a share with some total."""
    return TermShare(term, f"term {term}", structural=abs(total), correlative=total - abs(total))


def audited(fitted, output: int = 0, predictions: bool = True, top: tuple[int, int] = (12, 12)):
    """Audit an output and return its figures."""
    rows = Rows.of(fitted.dec, fitted.X, fitted.predictions if predictions else None)
    found = measures.findings(fitted.dec, fitted.X, output)
    figures: dict[str, Figure] = {}

    def keep(figure: Figure) -> str:
        figures[figure.key] = figure
        return figure.key

    chosen = ChosenRow(1, "row 1", Claim("chosen case", rows=(1,)))
    return output_audit(rows, output, found, [chosen], keep, top), figures


@pytest.fixture(scope="module")
def whole():
    return audited(mixed())


def test_the_terms_that_move_most_are_drawn_whatever_their_sign():
    shares = [share(0.3, 0), share(-0.2, 1), share(0.1, 2), share(0.01, 3), share(0.9, 0, 1)]
    found = ranked(shares, 1, 2)
    assert [[item.term for item in group] for group in found] == [[(0,), (1,)], [(2,), (3,)]]


def test_main_effects_come_by_share(whole):
    audit, _ = whole
    shares = {item.label: item.total for item in measures.variance_shares(mixed().dec).terms}
    assert [main.share for main in audit.mains] == sorted((shares[main.label] for main in audit.mains), reverse=True)
    assert {main.label for main in audit.mains} == set(mixed().dec.feature_names)
    assert [pair.label for pair in audit.pairs] == ["income × region", "age × region"]


def test_every_key_is_that_of_a_figure_of_the_right_kind(whole):
    audit, figures = whole
    kinds = {
        "histogram": [audit.predictions],
        "totals": [audit.totals],
        "shares": [audit.shares],
        "network": [audit.network, *(case.network for case in audit.cases)],
        "surface": [pair.surface for pair in audit.pairs],
        "slices": [pair.slices for pair in audit.pairs],
        "force": [case.force for case in audit.cases],
        "waterfall": [case.waterfall for case in audit.cases],
        "scatter": [audit.scatter],
        "regions": [audit.regions],
        "matrix": [audit.matrix],
    }
    for kind, keys in kinds.items():
        assert {figures[key].kind for key in keys} == {kind}
    assert {figures[main.figure].kind for main in audit.mains} == {"curve", "levels"}


def test_every_figure_is_shown(whole):
    audit, figures = whole
    shown = [audit.predictions, audit.totals, audit.shares, audit.network, audit.scatter, audit.regions, audit.matrix]
    shown += [main.figure for main in audit.mains]
    shown += [key for pair in audit.pairs for key in (pair.surface, pair.slices)]
    shown += [key for case in audit.cases for key in (case.force, case.waterfall, case.network)]
    shown += [audit.glance.features, audit.glance.terms]
    assert len(shown) == count_figures(mixed().dec, (12, 12), 1)
    shown += audit.glance.effects
    shown += [key for joint in audit.joints for key in (joint.surface, joint.shares)]
    assert set(shown) == set(figures)


def test_what_is_not_drawn_is_listed():
    audit, _ = audited(mixed(), top=(1, 1))
    drawn = {audit.mains[0].label, audit.pairs[0].label}
    listed = {row[0] for row in (*audit.more_mains.rows, *audit.more_pairs.rows)}
    assert drawn | listed == {mixed().dec.label(term) for term in mixed().dec.terms}
    assert not drawn & listed
    assert audit.higher is None


def test_without_predictions_what_needs_them_is_left_out():
    audit, figures = audited(mixed(), predictions=False)
    assert audit.predictions is None
    assert audit.scatter is None
    assert audit.regions is None
    assert audit.cases[0].prediction is None
    assert audit.cases[0].remainder is None
    assert not any(figure.kind in ("scatter", "regions") for figure in figures.values())


def test_shares_that_are_not_drawn_have_all_their_parts():
    item = measures.variance_shares(mixed().dec).terms[0]
    cells = shares_table([item]).rows[0]
    assert cells[0] == "income"
    assert cells[3] == f"{100 * item.total:.1f}%"
    assert cells[4] == f"{100 * item.total_interval.low:.1f}% to {100 * item.total_interval.high:.1f}%"
    assert shares_table([share(0.1, 0)]).rows[0][4] == "–"
    assert shares_table([]) is None


def test_a_page_says_that_rows_were_weighted_and_how_many_tell_as_much():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(400, 2)), np.repeat([1.0, 3.0], 200)
    dec = FunctionalANOVA(max_order=1, random_state=0).fit(X, X[:, 0], sample_weight=weights).decomposition_
    [note] = build_audit(dec, X, X[:, 0], progress=False).subject.notes
    assert "a total weight of 800." in note
    assert "that of 320 rows of equal weight" in note  # (200 + 600)² / (200 + 1800)
