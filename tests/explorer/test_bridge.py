"""The Python side of the bridge: what it sends, when, to which page, and what it takes from pages."""

import gc
import gzip
import json
from types import SimpleNamespace
from typing import Any

import pytest
from bokeh.core.serialization import Buffer, Serialized
from bokeh.core.types import ID
from bokeh.document import Document
from bokeh.document.events import DocumentPatchedEvent
from bokeh.models import ColumnDataSource, Range1d
from bokeh.plotting import figure
from IPython.core.events import EventManager

from anova_report.errors import InputError
from anova_report.explorer import bridge
from anova_report.explorer.bridge import BokehView
from anova_report.explorer.fragments import draw
from anova_report.figures.live import bokehjs
from tests.explorer.hosted_widget import FakeComm, Points, built
from tests.figures.samples import SAMPLES

CURVE = SAMPLES["curve"].rich
SCRIPT = "<script>window.pwned = 1</script>"


class Reporting:
    """A document with a source and a range, the changes it reports, and a copy that reads them as a page would."""

    def __init__(self) -> None:
        self.source, self.range = ColumnDataSource({"x": [1.0]}), Range1d(0, 1)
        self.document, self.events = Document(), list[DocumentPatchedEvent]()
        for model in (self.source, self.range):
            self.document.add_root(model)
        self.copy = Document.from_json(self.document.to_json(deferred=False))
        self.document.on_change_dispatch_to(self)

    def _document_patched(self, event: DocumentPatchedEvent) -> None:
        self.events.append(event)

    def read(self) -> tuple[object, object]:
        """Let the copy read the changes; return its column and the end of its range."""
        message, buffers = bridge.make_patch(self.events)
        arrays = [Buffer(ID(name), data) for name, data in zip(message["ids"], buffers, strict=True)]
        self.copy.apply_json_patch(Serialized(message["patch"], arrays))
        source, span = self.copy.roots
        return source.data["x"], span.end


def test_bokehjs_is_packed_whole_and_the_same_each_time():
    assert gzip.decompress(bridge.packed_bokehjs()).decode() == bokehjs()
    assert len(bridge.packed_bokehjs()) < 0.3 * len(bokehjs())


def test_bokehs_own_reader_understands_changes_which_have_the_values_of_the_moment_they_are_written():
    reporting = Reporting()
    reporting.source.data = {"x": [1.0, 2.0]}
    reporting.range.end = 7
    first = reporting.events[:]
    reporting.range.end = 8
    reporting.events = first
    assert reporting.read() == ([1.0, 2.0], 8)


def test_changes_are_the_same_if_they_are_of_the_same_columns_or_attribute_of_the_same_model():
    reporting = Reporting()
    reporting.range.end = 7
    reporting.range.start = 1
    reporting.range.end = 8
    reporting.source.data["x"] = [5.0]
    reporting.source.data = {"x": [6.0]}
    reporting.source.data["x"] = [7.0]
    end, start, again, column, whole, column_again = reporting.events
    assert bridge.changed_by(end) == bridge.changed_by(again)
    assert bridge.changed_by(column) == bridge.changed_by(column_again)
    assert len(set(map(bridge.changed_by, (end, start, column, whole)))) == 4


def changes(comm: FakeComm) -> list[list[str]]:
    """Return which attributes each waiting patch changes."""
    patches = [message for message in comm.custom() if message["kind"] == "patch"]
    return [[event["attr"] for event in found["patch"]["events"]] for found in patches]


def selected(points: Points, indices: list[int]) -> dict[str, Any]:
    """Say what a page says when points are chosen."""
    model = {"id": points.source.selected.id}
    return {"kind": "ModelChanged", "model": model, "attr": "indices", "new": indices}


def test_nothing_is_sent_before_a_page_has_asked(points: Points):
    points.view.comm = comm = FakeComm()
    points.source.data = {"x": [1.0], "y": [2.0]}
    assert comm.waiting == []


def test_a_batch_is_one_message_and_says_each_thing_once_with_its_last_value(points: Points, comm: FakeComm):
    with points.view.batch():
        for step in range(3):
            points.plot.title.text = f"step {step}"
            points.source.data = {"x": [0.0], "y": [float(step)]}
        assert comm.waiting == []
    assert changes(comm) == [["text", "data"]]
    written = json.dumps(comm.custom()[0]["patch"])
    assert "step 2" in written
    assert "step 1" not in written


def test_batches_nest_and_a_single_change_is_sent_at_once(points: Points, comm: FakeComm):
    with points.view.batch():
        with points.view.batch():
            points.plot.title.text = "inner"
        assert comm.waiting == []
        points.plot.width = 400
    points.plot.width = 500
    assert changes(comm) == [["text", "width"], ["width"]]


def test_a_batch_that_raises_still_says_what_has_changed(points: Points, comm: FakeComm):
    def interrupted() -> None:
        with points.view.batch():
            points.plot.title.text = "new"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        interrupted()
    assert changes(comm) == [["text"]]
    points.plot.width = 400
    assert changes(comm) == [["text"], ["width"]]


