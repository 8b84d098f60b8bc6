"""Controls of the explorer: for the choice, which they follow, for values of the row, and for saving files."""

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets
import numpy as np

from anova_report.core.arrays import Floats
from anova_report.errors import AnovaReportError
from anova_report.explorer import fragments
from anova_report.explorer.state import NAMED_ROWS, State
from anova_report.explorer.user_input import Value, decoded_value
from anova_report.explorer.views import searched_rows
from anova_report.figures.shares import largest_features
from anova_report.figures.text import clean
from anova_report.measures.values import MISSING, quantiles, shown_range
from anova_report.measures.variance import TermShare
from anova_report.measures.wording import percent

LONGEST = 60  # characters of a name in a list; pictures and tables have all of it
MOST_EDITORS = 8  # features with a control of their own
STEPS, STEPS_OF_HALF = 200, 20  # of a slider at least: over its range, and over the middle half of the rows
TAIL = 0.005  # of the rows at each end do not stretch a slider, as they do not stretch a curve
NO_EDIT = 1e-9  # of a slider's range
TERMS = "anova-terms"  # the list of terms: label above, bars below each
ORDERS = {1: "main effects", 2: "pairs"}
NAMED = {
    "typical": "closest to average in every component",
    "highest": "with the highest explanation",
    "lowest": "with the lowest explanation",
    "most extreme": "with the explanation furthest from the mean",
    "largest residual": "with the largest residual: prediction minus explanation, in absolute value",
}
JOINT = (("term alone", False), ("joint effect", True))
JOINT_TIPS = (
    "Of a pair, what both features do beyond their main effects",
    "All effects of features that are read together",
)
SWITCH, APART = {"button_width": "auto"}, {"margin": "2px 0 6px"}
ANY, GONE = ("any",), ("missing",)  # a dropdown takes None for no choice at all
WIDE = {"width": "auto"}
LABELS = {"description_width": "58px"}
NAMES = {"description_width": "84px"}
READOUT = ".7"  # as many digits as a number has, at most seven
PAGE = "audit.html"
SAVE = "Write the page with this row and output, or make files of what is shown"
HTML = "page"
WRITTEN = {HTML: "the page (HTML)", "svg": "pictures (SVG)", "png": "pictures (PNG)", "csv": "numbers (CSV)"}


class Keyboard(anywidget.AnyWidget):
    """Names sliders of the explorer around it, and keeps arrow keys for its lists; it is not visible itself."""

    _esm = files("anova_report.explorer").joinpath("keyboard.js").read_text("utf-8")


def brief(words: str) -> str:
    r"""Cut a name for a list, and remove line breaks.

    Examples
    --------
    >>> brief("a" * 100)[-3:], brief("line\nbreak")
    ('aa…', 'line break')
    """
    whole = clean(words)
    return whole if len(whole) <= LONGEST else whole[: LONGEST - 1].rstrip() + "…"


def listed_words(share: TermShare) -> str:
    """Write a term for the list: its structural share, the total where that is another one, and its name.

    Examples
    --------
    >>> listed_words(TermShare((0,), "age", 0.2, -0.25)), listed_words(TermShare((1,), "bmi", 0.1, 0.0))
    ('20.0%, total −5.0% · age', '10.0% · bmi')
    """
    own, total = percent(share.structural), percent(share.total)
    return f"{own} · {brief(share.label)}" if own == total else f"{own}, total {total} · {brief(share.label)}"


