from dataclasses import replace

import pytest
from bokeh.models import Legend
from bs4 import BeautifulSoup

from anova_report.compare import attribute
from anova_report.errors import AnovaReportError, InputError
from anova_report.explorer import Explorer, fragments
from anova_report.explorer.downloads import svg_document
from anova_report.explorer.panels import POINTER
from anova_report.figures.pairs import pair_surface
from anova_report.measures.status import VERDICTS
from anova_report.report.audit.verdict import verdict_words
from tests.explorer import examples
from tests.explorer.hosted_widget import connected

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def make():
    made = []

    def of(example, *, predicted=True, **options):
        options = {"row": 3} | options
        made.append(Explorer(example.dec, example.X, example.predictions if predicted else None, **options))
        return made[-1]

    yield of
    for explorer in made:
        explorer.close()


@pytest.fixture
def known(make):
    return make(examples.known(), model=examples.known().model)


def words(widget):
    return " ".join(BeautifulSoup(widget.value, "html.parser").get_text().split())


def shown(explorer):
    """Titles of the pictures that a page would show."""
    view = explorer.tabs.panels[explorer.tabs.present].view
    return [view.captions[name][0] for name in view.plots if name not in view.hidden]


def patches(comm):
    return [message for message in comm.custom() if message["kind"] == "patch"]


def mark(figure, name):
    return next(item for item in figure.scene.items if getattr(item, "name", "") == name)


def test_it_opens_with_the_verdict_and_the_overview(known):
    found = known.views.findings
    assert words(known._badge) == f"{VERDICTS[found.verdict]} {verdict_words(examples.known().dec, found, 0)}"
    assert known.tabs.present == "overview"
    titles = ["Shares of the variance by term", "Main effects and pairs", "What each feature contributes, row by row"]
    assert shown(known) == titles
    assert "Fidelity (R²)" in words(known.tabs.words["overview"])


def test_a_change_of_the_state_moves_the_pictures_in_one_message(known):
    known.tabs.go_to("row")
    comm = connected(known.tabs.panels["row"].view)
    known.state.row = 9
    assert len(patches(comm)) == 1
    assert "How the prediction of row 9 comes about" in shown(known)
    assert words(known.tabs.words["row"]).startswith("Row 9 The prediction is ")
    assert known.controls.row.value == 9


def test_a_choice_that_changes_nothing_here_sends_no_pictures(known):
    comm = connected(known.tabs.panels["overview"].view)
    known.state.row = 9
    known.state.term = "b"
    known.state.search = "a"
    assert patches(comm) == []


def test_a_tab_is_up_to_date_when_it_is_opened_again(known):
    known.tabs.go_to("term")
    known.tabs.go_to("overview")
    known.state.term = ("a", "c")
    known.tabs.go_to("term")
    assert shown(known) == ["Pair a × c", "Pair a × c along a", "Main effect of a", "Main effect of c"]


def test_clicks_go_to_terms_whatever_their_names(make):
    explorer = make(examples.named())
    for term in ((0, 1), (2,), (3,), (5,), (6,)):  # "a × b" twice, "effect", "unexplained", "mean"
        explorer.tabs.go_to("overview")
        shares = explorer.figures["shares"]
        explorer.clicked(shares, 0.0, float(shares.data.terms.index(term)))
        assert (explorer.state.term, explorer.tabs.present) == (term, "term")
        explorer.tabs.go_to("trust")
        matrix = explorer.figures["matrix"]
        cell = next(cell for cell in matrix.data.cells if cell.term == term)
        explorer.state.term = "b"
        explorer.clicked(matrix, float(cell.column), float(cell.row))
        assert explorer.state.term == term
    explorer.tabs.go_to("overview")
    network = explorer.figures["network"]
    edges = mark(network, "edges")
    at = edges.keys.index((0, 1))
    explorer.clicked(network, (edges.x0[at] + edges.x1[at]) / 2, (edges.y0[at] + edges.y1[at]) / 2)
    assert explorer.state.term == (0, 1)
    explorer.tabs.go_to("row")
    waterfall = explorer.figures["waterfall"]
    rows = mark(waterfall, "rows")
    explorer.clicked(waterfall, waterfall.data.base, rows.top[rows.keys.index((2,))] + 0.5)
    assert explorer.state.term == (2,)


def test_a_click_on_a_point_goes_to_the_row(known):
    known.tabs.go_to("trust")
    scatter = known.figures["scatter"]
    highest = max(range(len(scatter.data.at)), key=scatter.data.value.__getitem__)
    known.clicked(scatter, scatter.data.at[highest], scatter.data.value[highest])
    assert known.state.row == scatter.data.rows[highest]
    assert known.tabs.present == "row"


def test_a_click_on_nothing_or_on_a_feature_without_a_main_effect_changes_nothing(known):
    before = repr(known.state)
    known.clicked(known.figures["shares"], 0.1, 99.0)
    network = known.figures["network"]
    strange = replace(network.data, nodes=tuple(replace(node, feature=9) for node in network.data.nodes), edges=())
    circles = mark(network, "nodes")
    known.clicked(replace(network, data=strange), circles.x[0], circles.y[0])
    assert repr(known.state) == before
    assert known.tabs.present == "overview"


