import numpy as np
import pytest
from anova_report.figures.columns import (
    main_effect,
    matrix_figure,
    network_figure,
    pair_surface,
    regions_figure,
    shares_figure,
)

from anova_report.errors import ModelError
from anova_report.explorer import views as views_module
from anova_report.explorer.views import TABS
from anova_report.measures.findings import findings
from tests.explorer import examples
from tests.explorer.examples import HOSTILE


class Counted:
    """Counts how often a function of the module was called."""

    def __init__(self, monkeypatch, name):
        self.calls, self.inner = [], getattr(views_module, name)
        monkeypatch.setattr(views_module, name, self)

    def __call__(self, *arguments, **options):
        self.calls.append(arguments)
        return self.inner(*arguments, **options)


def test_the_overview_shows_shares_and_network():
    views = examples.known().views()
    dec = examples.known().dec
    assert views.overview() == {
        "shares": shares_figure(dec, key="shares"),
        "network": network_figure(dec, key="network"),
    }


def test_a_main_effect_is_shown_with_the_row_marked():
    views = examples.known().views(term="a", row=5)
    [(name, figure)] = views.term().items()
    assert name == "effect"
    assert figure.data.value == main_effect(views.rows, "a").data.value
    assert figure.data.marked == examples.known().X["a"][5]


def test_a_pair_is_shown_with_slices_and_the_main_effects_of_its_features():
    views = examples.known().views(term=("a", "c"))
    found = views.term()
    assert list(found) == ["surface", "slices", "main 1", "main 2"]
    assert found["surface"].data.value == pair_surface(views.rows, ("a", "c")).data.value
    assert [found[name].title for name in ("main 1", "main 2")] == ["Main effect of a", "Main effect of c"]
    row = examples.known().X.iloc[3]
    assert found["surface"].data.marked == (row["a"], row["c"])


def test_a_term_of_three_features_is_shown_by_its_main_effects():
    term = max(examples.triple().dec.terms, key=len)
    assert len(term) == 3
    assert list(examples.triple().views(term=term).term()) == ["main 1", "main 2", "main 3"]


def test_a_row_is_shown_by_force_waterfall_and_network():
    views = examples.known().views(row=4)
    assert [figure.kind for figure in views.row().values()] == ["force", "waterfall", "network"]
    assert "row 4" in views.row()["waterfall"].title


def test_trust_shows_agreement_regions_and_orthogonality():
    views = examples.known().views()
    found = views.trust()
    assert list(found) == ["scatter", "regions", "matrix"]
    assert found["matrix"] == matrix_figure(views.rows.dec, key="matrix")
    assert found["regions"] == regions_figure(views.rows, key="regions")


def test_without_answers_only_orthogonality_is_left():
    views = examples.known().views(answered=False)
    assert list(views.trust()) == ["matrix"]
    assert views.groups() is None


def test_without_pairs_there_is_no_network_and_no_matrix():
    views = examples.mains_only().views()
    assert list(views.overview()) == ["shares"]
    assert list(views.trust()) == ["scatter", "regions"]


def test_figures_of_every_tab_and_output_can_be_asked_for_by_name():
    views = examples.mixed().views()
    for output in (0, 1):
        views.state.output = output
        for tab in TABS:
            assert views.of(tab) == getattr(views, tab)()
            assert len({figure.key for figure in views.of(tab).values()}) == len(views.of(tab))


def test_every_term_of_every_output_can_be_drawn():
    views = examples.mixed().views()
    for output in (0, 1):
        views.state.output = output
        for share in views.state.shares:
            views.state.term = share.term
            assert views.term()


def test_another_row_draws_no_curve_and_no_surface_again(monkeypatch):
    views = examples.known().views(term=("a", "c"))
    drawn = [Counted(monkeypatch, name) for name in ("main_effect", "pair_surface", "pair_slices")]
    first = views.term()
    views.state.row = 9
    assert views.term() != first
    assert [len(counted.calls) for counted in drawn] == [2, 1, 1]


def test_a_surface_is_drawn_when_it_is_first_looked_at(monkeypatch):
    views = examples.known().views(term=("a", "c"))
    drawn = Counted(monkeypatch, "pair_surface")
    for tab in ("overview", "row", "trust"):
        views.of(tab)
    assert drawn.calls == []
    views.term()
    assert len(drawn.calls) == 1


def test_another_term_takes_no_row_apart_and_draws_no_points(monkeypatch):
    views = examples.known().views(term="a")
    drawn = [Counted(monkeypatch, name) for name in ("make_case", "scatter_figure", "matrix_figure", "shares_figure")]
    for term in ("a", "b", ("a", "c"), "a"):
        views.state.term = term
        for tab in TABS:
            views.of(tab)
    assert [len(counted.calls) for counted in drawn] == [1, 1, 1, 1]


def test_another_row_only_moves_the_mark_among_the_points(monkeypatch):
    views = examples.mains_only().views()
    drawn = Counted(monkeypatch, "scatter_figure")
    marks = []
    for row in (0, 5, 2999):
        views.state.row = row
        data = views.trust()["scatter"].data
        marks.append(data.rows[data.marked])
    assert marks == [0, 5, 2999]
    assert len(drawn.calls) == 1


