"""Controls that keep in step with the state, and those that take things along: files of what is shown, the report."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets

from anova_report.errors import AnovaReportError
from anova_report.explorer import fragments
from anova_report.explorer.state import NAMED_ROWS, State
from anova_report.explorer.views import rows_looked_at
from anova_report.figures.svg.text import clean
from anova_report.measures.variance import TermShare
from anova_report.measures.wording import percent


class Labels(anywidget.AnyWidget):
    """Gives every slider of the explorer around it the name that stands beside it; nothing of it is seen."""

    _esm = files("anova_report.explorer").joinpath("labels.js").read_text("utf-8")


LISTED_ROWS = 14  # lines of the list of terms that are seen at once
LONGEST = 60  # characters of a name in a list; pictures and tables have all of it
STACKED = "anova-stacked"  # label above the control
ORDERS = {1: "main effects", 2: "pairs"}
NAMED = {
    "typical": "closest to average in every component",
    "highest": "highest explanation",
    "lowest": "lowest explanation",
    "most extreme": "explanation furthest from the mean",
    "worst explained": "largest gap between answer and explanation",
}
ANY = ("any",)  # a dropdown takes None for no choice at all
WIDE = {"width": "auto"}
LABELS = {"description_width": "62px"}

Told = Callable[[str], None]


def brief(words: str) -> str:
    r"""Cut a name for a list, and take out what would break its lines.

    Examples
    --------
    >>> brief("a" * 100)[-3:], brief("line\nbreak")
    ('aa…', 'line break')
    """
    whole = clean(words)
    return whole if len(whole) <= LONGEST else whole[: LONGEST - 1].rstrip() + "…"


def listed(share: TermShare) -> tuple[str, Any]:
    """Write a term for the list, after its share of the variance, which must not be cut off behind a long name."""
    return f"{percent(share.total)} · {brief(share.label)}", share.term


class Controls:
    """Choices that hold for all tabs.

    Parameters
    ----------
    state : State
        Follows the controls, and is followed by them.
    tell : callable
        Is given words for the user: why a choice was refused, or none.
    """

    def __init__(self, state: State, tell: Told) -> None:
        self.state, self.tell = state, tell
        self._is_following = False
        names = [(brief(name), name) for name in state.rows.dec.feature_names]
        self.search = ipywidgets.Text(description="Find", placeholder="part of a name", layout=WIDE, style=LABELS)
        self.order = _dropdown("Show", [("all terms", ANY), *_orders(state)])
        self.term = ipywidgets.Select(description="Terms by share", rows=LISTED_ROWS, layout=WIDE)
        self.output = _dropdown("Output", [(brief(name), at) for at, name in enumerate(state.rows.dec.output_names)])
        self.scale = _dropdown("Scale", state.scales)
        last = len(state.rows) - 1
        self.row = ipywidgets.BoundedIntText(description="Row", min=0, max=last, layout=WIDE, style=LABELS)
        self.slider = ipywidgets.IntSlider(
            description="Browse", min=0, max=last, readout=False, layout=WIDE, style=LABELS
        )
        self.named = {name: _row_button(name, len(state.rows)) for name in NAMED_ROWS}
        self.colour = _dropdown("Colours", [("one colour", ANY), *names])
        self.widget = ipywidgets.VBox(self._laid_out())
        self._wire()
        self.follow()

    def follow(self) -> None:
        """Show the present choice."""
        self._is_following = True
        try:
            self._follow_terms()
            for control, name in self._simple().items():
                value = getattr(self.state, name)
                control.value = ANY if value is None else value
        finally:
            self._is_following = False

    def choose(self, name: str, value: Any) -> None:
        """Make a choice; where it is refused, say why and stay with the one before."""
        if self._is_following:
            return
        try:
            setattr(self.state, name, value)
        except AnovaReportError as error:
            self.tell(str(error))
            self.follow()
        else:
            self.tell("")

    def _simple(self) -> dict[Any, str]:
        return {
            self.search: "search",
            self.order: "order",
            self.output: "output",
            self.scale: "scale",
            self.row: "row",
            self.slider: "row",
            self.colour: "colour_by",
        }

    def _follow_terms(self) -> None:
        options = tuple(map(listed, self.state.listed))
        if self.term.options != options:
            self.term.options = options
        is_listed = any(term == self.state.term for _, term in options)
        self.term.value = self.state.term if is_listed else None

    def _wire(self) -> None:
        def on_change(control: Any, name: str) -> None:
            control.observe(lambda change: self.choose(name, None if change.new == ANY else change.new), "value")

        for control, name in self._simple().items():
            on_change(control, name)
        self.term.observe(lambda change: None if change.new is None else self.choose("term", change.new), "value")
        for name, button in self.named.items():
            button.on_click(lambda _button, name=name: self.choose("row", name))

    def _laid_out(self) -> list[Any]:
        self.term.add_class(STACKED)
        _show(self.output, len(self.state.rows.dec.output_names) > 1)
        _show(self.scale, len(self.state.scales) > 1)
        answered = self.state.rows.answers is not None
        _show(self.colour, answered)
        self.named["worst explained"].disabled = not answered
        buttons = ipywidgets.HBox(list(self.named.values()), layout={"flex_flow": "row wrap"})
        parts = [self.search, self.order, self.term, self.output, self.scale, self.row, self.slider, buttons]
        return [*parts, self.colour]


def _orders(state: State) -> list[tuple[str, int]]:
    found = sorted({len(term) for term in state.rows.dec.terms})
    return [(ORDERS.get(order, f"terms of {order} features"), order) for order in found]


def _dropdown(description: str, options: Any) -> Any:
    return ipywidgets.Dropdown(description=description, options=options, layout=WIDE, style=LABELS)


def _row_button(name: str, n_rows: int) -> Any:
    words = f"Go to the row with the {NAMED[name]}, among {rows_looked_at(n_rows)}"
    if name == "typical":
        words = f"Go to the row {NAMED[name]}, among {rows_looked_at(n_rows)}"
    return ipywidgets.Button(description=name.capitalize(), tooltip=words, layout={"width": "auto", "margin": "2px"})


def _show(control: Any, is_shown: bool) -> None:
    control.layout.display = None if is_shown else "none"


PAGE = "audit.html"
SAVE = "Save pictures, numbers, or the whole report"


class Saving:
    """A folded part below the tabs.

    Parameters
    ----------
    make_links : callable
        Returns links to files of what is shown at present.
    write : callable
        Writes the report to a path and returns where it is.
    """

    def __init__(self, make_links: Callable[[], list[fragments.Link]], write: Callable[[str], Path]) -> None:
        self.make_links, self._write = make_links, write
        self.files = _action_button(
            "Make files", "Make files of the pictures that are shown, and of the numbers behind them"
        )
        self.links = ipywidgets.HTML()
        self.path = ipywidgets.Text(PAGE, description="Report", style=LABELS, layout={"width": "320px"})
        self.report = _action_button(
            "Write the report", "Write the whole audit as one HTML file, with this row and output"
        )
        self.told = ipywidgets.HTML()
        self.files.on_click(self._make_files)
        self.report.on_click(self._write_report)
        parts = [self.files, self.links, ipywidgets.HBox([self.path, self.report]), self.told]
        self.box = ipywidgets.VBox(parts, layout={"display": "none", "padding": "0 0 0 12px"})
        # Not an accordion: its header cannot be reached by keyboard.
        self.unfold = ipywidgets.ToggleButton(description="Save …", tooltip=SAVE, layout={"align_self": "flex-start"})
        self.unfold.observe(self._unfold, "value")
        self.widget = ipywidgets.VBox([self.unfold, self.box])

    def forget(self) -> None:
        """Take away links to what is no longer shown."""
        self.links.value = ""

    def _unfold(self, change: Any) -> None:
        self.box.layout.display = None if change.new else "none"

    def _make_files(self, _button: Any) -> None:
        self.links.value = fragments.links(self.make_links())

    def _write_report(self, _button: Any) -> None:
        self.report.disabled = True
        self.told.value = fragments.sentences(["Writing …"])
        try:
            written = self._write(self.path.value)
            self.told.value = fragments.sentences([f"Written: {written.resolve()}"])
        except (AnovaReportError, OSError) as error:
            self.told.value = fragments.sentences([f"Not written: {error}"])
        finally:
            self.report.disabled = False


def _action_button(words: str, tooltip: str) -> Any:
    return ipywidgets.Button(description=words, tooltip=tooltip, layout={"width": "auto", "align_self": "flex-start"})
