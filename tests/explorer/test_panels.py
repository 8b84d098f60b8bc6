import pytest
from bokeh.events import MouseLeave, MouseMove, Tap
from bokeh.models import ColumnDataSource, SaveTool

from anova_report.explorer.panels import LivePanel, StillPanel
from anova_report.explorer.pointing import grouped
from anova_report.figures.style import SLICES
from tests.explorer import examples
from tests.explorer.hosted_widget import FakeComm


class Listener:
    """Remembers what it is told."""

    def __init__(self):
        self.clicks, self.places = [], []

    def clicked(self, figure, x, y):
        self.clicks.append((figure.kind, x, y))

    def pointed(self, figure, place):
        self.places.append((figure.kind, place))


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def panel(listener):
    panel = LivePanel(listener)
    yield panel
    panel.close()


def listening(panel):
    """Open a view, and return the comm on which what Python sends waits."""
    comm = FakeComm()
    panel.view.comm = comm
    comm.deliver({"kind": "open", "view": "a page", "library": True})
    comm.waiting.clear()
    return comm


def patches(comm):
    return [message["patch"]["events"] for message in comm.custom() if message["kind"] == "patch"]


def column(panel, plot, source, name):
    return list(panel.view.plots[plot].select_one({"name": source, "type": ColumnDataSource}).data[name])


def test_pictures_are_shown_in_one_view_with_titles_and_descriptions(panel):
    figures = examples.known().views().overview()
    panel.show(figures)
    assert list(panel.view.plots) == ["shares shares", "network network"]
    assert panel.widget.children == (panel.view,)
    assert panel.view.captions["shares shares"] == (figures["shares"].title, figures["shares"].alt)
    assert figures["shares"].title in panel.view.fallback


def test_another_row_sends_one_message_of_new_columns_and_builds_nothing(panel):
    views = examples.known().views()
    panel.show(views.row())
    view, comm = panel.view, listening(panel)
    views.state.row = 11
    panel.show(views.row())
    assert panel.view is view
    [events] = patches(comm)
    assert {event["kind"] for event in events} <= {"ColumnDataChanged", "ModelChanged"}
    answers = column(panel, "waterfall waterfall", "dots", "x")
    assert answers[-1] == pytest.approx(examples.known().answers[11], abs=1e-3)


def test_what_has_not_changed_is_not_sent(panel):
    views = examples.known().views(term=("a", "c"))
    panel.show(views.term())
    comm = listening(panel)
    panel.show(views.term())
    assert comm.waiting == []
    views.state.pointer = (0.0, 0.5)
    panel.show(views.term())
    [events] = patches(comm)
    slices = {model.id for model in panel.view.plots["slices slices"].references()}
    assert {event["model"]["id"] for event in events} <= slices


def test_colours_that_have_not_changed_are_not_sent(panel):
    views = examples.known().views(row=0, colour_by="b")
    panel.show(views.trust(), views.groups())
    comm = listening(panel)
    views.state.row = views.trust()["scatter"].data.rows[50]
    panel.show(views.trust(), views.groups())
    [events] = patches(comm)
    groups = panel.view.plots["scatter scatter"].select_one({"name": "groups", "type": ColumnDataSource})
    assert groups.id not in {event["model"]["id"] for event in events}


def test_a_kind_of_picture_not_seen_before_makes_the_view_anew_and_keeps_the_plots(panel):
    views = examples.mixed().views(term="income")
    panel.show(views.term())
    first = dict(panel.view.plots)
    views.state.term = "size"
    panel.show(views.term())
    assert panel.view.plots["effect curve"] is first["effect curve"]
    assert set(panel.view.plots) == {"effect curve", "effect levels"}
    assert panel.view.hidden == ("effect curve",)


def test_a_kind_of_picture_seen_before_comes_back_up_to_date_without_a_new_view(panel):
    views = examples.mixed().views(term="income")
    panel.show(views.term())
    views.state.term = "size"
    panel.show(views.term())
    view = panel.view
    views.state.term = "lasted"
    panel.show(views.term())
    assert panel.view is view
    assert view.hidden == ("effect levels",)
    assert view.plots["effect curve"].below[0].axis_label == "lasted (seconds)"


def test_pictures_stand_in_their_order_however_they_came(panel):
    views = examples.mixed().views(term=("income", "member"))
    panel.show(views.term())
    views.state.term = "income"
    panel.show(views.term())
    places = [name.rpartition(" ")[0] for name in panel.view.plots]
    assert places == ["effect", "surface", "slices", "main 1", "main 2"]


def test_plots_can_be_saved_as_pictures_by_the_page(panel):
    panel.show(examples.known().views().overview())
    for plot in panel.view.plots.values():
        assert plot.select({"type": SaveTool})


def test_clicks_are_told_with_the_picture_that_is_shown(panel, listener):
    views = examples.known().views()
    panel.show(views.row())
    views.state.row = 7
    panel.show(views.row())
    plot = panel.view.plots["waterfall waterfall"]
    plot._trigger_event(Tap(plot, x=1.5, y=2.0))
    plot._trigger_event(Tap(plot, x=None, y=None))
    assert listener.clicks == [("waterfall", 1.5, 2.0)]


def test_the_pointer_is_told_on_surfaces(panel, listener):
    views = examples.known().views(term=("a", "c"))
    panel.show(views.term())
    surface, slices = (panel.view.plots[name] for name in ("surface surface", "slices slices"))
    surface._trigger_event(MouseMove(surface, x=0.5, y=0.25))
    slices._trigger_event(MouseMove(slices, x=0.5, y=0.25))
    surface._trigger_event(MouseLeave(surface))
    assert listener.places == [("surface", (0.5, 0.25)), ("surface", None)]


def test_points_get_the_colours_of_their_groups_and_lose_them_again(panel):
    views = examples.mixed().views()
    figures = views.trust()
    groups = grouped(views.rows, "size", figures["scatter"].data.rows)
    panel.show(figures, groups)
    colours = column(panel, "scatter scatter", "groups", "colour")
    assert len(colours) == len(figures["scatter"].data.at)
    assert set(colours) <= set(SLICES)
    assert column(panel, "scatter scatter", "groups", "x") == column(panel, "scatter scatter", "points", "x")
    panel.show(figures, None)
    assert column(panel, "scatter scatter", "groups", "colour") == []


def test_the_marked_row_lies_above_coloured_points(panel):
    views = examples.mixed().views()
    panel.show(views.trust())
    names = [mark.data_source.name for mark in panel.view.plots["scatter scatter"].renderers]
    assert names.index("points") < names.index("groups") < names.index("marked")


def test_without_pictures_a_panel_is_empty(panel):
    panel.show({})
    assert panel.view is None
    assert panel.widget.children == ()


def test_a_closed_panel_lets_go_of_its_plots(listener):
    panel = LivePanel(listener)
    panel.show(examples.known().views().overview())
    plots = list(panel.view.plots.values())
    panel.close()
    assert all(plot.document is None for plot in plots)


def test_still_pictures_follow_and_are_drawn_only_when_they_change():
    panel, seen = StillPanel(), []
    panel.widget.observe(lambda change: seen.append(change.new), "value")
    views = examples.known().views(term="a")
    panel.show(views.term())
    panel.show(views.term())
    assert len(seen) == 1
    assert "Main effect of a" in panel.widget.value
    views.state.term = "b"
    panel.show(views.term())
    assert "Main effect of b" in panel.widget.value
    panel.close()
