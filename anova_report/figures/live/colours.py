"""Colours of live plots: written with their light values, and tagged with their names so that a page can repaint them.

A tag is `[property, name]`, `[property, names]` for a list of colours, or `[property, light, dark]` for a scale.
"""

from typing import Any, TypeVar

from bokeh.core.property.vectorization import Field
from bokeh.models import CategoricalColorMapper, LinearColorMapper, Model
from bokeh.transform import transform

from anova_report.figures.scene import Colouring
from anova_report.figures.style import (
    DIVERGING_DARK,
    DIVERGING_LIGHT,
    LIGHT,
    SEQUENTIAL_DARK,
    SEQUENTIAL_LIGHT,
    palette,
)

N_COLOURS = 65  # odd, so that a diverging scale has a colour for nothing
STOPS = {"diverging": (DIVERGING_LIGHT, DIVERGING_DARK), "sequential": (SEQUENTIAL_LIGHT, SEQUENTIAL_DARK)}
M = TypeVar("M", bound=Model)


def painted(kind: type[M], **properties: Any) -> M:
    """Make a model; a property that ends in "color" is the name of a colour in `style`, or anything but a string."""
    colours = {name: value for name, value in properties.items() if name.endswith("color") and isinstance(value, str)}
    model = kind(**(properties | {name: LIGHT[colour] for name, colour in colours.items()}))
    model.tags = [[name, colour] for name, colour in colours.items()]
    return model


def by_name(column: str) -> Field:
    """Colour each mark by the name of a colour that stands in a column."""
    names = list(LIGHT)
    mapper = CategoricalColorMapper(factors=names, palette=list(LIGHT.values()), tags=[["palette", names]])
    return transform(column, mapper)


def scale(colouring: Colouring) -> LinearColorMapper:
    """Make a scale of colours; its ends are set with the data."""
    light, dark = (list(palette(stops, N_COLOURS)) for stops in STOPS[colouring])
    return LinearColorMapper(palette=light, nan_color="rgba(0, 0, 0, 0)", tags=[["palette", light, dark]])