def test_a_slice_follows_the_pointer_over_the_surface_and_forgets_it(known):
    known.state.term = ("a", "c")
    known.tabs.go_to("term")
    assert POINTER in words(known.tabs.words["term"])
    known.pointed(known.figures["surface"], (0.25, -0.5))
    assert known.state.pointer == (0.25, -0.5)
    assert known.figures["slices"].data.lines[-1].name == "−0.5 (pointer)"
    known.pointed(known.figures["surface"], None)
    assert known.state.pointer is None


def test_a_map_has_longitude_along_x_for_pointer_row_and_downloads(make):
    explorer = make(examples.map_of_two(), term=("latitude", "longitude"))
    explorer.tabs.go_to("term")
    surface, row = explorer.figures["surface"], examples.map_of_two().X.iloc[3]
    assert surface.data.marked == (row["longitude"], row["latitude"])
    explorer.pointed(surface, (0.25, -0.5))
    assert explorer.state.pointer == (-0.5, 0.25)
    assert explorer.figures["slices"].data.lines[-1].name == "0.25 (pointer)"
    assert "Joint effect of latitude and longitude" in explorer.svg()
    assert list(explorer.frame("surface"))[:2] == ["longitude", "latitude"]
    assert "Together, latitude and longitude carry" in words(explorer.tabs.words["term"])


def test_the_pointer_is_read_in_the_units_of_its_axes(make):
    explorer = make(examples.mixed())
    rows = explorer.views.rows
    explorer.state.term = ("income", "member")
    surface = pair_surface(rows, explorer.state.term)
    explorer.pointed(surface, (3.0, 0.8))
    assert explorer.state.pointer == (3.0, 1.0)


def test_edits_move_explanation_and_prediction(known):
    known.tabs.go_to("row")
    comm = connected(known.answers)
    before, row = known.answers.shown["before"], [0.5, *known.answers.shown["before"][1:]]
    comm.deliver({"kind": "row", "row": row, "turn": ["a view", 1]})
    assert known.state.edits == {"a": 0.5}
    assert (known.answers.shown["row"], known.answers.shown["turn"]) == (row, ["a view", 1])
    assert "the model itself predicts" in known.answers.shown["reply"]
    assert "What if a = 0.5 instead of" in words(known.tabs.words["row"])
    assert "the model itself predicts" in words(known.tabs.words["row"])
    assert all(title.endswith("with edited values") for title in shown(known))
    comm.deliver({"kind": "row", "row": before, "turn": ["a view", 2]})
    assert known.state.edits == {}
    assert "What if" not in words(known.tabs.words["row"])


def test_refused_choices_are_explained_above_the_tabs_until_the_next(known):
    known.controls.choose("row", "strangest")
    assert "no row called 'strangest'" in words(known._notice)
    known.controls.row.value = 4
    assert known._notice.value == ""


def test_an_attribution_is_drawn_with_our_effect_in_black_can_be_hidden_and_is_kept_on_the_page(make, tmp_path):
    example = examples.known()
    partial = attribute("pdp", example.model, example.X, max_rows=100, progress=False)
    explorer = make(example, term="a")
    explorer.tabs.go_to("term")
    explorer.overlays = partial
    assert explorer.overlays == (partial,)
    assert [line.name for line in explorer.figures["effect"].data.overlays] == [partial.title]
    view = explorer.tabs.panels["term"].view
    [plot] = [plot for name, plot in view.plots.items() if name.startswith("effect")]
    legend = plot.select_one({"type": Legend})
    assert legend.visible
    assert legend.click_policy == "hide"
    uppermost = legend.items[0].renderers[-1]
    assert uppermost.data_source.data["color"] == ["fg"]
    assert uppermost.data_source.data["xs"]
    page = explorer.write_report(tmp_path / "audit.html", top_mains=1, top_pairs=0).read_text()
    assert "Other explanations" in page
    assert partial.title in page


def test_pictures_and_numbers_of_the_open_tab_can_be_saved(known):
    known.tabs.go_to("row")
    assert known.svg() == svg_document(known.figures)
    frame = known.frame("waterfall")
    assert frame["contribution"].iloc[-1] == pytest.approx(examples.known().predictions[3])
    assert known.frame().equals(known.frame("force"))
    with pytest.raises(InputError, match=r"no picture 'shares' here.*'force', 'waterfall'"):
        known.frame("shares")


def test_numbers_of_a_feature_keep_its_name_whatever_it_is(make):
    explorer = make(examples.named(), term="effect")
    explorer.tabs.go_to("term")
    frame = explorer.frame()
    assert list(frame.columns) == ["effect", "effect (2)", "lower", "upper"]
    assert frame["effect"].tolist() == list(explorer.figures["effect"].data.at)
    assert frame["effect (2)"].tolist() == list(explorer.figures["effect"].data.value)


