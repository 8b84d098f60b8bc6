"""The audit of one output."""

import pytest

from anova_report import measures
from anova_report.figures.figure import Figure
from anova_report.figures.rows import Rows
from anova_report.measures.variance import TermShare
from anova_report.report.audit.build_audit import count_figures, output_audit, pair_words, ranked, shares_table
from anova_report.report.audit.row_facts import Chosen
from tests.report.fits import mixed


def share(total: float, *term: int) -> TermShare:
    """Make a share with some total."""
    return TermShare(term, f"term {term}", structural=abs(total), correlative=total - abs(total))


def audited(fitted, output: int = 0, answers: bool = True, top: tuple[int, int] = (12, 12)):
    """Audit an output and return its figures."""
    rows = Rows.of(fitted.dec, fitted.X, fitted.answers if answers else None)
    found = measures.findings(fitted.dec, fitted.X, output)
    figures: dict[str, Figure] = {}

    def keep(figure: Figure) -> str:
        figures[figure.key] = figure
        return figure.key

    return output_audit(rows, output, found, [Chosen(1, "row 1", "Chosen")], keep, top), figures


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
        "histogram": [audit.answers],
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
    shown = [audit.answers, audit.totals, audit.shares, audit.network, audit.scatter, audit.regions, audit.matrix]
    shown += [main.figure for main in audit.mains]
    shown += [key for pair in audit.pairs for key in (pair.surface, pair.slices)]
    shown += [key for case in audit.cases for key in (case.force, case.waterfall, case.network)]
    assert set(shown) == set(figures)
    assert len(shown) == count_figures(mixed().dec, (12, 12), 1)


def test_what_is_not_drawn_is_listed():
    audit, _ = audited(mixed(), top=(1, 1))
    drawn = {audit.mains[0].label, audit.pairs[0].label}
    listed = {row[0] for row in (*audit.more_mains.rows, *audit.more_pairs.rows)}
    assert drawn | listed == {mixed().dec.label(term) for term in mixed().dec.terms}
    assert not drawn & listed
    assert audit.higher is None


def test_without_answers_what_needs_them_is_left_out():
    audit, figures = audited(mixed(), answers=False)
    assert audit.answers is None
    assert audit.scatter is None
    assert audit.regions is None
    assert audit.cases[0].answer is None
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


def test_words_of_a_pair_give_its_standard_deviation():
    fitted = mixed()
    item = next(item for item in measures.variance_shares(fitted.dec).terms if item.label == "income × region")
    spread = fitted.dec.component(("income", "region"), fitted.X).std()
    assert f"by {spread:.3g} up or down" in pair_words(fitted.dec, item, 0)