class Controls:
    """Choices that hold for all tabs; the state follows the controls, and is followed by them.

    Parameters
    ----------
    state : State
    notify : callable
        Is called with words for the user: why a choice was refused, or none.
    chosen : callable, optional
        Is called with the name of what was chosen, so that it can be shown.
    """

    def __init__(
        self, state: State, notify: Callable[[str], None], chosen: Callable[[str], None] = lambda _name: None
    ) -> None:
        self.state, self.notify, self.chosen = state, notify, chosen
        self._is_following = False
        dec, last = state.rows.dec, len(state.rows) - 1
        orders = sorted({len(term) for term in dec.terms})
        named_orders = [(ORDERS.get(order, f"terms of {order} features"), order) for order in orders]
        colours = [(brief(feature.title), feature.name) for feature in dec.features]
        looks: dict[str, Any] = {"layout": WIDE, "style": LABELS}
        self.search = ipywidgets.Text(description="Find", placeholder="part of a name", **looks)
        self.order = ipywidgets.Dropdown(description="Show", options=[("all terms", ANY), *named_orders], **looks)
        groups = [("one term", ANY), *((brief(name), name) for name in dec.feature_groups)]
        self.group = ipywidgets.Dropdown(description="Group", options=groups, **looks)
        self.term = ipywidgets.Select(description="Terms by share", layout=WIDE)
        self.bars = ipywidgets.HTML(layout={"display": "none"})  # styles only
        self.undo = ipywidgets.Button(
            description="Undo", tooltip="Take back the last choice", disabled=True, layout=WIDE
        )
        outputs = [(brief(name), at) for at, name in enumerate(dec.output_names)]
        self.output = ipywidgets.Dropdown(description="Output", options=outputs, **looks)
        self.scale = ipywidgets.Dropdown(description="Scale", options=state.scales, **looks)
        self.row = ipywidgets.BoundedIntText(description="Row", min=0, max=last, **looks)
        self.slider = ipywidgets.IntSlider(description="Browse", min=0, max=last, readout=False, **looks)
        self.named = {name: _row_button(name, len(state.rows)) for name in NAMED_ROWS}
        aside = looks | {"layout": {"width": "280px"}}
        self.colour = ipywidgets.Dropdown(description="Colours", options=[("one colour", ANY), *colours], **aside)
        self.joint = ipywidgets.ToggleButtons(options=JOINT, tooltips=JOINT_TIPS, layout=APART, style=SWITCH)
        terms, row = self._arranged()
        self.terms, self.rows = ipywidgets.VBox(terms), ipywidgets.VBox(row)
        self._attributes = {
            self.search: "search",
            self.order: "order",
            self.group: "group",
            self.output: "output",
            self.scale: "scale",
            self.row: "row",
            self.slider: "row",
            self.colour: "colour_by",
            self.joint: "joint",
        }
        self._connect()
        self.follow()

    def follow(self) -> None:
        """Show the present choice."""
        self._is_following = True
        try:
            # Shares come first: they must not be cut off behind a long name.
            shares = [(listed_words(share), share.term) for share in self.state.listed]
            if self.term.options != tuple(shares):
                self.term.options = tuple(shares)
                sizes = [share.structural for share in self.state.listed]
                self.bars.value = fragments.bars(self._list_class, sizes, self.state.shares[0].structural)
            is_listed = any(term == self.state.term for _, term in shares)
            self.term.value = self.state.term if is_listed else None
            for control, name in self._attributes.items():
                value = getattr(self.state, name)
                control.value = ANY if value is None else value
            _show(self.joint, self.state.has_joint and self.state.group is None)
            self.undo.disabled = not self.state.has_past
        finally:
            self._is_following = False

    def choose(self, name: str, value: Any) -> None:
        """Make a choice; where it is refused, say why and keep the previous one."""
        if self._is_following:
            return
        try:
            setattr(self.state, name, value)
        except AnovaReportError as error:
            self.notify(str(error))
            self.follow()
        else:
            self.notify("")
            self.chosen(name)

    @property
    def _list_class(self) -> str:
        return f"{TERMS}-{self.term.model_id}"

    def _connect(self) -> None:
        def on_change(control: Any, name: str) -> None:
            control.observe(lambda change: self.choose(name, None if change.new == ANY else change.new), "value")

        for control, name in self._attributes.items():
            on_change(control, name)
        self.term.observe(lambda change: None if change.new is None else self.choose("term", change.new), "value")
        self.undo.on_click(lambda _button: self.state.undo())
        for name, button in self.named.items():
            button.on_click(lambda _button, name=name: self.choose("row", name))

    def _arranged(self) -> tuple[list[Any], list[Any]]:
        """Put controls of terms and of rows into groups; those that have nothing to choose from are not shown."""
        self.term.add_class(TERMS)
        self.term.add_class(self._list_class)
        has_predictions = self.state.rows.predictions is not None
        _show(self.output, len(self.state.rows.dec.output_names) > 1)
        _show(self.scale, len(self.state.scales) > 1)
        _show(self.group, bool(self.state.rows.dec.feature_groups))
        _show(self.colour, has_predictions)
        self.named["largest residual"].disabled = not has_predictions
        buttons = ipywidgets.HBox(list(self.named.values()), layout={"flex_flow": "row wrap"})
        terms = [self.output, self.scale, self.group, self.search, self.order, self.term, self.bars]
        return terms, [self.row, self.slider, buttons, self.undo]


