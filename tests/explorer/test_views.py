import numpy as np
import pytest

from anova_report.errors import ModelError
from anova_report.explorer import Explorer
from anova_report.explorer import views as views_module
from anova_report.explorer.fragments import static_html
from anova_report.explorer.views import PROBABILITY_NOTE, TABS, row_words, searched_rows, term_words, trust_words
from anova_report.figures.effects import main_effect
from anova_report.figures.networks import network_figure
from anova_report.figures.pairs import pair_surface
from anova_report.figures.shares import shares_figure
from anova_report.figures.trust import matrix_figure, regions_figure
from anova_report.measures.findings import findings
from anova_report.report import build_audit
from tests.explorer import examples


class Counted:
    """Counts how often a function of the module was called."""

    def __init__(self, monkeypatch, name):
        self.calls, self.inner = [], getattr(views_module, name)
        monkeypatch.setattr(views_module, name, self)

    def __call__(self, *arguments, **options):
        self.calls.append(arguments)
        return self.inner(*arguments, **options)


def test_the_overview_shows_shares_and_network():
    dec = examples.known().dec
    figures = {"shares": shares_figure(dec, key="shares"), "network": network_figure(dec, key="network")}
    found = examples.known().views().overview()
    assert {name: found[name] for name in figures} == figures
    assert list(found) == ["shares", "network", "swarm"]
    assert list(examples.mains_only().views().overview()) == ["shares", "swarm"]


def test_contributions_to_many_rows_take_the_color_that_is_chosen_and_mark_the_row():
    views = examples.known().views(term="a", row=5)
    assert views.overview()["swarm"].data.by == ""
    views.state.row = views.term()["rows"].data.rows[7]
    assert views.term()["rows"].data.marked == 7
    views.state.row = views.overview()["swarm"].data.rows[9]
    assert views.overview()["swarm"].data.marked == 9
    views.state.colour_by = "b"
    assert views.overview()["swarm"].data.by == "b"
    assert views.term()["rows"].data.shades.by == "b"


def test_a_main_effect_is_shown_with_the_row_marked():
    views = examples.known().views(term="a", row=5)
    assert list(views.term()) == ["effect", "rows"]
    figure = views.term()["effect"]
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


def test_a_joint_effect_is_shown_in_place_of_the_interaction_and_its_slices_with_it():
    views = examples.known().views(term=("a", "c"))
    alone, own = views.term(), term_words(views.state)
    views.state.joint = True
    found, words = views.term(), term_words(views.state)
    assert list(found) == list(alone)
    assert found["surface"].data.value == pair_surface(views.rows, ("a", "c"), joint=True).data.value
    line, before = (figures["slices"].data.lines[-1] for figures in (found, alone))
    np.testing.assert_allclose(np.subtract(line.value, before.value), 2 * np.array(line.at), atol=0.3)
    assert words[0].startswith("Together, a and c carry ")
    assert own[0].startswith("a × c carries ")


def test_a_curve_that_is_not_to_be_read_alone_says_so():
    note = "Do not read this alone: see the joint effect of latitude and longitude."
    state = examples.map_of_two().state(term="latitude")
    assert term_words(state)[-1] == note
    state.term = ("latitude", "longitude")
    state.joint = False
    assert term_words(state)[-1] == note
    state.term = "b"
    assert len(term_words(state)) == 1


def test_a_term_of_three_features_is_shown_by_its_main_effects_or_by_its_joint_effect():
    term = max(examples.triple().dec.terms, key=len)
    views = examples.triple().views(term=term)
    assert list(views.term()) == ["main 1", "main 2", "main 3"]
    assert term_words(views.state)[1].startswith("A term of more than two features has no picture of its own")
    views.state.joint = True
    assert [name for name in views.term() if name != "along"] == ["by 1", "by 2", "by 3", "main 1", "main 2", "main 3"]


def test_three_features_that_cannot_be_read_alone_are_shown_by_the_pictures_of_the_page():
    example = examples.held_together()
    views = example.views(term="b")
    assert views.state.joint is True
    found = views.term()
    assert list(found) == ["along", "by 1", "by 2", "by 3", "effect"]
    page = build_audit(example.dec, example.X, example.predictions, progress=False)
    [joint] = page.outputs[0].joints
    drawn = [page.figures[key] for key in (joint.along, *joint.members)]
    assert [(figure.title, figure.data) for figure in drawn] == [
        (figure.title, figure.data) for figure in list(found.values())[:4]
    ]
    assert "their main effects and interactions" in term_words(views.state)[0]
    still = static_html(views)
    assert all(figure.title in still for figure in drawn)
    explorer = Explorer(example.dec, example.X, example.predictions, term="b")
    explorer.tabs.go_to("term")
    live = explorer.tabs.panels["term"].view.plots
    assert [name.rpartition(" ")[0] for name in live] == list(found)
    explorer.close()
    views.state.joint = False
    assert list(views.term()) == ["effect", "rows"]
    assert term_words(views.state)[-1] == "Do not read this alone: see the joint effect of a, b and c."
    views.state.term = "d"
    assert views.state.has_joint is False


