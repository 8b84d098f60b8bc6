"""The what-if panel as a part of the explorer: it answers in the browser, and what is typed becomes the choice."""

import gzip
import json
from collections.abc import Callable, Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets

from anova_report.errors import AnovaReportError
from anova_report.explorer import fragments
from anova_report.explorer.living import panel_document
from anova_report.explorer.user_input import decoded_value
from anova_report.explorer.views import Views, asked_words
from anova_report.report.audit.what_if_numbers import fit_values, page_values
from anova_report.report.page import assets
from anova_report.report.page.what_if_panel import notebook_code


class Answers(anywidget.AnyWidget):
    """What the explanation says of the present row and of any other, at once; the model is asked where a kernel is.

    A page asks for the numbers once it shows the panel, so they are never stored in a notebook.

    Parameters
    ----------
    views : Views
    notify : callable
        Is called with words for the user: why a value was refused, or none.
    alone : bool
        Whether no controls and figures stand beside it: then rows are chosen in it, and it shows the largest effects.

    Attributes
    ----------
    shown : dict
        The present row, without and with its edits, as the page counts levels; the model's own prediction in words; and
        the view and its turn that were heard last.
    """

    _esm = f"{notebook_code()}\n{assets.script('living_widget.js')}"
    _css = fragments.themes()
    shown = traitlets.Dict().tag(sync=True)

    def __init__(self, views: Views, notify: Callable[[str], None], *, alone: bool = False) -> None:
        self._views, self._notify, self._alone = views, notify, alone
        self._turn: list[Any] = ["", 0]
        super().__init__()
        self.on_msg(self._receive)

    def follow(self) -> None:
        """Show the present row, edits included."""
        self.shown = self._present()

    def _present(self) -> dict[str, Any]:
        state = self._views.state
        rows = [state.rows.values[state.row], state.values]
        before, row = ([None if np.isnan(value) else float(value) for value in values] for values in rows)
        return {
            "name": state.rows.name(state.row),
            "before": list(page_values(state.rows.dec, before)),
            "row": list(page_values(state.rows.dec, row)),
            "turn": self._turn,
            "reply": asked_words(self._views),
        }

    def _receive(self, _widget: object, message: Any, _buffers: object) -> None:
        match message:
            case {"kind": "open"}:
                self.follow()
                document = json.dumps(panel_document(self._views.state, alone=self._alone), allow_nan=False)
                self.send({"kind": "island"}, [gzip.compress(document.encode(), mtime=0)])
            case {"kind": "row", "row": list(row), "turn": [str(view), int(turn)]}:
                self._turn = [view, turn]
                self._take(row)

    def _take(self, row: Sequence[Any]) -> None:
        """Make the edits that a page made; where one is refused, say why and ask nobody: the page answers by itself."""
        state, dec = self._views.state, self._views.rows.dec
        try:
            pairs = enumerate(zip(fit_values(dec, row), row, self.shown["before"], strict=True))
            changed = {dec.features[at]: own for at, (own, value, before) in pairs if value != before}
            state.edits = {
                feature.name: decoded_value(feature, np.nan if own is None else own) for feature, own in changed.items()
            }
        except (AnovaReportError, ValueError, TypeError) as error:
            self._notify(str(error))
        else:
            self._notify("")
            self.follow()
