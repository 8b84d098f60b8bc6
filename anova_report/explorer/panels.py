"""Where pictures stand in the explorer: live plots that are kept up to date or still pictures, in four tabs.

A tab's sentences and pictures are made when it is opened, and follow the state while it is.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any, Protocol, TypeAlias

import ipywidgets
from bokeh.events import MouseLeave, MouseMove, Tap
from bokeh.models import Plot, SaveTool

from anova_report.explorer import fragments
from anova_report.explorer.bridge import BokehView
from anova_report.explorer.fragments import compact
from anova_report.explorer.views import TABS, Views, row_words, term_words, trust_words
from anova_report.figures.figure import Figure
from anova_report.figures.live import build, update
from anova_report.figures.pairs import Surface

Figures: TypeAlias = Mapping[str, Figure]
PLACES = (
    *("shares", "groups", "network", "swarm"),
    *("along", "by 1", "by 2", "by 3"),
    *("effect", "rows", "surface", "slices", "main 1", "main 2", "main 3"),
    "within",
    *("force", "waterfall", "local"),
    *("scatter", "regions", "matrix"),
)
MILLISECONDS = 1000.0  # in which bokeh counts time
TITLES = ("Overview", "Term", "Row", "Trust")
POINTER = "Move the pointer over the surface: one slice follows it."


class Listener(Protocol):
    """Is called for clicks and moves on a picture; places are in values of the first panel of its scene."""

    def clicked(self, figure: Figure, x: float, y: float) -> None:
        """Handle a click."""

    def pointed(self, figure: Figure, place: tuple[float, float] | None) -> None:
        """Handle a move of the pointer over a surface; None when it has left."""


class StillPanel:
    """Pictures as SVG, drawn again when they change: core ipywidgets only."""

    is_live = False

    def __init__(self) -> None:
        self.widget = ipywidgets.HTML()
        self._shown: Figures | None = None

    def show(self, figures: Figures) -> None:
        """Show pictures."""
        if self._shown != figures:
            self.widget.value = fragments.pictures(figures)
            self._shown = figures

    def close(self) -> None:
        """Remove it."""
        self.widget.close()


class LivePanel:
    """Pictures as live plots: a change sends new columns; only scenes of a new form are built."""

    is_live = True

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.widget = ipywidgets.VBox()
        self.view: BokehView | None = None
        self._drawn: dict[str, Figure] = {}  # the figure of each plot, hidden ones too

    def show(self, figures: Figures) -> None:
        """Show pictures, in one message to each page."""
        named = {f"{name} {figure.kind}": figure for name, figure in figures.items()}
        changed = {name: figure for name, figure in named.items() if self._drawn.get(name) != figure}
        is_shown = self.view is not None and self.view.captions.keys() == named.keys()
        if not named or (is_shown and not changed):
            return
        still = partial(fragments.pictures, figures)
        plots: dict[str, Any] = {} if self.view is None else dict(self.view.plots)
        view = self.view
        with nullcontext() if view is None else view.batch():
            unfit = {name: figure for name, figure in changed.items() if not _follows(plots.get(name), figure)}
            if view is None or unfit:
                view = self._new_view(plots | {name: self._built(name, unfit[name]) for name in unfit}, still)
            view.hidden = tuple(name for name in view.plots if name not in named)
            view.captions = {name: (figure.title, figure.alt) for name, figure in named.items()}
            if not unfit:
                view.change_still(still)
        self._drawn |= changed

    def close(self) -> None:
        """Remove it, and release its plots."""
        if self.view is not None:
            self.view.close()
        self.widget.close()

    def _new_view(self, plots: Mapping[str, Any], still: Callable[[], str]) -> BokehView:
        """Replace the view by one of these plots, each in its place."""
        if self.view is not None:
            self.view.close()
        ordered = sorted(plots.items(), key=lambda item: PLACES.index(item[0].rpartition(" ")[0]))
        self.view = BokehView(dict(ordered), still=still)
        self.widget.children = (self.view,)
        return self.view

    def _built(self, name: str, figure: Figure) -> Plot:
        plot = build(compact(figure), figure.title)
        plot.add_tools(SaveTool())
        plot.on_event(Tap, partial(self._pass_on, name, lambda shown, place: self.listener.clicked(shown, *place)))
        if isinstance(figure.data, Surface):
            plot.on_event(MouseMove, partial(self._pass_on, name, self.listener.pointed))
            plot.on_event(MouseLeave, lambda _event: self.listener.pointed(self._drawn[name], None))
        return plot

    def _pass_on(self, name: str, handle: Callable[[Figure, tuple[float, float]], None], event: Any) -> None:
        if event.x is not None and event.y is not None:
            panel = self._drawn[name].scene.panels[0]
            x_unit, y_unit = (MILLISECONDS if is_time else 1.0 for is_time in (panel.x_time, panel.y_time))
            handle(self._drawn[name], (event.x / x_unit, event.y / y_unit))


def _follows(plot: Plot | None, figure: Figure) -> bool:
    """Show another figure on a plot, if there is one and it can."""
    return plot is not None and update(plot, compact(figure), figure.title)


PicturePanel: TypeAlias = StillPanel | LivePanel
PanelMaker: TypeAlias = Callable[[Listener], PicturePanel]
BACKENDS: dict[str, PanelMaker] = {"bokeh": LivePanel, "svg": lambda _listener: StillPanel()}


class Tabs:
    """Four tabs, of which the open one is kept up to date; above the pictures some have controls of their own."""

    def __init__(self, views: Views, make_panel: PanelMaker, listener: Listener, controls: Mapping[str, Any]) -> None:
        self.views = views
        self.panels: dict[str, PicturePanel] = {tab: make_panel(listener) for tab in TABS}
        self.words = {tab: ipywidgets.HTML() for tab in TABS}
        self.findings = ipywidgets.HTML()
        own = {tab: [controls[tab]] if tab in controls else [] for tab in TABS}
        boxes = [ipywidgets.VBox([self.words[tab], *own[tab], self.panels[tab].widget]) for tab in TABS]
        boxes[-1].children = (self.findings, *boxes[-1].children)
        self.widget = ipywidgets.Tab(boxes, titles=TITLES, selected_index=0)
        self.widget.observe(lambda _change: self.show(), "selected_index")

    @property
    def present(self) -> str:
        """Name of the open tab."""
        return TABS[self.widget.selected_index or 0]

    def go_to(self, tab: str) -> None:
        """Open another tab."""
        self.widget.selected_index = TABS.index(tab)

    def show(self) -> None:
        """Bring the open tab up to date; the others follow when they are opened."""
        tab, views, state = self.present, self.views, self.views.state
        if tab == "overview":
            words = fragments.numbers(views)
        elif tab == "term":
            is_plane = self.panels[tab].is_live and "surface" in views.of(tab)
            hints = [POINTER] if is_plane else []
            words = fragments.sentences([*term_words(state), *hints])
        elif tab == "row":
            words = fragments.sentences(row_words(views), fragments.row_title(state))
        else:
            words = fragments.sentences(trust_words(views))
            self.findings.value = fragments.findings(views)
        self.words[tab].value = words
        self.panels[tab].show(views.of(tab))

    def close(self) -> None:
        """Remove all pictures."""
        for panel in self.panels.values():
            panel.close()
        self.widget.close()
