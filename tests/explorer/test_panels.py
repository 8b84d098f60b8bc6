import pytest
from bokeh.events import MouseLeave, MouseMove, Tap
from bokeh.models import ColumnDataSource, SaveTool

from anova_report.explorer import fragments
from anova_report.explorer.panels import LivePanel, StillPanel
from tests.explorer import examples
from tests.explorer.hosted_widget import connected


class Recorder:
    """Keeps the clicks and moves it is called for."""

    def __init__(self):
        self.clicks, self.places = [], []

    def clicked(self, figure, x, y):
        self.clicks.append((figure, x, y))

    def pointed(self, figure, place):
        self.places.append((figure.kind, place))


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def panel(recorder):
    panel = LivePanel(recorder)
    yield panel
    panel.close()


@pytest.fixture
def pictures(monkeypatch):
    """Counts how often still pictures are drawn."""
    drawn = []
    inner = fragments.pictures
    monkeypatch.setattr(fragments, "pictures", lambda figures: drawn.append(figures) or inner(figures))
    return drawn


def patches(comm):
    return [message["patch"]["events"] for message in comm.custom() if message["kind"] == "patch"]


def column(panel, plot, source, name):
    return list(panel.view.plots[plot].select_one({"name": source, "type": ColumnDataSource}).data[name])


def test_pictures_are_shown_in_one_view_with_titles_and_descriptions(panel):
    figures = examples.known().views().overview()
    panel.show(figures)
    assert list(panel.view.plots) == ["shares shares", "network network", "swarm swarm"]
    assert panel.widget.children == (panel.view,)
    assert panel.view.captions["shares shares"] == (figures["shares"].title, figures["shares"].alt)
    assert all(plot.select({"type": SaveTool}) for plot in panel.view.plots.values())


def test_another_row_sends_one_message_of_new_columns_and_builds_and_draws_nothing_else(panel, pictures):
    views = examples.known().views()
    panel.show(views.row())
    view, comm = panel.view, connected(panel.view)
    pictures.clear()
    views.state.row = 11
    panel.show(views.row())
    assert panel.view is view
    [events] = patches(comm)
    assert {event["kind"] for event in events} <= {"ColumnDataChanged", "ModelChanged"}
    assert column(panel, "waterfall waterfall", "ends", "x")[-1] == pytest.approx(
        examples.known().predictions[11], abs=1e-3
    )
    assert pictures == []


def test_the_still_picture_is_up_to_date_whenever_it_is_asked_for(panel, pictures):
    views = examples.known().views()
    panel.show(views.row())
    assert "row 3" in panel.view.fallback
    comm = connected(panel.view)
    requests = {
        5: lambda: panel.view.get_state()["fallback"],
        6: lambda: panel.view._repr_mimebundle_()[0]["text/html"],
        7: lambda: comm.deliver({"kind": "still", "always": False}) or panel.view.fallback,
    }
    for row, request in requests.items():
        views.state.row = row
        panel.show(views.row())
        assert f"row {row}" in request()
        assert request() == request()
    assert len(pictures) == 4


def test_a_page_that_shows_nothing_else_gets_the_still_picture_at_every_change(panel):
    views = examples.known().views()
    panel.show(views.row())
    comm = connected(panel.view)
    comm.deliver({"kind": "still", "always": True})
    comm.waiting.clear()
    views.state.row = 8
    panel.show(views.row())
    [state] = [data["state"] for data, _ in comm.waiting if data["method"] == "update"]
    assert "row 8" in state["fallback"]


def test_what_has_not_changed_is_not_sent(panel):
    views = examples.known().views(term=("a", "c"))
    panel.show(views.term())
    comm = connected(panel.view)
    panel.show(views.term())
    assert comm.waiting == []
    for place in ((0.0, 0.5), (-0.123, 0.25)):
        views.state.pointer = place
        panel.show(views.term())
    first, second = patches(comm)
    slices = {model.id for model in panel.view.plots["slices slices"].references()}
    assert {event["model"]["id"] for event in (*first, *second)} <= slices
    assert {event["kind"] for event in second} == {"ColumnDataChanged"}  # no border moves, so nothing is laid out