def test_events_are_acknowledged_although_a_callback_raises(
    points: Points, comm: FakeComm, caplog: pytest.LogCaptureFixture
):
    def fail(_attr: str, _old: Any, _new: Any) -> None:
        raise ZeroDivisionError

    points.source.selected.on_change("indices", fail)
    comm.deliver({"kind": "events", "view": "first", "events": [selected(points, [2])]})
    assert comm.custom()[-1] == {"kind": "received", "view": "first"}
    assert caplog.records


def test_a_page_may_change_selections_and_ranges_and_nothing_else(points: Points, comm: FakeComm):
    def change(model: Any, attr: str, new: Any) -> dict[str, Any]:
        return {"kind": "ModelChanged", "model": {"id": model.id}, "attr": attr, "new": new}

    taken = [change(points.plot.x_range, "start", 1.5), change(points.plot.x_range, "end", 2.5)]
    refused = [
        change(points.plot.x_range, "js_property_callbacks", {"type": "map"}),
        change(points.plot.title, "text", "mine"),
        change(points.source, "data", {"type": "map", "entries": [["x", []], ["y", []]]}),
        {"kind": "RootRemoved", "model": {"id": points.plot.id}},
        {"kind": "TitleChanged", "title": "mine"},
        {"kind": "ModelChanged", "model": {"id": "nobody"}, "attr": "start", "new": 0.0},
        {"kind": "ModelChanged"},
        "nonsense",
    ]
    before = points.plot.title.text
    comm.deliver({"kind": "events", "view": "first", "events": [*refused, *taken]})
    assert (points.plot.x_range.start, points.plot.x_range.end) == (1.5, 2.5)
    assert points.plot.title.text == before
    assert len(points.source.data["x"]) == 3
    assert points.plot.document is not None


@pytest.mark.parametrize("message", [None, {}, {"kind": "open"}, {"kind": "events", "view": "first"}, {"kind": "?"}])
def test_messages_that_make_no_sense_are_passed_over(points: Points, comm: FakeComm, message: Any):
    comm.deliver(message)
    assert comm.waiting == []
    assert points.source.selected.indices == []


def test_places_without_widgets_get_the_still_picture_and_the_summary():
    view = BokehView(built(CURVE), still=lambda: draw(CURVE), summary="MedInc raises the prediction")
    bundle, _ = view._repr_mimebundle_()
    assert bundle["text/html"] == draw(CURVE)
    assert bundle["text/plain"] == repr(view) == "MedInc raises the prediction"
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == view.model_id
    bundle, _ = BokehView({"curve": built(CURVE)})._repr_mimebundle_()
    assert "text/html" not in bundle
    assert bundle["text/plain"] == "BokehView of curve"


def test_the_still_picture_must_not_act_whoever_sets_it(points: Points, comm: FakeComm):
    with pytest.raises(InputError, match="<script>"):
        BokehView(built(CURVE), still=lambda: SCRIPT)
    points.view.change_still(lambda: SCRIPT)
    with pytest.raises(InputError, match="<script>"):
        points.view.draw_still()
    state = {"method": "update", "state": {"fallback": SCRIPT, "hidden": []}, "buffer_paths": []}
    comm.handler({"content": {"data": state}, "buffers": []})
    assert points.view.fallback == draw(CURVE)


def test_after_a_cell_has_run_the_still_picture_is_up_to_date(points: Points, monkeypatch: pytest.MonkeyPatch):
    shell = SimpleNamespace(events=EventManager(None, ["post_run_cell"]))
    monkeypatch.setattr(bridge, "get_ipython", lambda: shell)
    bridge._watch_cells.cache_clear()
    points.view.change_still(lambda: "<p>later</p>")
    assert points.view.fallback == draw(CURVE)
    shell.events.trigger("post_run_cell", None)
    assert points.view.fallback == "<p>later</p>"
    bridge._watch_cells.cache_clear()


def test_a_saved_notebook_holds_neither_bokehjs_nor_the_plots(points: Points, comm: FakeComm):
    comm.deliver({"kind": "open", "view": "second", "library": False})
    state = points.view.get_state()
    still = len(state["fallback"])
    assert len(json.dumps(state, default=str)) - still < 20_000


def test_only_plots_of_the_view_are_hidden_and_captioned(points: Points):
    with pytest.raises(InputError, match=r"no plot 'other'.*points"):
        points.view.hidden = ("other",)
    with pytest.raises(InputError, match="no plot 'other'"):
        points.view.captions = {"other": ("title", "description")}
    assert points.view.hidden == ()


def test_a_view_needs_a_plot():
    with pytest.raises(InputError, match="no plot to show"):
        BokehView({})


def test_a_plot_belongs_to_one_view_until_that_is_closed(points: Points):
    free = figure()
    first = points.view
    with pytest.raises(InputError, match="'points' is shown by another view"):
        BokehView({"free": free, "points": points.plot})
    first.close()
    second = BokehView({"free": free, "points": points.plot})
    assert second.plots == {"free": free, "points": points.plot}
    gc.collect()  # what could not be made must not complain when it goes


def test_a_closed_view_sends_nothing_and_may_be_closed_again(points: Points, comm: FakeComm):
    points.view.close()
    comm.waiting.clear()
    points.source.data = {"x": [1.0], "y": [2.0]}
    points.view.close()
    assert comm.waiting == []
    assert points.plot.document is None
