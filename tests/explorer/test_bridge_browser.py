"""The bridge from end to end: the real widget, its real script, a real browser; only the transport is replaced."""

from typing import Any

import bokeh
import pytest
from bokeh.events import MouseMove, Tap

from anova_report.explorer.bridge import BokehView
from tests.explorer.conftest import HostMaker
from tests.explorer.hosted_widget import HostedWidget, Points, built, show_on
from tests.figures.samples import SAMPLES

COLUMN = "doc => Array.from(doc.get_model_by_name('points').get_array('y'))"
SELECTED = "doc => Array.from(doc.get_model_by_name('points').selected.indices)"
START = "doc => doc.roots()[0].x_range.start"
CUT = "() => { hosted.isCut = true }"


def test_the_still_picture_shows_until_python_replies(hosted: HostedWidget):
    hosted.start()
    assert hosted.page.locator("#first svg.figure").is_visible()
    hosted.exchange()
    assert hosted.state() == "live"
    assert hosted.page.locator("#first svg.figure").count() == 0
    assert hosted.page.locator("#first canvas").first.is_visible()


def test_bokehjs_is_sent_only_to_a_page_that_lacks_it(points: Points, page: Any):
    hosted = HostedWidget(points.view, page)
    sizes = []
    for name in ("first", "second"):
        hosted.start(name)
        hosted.comm.deliver(page.evaluate("() => hosted.takeSent()[0]"))
        sizes.append([len(part) for _, buffers in hosted.comm.waiting for part in buffers])
        hosted.exchange()
    assert [len(found) for found in sizes] == [1, 0]
    assert sizes[0][0] < 500_000
    assert hosted.state("first") == hosted.state("second") == "live"


def test_a_page_with_another_version_of_bokehjs_keeps_it(points: Points, page: Any):
    hosted = HostedWidget(points.view, page)
    page.evaluate("() => { window.Bokeh = {__bokeh__: true, version: '0.1', set_log_level() {}} }")
    hosted.start()
    hosted.exchange()
    assert hosted.state() == "live"
    versions = page.evaluate("version => [Bokeh.version, Bokeh[version].version]", bokeh.__version__)
    assert versions == ["0.1", bokeh.__version__]


def test_a_batch_over_all_plots_is_one_message_with_arrays_as_bytes(host: HostMaker):
    figures = {name: SAMPLES[name] for name in ("curve", "surface")}
    view = BokehView({name: built(found.edge) for name, found in figures.items()})
    hosted = host(view)
    hosted.open()
    before = hosted.picture()
    with view.batch():
        for name, plot in view.plots.items():
            show_on(plot, figures[name].rich)
    [(data, buffers)] = hosted.comm.waiting
    cells = figures["surface"].rich.data.value
    assert data["content"]["kind"] == "patch"
    assert 4 * len(cells) * len(cells[0]) in [len(part) for part in buffers]
    hosted.exchange()
    assert hosted.picture() != before


@pytest.mark.parametrize("kind", ["levels", "surface"])
def test_an_updated_plot_looks_like_one_that_was_built_new(host: HostMaker, kind: str):
    changed, fresh = BokehView(built(SAMPLES[kind].rich)), BokehView(built(SAMPLES[kind].edge))
    hosted = host(changed)
    hosted.open("changed")
    with changed.batch():
        show_on(changed.plots["plot"], SAMPLES[kind].edge)
    hosted.exchange()
    seen = hosted.picture("changed")
    hosted.close("changed")
    hosted = host(fresh)
    hosted.open("fresh")
    assert hosted.picture("fresh") == seen


def test_a_plot_is_laid_out_once_however_many_of_its_borders_change(hosted: HostedWidget, points: Points):
    hosted.open()
    hosted.bokeh("""doc => {
        const view = doc.views_manager.get(doc.roots()[0]), compute = view.compute_layout;
        window.layouts = 0;
        view.compute_layout = () => (window.layouts++, compute.call(view));
    }""")
    with points.view.batch():
        points.plot.update(min_border_left=70, min_border_top=30, min_border_bottom=60, height=320)
        points.source.data = {"x": [1.0], "y": [7.0]}
    hosted.exchange()
    hosted.wait_for_frame()
    assert hosted.page.evaluate("() => window.layouts") == 1
    assert hosted.bokeh("doc => doc.views_manager.get(doc.roots()[0]).bbox.height") == 320


