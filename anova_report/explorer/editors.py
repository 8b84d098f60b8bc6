"""What-if: a control for each of the row's most important values, and for any other one."""

import math
from datetime import datetime
from typing import Any

import ipywidgets
import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.explorer.controls import ANY, Controls, brief
from anova_report.explorer.state import State
from anova_report.explorer.what_if import Value, decoded_value
from anova_report.figures.columns.axes import MISSING
from anova_report.figures.columns.shares import largest_features

MOST = 8  # features with a control of their own
STEPS = 200  # of a slider at least
GONE = ("missing",)  # a dropdown takes None for no choice at all
EACH = {"width": "300px"}
NAMES = {"description_width": "120px"}


class Editors:
    """Controls for the values of the row.

    Parameters
    ----------
    state : State
    controls : Controls
        Makes the choices.
    """

    def __init__(self, state: State, controls: Controls) -> None:
        self.state, self.controls = state, controls
        self._is_following = False
        features = largest_features(state.rows.dec, state.output, MOST)
        self.editors = {index: make_editor(state, index) for index in features}
        self.reset = ipywidgets.Button(description="Reset", tooltip="Take back all edits", layout={"width": "auto"})
        self.other = ipywidgets.Dropdown(description="Edit also", layout=EACH, style=NAMES)
        self.others = ipywidgets.HBox(layout={"flex_flow": "row wrap"})
        self.widget = ipywidgets.VBox([self.others, ipywidgets.HBox([self.other, self.reset])])
        self.reset.on_click(lambda _button: controls.choose("edits", {}))
        self.other.observe(self._add, "value")
        for index, editor in self.editors.items():
            self._wire(index, editor)
        self._lay_out()
        self.follow()

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

    def _wire(self, index: int, editor: Any) -> None:
        editor.observe(lambda change: self._edit(index, change.new), "value")

    def _edit(self, index: int, value: Any) -> None:
        if self._is_following or value is None:
            return
        if _is_only_snapped(self.editors[index], value, self._values()[index]):
            return
        name = self.state.rows.dec.feature_names[index]
        self.controls.choose("edits", {**self.state.edits, name: None if value == GONE else value})
        self.follow()

    def _add(self, change: Any) -> None:
        if change.new in (None, ANY):
            return
        self.editors[change.new] = make_editor(self.state, change.new)
        self._wire(change.new, self.editors[change.new])
        self._lay_out()
        self.follow()

    def _lay_out(self) -> None:
        names = self.state.rows.dec.feature_names
        left = [(brief(name), index) for index, name in enumerate(names) if index not in self.editors]
        self.other.options = [("another feature …", ANY), *left]
        self.other.value = ANY
        self.other.layout.display = None if left else "none"
        self.others.children = tuple(self.editors.values())


def make_editor(state: State, index: int) -> Any:
    """Make the control that fits a feature: a slider, a list of levels, a switch, or a field for dates."""
    feature, column = state.rows.dec.features[index], state.rows.values[:, index]
    with_missing = bool(np.isnan(column).any())
    looks = {"description": brief(feature.name), "layout": EACH, "style": NAMES}
    if feature.has_levels or feature.kind == "boolean":
        return ipywidgets.Dropdown(options=_options(feature, with_missing), **looks)
    if feature.kind == "datetime" or with_missing:
        return ipywidgets.Text(placeholder=MISSING if with_missing else "", continuous_update=False, **looks)
    low, high, step = round_steps(column)
    digits = max(0, -math.floor(math.log10(step)))
    return ipywidgets.FloatSlider(min=low, max=high, step=step, readout_format=f".{digits}f", **looks)


def round_steps(column: Floats) -> tuple[float, float, float]:
    """Choose ends and a step of a slider that values are read off well: a power of ten, or 1 for whole numbers.

    Examples
    --------
    >>> round_steps(np.array([0.013, 0.4, 14.98]))
    (0.01, 14.98, 0.01)
    >>> round_steps(np.array([17.0, 90.0]))
    (17.0, 90.0, 1.0)
    """
    low, high = float(column.min()), float(column.max())
    is_whole = bool((column == np.round(column)).all())
    exponent = 0 if is_whole or low == high else math.floor(math.log10((high - low) / STEPS))
    step = 10.0**exponent
    return round(math.floor(low / step) * step, 12), round(math.ceil(high / step) * step, 12), step


def _options(feature: Feature, with_missing: bool) -> list[tuple[str, Any]]:
    values: list[Any] = list(feature.levels) if feature.has_levels else [False, True]
    options = [(brief(str(value)), value) for value in values]
    return [*options, (MISSING, GONE)] if with_missing else options


def _set(editor: Any, value: Any) -> None:
    """Put a value into a control; one that it has no place for gets one."""
    if isinstance(editor, ipywidgets.Text):
        editor.value = "" if value is None else _written(value)
    elif isinstance(editor, ipywidgets.FloatSlider):
        editor.min, editor.max = min(editor.min, value), max(editor.max, value)
        editor.value = value
    else:
        option = GONE if value is None else value
        if option not in [known for _, known in editor.options]:
            editor.options = (*editor.options, (MISSING if value is None else str(value), option))
        editor.value = option


def _is_only_snapped(editor: Any, value: Any, known: Value) -> bool:
    """Whether a slider that was just shown has only moved to its nearest step, which is nobody's wish."""
    if not isinstance(editor, ipywidgets.FloatSlider) or not isinstance(known, float):
        return False
    return abs(float(value) - known) < 0.75 * float(editor.step)


def _written(value: Any) -> str:
    """Write a value for a field; six digits tell numbers apart that anyone would type."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}".removesuffix(" 00:00:00")
    return f"{value:.6g}" if isinstance(value, float) else str(value)
