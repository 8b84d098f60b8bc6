"""A notebook without Jupyter: the real widget and its real script in a real browser; tests pass the messages on."""

import base64
import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from bokeh.models import ColumnDataSource, Plot, Scatter
from bokeh.plotting import figure

from anova_report.explorer.bridge import BokehView
from anova_report.explorer.fragments import draw
from anova_report.figures.figure import Figure
from anova_report.figures.live import build, update
from tests.figures.samples import SAMPLES

# A model as anywidget hands it to a view: traits, messages, handlers; `isCut` ends the connection as a restart does.
PAGE_SIDE = """async ({esm, css, traits}) => {
    const bytes = text => { // a window on a larger buffer, as a message's parts are in Jupyter
        const part = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
        const whole = new Uint8Array(part.length + 24);
        whole.set(part, 8);
        return new DataView(whole.buffer, 8, part.length);
    };
    const handlers = new Map();
    const of = name => handlers.get(name) ?? handlers.set(name, new Set()).get(name);
    const style = document.head.appendChild(document.createElement("style"));
    Object.assign(style, {className: "hosted", textContent: css});
    const module = await import(URL.createObjectURL(new Blob([esm], {type: "text/javascript"})));
    window.hosted = {
        handlers, sent: [], isCut: false, closers: new Map(),
        model: {
            get: name => traits[name],
            on: (name, handler) => of(name).add(handler),
            off: (name, handler) => of(name).delete(handler),
            send: message => {
                if (window.hosted.isCut) throw new Error("Cannot send: comm is dead");
                window.hosted.sent.push(JSON.parse(JSON.stringify(message)));
            },
        },
        takeSent: () => window.hosted.sent.splice(0),
        deliver: async (data, buffers) => {
            if (data.method === "custom") {
                for (const handler of of("msg:custom")) await handler(data.content, buffers.map(bytes));
            } else {
                Object.assign(traits, data.state);
                for (const name of Object.keys(data.state)) for (const handler of of(`change:${name}`)) handler();
            }
        },
        open: id => {
            const el = document.body.appendChild(document.createElement("div"));
            el.id = id;
            window.hosted.closers.set(id, module.default.render({model: window.hosted.model, el}));
        },
        close: id => (window.hosted.closers.get(id)(), document.getElementById(id).remove()),
    };
}"""


# Where a place in the first plot of a document is on the page.
PLACE = """(doc, [x, y]) => {
    const view = doc.views_manager.get(doc.roots()[0]);
    const box = view.canvas_view.el.getBoundingClientRect();
    return [box.left + view.frame.x_scale.compute(x), box.top + view.frame.y_scale.compute(y)];
}"""


def built(sample: Figure) -> Plot:
    """Build the live plot of a figure."""
    return build(sample.scene, sample.title)


def show_on(plot: Any, sample: Figure) -> None:
    """Show another figure on a live plot."""
    update(plot, sample.scene, sample.title)


class Points:
    """A plot of three points that can be clicked and dragged, and a view of it."""

    def __init__(self) -> None:
        self.source = ColumnDataSource({"x": [1.0, 2.0, 3.0], "y": [1.0, 4.0, 9.0]}, name="points")
        self.plot = figure(width=320, height=240, tools="tap,pan", x_range=(0, 4), y_range=(0, 10))
        self.plot.add_glyph(self.source, Scatter(x="x", y="y", size=20))

    @cached_property
    def view(self) -> BokehView:
        """Make the view when it is asked for, so that the plot can be shown in another one instead."""
        return BokehView({"points": self.plot}, still=lambda: draw(SAMPLES["curve"].rich))


