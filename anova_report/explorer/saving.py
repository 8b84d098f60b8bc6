"""Controls that take things along: files of what is shown, and the report with the present choice."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ipywidgets

from anova_report.errors import AnovaReportError
from anova_report.explorer import fragments
from anova_report.explorer.controls import LABELS

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
        self.files = _button("Make files", "Make files of the pictures that are shown, and of the numbers behind them")
        self.links = ipywidgets.HTML()
        self.path = ipywidgets.Text(PAGE, description="Report", style=LABELS, layout={"width": "320px"})
        self.report = _button("Write the report", "Write the whole audit as one HTML file, with this row and output")
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


def _button(words: str, tooltip: str) -> Any:
    return ipywidgets.Button(description=words, tooltip=tooltip, layout={"width": "auto", "align_self": "flex-start"})
