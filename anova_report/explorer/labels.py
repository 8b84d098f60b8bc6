"""Words for screen readers, where ipywidgets has none."""

from importlib.resources import files

import anywidget


class Labels(anywidget.AnyWidget):
    """Gives every slider of the explorer around it the name that stands beside it; nothing of it is seen."""

    _esm = files("anova_report.explorer").joinpath("labels.js").read_text("utf-8")