def test_trust_shows_agreement_regions_and_orthogonality_as_far_as_there_are_predictions_and_pairs():
    views = examples.known().views()
    found = views.trust()
    assert list(found) == ["scatter", "regions", "matrix"]
    assert found["matrix"] == matrix_figure(views.rows.dec, key="matrix")
    assert found["regions"] == regions_figure(views.rows, key="regions")
    assert list(examples.known().views(predicted=False).trust()) == ["matrix"]
    assert list(examples.mains_only().views().trust()) == ["scatter", "regions"]


def test_every_term_and_tab_of_every_output_can_be_drawn_with_keys_of_their_own():
    views = examples.mixed().views()
    for output in (0, 1):
        views.state.output = output
        for tab in TABS:
            assert views.of(tab) == getattr(views, tab)()
            assert len({figure.key for figure in views.of(tab).values()}) == len(views.of(tab))
        for share in views.state.shares:
            views.state.term = share.term
            assert views.term()


def test_another_row_draws_no_curve_and_no_surface_again(monkeypatch):
    views = examples.known().views(term=("a", "c"))
    drawn = [Counted(monkeypatch, name) for name in ("main_effect", "pair_surface", "pair_slices")]
    for tab in ("overview", "row", "trust"):
        views.of(tab)
    assert [len(counted.calls) for counted in drawn] == [0, 0, 0]
    first = views.term()
    views.state.row = 9
    assert views.term() != first
    assert [len(counted.calls) for counted in drawn] == [2, 1, 1]


def test_another_term_explains_no_row_and_draws_no_points(monkeypatch):
    views = examples.known().views(term="a")
    drawn = [Counted(monkeypatch, name) for name in ("make_case", "scatter_figure", "matrix_figure", "shares_figure")]
    for term in ("a", "b", ("a", "c"), "a"):
        views.state.term = term
        for tab in TABS:
            views.of(tab)
    assert [len(counted.calls) for counted in drawn] == [1, 1, 1, 1]


def test_another_row_only_moves_the_mark_among_the_points(monkeypatch):
    example = examples.mains_only()
    views, drawn = example.views(), Counted(monkeypatch, "scatter_figure")
    for row in (0, 5, 2999):
        views.state.row = row
        data = views.trust()["scatter"].data
        assert data.rows[data.marked] == row
        assert data.value[data.marked] == pytest.approx(example.predictions[row], abs=1e-2)
        assert data.at[data.marked] == pytest.approx(example.dec.predict(example.X[[row]])[0], abs=1e-2)
        assert len(data.at) <= 1201
    assert len(drawn.calls) == 1


def test_edits_move_the_row_in_the_pictures_of_its_features_and_its_explanation_only():
    views = examples.known().views(term=("a", "c"))
    row, scatter = views.row(), views.trust()["scatter"]
    views.state.edits = {"a": 0.5, "c": -0.25}
    found = views.term()
    assert found["surface"].data.marked == (0.5, -0.25)
    assert found["main 1"].data.marked == 0.5
    assert views.row() != row
    assert views.trust()["scatter"] == scatter
    parts = {item.term: item.value for item in views.case.found.contributions}
    assert parts[0, 2] == pytest.approx(4 * 0.5 * -0.25, abs=0.1)


def test_the_model_is_asked_about_edits_and_where_predictions_are_not_known():
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
    assert views.case.found.prediction == pytest.approx(4 + 1.0 + 3 * row["b"] ** 2 + 4 * 0.5 * row["c"])
    without = examples.known().views(predicted=False, model=model)
    assert without.case.found.prediction == pytest.approx(examples.known().predictions[3])


def test_a_model_that_fails_leaves_the_explanation_without_a_prediction():
    def model(_table):
        raise ModelError("out of order")

    views = examples.known().views(model=model)
    views.state.edits = {"a": 0.5}
    assert views.case.found.prediction is None
    assert "The model itself gave no prediction. " in row_words(views)[-1]
    assert "out of order" in row_words(views)[-1]
    assert len(views.row()) == 3