def test_links_to_files_belong_to_what_is_shown(known):
    known.state.term = "b"
    known.tabs.go_to("term")
    known.saving.format.value = "csv"
    known.saving.save.click()
    assert 'download="effect.csv"' in known.saving.message.value
    known.state.row = 8
    assert known.saving.message.value == ""


def test_the_last_choice_is_taken_back_from_the_page(known):
    assert known.controls.undo.disabled
    known.controls.choose("row", 8)
    known.controls.choose("term", ("b",))
    known.controls.undo.click()
    assert (known.state.row, known.state.term) == (8, (0, 2))
    known.controls.undo.click()
    assert (known.state.row, known.controls.row.value) == (3, 3)
    assert known.controls.undo.disabled


def test_the_report_is_written_with_the_present_row_and_output(make, tmp_path):
    explorer = make(examples.mixed(), output=1, row=7)
    path = explorer.write_report(tmp_path / "audit.html", title="Chosen", top_mains=1, top_pairs=0)
    page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    assert page.h1.get_text() == "Chosen"
    assert page.select("#o1-row-7-waterfall")
    assert not [tag for tag in page.select("figure[id]") if tag["id"].startswith("o0-")]
    assert len(page.select("figure.waterfall")) == 1


def test_the_svg_backend_needs_no_widget_but_those_of_ipywidgets(make):
    explorer = make(examples.known(), backend="svg")
    for tab in ("term", "row", "trust", "overview"):
        explorer.tabs.go_to(tab)
    modules = {widget._model_module for widget in every(explorer)}
    assert modules <= {"@jupyter-widgets/controls", "@jupyter-widgets/base", "@jupyter-widgets/output"}
    assert "Shares of the variance by term" in explorer.tabs.panels["overview"].widget.value
    explorer.state.term = "b"
    explorer.tabs.go_to("term")
    assert "Main effect of b" in explorer.tabs.panels["term"].widget.value


def test_still_pictures_offer_no_pointer_and_show_colours(make):
    explorer = make(examples.known(), backend="svg", term=("a", "c"), colour_by="b")
    explorer.tabs.go_to("term")
    assert POINTER not in words(explorer.tabs.words["term"])
    explorer.tabs.go_to("trust")
    assert ">b: " in explorer.tabs.panels["trust"].widget.value


def every(widget):
    inner = [found for child in getattr(widget, "children", ()) for found in every(child)]
    return [widget, *inner]


def test_another_backend_is_refused(make):
    with pytest.raises(InputError, match="'bokeh', 'svg'; got 'png'"):
        make(examples.known(), backend="png")


def test_where_there_is_nothing_to_draw_there_is_no_picture(make):
    explorer = make(examples.mains_only(), predicted=False)
    explorer.tabs.go_to("trust")
    assert explorer.tabs.panels["trust"].widget.children == ()
    assert explorer.svg().startswith("<svg")


def test_its_output_carries_widget_still_picture_and_text_of_that_moment(known):
    known.state.term = "b"
    bundle = known._repr_mimebundle_()
    assert "Term: b" in bundle["text/html"]
    assert bundle[WIDGET]["model_id"] == known.model_id
    assert bundle["text/html"] == fragments.static_html(known.views)
    assert bundle["text/plain"] == repr(known) == fragments.static_text(known.views)


def test_closing_releases_everything(make):
    explorer = make(examples.known())
    plots = list(explorer.tabs.panels["overview"].view.plots.values())
    parts = every(explorer)
    explorer.close()
    assert all(part.comm is None for part in parts)
    assert all(plot.document is None for plot in plots)
    seen = explorer.controls.row.value
    explorer.state.row = 8
    assert explorer.controls.row.value == seen
    explorer.close()


def test_wrong_first_choices_and_tables_are_refused_in_words():
    example = examples.known()
    for wrong in ({"term": "d"}, {"row": "strangest"}, {"output": 3}):
        with pytest.raises(AnovaReportError):
            Explorer(example.dec, example.X, example.predictions, **wrong)
    with pytest.raises(InputError, match="5 predictions for 1,500 rows"):
        Explorer(example.dec, example.X, example.predictions[:5])


def test_predictions_that_were_not_decomposed_are_refused_and_rounded_ones_said_above_the_tabs(make):
    example = examples.known()
    with pytest.raises(InputError, match="look like percent"):
        make(replace(example, predictions=100 * example.predictions))
    rounded = make(replace(example, predictions=example.predictions.round(2)))
    assert words(rounded._notice).startswith("The predictions differ by up to 0.0047")
    assert words(make(example)._notice) == ""


def test_that_rows_were_weighted_is_said_above_the_tabs(make):
    example = examples.known()
    partition = replace(example.dec.partition, total_weight=800.0, n_effective=320.2)
    weighted = make(replace(example, dec=replace(example.dec, partition=partition)))
    assert "their precision is that of 320 rows of equal weight" in words(weighted._notice)
