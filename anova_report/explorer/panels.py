"""Where pictures stand in the explorer: live ones kept up to date or still ones drawn again, in four tabs.

A tab's sentences and pictures are made when it is looked at.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol, TypeAlias

import ipywidgets
from bokeh.events import MouseLeave, MouseMove, Tap
from bokeh.models import ColumnDataSource, Plot, SaveTool, Scatter

from anova_report.explorer import fragments
from anova_report.explorer.bridge import BokehView
from anova_report.explorer.pointing import Groups
from anova_report.explorer.views import TABS, Views, row_words, term_words, trust_words
from anova_report.figures import kinds
from anova_report.figures.figure import Figure
from anova_report.figures.live import build, update
from anova_report.figures.live.colours import by_name, painted
from anova_report.figures.live.frame import along
from anova_report.figures.style import SLICES

Figures: TypeAlias = Mapping[str, Figure]
PLACES = (
    *("shares", "network"),
    *("effect", "surface", "slices", "main 1", "main 2", "main 3"),
    *("force", "waterfall", "local"),
    *("scatter", "regions", "matrix"),
)
GROUPS = "groups"


class Listener(Protocol):
    """Who is told what happens on a picture; places are in the coordinates of the live plot."""

    def clicked(self, figure: Figure, x: float, y: float) -> None:
        """Hear of a click."""

    def pointed(self, figure: Figure, place: tuple[float, float] | None) -> None:
        """Hear where the pointer is on a surface; None when it has left."""


class StillPanel:
    """Pictures as SVG, drawn again when they change: core ipywidgets only."""

    is_live = False

    def __init__(self) -> None:
        self.widget = ipywidgets.HTML()
        self._shown: tuple[Figures, Groups | None] | None = None

    def show(self, figures: Figures, groups: Groups | None = None) -> None:
        """Show pictures."""
        if self._shown != (figures, groups):
            self.widget.value = fragments.pictures(figures, groups)
            self._shown = (figures, groups)

    def close(self) -> None:
        """Remove it."""
        self.widget.close()


class LivePanel:
    """Pictures as live plots: a change sends new columns; only a kind of picture not seen before is built.

    Parameters
    ----------
    listener : Listener
    """

    is_live = True

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.widget = ipywidgets.VBox()
        self.view: BokehView | None = None
        self._drawn: dict[str, Figure] = {}  # what each plot shows, hidden ones too
        self._shown: tuple[Figures, Groups | None] = ({}, None)

    def show(self, figures: Figures, groups: Groups | None = None) -> None:
        """Show pictures, in one message to each page."""
        if not figures or self._shown == (figures, groups):
            return
        named = {f"{name} {figure.kind}": figure for name, figure in figures.items()}
        view = self._view_of(named)
        with view.batch():
            for name, figure in named.items():
                self._draw(view.plots[name], name, figure, groups)
            view.hidden = tuple(name for name in view.plots if name not in named)
            view.captions = {name: (figure.title, figure.alt) for name, figure in named.items()}
            view.fallback = fragments.pictures(figures, groups)
        self._shown = (figures, groups)

    def close(self) -> None:
        """Remove it, and let go of its plots."""
        if self.view is not None:
            self.view.close()
        self.widget.close()

    def _draw(self, plot: Any, name: str, figure: Figure, groups: Groups | None) -> None:
        if self._drawn[name] != figure:
            update(plot, figure)
            self._drawn[name] = figure
        if isinstance(figure.data, kinds.Scatter):
            _fill_groups(plot, figure.data, groups)

    def _view_of(self, named: Figures) -> BokehView:
        """Return the view that has a plot for every picture; it is made anew when one of them is of a new kind."""
        plots = {} if self.view is None else dict(self.view.plots)
        new = {name: self._built(name, figure) for name, figure in named.items() if name not in plots}
        if self.view is None or new:
            if self.view is not None:
                self.view.close()
            every = sorted({**plots, **new}.items(), key=lambda item: PLACES.index(item[0].rpartition(" ")[0]))
            self.view = BokehView(dict(every), summary=", ".join(figure.title for figure in named.values()))
            self.widget.children = (self.view,)
        return self.view

    def _built(self, name: str, figure: Figure) -> Plot:
        plot = build(figure)
        plot.add_tools(SaveTool())
        plot.on_event(Tap, partial(self._tapped, name))
        if isinstance(figure.data, kinds.Surface):
            plot.on_event(MouseMove, partial(self._moved, name))
            plot.on_event(MouseLeave, partial(self._left, name))
        if isinstance(figure.data, kinds.Scatter):
            _draw_groups(plot)
        self._drawn[name] = figure
        return plot

    def _tapped(self, name: str, event: Any) -> None:
        if event.x is not None and event.y is not None:
            self.listener.clicked(self._drawn[name], event.x, event.y)

    def _moved(self, name: str, event: Any) -> None:
        if event.x is not None and event.y is not None:
            self.listener.pointed(self._drawn[name], (event.x, event.y))

    def _left(self, name: str, _event: Any) -> None:
        self.listener.pointed(self._drawn[name], None)


Panel: TypeAlias = StillPanel | LivePanel
PanelMaker: TypeAlias = Callable[[Listener], Panel]
BACKENDS: dict[str, PanelMaker] = {"bokeh": LivePanel, "svg": lambda _listener: StillPanel()}


def _draw_groups(plot: Plot) -> None:
    """Add coloured points over the plain ones, and below the one that is marked."""
    looks = {"size": 5.5, "fill_color": by_name("colour", SLICES), "fill_alpha": 0.9, "line_color": None}
    columns: dict[str, list[Any]] = {"x": [], "y": [], "colour": []}
    points = plot.add_glyph(ColumnDataSource(columns, name=GROUPS), painted(Scatter, x="x", y="y", **looks))
    *others, last = [found for found in plot.renderers if found is not points]
    plot.renderers = [*others, points, last]


def _fill_groups(plot: Any, data: kinds.Scatter, groups: Groups | None) -> None:
    shown = [] if groups is None else [groups.colours[group] for group in groups.of_point]
    at, value = (along(axis, found[: len(shown)]) for axis, found in ((data.x, data.at), (data.y, data.value)))
    columns = {"x": at, "y": value, "colour": shown}
    source = plot.select_one({"name": GROUPS, "type": ColumnDataSource})
    if dict(source.data) != columns:
        source.data = columns


TITLES = ("Overview", "Term", "Row", "Trust")
POINTER = "Move the pointer over the surface: one slice follows it."


class Tabs:
    """What is looked at, one tab at a time.

    Parameters
    ----------
    views : Views
    make_panel : callable
        Makes a place for pictures.
    listener : Listener
        Is told of clicks.
    editors : widget
        Stands in the tab of the row.
    """

    def __init__(self, views: Views, make_panel: PanelMaker, listener: Listener, editors: Any) -> None:
        self.views = views
        self.panels: dict[str, Panel] = {tab: make_panel(listener) for tab in TABS}
        self.words = {tab: ipywidgets.HTML() for tab in TABS}
        self.findings = ipywidgets.HTML()
        extras = {"row": [editors], "trust": [self.findings]}
        boxes = [ipywidgets.VBox([self.words[tab], *extras.get(tab, []), self.panels[tab].widget]) for tab in TABS]
        self.widget = ipywidgets.Tab(boxes, titles=TITLES, selected_index=0)
        self.widget.observe(lambda _change: self.show(), "selected_index")

    @property
    def present(self) -> str:
        """Name of the tab that is looked at."""
        return TABS[self.widget.selected_index or 0]

    def go_to(self, tab: str) -> None:
        """Look at another tab."""
        self.widget.selected_index = TABS.index(tab)

    def show(self) -> None:
        """Bring the tab that is looked at up to date; the others follow when it is their turn."""
        tab, views = self.present, self.views
        self.words[tab].value = self._said(tab)
        if tab == "trust":
            self.findings.value = fragments.findings(views)
        self.panels[tab].show(views.of(tab), views.groups() if tab == "trust" else None)

    def close(self) -> None:
        """Remove all pictures."""
        for panel in self.panels.values():
            panel.close()
        self.widget.close()

    def _said(self, tab: str) -> str:
        views, state, is_live = self.views, self.views.state, self.panels[tab].is_live
        if tab == "overview":
            return fragments.numbers(views)
        if tab == "term":
            hints = [POINTER] if is_live and len(state.term) == 2 else []
            return fragments.sentences([*term_words(state), *hints], state.rows.dec.label(state.term))
        if tab == "row":
            return fragments.sentences(row_words(views), f"Row {state.row}")
        return fragments.sentences(
            trust_words(views), groups=views.groups() if is_live else None
        )  # stills have a legend
