"""What one chooses with: a searchable list of terms, outputs, scales, rows and colours, in step with the state."""

from collections.abc import Callable
from typing import Any

import ipywidgets

from anova_report.errors import AnovaReportError
from anova_report.explorer.state import NAMED_ROWS, State
from anova_report.explorer.words import rows_looked_at
from anova_report.figures.svg.text import clean
from anova_report.measures.variance import TermShare
from anova_report.measures.wording import percent

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
        self.named = {name: _button(name, len(state.rows)) for name in NAMED_ROWS}
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


def _button(name: str, n_rows: int) -> Any:
    words = f"Go to the row with the {NAMED[name]}, among {rows_looked_at(n_rows)}"
    if name == "typical":
        words = f"Go to the row {NAMED[name]}, among {rows_looked_at(n_rows)}"
    return ipywidgets.Button(description=name.capitalize(), tooltip=words, layout={"width": "auto", "margin": "2px"})


def _show(control: Any, is_shown: bool) -> None:
    control.layout.display = None if is_shown else "none"
