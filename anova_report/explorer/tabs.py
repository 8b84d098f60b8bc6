"""The four tabs: sentences and pictures of each, made when it is looked at."""

from typing import Any

import ipywidgets

from anova_report.explorer import fragments
from anova_report.explorer.panels import Listener, Panel, PanelMaker
from anova_report.explorer.views import TABS, Views
from anova_report.explorer.words import row_words, term_words, trust_words

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