def test_a_marked_row_lies_where_its_answer_and_explanation_are():
    example = examples.mains_only()
    views = example.views(row=7)
    data = views.trust()["scatter"].data
    assert data.value[data.marked] == pytest.approx(example.answers[7], abs=1e-2)
    assert data.at[data.marked] == pytest.approx(example.dec.predict(example.X[7:8])[0], abs=1e-2)


def test_edits_move_the_row_in_the_pictures_of_its_features_and_its_explanation():
    views = examples.known().views(term=("a", "c"))
    before = views.row()
    views.state.edits = {"a": 0.5, "c": -0.25}
    found = views.term()
    assert found["surface"].data.marked == (0.5, -0.25)
    assert found["main 1"].data.marked == 0.5
    assert views.row() != before
    assert views.case.is_edited
    parts = {item.label: item.value for item in views.case.found.contributions}
    assert parts["a × c"] == pytest.approx(4 * 0.5 * -0.25, abs=0.1)


def test_edits_do_not_move_the_point_of_the_row_itself():
    views = examples.known().views()
    before = views.trust()["scatter"]
    views.state.edits = {"a": 0.5}
    assert views.trust()["scatter"] == before


def test_the_model_is_asked_about_edits_only_where_answers_are_known():
    asked = []

    def model(table):
        asked.append(table["a"].tolist())
        return examples.product(table)

    views = examples.known().views(model=model)
    views.row()
    assert asked == []
    views.state.edits = {"a": 0.5}
    for _ in range(2):
        views.row()
    assert asked == [[0.5]]
    row = examples.known().X.iloc[3]
    expected = 4 + 1.0 + 3 * row["b"] ** 2 + 4 * 0.5 * row["c"]
    assert views.case.found.answer == pytest.approx(expected)


def test_without_answers_the_model_is_asked_about_the_row_itself():
    example = examples.known()
    views = example.views(answered=False, model=example.model)
    assert views.case.found.answer == pytest.approx(example.answers[3])


def test_a_model_that_fails_leaves_the_explanation_without_an_answer():
    def model(_table):
        raise ModelError("out of order")

    views = examples.known().views(model=model)
    views.state.edits = {"a": 0.5}
    assert views.case.found.answer is None
    assert "out of order" in views.case.reply.trouble
    assert len(views.row()) == 3


def test_a_slice_follows_the_row_and_then_the_pointer():
    views = examples.known().views(term=("a", "c"), row=3)
    assert views.term()["slices"].data.lines[-1].name.startswith("this row: ")
    views.state.pointer = (0.0, 0.5)
    assert views.term()["slices"].data.lines[-1].name == "pointer: 0.5"
    views.state.pointer = None
    assert views.term()["slices"].data.lines[-1].name.startswith("this row: ")


def test_a_row_without_the_values_has_no_slice():
    views = examples.mixed().views(term=("income", "member"))
    missing = int(np.flatnonzero(np.isnan(views.rows.values[:, 0]))[0])
    lines = len(views.term()["slices"].data.lines)
    views.state.row = missing
    assert len(views.term()["slices"].data.lines) == lines - 1


def test_overlays_are_drawn_on_main_effects_alone_and_beside_a_pair():
    views = examples.known().views(term="a")
    views.state.overlays = [("SHAP", "a", [-0.5, 0.5], [-1.0, 1.0])]
    assert [line.name for line in views.term()["effect"].data.overlays] == ["SHAP"]
    views.state.term = ("a", "c")
    assert [line.name for line in views.term()["main 1"].data.overlays] == ["SHAP"]
    assert views.term()["main 2"].data.overlays == ()


def test_points_are_grouped_by_the_feature_that_colours_them():
    views = examples.mixed().views()
    assert views.groups() is None
    views.state.colour_by = HOSTILE
    groups = views.groups()
    assert groups.feature == HOSTILE
    assert len(groups.of_point) == len(views.trust()["scatter"].data.at)


def test_probabilities_are_shown_of_whole_answers_while_effects_stay_logits():
    example = examples.logits()
    views = example.views(term="x0")
    logits = {tab: views.of(tab) for tab in TABS}
    views.state.scale = "probability"
    data = views.trust()["scatter"].data
    assert 0 <= min(data.value) <= max(data.value) <= 1
    own = example.model.predict_proba(example.X[3:4])[0, 1]
    assert data.value[data.marked] == pytest.approx(own, abs=1e-3)
    assert {tab: views.of(tab) for tab in ("overview", "term", "row")} == {
        tab: logits[tab] for tab in ("overview", "term", "row")
    }


def test_findings_are_those_of_the_output_and_made_once(monkeypatch):
    views = examples.mixed().views()
    drawn = Counted(monkeypatch, "findings")
    for output in (0, 1, 0):
        views.state.output = output
        assert views.findings == findings(examples.mixed().dec, examples.mixed().X, output)
    assert len(drawn.calls) == 2


def test_no_more_points_are_drawn_than_the_eye_needs():
    data = examples.mains_only().views(row=0).trust()["scatter"].data
    assert len(data.at) <= 1201
    assert data.n_rows == 3000