def test_only_the_plot_that_changed_is_painted_and_no_style_sheet_is_written_again(host: HostMaker):
    """A style sheet that is written again, though with the same text, makes a browser restyle the whole notebook."""
    plots = {"moved": Points(), "kept": Points()}
    view = BokehView({name: found.plot for name, found in plots.items()})
    hosted = host(view)
    hosted.open()
    hosted.bokeh("""doc => {
        window.painted = [], window.written = [];
        for (const [name, root] of ["moved", "kept"].map((name, position) => [name, doc.roots()[position]])) {
            const view = doc.views_manager.get(root), paint = view._actual_paint;
            view._actual_paint = () => (window.painted.push(name), paint.call(view));
        }
        const watch = root => {
            const ofSheets = found => found.filter(({target}) => target.nodeName === "STYLE");
            new MutationObserver(found => window.written.push(...ofSheets(found)))
                .observe(root, {subtree: true, childList: true});
            for (const {shadowRoot} of root.querySelectorAll("*")) if (shadowRoot) watch(shadowRoot);
        };
        watch(document.querySelector("#first"));
    }""")
    plots["moved"].source.data = {"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 9.0]}
    hosted.exchange()
    hosted.page.wait_for_function("() => window.painted.length > 0")
    hosted.page.evaluate("() => new Promise(requestAnimationFrame)")
    assert set(hosted.page.evaluate("() => window.painted")) == {"moved"}
    assert hosted.page.evaluate("() => window.written.map(({target}) => target.textContent)") == []


def test_changes_made_while_a_view_opens_are_not_lost(hosted: HostedWidget, points: Points):
    hosted.start()
    hosted.comm.deliver(hosted.page.evaluate("() => hosted.takeSent()[0]"))
    points.source.data = {"x": [1.0], "y": [7.0]}
    assert [message["kind"] for message in hosted.comm.custom()] == ["document", "patch"]
    hosted.exchange()
    assert hosted.bokeh(COLUMN) == [7.0]


def test_the_page_that_made_a_change_gets_only_what_follows_from_it(hosted: HostedWidget, points: Points):
    def retitle(_attr: str, _old: Any, new: list[int]) -> None:
        points.plot.title.text = f"chosen: {new}"

    points.source.selected.on_change("indices", retitle)
    hosted.open()
    hosted.exchanged.clear()
    hosted.click(3.0, 9.0)
    hosted.exchange()
    assert hosted.bokeh("doc => doc.roots()[0].title.text") == "chosen: [2]"
    sent = [found["content"] for found in hosted.exchanged]
    changed = {found["except"] is None: found["patch"]["events"] for found in sent if found["kind"] == "patch"}
    assert {ours: [event["attr"] for event in events] for ours, events in changed.items()} == {
        True: ["text"],
        False: ["indices"],
    }


def test_a_page_that_has_gone_on_is_not_set_back_to_what_it_said_before(hosted: HostedWidget, points: Points):
    hosted.open()
    hosted.bokeh("doc => { doc.roots()[0].x_range.start = 1 }")
    hosted.comm.deliver(hosted.page.evaluate("() => hosted.takeSent()[0]"))
    hosted.bokeh("doc => { doc.roots()[0].x_range.start = 2 }")
    [(mirrored, _), _heard] = hosted.comm.waiting
    hosted.page.evaluate("data => hosted.deliver(data, [])", mirrored)
    assert hosted.bokeh(START) == 2
    hosted.exchange()
    assert hosted.bokeh(START) == points.plot.x_range.start == 2


def test_a_page_does_not_report_back_what_python_has_changed(hosted: HostedWidget, points: Points):
    hosted.open()
    with points.view.batch():
        points.plot.x_range.start = 1
        points.source.selected.indices = [0]
    assert hosted.exchange() == 1
    assert (hosted.bokeh(START), hosted.bokeh(SELECTED)) == (1, [0])


def test_python_has_the_last_word_on_what_a_page_changed(hosted: HostedWidget, points: Points):
    def keep_positive(_attr: str, _old: Any, new: float) -> None:
        points.plot.x_range.start = max(new, 0.5)

    points.plot.x_range.on_change("start", keep_positive)
    hosted.open("first")
    hosted.open("second")
    hosted.bokeh("doc => { doc.roots()[0].x_range.start = -5 }")
    hosted.exchange()
    assert [hosted.bokeh(START), hosted.bokeh(START, at=1), points.plot.x_range.start] == [0.5, 0.5, 0.5]


def test_events_reach_python_only_if_it_asked_for_them(hosted: HostedWidget, points: Points):
    taps: list[tuple[float, float]] = []
    points.plot.on_event(Tap, lambda event: taps.append((event.x, event.y)))
    hosted.open()
    hosted.click(1.0, 1.0)
    hosted.exchange()
    assert taps == [(pytest.approx(1.0, abs=0.05), pytest.approx(1.0, abs=0.1))]
    hosted.point_at(2.0, 8.0)
    assert hosted.page.evaluate("() => hosted.takeSent()") == []


def test_callbacks_added_after_a_view_was_opened_are_called(hosted: HostedWidget, points: Points):
    hosted.open()
    moves: list[float] = []
    points.plot.on_event(MouseMove, lambda event: moves.append(event.x))
    hosted.exchange()
    hosted.point_at(2.0, 8.0)
    hosted.exchange()
    assert moves == [pytest.approx(2.0, abs=0.05)]


def test_a_busy_python_gets_one_message_and_then_only_the_last_move(hosted: HostedWidget, points: Points):
    moves: list[float] = []
    points.plot.on_event(MouseMove, lambda event: moves.append(event.x))
    hosted.open()
    for step in range(6):
        hosted.point_at(1.0 + 0.4 * step, 5.0)
    hosted.exchange()
    assert moves == [pytest.approx(1.0, abs=0.05), pytest.approx(3.0, abs=0.05)]


def test_dragging_moves_the_ranges_in_python_and_in_the_other_view(hosted: HostedWidget, points: Points):
    hosted.open("first")
    hosted.open("second")
    hosted.point_at(2.5, 7.0)
    hosted.page.mouse.down()
    hosted.point_at(1.5, 7.0)
    hosted.page.mouse.up()
    hosted.wait_for_frame()
    hosted.exchange()
    assert points.plot.x_range.start == pytest.approx(1.0, abs=0.1)
    assert hosted.bokeh(START) == hosted.bokeh(START, at=1) == points.plot.x_range.start


def test_where_no_kernel_replies_the_still_picture_stays(hosted: HostedWidget, points: Points):
    hosted.page.evaluate(CUT)
    hosted.start()
    assert hosted.state() == "still"
    assert hosted.page.locator("#first svg.figure").is_visible()
    points.view.fallback = "<p>nothing to see</p>"
    hosted.exchange()
    assert hosted.page.get_by_text("nothing to see").is_visible()
    assert hosted.page.locator("#first svg").count() == 0


def test_where_scripts_are_blocked_the_still_picture_stays_and_follows(points: Points, page: Any):
    page.goto("data:text/html,<meta http-equiv='Content-Security-Policy' content='script-src blob:'><body></body>")
    hosted = HostedWidget(points.view, page)
    hosted.start()
    hosted.exchange()
    assert hosted.state() == "still"
    assert page.locator("#first svg.figure").is_visible()
    points.view.change_still(lambda: "<p>another row</p>")
    hosted.exchange()
    assert page.get_by_text("another row").is_visible()
    assert "BokehJS did not start" in page.warned[0]
    assert page.trouble
    assert all("script-src" in words for words in page.trouble)
    page.trouble.clear()


def test_a_page_asks_for_the_still_picture_once_its_plots_rest(hosted: HostedWidget, points: Points):
    hosted.open()
    for step in range(3):
        with points.view.batch():
            points.source.data = {"x": [1.0], "y": [float(step)]}
            points.view.change_still(lambda step=step: f"<p>step {step}</p>")
        hosted.exchange()
    assert "step" not in points.view.fallback
    hosted.page.wait_for_function("() => hosted.sent.length > 0", timeout=5000)
    hosted.exchange()
    assert points.view.fallback == "<p>step 2</p>"
    assert hosted.page.evaluate("() => hosted.model.get('fallback')") == "<p>step 2</p>"  # which Jupyter saves


def test_a_change_that_cannot_be_applied_brings_the_whole_document(hosted: HostedWidget, points: Points):
    hosted.open()
    points.source.data = {"x": [1.0], "y": [7.0]}
    [(data, _)] = hosted.comm.waiting
    data["content"]["patch"]["events"][0]["model"]["id"] = "nobody"
    hosted.exchange()
    assert hosted.state() == "live"
    assert hosted.bokeh(COLUMN) == [7.0]
    assert hosted.page.evaluate("() => Bokeh.documents.length") == 1
    assert len(hosted.page.warned) == 1


def test_a_removed_view_leaves_nothing_behind(hosted: HostedWidget, points: Points):
    hosted.open("first")
    hosted.open("second")
    hosted.close("first")
    points.source.data = {"x": [1.0], "y": [7.0]}
    hosted.exchange()
    assert hosted.bokeh(COLUMN) == [7.0]
    hosted.close("second")
    left = (
        "() => [Bokeh.documents, Object.keys(Bokeh.index), document.querySelectorAll('canvas')].map(all => all.length)"
    )
    assert hosted.page.evaluate(left) == [0, 0, 0]
    assert hosted.page.evaluate("() => [...hosted.handlers.values()].map(found => found.size)") == [0, 0, 0, 0]


@pytest.mark.parametrize("moment", [".anova-view", ".anova-plot"], ids=["before", "while"])
def test_a_view_removed_before_or_while_it_is_drawn_leaves_nothing_behind(hosted: HostedWidget, moment: str):
    hosted.start("gone")
    [asked] = hosted.page.evaluate("() => hosted.takeSent()")
    hosted.comm.deliver(asked)
    (data, _) = hosted.comm.waiting.pop()
    left = hosted.page.evaluate(
        """async ([data, moment]) => {
            const drawn = hosted.deliver(data, []);
            while (!document.querySelector(moment)) await null;
            hosted.close("gone");
            await drawn;
            return [Bokeh.documents.length, Object.keys(Bokeh.index).length];
        }""",
        [data, moment],
    )
    assert left == [0, 0]