def test_a_slice_follows_the_row_and_then_the_pointer():
    views = examples.known().views(term=("a", "c"), row=3)
    names = [views.term()["slices"].data.lines[-1].name]
    for pointer in ((0.0, 0.5), None):
        views.state.pointer = pointer
        names.append(views.term()["slices"].data.lines[-1].name)
    assert names[0].endswith(" (this row)")
    assert names[1:] == ["0.5 (pointer)", names[0]]


def test_a_row_with_a_missing_value_has_no_slice():
    views = examples.mixed().views(term=("income", "member"))
    lines = len(views.term()["slices"].data.lines)
    views.state.row = int(np.flatnonzero(np.isnan(views.rows.values[:, 0]))[0])
    assert len(views.term()["slices"].data.lines) == lines - 1


def test_overlays_are_drawn_on_main_effects_alone_and_beside_a_pair():
    views = examples.known().views(term="a")
    views.state.overlays = [("SHAP", "a", [-0.5, 0.5], [-1.0, 1.0])]
    assert [line.name for line in views.term()["effect"].data.overlays] == ["SHAP"]
    views.state.term = ("a", "c")
    assert [line.name for line in views.term()["main 1"].data.overlays] == ["SHAP"]
    assert views.term()["main 2"].data.overlays == ()


def test_probabilities_are_those_of_the_model_while_effects_stay_logits():
    example = examples.logits()
    views = example.views(term="x0")
    logits = {tab: views.of(tab) for tab in TABS}
    views.state.scale = "probability"
    data = views.trust()["scatter"].data
    expected = example.model.predict_proba(example.X)[list(data.rows), 1]
    np.testing.assert_allclose(data.value, expected, atol=1e-3)
    np.testing.assert_allclose(data.at, expected, atol=0.02)  # its logits are additive, so the explanation is right
    assert (data.x.label, data.y.label) == ("explained probability", "probability")
    assert all(views.of(tab) == logits[tab] for tab in ("overview", "term", "row"))
    *_, way, caution = row_words(views)
    assert way.endswith(f"the prediction is {example.model.predict_proba(example.X[3:4])[0, 1]:.1%}.")
    assert caution == PROBABILITY_NOTE
    assert PROBABILITY_NOTE in trust_words(views)


def test_findings_are_those_of_the_output_and_made_once(monkeypatch):
    views = examples.mixed().views()
    drawn = Counted(monkeypatch, "findings")
    for output in (0, 1, 0):
        views.state.output = output
        assert views.findings == findings(examples.mixed().dec, examples.mixed().X, output)
    assert len(drawn.calls) == 2


def test_terms_are_described_by_their_shares_whatever_their_labels():
    example = examples.named()
    for term in ((2,), (0, 1)):  # both have the label "a × b"
        sentence, *more = term_words(example.state(term=term))
        share = next(share for share in example.state().shares if share.term == term)
        assert sentence.startswith(f"a × b carries {share.total:.1%} (95% interval ")
        assert f"{share.structural:.1%} by its own variance" in sentence
        assert len(more) == len(term) - 1
    _, beyond = term_words(examples.known().state(term=("a", "c")))
    assert "changes the prediction by ± 1.3" in beyond  # the standard deviation of 4ac is 4/3
    assert "interval" not in term_words(examples.published().state())[0]


def test_edits_are_described_with_the_values_before_and_the_prediction_of_the_model():
    example = examples.known()
    sentence, *_reasons = row_words(example.views())
    assert sentence.startswith("The prediction is ")
    views = example.views(model=example.model)
    views.state.edits = {"a": 0.5, "b": 0.0}
    *_, edits, model = row_words(views)
    before = example.X.iloc[3]
    assert edits.startswith(f"What if a = 0.5 instead of {before['a']:.3f}".replace("-", "−").rstrip("0"))
    assert edits.count("instead of") == 2
    assert f"the model itself predicts {4 + 1 + 4 * 0.5 * before['c']:.3g}" in model
    views = example.views()
    views.state.edits = {"a": 0.5}
    assert row_words(views)[-1] == "What the model itself would predict is not known: pass model= to ask it."


@pytest.mark.parametrize(
    ("example", "predicted", "words"),
    [
        (examples.known, True, "a sample of 800 of 1,500 rows"),
        (examples.known, False, "Without predictions"),
        (examples.mains_only, True, "a sample of 800 of 3,000 rows"),
        (examples.mains_only, True, "There are no interactions"),
    ],
)
def test_samples_and_what_is_left_out_are_described(example, predicted, words):
    assert words in " ".join(trust_words(example().views(predicted=predicted)))
    assert searched_rows(100) == "all rows"
    assert searched_rows(50_000) == "20,000 of 50,000 rows"
