"""Live plots as text for a page: each as JSON of its own, and the script that draws them."""

import base64
import gzip
import json
from functools import cache
from typing import Any

import numpy as np
from bokeh import __version__
from bokeh.core.json_encoder import serialize_json
from bokeh.core.serialization import Serializer
from bokeh.models import Plot
from bokeh.resources import Resources

from anova_report.figures.live.plot import build, update
from anova_report.figures.live.surroundings import drop_hidden_entries, static_parts
from anova_report.figures.scene import Scene

# Attributes that bokeh writes although BokehJS would make the same ones: half the text of a small plot.
SUPPLIED = {
    "ColumnDataSource": ("selected", "selection_policy"),
    "GlyphRenderer": ("view",),
    "LinearAxis": ("major_label_policy",),
    "DatetimeTicker": ("tickers",),
    "BoxZoomTool": ("overlay",),
    "Plot": ("x_scale", "y_scale"),
}


class PlotWriter:
    """Writes the live plots of many scenes, three times as fast as one by one.

    The models of a plot cost more than its columns, so each form is built once and shows one scene after the other.
    The same scenes in the same order give the same text.
    """

    def __init__(self) -> None:
        self._plots: dict[object, Plot] = {}

    def write(self, scene: Scene, title: str) -> dict[str, Any]:
        """Return a scene's live plot as JSON types."""
        form = static_parts(scene).form
        if form in self._plots:
            update(self._plots[form], scene, title)
            drop_hidden_entries(self._plots[form])
        else:
            self._plots[form] = build(scene, title)
        return written(self._plots[form])


def written(plot: Plot) -> dict[str, Any]:
    """Return a plot as JSON types: without what BokehJS adds itself, its models numbered from 0.

    This is what `bokeh.embed.json_item` makes, without the document it makes around the plot: half of its time.
    """
    root = Serializer(deferred=False).serialize(plot).content
    document = {"version": __version__, "title": "", "roots": [root]}
    item = {"target_id": None, "root_id": plot.id, "doc": document, "version": __version__}
    found: dict[str, Any] = _compact(json.loads(serialize_json(item)), {})
    return found


@cache
def bokehjs() -> str:
    """Return BokehJS of the installed version, as far as plots need it: without widgets, tables and formulas."""
    return "\n".join(Resources(mode="inline", components=["bokeh"]).js_raw)


def _compact(value: Any, numbers: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_compact(item, numbers) for item in value]
    if isinstance(value, dict) and value.get("type") == "value" and value.keys() == {"type", "value"}:
        return _compact(value["value"], numbers)  # BokehJS takes the value itself, too
    if isinstance(value, dict) and value.get("type") == "field":
        return {name: _compact(item, numbers) for name, item in value.items() if name != "type"}
    if isinstance(value, dict) and value.get("type") == "ndarray":
        return value | {"array": _compact(_cells(value["array"]["data"]), numbers)}
    if isinstance(value, dict):
        kept = _without_supplied(value)
        return {name: _part(name, item, numbers) for name, item in kept.items()}
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value


def _cells(packed: str) -> list[Any]:
    """Return the cells of a picture as numbers: within the whole page, these take less than bytes packed twice."""
    cells = np.frombuffer(gzip.decompress(base64.b64decode(packed)), np.float32)
    return [float(str(cell)) if np.isfinite(cell) else {"type": "number", "value": "nan"} for cell in cells]


def _part(name: str, item: Any, numbers: dict[str, str]) -> Any:
    # Ids count all models ever made in this process; here they count those of one plot, as they appear.
    return numbers.setdefault(item, f"p{len(numbers)}") if name in ("id", "root_id") else _compact(item, numbers)


def _without_supplied(model: dict[str, Any]) -> dict[str, Any]:
    dropped = SUPPLIED.get(model.get("name", ""), ()) if model.get("type") == "object" else ()
    if not dropped or "attributes" not in model:
        return model
    return model | {"attributes": {name: item for name, item in model["attributes"].items() if name not in dropped}}