def _row_button(name: str, n_rows: int) -> Any:
    words = f"Go to the row {NAMED[name]}, among {searched_rows(n_rows)}"
    return ipywidgets.Button(description=name.capitalize(), tooltip=words, layout={"width": "auto", "margin": "1px"})


def _show(control: Any, is_shown: bool) -> None:
    control.layout.display = None if is_shown else "none"


class Editors:
    """Controls for the values of the row; they make their choices through the other controls."""

    def __init__(self, state: State, controls: Controls) -> None:
        self.state, self.controls = state, controls
        self._is_following = False
        self.editors: dict[int, Any] = {}
        self.reset = ipywidgets.Button(description="Reset", tooltip="Take back all edits", layout=WIDE)
        self.other = ipywidgets.Dropdown(description="Edit also", layout=WIDE, style=NAMES)
        self.others = ipywidgets.VBox()
        self.widget = ipywidgets.VBox([self.others, self.other, self.reset])
        self.widget.add_class("anova-editors")
        self.reset.on_click(lambda _button: controls.choose("edits", {}))
        self.other.observe(self._add_other, "value")
        for index in largest_features(state.rows.dec, state.output, MOST_EDITORS):
            self._add(index)
        self._arrange()

    def follow(self) -> None:
        """Show the values of the row, edits included."""
        self._is_following = True
        try:
            for index, value in self._values().items():
                _set(self.editors[index], value)
            self.reset.disabled = not self.state.edits
        finally:
            self._is_following = False

    def _values(self) -> dict[int, Value]:
        values, features = self.state.values, self.state.rows.dec.features
        return {index: decoded_value(features[index], float(values[index])) for index in self.editors}

    def _add(self, index: int) -> None:
        self.editors[index] = make_editor(self.state, index)
        self.editors[index].observe(lambda change: self._edit(index, change.new), "value")

    def _edit(self, index: int, value: Any) -> None:
        if self._is_following or value is None:
            return
        editor, known = self.editors[index], self._values()[index]
        if isinstance(editor, RowSlider) and isinstance(known, float):
            value = editor.edited(known, value)
            if value == known:
                return
        name = self.state.rows.dec.feature_names[index]
        self.controls.choose("edits", {**self.state.edits, name: None if value == GONE else value})
        self.follow()

    def _add_other(self, change: Any) -> None:
        if change.new not in (None, ANY):
            self._add(change.new)
            self._arrange()

    def _arrange(self) -> None:
        names = self.state.rows.dec.feature_titles
        left = [(brief(name), index) for index, name in enumerate(names) if index not in self.editors]
        self.other.options = [("another feature …", ANY), *left]
        self.other.value = ANY
        _show(self.other, bool(left))
        self.others.children = tuple(self.editors.values())
        self.follow()


def make_editor(state: State, index: int) -> Any:
    """Make the control that fits a feature: a slider, a list of levels, a switch, or a field for dates."""
    feature, column = state.rows.dec.features[index], state.rows.values[:, index]
    with_missing = bool(np.isnan(column).any())
    looks = {"description": brief(feature.heading), "layout": WIDE, "style": NAMES}
    if feature.has_levels or feature.kind == "boolean":
        values: list[Any] = list(feature.levels) if feature.has_levels else [False, True]
        missing = [(MISSING, GONE)] if with_missing else []
        return ipywidgets.Dropdown(options=[*((brief(str(value)), value) for value in values), *missing], **looks)
    if feature.kind == "datetime" or with_missing:
        return ipywidgets.Text(placeholder=MISSING if with_missing else "", continuous_update=False, **looks)
    return RowSlider(column, **looks)