def test_a_kind_of_picture_not_seen_before_makes_a_new_view_and_keeps_the_plots(panel):
    views = examples.mixed().views(term="income")
    panel.show(views.term())
    first = dict(panel.view.plots)
    views.state.term = "size"
    panel.show(views.term())
    assert panel.view.plots["effect curve"] is first["effect curve"]
    assert set(panel.view.plots) == {"effect curve", "effect levels", "rows roweffects"}
    assert panel.view.hidden == ("effect curve",)
    assert "Main effect of size" in panel.view.fallback
    view = panel.view
    views.state.term = "lasted"
    panel.show(views.term())
    assert panel.view is view
    assert view.hidden == ("effect levels",)
    assert view.plots["effect curve"].select_one({"name": "title"}).text == "Main effect of lasted"


def test_a_scene_of_another_form_gets_a_new_plot(panel, monkeypatch):
    views = examples.known().views(term="a")
    panel.show(views.term())
    plot = panel.view.plots["effect curve"]
    monkeypatch.setattr("anova_report.explorer.panels.update", lambda _plot, _scene, _title: False)
    views.state.term = "b"
    panel.show(views.term())
    assert list(panel.view.plots) == ["effect curve", "rows roweffects"]
    assert panel.view.plots["effect curve"] is not plot
    assert plot.document is None


def test_pictures_stand_in_their_places_in_whatever_order_they_were_made(panel):
    views = examples.mixed().views(term=("income", "member"))
    panel.show(views.term())
    views.state.term = "income"
    panel.show(views.term())
    places = [name.rpartition(" ")[0] for name in panel.view.plots]
    assert places == ["effect", "rows", "surface", "slices", "main 1", "main 2"]


def test_clicks_are_reported_with_the_picture_that_is_shown(panel, recorder):
    views = examples.known().views()
    panel.show(views.row())
    views.state.row = 7
    panel.show(views.row())
    plot = panel.view.plots["waterfall waterfall"]
    plot._trigger_event(Tap(plot, x=1.5, y=2.0))
    plot._trigger_event(Tap(plot, x=None, y=None))
    assert recorder.clicks == [(views.row()["waterfall"], 1.5, 2.0)]


def test_the_pointer_is_reported_on_surfaces(panel, recorder):
    views = examples.known().views(term=("a", "c"))
    panel.show(views.term())
    surface, slices = (panel.view.plots[name] for name in ("surface surface", "slices slices"))
    surface._trigger_event(MouseMove(surface, x=0.5, y=0.25))
    slices._trigger_event(MouseMove(slices, x=0.5, y=0.25))
    surface._trigger_event(MouseLeave(surface))
    assert recorder.places == [("surface", (0.5, 0.25)), ("surface", None)]


def test_places_along_time_are_reported_in_seconds(panel, recorder):
    panel.show(examples.mixed().views(term="sold").term())
    plot = panel.view.plots["effect curve"]
    plot._trigger_event(Tap(plot, x=1.6e12, y=0.5))
    assert recorder.clicks[0][1:] == (1.6e9, 0.5)


def test_points_get_the_colours_of_their_groups_and_lose_them_again(panel):
    views = examples.mixed().views(colour_by="size")
    panel.show(views.trust())
    view, data = panel.view, views.trust()["scatter"].data
    assert sorted(column(panel, "scatter scatter", "groups", "x")) == pytest.approx(sorted(data.at), abs=1e-3)
    assert len(set(column(panel, "scatter scatter", "groups", "color"))) == 3
    views.state.colour_by = None
    panel.show(views.trust())
    assert panel.view is view
    assert column(panel, "scatter scatter", "groups", "x") == []


def test_without_pictures_a_panel_is_empty_and_a_closed_one_releases_its_plots(panel):
    panel.show({})
    assert (panel.view, panel.widget.children) == (None, ())
    panel.show(examples.known().views().overview())
    plots = list(panel.view.plots.values())
    panel.close()
    assert all(plot.document is None for plot in plots)


def test_still_pictures_follow_and_are_drawn_only_when_they_change(pictures):
    panel, views = StillPanel(), examples.known().views(term="a")
    panel.show(views.term())
    panel.show(views.term())
    assert len(pictures) == 1
    assert "Main effect of a" in panel.widget.value
    views.state.term = "b"
    panel.show(views.term())
    assert "Main effect of b" in panel.widget.value
    panel.close()
