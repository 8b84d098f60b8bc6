"""The explorer of a decomposition in a notebook."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import ipywidgets
from IPython.display import display

from anova_report.compare import Attribution
from anova_report.core.result.cohorts import cohort
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.explanation import Explanation, rows_and_predictions
from anova_report.errors import InputError, listing
from anova_report.explorer import fragments
from anova_report.explorer.answers import Answers
from anova_report.explorer.controls import PAGE, Controls, Editors, Keyboard, Saving
from anova_report.explorer.downloads import columns, file_links, of_output, svg_document
from anova_report.explorer.panels import BACKENDS, Tabs
from anova_report.explorer.pointing import hit, value_at
from anova_report.explorer.state import State
from anova_report.explorer.user_input import OtherExplanation
from anova_report.explorer.views import Figures, Views
from anova_report.figures.figure import Figure
from anova_report.figures.pairs import Surface, on_plane
from anova_report.figures.rows import Rows
from anova_report.measures.findings import weights_claims
from anova_report.measures.policy import Policy
from anova_report.measures.sentences.held_out_rows import weights_words
from anova_report.report import build_audit, write_report


class Explorer(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Explore a decomposition: which terms move the predictions and how, for all rows or one, and whether to trust it.

    It is displayed where it is the last line of a cell. The choice can be set from code, too: see `state`. What the
    explanation says of other values is worked out in the browser, also where no kernel runs; the model is asked only by
    a kernel.

    Parameters
    ----------
    decomposition : Decomposition
        An `Explanation`, which `explain` returns, needs nothing else.
    X : table of shape (n_rows, n_features), optional
        Rows to show; by default those of the explanation.
    predictions : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
        Of the black box, on the scale that was decomposed; pictures that compare with them are left out without. By
        default an explanation asks its model.
    model : callable or object with predict, predict_proba or decision_function, optional
        The black box itself, called for rows whose values are edited; by default that of the explanation.
    where : str, optional
        Show only the rows that fulfill an expression, "age > 60 and region == 'south'", under their own distribution,
        as `explain` does; the model is not asked again.
    policy : Policy, optional
        Expectations, limits and waivers: what `measures.Policy.read` returns.
    backend : {"bokeh", "svg"}
        Live plots, or still pictures where the scripts of other widgets than ipywidgets cannot load.
    random_state : int
        Decides which rows are drawn where not all can be.
    **choices
        First choices, as attributes of `state`: term, row, output, scale, colour_by, overlays, ….

    Attributes
    ----------
    state : State
        The present choice; assign to change it, `observe` to follow it.
    views : Views
        The pictures of the present choice, as plain data.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(800, 2))
    >>> predictions = X[:, 0] + X[:, 0] * X[:, 1]
    >>> dec = FunctionalANOVA(random_state=0, progress=False).fit(X, predictions).decomposition_
    >>> explorer = Explorer(dec, X, predictions)
    >>> explorer.state.term = ("x0", "x1")
    >>> list(explorer.views.term())
    ['surface', 'slices', 'main 1', 'main 2']
    """

    def __init__(
        self,
        decomposition: Decomposition,
        X: Any = None,
        predictions: Any = None,
        *,
        model: Any = None,
        where: str | None = None,
        policy: Policy | None = None,
        backend: str = "bokeh",
        random_state: int = 0,
        **choices: Any,
    ) -> None:
        if backend not in BACKENDS:
            raise InputError(f"The pictures can be drawn by {listing(list(BACKENDS))}; got {backend!r}.")
        X, predictions = rows_and_predictions(decomposition, X, predictions)
        if model is None and isinstance(decomposition, Explanation):
            model = decomposition.model
        whole = None
        if where is not None:
            whole = decomposition
            decomposition, X, predictions = cohort(decomposition, X, predictions, where)
        elif isinstance(decomposition, Explanation):
            whole = decomposition.whole
        rows = Rows.of(decomposition, X, predictions, seed=random_state)
        self.state = State(rows, X, **choices)
        self.views = Views(self.state, model, policy, whole)
        self._notice = ipywidgets.HTML()
        self._badge = ipywidgets.HTML()
        self.controls = Controls(self.state, self._notify, self._show_choice)
        # Scripts of other widgets cannot load everywhere: there values are edited with controls of ipywidgets.
        self.answers = Answers(self.views, self._notify) if backend == "bokeh" else None
        self.editors = Editors(self.state, self.controls) if self.answers is None else None
        own = {"term": self.controls.joint, "trust": self.controls.colour}
        own |= {} if self.answers is None else {"row": self.answers}
        self.tabs = Tabs(self.views, BACKENDS[backend], self, own)
        formats = ("page", "svg", "png", "csv") if backend == "bokeh" else ("page", "svg", "csv")  # a script makes PNG
        self.saving = Saving(lambda kind: file_links(self.tabs.present, self.figures, kind), self.write_report, formats)
        of_rows = ipywidgets.VBox([self.controls.rows, *([] if self.editors is None else [self.editors.widget])])
        self._side = side = ipywidgets.Box([self.controls.terms, of_rows])
        main = ipywidgets.VBox([self.tabs.widget, self.saving.widget])
        both = ipywidgets.Box([side, main])
        for box, name in ((side, "anova-side"), (main, "anova-main"), (both, "anova-both")):
            box.add_class(name)
        keyboard = [Keyboard()] if backend == "bokeh" else []  # elsewhere scripts like it cannot load
        super().__init__([*keyboard, ipywidgets.HTML(fragments.styles()), self._badge, self._notice, both])
        self.add_class("anova-explorer")
        self._refresh()
        said = (*map(weights_words, weights_claims(rows.dec)), rows.note)
        self._notify(" ".join(filter(None, said)))
        self.state.observe(self._refresh)
        self.tabs.widget.observe(self._follow_tab, "selected_index")
        self._follow_tab()

    @property
    def overlays(self) -> tuple[OtherExplanation, ...]:
        """Other explanations of main effects, drawn with ours; set as results of `attribute`, or lines.

        A line is (name, feature, at, value). In live plots a click on a name in the legend hides or shows its line.
        """
        return tuple(self.state.overlays)

    @overlays.setter
    def overlays(self, lines: Any) -> None:
        self.state.overlays = lines

    @property
    def figures(self) -> Figures:
        """The pictures of the open tab, by their names, as plain data."""
        return self.views.of(self.tabs.present)

    def svg(self) -> str:
        """Draw the pictures of the open tab as one SVG file."""
        return svg_document(self.figures)

    def frame(self, name: str | None = None) -> Any:
        """Return the numbers behind a picture of the open tab, by default the first, as a data frame.

        Columns of features have their names. A column of our own whose name is taken gets a number: the effect of a
        feature called "effect" is in the column "effect (2)".

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
        chosen |= {"whole": self.views.whole} | self.views.policy.words | options
        audit = build_audit(rows.dec, state.table, rows.predictions, **chosen)
        return write_report(of_output(audit, state.output), path)

    def clicked(self, figure: Figure, x: float, y: float) -> None:
        """Go to the term or the row that was clicked on."""
        key = hit(figure.scene, x, y)
        if isinstance(key, int):
            self.state.row = key
            self.tabs.go_to("row")
        elif key in (named := {own: name for name, own in self.views.rows.dec.feature_groups.items()}):
            self.state.group = named[key]
            self.tabs.go_to("term")
        elif key in self.views.rows.dec.expansion.position:  # not so where a feature has no main effect
            self.state.term = key
            self.tabs.go_to("term")

    def pointed(self, figure: Figure, place: tuple[float, float] | None) -> None:
        """Let a slice follow the pointer over a surface."""
        is_pair = len(self.state.term) == 2 and self.state.group is None
        if place is None or not isinstance(figure.data, Surface) or not is_pair:
            self.state.pointer = None
            return
        rows, term = self.views.rows, self.state.term
        axes = zip(on_plane(rows.dec, term), (figure.data.x, figure.data.y), place, strict=True)
        values = {index: value_at(rows, index, axis, at) for index, axis, at in axes}
        self.state.pointer = tuple(values[index] for index in term)

    def close(self) -> None:
        """Remove it and all its parts from all pages, and release its plots."""
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

    def _ipython_display_(self) -> None:
        """Show the saved form, then the explorer, as outputs of their own.

        A notebook prefers a widget to the other forms of an output, and says that it found none where no kernel
        answers. So the twin stands by itself, and its styles show one of the two.
        """
        still = self._repr_mimebundle_()
        for part in ({kind: still.pop(kind) for kind in ("text/html", "text/plain")}, {"text/plain": "", **still}):
            display(part, raw=True)  # type: ignore[no-untyped-call]  # IPython gives it no types

    def _display_(self) -> Answers:
        """Return what marimo shows, which draws no widgets of ipywidgets: the panel, with the largest effects."""
        return Answers(self.views, self._notify, alone=True)

    def _show_choice(self, name: str) -> None:
        """Open a tab that shows what was chosen, where the present one does not."""
        if name in ("term", "group"):
            self.tabs.go_to("term")
        elif name == "row" and self.tabs.present == "overview":
            self.tabs.go_to("row")

    def _follow_tab(self, _change: Any = None) -> None:
        """Show editors of the row beside its pictures; the list of terms makes room for them."""
        is_row = self.tabs.present == "row"
        self._follow_row()
        if self.editors is not None:
            self.editors.widget.layout.display = None if is_row else "none"
        (self._side.add_class if is_row else self._side.remove_class)("anova-brief")

    def _follow_row(self) -> None:
        """Show the values of the row; a model is only asked about it where that is shown."""
        if self.editors is not None:
            self.editors.follow()
        elif self.answers is not None and self.tabs.present == "row":
            self.answers.follow()

    def _notify(self, words: str) -> None:
        self._notice.value = fragments.notice(words) if words else ""

    def _refresh(self, change: Any = None) -> None:
        if change is None or change.name == "output":
            self._badge.value = fragments.badge(self.views)
        self.controls.follow()
        self._follow_row()
        self.tabs.show()
        self.saving.clear()


def _parts(widget: Any) -> Iterator[Any]:
    """Find all widgets inside a widget, and their layouts and styles."""
    for child in getattr(widget, "children", ()):
        yield from _parts(child)
        yield from (getattr(child, name) for name in ("layout", "style") if hasattr(child, name))
        yield child