class RowSlider(ipywidgets.FloatSlider):  # type: ignore[misc]  # ipywidgets has no types
    """A slider that shows the value of the row as it is, and moves to round ones.

    Steps of its own would move the value of the row to the nearest step, so it has none, and edits are rounded here.
    """

    def __init__(self, column: Floats, **looks: Any) -> None:
        self.low, self.high, self.unit = slider_range(column)
        super().__init__(min=self.low, max=self.high, step=None, readout_format=READOUT, **looks)

    def show(self, value: float) -> None:
        """Stand at a value, also one outside of the usual range."""
        self.low, self.high = min(self.low, value), max(self.high, value)
        self.min, self.max, self.value = self.low, self.high, value

    def edited(self, known: float, value: float) -> float:
        """Round an edit of a known value; what a page only reports back is none."""
        if abs(value - known) <= NO_EDIT * (self.high - self.low):
            return known
        return min(max(float(f"{round(value / self.unit) * self.unit:.12g}"), self.low), self.high)


def slider_range(column: Floats) -> tuple[float, float, float]:
    """Choose ends and the unit of a slider: rows far out stretch neither, and whole numbers stay whole.

    Examples
    --------
    >>> slider_range(np.array([0.013, 0.4, 14.98]))
    (0.013, 14.98, 0.01)
    >>> slider_range(np.array([17.0, 90.0]))
    (17.0, 90.0, 1.0)
    >>> slider_range(np.r_[np.linspace(0.5, 4.5, 99), 1243.3])
    (0.5, 1243.3, 0.1)
    """
    low, high = shown_range(column, TAIL)
    if low == high or (column == np.round(column)).all():
        return low, high, 1.0
    half = float(np.ptp(quantiles(column, np.array([0.25, 0.75])))) or high - low
    return low, high, 10.0 ** math.floor(math.log10(min((high - low) / STEPS, half / STEPS_OF_HALF)))


def _set(editor: Any, value: Any) -> None:
    """Put a value into a control; the range or the options of the control are extended where needed."""
    if isinstance(editor, ipywidgets.Text):
        if isinstance(value, datetime):
            editor.value = f"{value:%Y-%m-%d %H:%M:%S}".removesuffix(" 00:00:00")
        else:  # six digits distinguish numbers that people type
            editor.value = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    elif isinstance(editor, RowSlider):
        editor.show(value)
    else:
        option = GONE if value is None else value
        if option not in [known for _, known in editor.options]:
            editor.options = (*editor.options, (MISSING if value is None else str(value), option))
        editor.value = option


class Saving:
    """One menu below the tabs: the page, or what is shown at present as PNG, SVG or CSV."""

    def __init__(
        self,
        make_links: Callable[[str], list[fragments.FileLink]],
        write: Callable[[str], Path],
        formats: Sequence[str],
    ) -> None:
        self._make_links, self._write = make_links, write
        options = [(WRITTEN[name], name) for name in formats]
        self.format = ipywidgets.Dropdown(description="Save", options=options, style=LABELS, layout={"width": "260px"})
        self.path = ipywidgets.Text(PAGE, description="as", style={"description_width": "24px"})
        self.save = ipywidgets.Button(description="Save", tooltip=SAVE, layout=WIDE)
        self.message = ipywidgets.HTML()
        self.save.on_click(self._on_save)
        self.format.observe(self._follow_format, "value")
        self.widget = ipywidgets.VBox([ipywidgets.HBox([self.format, self.path, self.save]), self.message])
        self.widget.children[0].layout.flex_flow = "row wrap"

    def clear(self) -> None:
        """Remove links to what is no longer shown."""
        self.message.value = ""

    def _follow_format(self, _change: Any) -> None:
        _show(self.path, self.format.value == HTML)
        self.clear()

    def _on_save(self, _button: Any) -> None:
        if self.format.value != HTML:
            self.message.value = fragments.links(self._make_links(self.format.value))
            return
        self.save.disabled = True
        self.message.value = fragments.sentences(["Writing …"])
        try:
            written = self._write(self.path.value)
            self.message.value = fragments.sentences([f"Written: {written.resolve()}"])
        except (AnovaReportError, OSError) as error:
            self.message.value = fragments.sentences([f"Not written: {error}"])
        finally:
            self.save.disabled = False
