"""Look into a live plot: columns of its marks, and the state of all its models."""

from functools import cache
from typing import Any

from bokeh.models import ColumnDataSource, HoverTool, Model, Plot

from anova_report.figures.figure import Figure
from anova_report.figures.kinds import Data
from anova_report.figures.live import build
from tests.figures.samples import SAMPLES, figure

BOTH = [f"{kind}-{place}" for kind in SAMPLES for place in ("rich", "edge")]


def sample(name: str) -> Figure:
    """Return a sample by kind and place, "curve-rich"."""
    kind, place = name.split("-")
    found: Figure = getattr(SAMPLES[kind], place)
    return found


@cache
def plot_of(name: str) -> Plot:
    """Draw a sample, once for all tests that only look at it."""
    return build(sample(name))


def built(data: Data) -> Plot:
    """Draw data as a live plot."""
    return build(figure("figure", "A title", data))


def column(plot: Plot, source: str, name: str) -> list[Any]:
    """Return one column of one source."""
    found = plot.select_one({"name": source, "type": ColumnDataSource})
    assert isinstance(found, ColumnDataSource)
    return list(found.data[name])


def named(plot: Plot, name: str) -> Any:
    """Return the model that has a name."""
    return plot.select_one({"name": name})


def glyphs(plot: Plot, source: str) -> list[Any]:
    """Return the marks that are drawn from a source, in drawing order."""
    return [renderer.glyph for renderer in plot.renderers if renderer.data_source.name == source]


def said(plot: Plot, name: str) -> dict[str, str]:
    """Return what a tool says under the pointer: labels and words."""
    tool = plot.select_one({"name": name, "type": HoverTool})
    assert isinstance(tool, HoverTool)
    return dict(tool.tooltips)


def state(plot: Plot) -> list[tuple[str, dict[str, Any]]]:
    """Return the values of all properties of all models, with references as positions among them."""
    models = list(_reachable(plot, {}).values())
    places = {model.id: position for position, model in enumerate(models)}
    return [(type(model).__name__, _plain(model.properties_with_values(), places)) for model in models]


def _reachable(model: Model, found: dict[str, Model]) -> dict[str, Model]:
    """Collect models in the order in which properties lead to them."""
    found[model.id] = model
    for value in model.properties_with_values().values():
        for part in _models(value):
            if part.id not in found:
                _reachable(part, found)
    return found


def _models(value: Any) -> list[Model]:
    if isinstance(value, Model):
        return [value]
    if isinstance(value, dict):
        return [model for item in value.values() for model in _models(item)]
    if isinstance(value, list | tuple):
        return [model for item in value for model in _models(item)]
    transform = getattr(value, "transform", None)
    return [transform] if isinstance(transform, Model) else []


def _plain(value: Any, places: dict[str, int]) -> Any:
    if isinstance(value, Model):
        return places[value.id]
    if isinstance(value, dict):
        return {str(name): _plain(item, places) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, places) for item in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, int | float | str):
        return value
    transform = getattr(value, "transform", None)
    return (value.field, places[transform.id]) if isinstance(transform, Model) else repr(value)
