"""Colours of live plots: written with their light values, and tagged with their names so that a page can repaint them.

A tag is `[property, name]`, `[property, names]` for a list of colours, or `[property, light, dark]` for a scale.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from bokeh.core.property.vectorization import Field
from bokeh.models import CategoricalColorMapper, LinearColorMapper, Model
from bokeh.transform import transform

from anova_report.figures.style import LIGHT, Stops, palette

N_COLOURS = 65  # odd, so that a diverging scale has a colour for nothing
M = TypeVar("M", bound=Model)


def painted(kind: type[M], **properties: Any) -> M:
    """Make a model; a property that ends in "color" is the name of a colour in `style`, or anything but a string."""
    model = kind(**{name: value for name, value in properties.items() if not _is_name(name, value)})
    repaint(model, **{name: value for name, value in properties.items() if _is_name(name, value)})
    return model


def repaint(model: Model, **colours: str) -> None:
    """Give colours by name to properties of a model."""
    model.update(**{name: LIGHT[colour] for name, colour in colours.items()})
    model.tags = [*model.tags, *([name, colour] for name, colour in colours.items())]


def by_name(column: str, names: Sequence[str]) -> Field:
    """Colour each mark by the name of a colour that stands in a column."""
    shades = [LIGHT[name] for name in names]
    tags = [["palette", list(names)]]
    return transform(column, CategoricalColorMapper(factors=list(names), palette=shades, tags=tags))


def scale(light: Stops, dark: Stops) -> LinearColorMapper:
    """Make a scale of colours; its ends are set with the data."""
    shades, darker = list(palette(light, N_COLOURS)), list(palette(dark, N_COLOURS))
    return LinearColorMapper(palette=shades, name="colours", tags=[["palette", shades, darker]])


def _is_name(name: str, value: object) -> bool:
    return name.endswith("color") and isinstance(value, str)