class FakeComm:
    """Takes the place of the comm: keeps the messages of Python until a test passes them on to the page."""

    comm_id = "a-comm"

    def __init__(self) -> None:
        self.waiting: list[tuple[dict[str, Any], list[bytes]]] = []
        self.handler: Callable[[dict[str, Any]], None] | None = None

    def on_msg(self, handler: Callable[[dict[str, Any]], None]) -> None:
        """Keep the handler of messages of the page; the widget calls this."""
        self.handler = handler

    def deliver(self, content: Any) -> None:
        """Pass a message of the page on to the widget."""
        assert self.handler is not None
        self.handler({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})

    def send(self, data: dict[str, Any], metadata: Any = None, buffers: Sequence[Any] | None = None) -> None:
        """Keep a message, as the JSON that would be sent."""
        del metadata
        self.waiting.append((json.loads(json.dumps(data, allow_nan=False)), [bytes(part) for part in buffers or ()]))

    def close(self, *_arguments: Any, **_options: Any) -> None:
        """Do nothing: there is no other end."""

    def custom(self) -> list[dict[str, Any]]:
        """Return the contents of the waiting messages that are not changes of traits."""
        return [data["content"] for data, _ in self.waiting if data["method"] == "custom"]


def connected(view: BokehView) -> FakeComm:
    """Connect a view to a comm, and open it in one page."""
    view.comm = comm = FakeComm()
    comm.deliver({"kind": "open", "view": "first", "library": True})
    comm.waiting.clear()
    return comm


class HostedWidget:
    """One widget, and a page with views of it."""

    def __init__(self, view: BokehView, page: Any) -> None:
        self.view, self.page, self.comm = view, page, FakeComm()
        self.exchanged: list[dict[str, Any]] = []
        view.comm = self.comm
        self.load()

    def load(self) -> None:
        """Put the widget's script and traits on the page, as a page does that was just loaded."""
        state = {name: value for name, value in self.view.get_state().items() if name != "layout"}
        self.page.evaluate(PAGE_SIDE, {"esm": state.pop("_esm"), "css": state.pop("_css"), "traits": state})

    def open(self, name: str = "first") -> None:
        """Open a view, and wait until its plots are there."""
        self.start(name)
        self.exchange()
        self.page.wait_for_selector(f"#{name} [data-state=live]", timeout=5000)
        self.wait_for_frame()

    def start(self, name: str = "first") -> None:
        """Open a view, whose request to Python is not passed on yet."""
        self.page.evaluate("name => hosted.open(name)", name)

    def close(self, name: str) -> None:
        """Remove a view."""
        self.page.evaluate("name => hosted.close(name)", name)

    def exchange(self) -> int:
        """Pass messages on in both directions until there are none; return how many Python sent."""
        before = len(self.exchanged)
        while (sent := self.page.evaluate("() => hosted.takeSent()")) or self.comm.waiting:
            for message in sent:
                self.comm.deliver(message)
            waiting, self.comm.waiting = self.comm.waiting, []
            for data, buffers in waiting:
                self.exchanged.append(data)
                packed = [base64.b64encode(part).decode() for part in buffers]
                self.page.evaluate("([data, buffers]) => hosted.deliver(data, buffers)", [data, packed])
        return len(self.exchanged) - before

    def wait_for_frame(self) -> None:
        """Wait until all changes are drawn."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def point_at(self, x: float, y: float) -> None:
        """Move the mouse to a place in the first plot."""
        self.page.mouse.move(*self.bokeh(PLACE, [x, y]))

    def click(self, x: float, y: float) -> None:
        """Click a place in the first plot."""
        self.page.mouse.click(*self.bokeh(PLACE, [x, y]))

    def state(self, name: str = "first") -> str:
        """Return the state of a view: "still", "live" or "cut-off"."""
        return str(self.page.locator(f"#{name} > .anova-view").get_attribute("data-state"))

    def picture(self, name: str = "first") -> bytes:
        """Return a screenshot of a view, once it is drawn."""
        self.wait_for_frame()
        return bytes(self.page.locator(f"#{name}").screenshot())

    def bokeh(self, script: str, argument: Any = None, at: int = 0) -> Any:
        """Run a function of a document, by its position among those of the page, and an argument."""
        return self.page.evaluate(f"([at, argument]) => ({script})(Bokeh.documents[at], argument)", [at, argument])

    def remove(self) -> None:
        """Remove all views, and the theme of the page."""
        self.page.evaluate("""() => {
            [...hosted.closers.keys()].filter(name => document.getElementById(name)).forEach(hosted.close);
            document.head.querySelectorAll("style.hosted").forEach(style => style.remove());
            for (const name of Object.keys(document.body.dataset)) delete document.body.dataset[name];
        }""")
