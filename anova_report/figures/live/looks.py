"""Colors and words of live plots.

Colors are written with their light values, and tagged with their names so that a page can repaint them: a tag is
`[property, name]`, `[property, names]` for a list of colors, or `[property, light, dark]` for a scale.

What bokeh would take for more than text is made plain. BokehJS shows labels of hover text as text. It reads the rest as
HTML and puts values in as text; so that rest is ours alone, and columns have names of our own: what a user named can
only be read.
"""

import re
from typing import Any, TypeVar

from bokeh.core.property.vectorization import Field
from bokeh.models import CategoricalColorMapper, LinearColorMapper, Model
from bokeh.transform import transform

from anova_report.figures import style
from anova_report.figures.geometry import Axis
from anova_report.figures.scene import Coloring, Heat
from anova_report.figures.style import LIGHT, palette
from anova_report.figures.text import clean
from anova_report.figures.ticks import DAY, LARGEST_PLAIN, MOST_PLACES, places

N_COLORS = 65  # odd, so that a diverging scale has a color for nothing
STOPS = {
    "diverging": (style.DIVERGING_LIGHT, style.DIVERGING_DARK),
    "sequential": (style.SEQUENTIAL_LIGHT, style.SEQUENTIAL_DARK),
}
M = TypeVar("M", bound=Model)
GAP = "\u2003"  # behind the words of a legend's entry
TIP_LENGTH = 120  # characters of a name in hover text; the table beside the figure has all of it
# BokehJS sets text between these as formulas, with a library that pages do not hold.
_FORMULA = re.compile(r"\$(?=\$)|\\(?=[()\[\]])")
_UNSEEN = "\u200b"


def painted(kind: type[M], **properties: Any) -> M:
    """Make a model; a property that ends in "color" is the name of a color in `style`, or anything but a string."""
    colors = {name: value for name, value in properties.items() if name.endswith("color") and isinstance(value, str)}
    model = kind(**(properties | {name: LIGHT[color] for name, color in colors.items()}))
    model.tags = [[name, color] for name, color in colors.items()]
    return model


def by_name(column: str) -> Field:
    """Color each mark by the name of a color that stands in a column."""
    names = list(LIGHT)
    mapper = CategoricalColorMapper(factors=names, palette=list(LIGHT.values()), tags=[["palette", names]])
    return transform(column, mapper)


def scale(coloring: Coloring) -> LinearColorMapper:
    """Make a scale of colors; its ends are set with the data."""
    light, dark = (list(palette(stops, N_COLORS)) for stops in STOPS[coloring])
    return LinearColorMapper(palette=light, nan_color="rgba(0, 0, 0, 0)", tags=[["palette", light, dark]])


def change(model: Model, **wanted: Any) -> None:
    """Set what differs; bokeh would check the rest again, which is felt when a slider is moved."""
    model.update(**{name: value for name, value in wanted.items() if getattr(model, name) != value})


def plain(words: str) -> str:
    r"""Make text that is shown as it is written, formulas too.

    An invisible character between the two that would begin or end a formula keeps them apart.

    Examples
    --------
    >>> plain("$$x$$").replace("\u200b", "_"), plain("price in $")
    ('$_$x$_$', 'price in $')
    """
    return _FORMULA.sub(lambda found: found[0] + _UNSEEN, clean(words))


def brief(words: str) -> str:
    """Cut a name for hover text, where a line has room for a few words only."""
    whole = plain(words)
    return whole if len(whole) <= TIP_LENGTH else whole[: TIP_LENGTH - 1].rstrip() + "…"


def tip_text(words: str) -> str:
    """Make hover text of some lines, leaving out empty ones."""
    return "\n".join(brief(line) for line in words.split("\n") if line)


def tooltips(column: str) -> list[tuple[str, str]]:
    """Return hover text that a column holds, line breaks and all."""
    return [("", f'<span style="white-space: pre-line">@{column}</span>')]


def heat_tip(item: Heat) -> dict[str, object]:
    """Return what is said on a cell: its own words, or its place and its value as BokehJS is to write them."""
    if item.said or item.x is None or item.y is None:
        return {"tooltips": tooltips("said"), "formatters": {}}
    x = ("@x_level", {}) if item.x.levels else placeholder("$x", item.x)
    y = ("@y_level", {}) if item.y.levels else placeholder("$y", item.y)
    effect = placeholder("@image", Axis("", -item.limit, item.limit), sign=True)
    rows = ((item.x.label, x), (item.y.label, y), (item.label, effect))
    readers = {field: reader for _, (_, found) in rows for field, reader in found.items()}
    return {"tooltips": [(brief(label), words) for label, (words, _) in rows], "formatters": readers}


def placeholder(field: str, axis: Axis, *, sign: bool = False) -> tuple[str, dict[str, str]]:
    """Return what stands in hover text for a number that BokehJS is to write, and how it is to read it.

    Parameters
    ----------
    field : str
        "@" and a column of ours, or "$x" or "$y", where the pointer is.
    axis : Axis
    sign : bool
        Put a sign in front of gains, too.

    Examples
    --------
    >>> placeholder("@y", Axis("effect", -1.0, 1.0), sign=True), placeholder("$x", Axis("sold", 0.0, 1e9, time=True))
    (('@y{+0,0.000}', {}), ('$x{%F}', {'$x': 'datetime'}))
    """
    span = abs(axis.high - axis.low)
    if axis.time:
        return field + ("{%F}" if span >= 2 * DAY else "{%F %T}"), {field: "datetime"}
    decimals = places(span)
    if decimals > MOST_PLACES or span >= LARGEST_PLAIN:
        return field + ("{%+.3e}" if sign else "{%.3e}"), {field: "printf"}
    return f"{field}{{{'+' if sign else ''}0,0{'.' * (decimals > 0)}{'0' * decimals}}}", {}
