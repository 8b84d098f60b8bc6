"""The explorer: a decomposition to look at, to choose from and to ask, in a notebook."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import ipywidgets

from anova_report.compare import Attribution
from anova_report.core.decomposition import Decomposition
from anova_report.errors import InputError, listing
from anova_report.explorer import fragments, pointing
from anova_report.explorer.controls import PAGE, Controls, Labels, Saving
from anova_report.explorer.downloads import columns, file_links, of_output, svg_document
from anova_report.explorer.editors import Editors
from anova_report.explorer.overlays import Laid
from anova_report.explorer.panels import BACKENDS, Tabs
from anova_report.explorer.pointing import value_at
from anova_report.explorer.state import State
from anova_report.explorer.views import Figures, Views
from anova_report.figures.columns import Rows
from anova_report.figures.figure import Figure
from anova_report.figures.kinds import Axis, Surface
from anova_report.report import build_audit, write_report

MILLISECONDS = 1000.0  # in which live plots count time
SIDE = {"flex": "0 0 260px", "min_width": "220px"}
MAIN = {"flex": "1 1 480px", "min_width": "min(480px, 100%)"}
ROW = {"display": "flex", "flex_flow": "row wrap", "align_items": "flex-start"}


class Explorer(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Look at a decomposition: who moves the answers and how, for all rows or for one, and whether to trust it.

    Shows itself where it is the last line of a cell. What is chosen can be set from code, too: see `state`.

    Parameters
    ----------
    decomposition : Decomposition
    X : table of shape (n_rows, n_features)
        Rows to show, those of the fit as a rule.
    answers : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
        What the black box said, on the scale that was decomposed; without it, what compares with answers is left out.
    model : callable or object with predict, predict_proba or decision_function, optional
        The black box itself, asked about rows whose values are edited.
    backend : {"bokeh", "svg"}
        Live plots, or still pictures where the scripts of other widgets than ipywidgets cannot load.
    random_state : int
        Decides which rows are drawn where not all can be.
    **choices
        First choices, as attributes of `state`: term, row, output, scale, colour_by, overlays, ….

    Attributes
    ----------
    state : State
        The present choice; assign to change it, `observe` to be told.
    views : Views
        The pictures of the present choice, as plain data.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(800, 2))
    >>> answers = X[:, 0] + X[:, 0] * X[:, 1]
    >>> dec = FunctionalANOVA(random_state=0, progress=False).fit(X, answers).decomposition_
    >>> explorer = Explorer(dec, X, answers)
    >>> explorer.state.term = ("x0", "x1")
    >>> list(explorer.views.term())
    ['surface', 'slices', 'main 1', 'main 2']
    """

    def __init__(
        self,
        decomposition: Decomposition,
        X: Any,
        answers: Any = None,
        *,
        model: Any = None,
        backend: str = "bokeh",
        random_state: int = 0,
        **choices: Any,
    ) -> None:
        if backend not in BACKENDS:
            raise InputError(f"The pictures can be drawn by {listing(list(BACKENDS))}; {backend!r} came.")
        rows = Rows.of(decomposition, X, answers, seed=random_state)
        self.state = State(rows, X, **choices)
        self.views = Views(self.state, model)
        self._told = ipywidgets.HTML()
        self._badge = ipywidgets.HTML()
        self.controls = Controls(self.state, self._tell)
        self.editors = Editors(self.state, self.controls)
        self.tabs = Tabs(self.views, BACKENDS[backend], self, self.editors.widget)
        self.saving = Saving(self._links, self.write_report)
        super().__init__(self._laid_out(backend))
        self.add_class("anova-explorer")
        self._refresh()
        self.state.observe(self._refresh)

    @property
    def overlays(self) -> tuple[Laid, ...]:
        """Other explanations of main effects, drawn with ours; set as what `attribute` gave, or lines.

        A line is (name, feature, at, value). In live plots a click on a name in the legend hides or shows its line.
        """
        return tuple(self.state.overlays)

    @overlays.setter
    def overlays(self, lines: Any) -> None:
        self.state.overlays = lines

    @property
    def figures(self) -> Figures:
        """The pictures that are looked at, by their names, as plain data."""
        return self.views.of(self.tabs.present)

    def svg(self) -> str:
        """Draw the pictures that are looked at as one SVG file."""
        return svg_document(self.figures, self.views.groups())

    def frame(self, name: str | None = None) -> Any:
        """Return the numbers behind one of the pictures that are looked at, by default the first, as a data frame.

        Raises
        ------
        InputError
            If there is no such picture here.
        """
        import pandas as pd  # type: ignore[import-untyped]  # noqa: PLC0415 a second that only this needs

        figures = self.figures
        chosen = next(iter(figures), "") if name is None else name
        if chosen not in figures:
            raise InputError(f"There is no picture {chosen!r} here. There are: {listing(list(figures))}.")
        return pd.DataFrame(columns(figures[chosen]))

    def write_report(self, path: str | os.PathLike[str] = PAGE, **options: Any) -> Path:
        """Write the audit of the present output, with the present row and other explanations, as one HTML file.

        Parameters
        ----------
        path : path
        **options
            As of `anova_report.report.build_audit`: title, model, notes, ….
        """
        rows, state = self.views.rows, self.state
        others = [other for other in self.overlays if isinstance(other, Attribution)]
        chosen: dict[str, Any] = {"rows": [state.row], "others": others, "random_state": rows.seed, "progress": False}
        chosen |= options
        audit = build_audit(rows.dec, state.table, rows.answers, **chosen)
        return write_report(of_output(audit, state.output), path)

    def clicked(self, figure: Figure, x: float, y: float) -> None:
        """Go to the term or the row that was clicked at."""
        term, row = pointing.term_at(self.views.rows.dec, figure, x, y), pointing.row_at(figure, x, y)
        if term is not None:
            self.state.term = term
            self.tabs.go_to("term")
        elif row is not None:
            self.state.row = row
            self.tabs.go_to("row")

    def pointed(self, figure: Figure, place: tuple[float, float] | None) -> None:
        """Let a slice follow the pointer over a surface."""
        if place is None or not isinstance(figure.data, Surface) or len(self.state.term) != 2:
            self.state.pointer = None
            return
        axes = (figure.data.x, figure.data.y)
        found = (
            self._value(index, *at) for index, at in zip(self.state.term, zip(axes, place, strict=True), strict=True)
        )
        self.state.pointer = tuple(found)

    def close(self) -> None:
        """Remove it and all its parts from all pages, and let go of its plots."""
        with suppress(AttributeError, ValueError):  # never made because of an error, or closed before
            self.state.unobserve(self._refresh)
            self.tabs.close()
            for part in _parts(self):
                part.close()
        super().close()

    def __repr__(self) -> str:
        return fragments.static_text(self.views)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        live: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        return live | {"text/html": fragments.static_html(self.views), "text/plain": fragments.static_text(self.views)}

    def _value(self, index: int, axis: Axis, place: float) -> float:
        return value_at(self.views.rows, index, axis, place / MILLISECONDS if axis.time else place)

    def _links(self) -> list[fragments.Link]:
        return file_links(self.tabs.present, self.figures, self.views.groups())

    def _tell(self, words: str) -> None:
        self._told.value = fragments.notice(words) if words else ""

    def _refresh(self, _change: Any = None) -> None:
        self._badge.value = fragments.badge(self.views)
        self.controls.follow()
        self.editors.follow()
        self.tabs.show()
        self.saving.forget()

    def _laid_out(self, backend: str) -> list[Any]:
        self.controls.widget.layout = SIDE
        self.controls.widget.add_class("anova-side")
        main = ipywidgets.VBox([self.tabs.widget, self.saving.widget], layout=MAIN)
        labels = [Labels()] if backend == "bokeh" else []  # elsewhere scripts like it cannot load
        return [
            *labels,
            ipywidgets.HTML(fragments.styles()),
            self._badge,
            self._told,
            ipywidgets.HBox([self.controls.widget, main], layout=ROW),
        ]


def _parts(widget: Any) -> Iterator[Any]:
    """Find all widgets inside a widget, and the models of their looks."""
    for child in getattr(widget, "children", ()):
        yield from _parts(child)
        yield from (getattr(child, name) for name in ("layout", "style") if hasattr(child, name))
        yield child
