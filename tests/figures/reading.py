"""Read pictures back: elements of an SVG by class, paths as points, the scale its ticks tell; columns of live plots."""

import math
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from xml.etree.ElementTree import Element, fromstring

from bokeh.models import GlyphRenderer, Plot

from anova_report.figures.geometry import Axis, Frame, Panel
from anova_report.figures.scene import Primitive, Scene
from anova_report.figures.svg import draw

SPACE = "{http://www.w3.org/2000/svg}"
COMMANDS = re.compile(r"([MmLlHhVvZz])([^MmLlHhVvZz]*)")
NUMBERS = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")

Point = tuple[float, float]


def parse(written: str) -> Element:
    """Parse what was drawn; fails if it is not well-formed."""
    return fromstring(written)  # noqa: S314 drawn by the test itself


def drawn(scene: Scene, key: str = "figure") -> Element:
    """Draw a scene as SVG and parse it."""
    return parse(draw(scene, key=key, title="A title", alt="What is seen."))


def scene_of(*items: Primitive, x: Axis | None = None, y: Axis | None = None, zooms: str = "xy") -> Scene:
    """Lay primitives over one panel of 200 by 100 pixels with values from 0 to 10 and from 0 to 1."""
    panel = Panel.of(Frame(50, 20, 250, 120), x or Axis("x", 0.0, 10.0), y or Axis("y", 0.0, 1.0))
    return Scene("sample", (300, 160), (panel,), items, zooms)  # type: ignore[arg-type]


def parts(root: Element, name: str) -> list[Element]:
    """Find all elements of a class, in drawing order."""
    return [element for element in root.iter() if name in (element.get("class") or "").split()]


def part(root: Element, name: str) -> Element:
    """Find the only element of a class."""
    (found,) = parts(root, name)
    return found


def tags(root: Element, tag: str) -> list[Element]:
    """Find all elements of a tag."""
    return list(root.iter(SPACE + tag))


def texts(root: Element) -> list[str]:
    """List what is written."""
    return [element.text or "" for element in tags(root, "text")]


def number(element: Element, attribute: str) -> float:
    """Read an attribute as a number."""
    found = element.get(attribute)
    assert found is not None
    return float(found)


def subpaths(d: str) -> list[list[Point]]:
    """Follow a path and list the points of each of its pieces."""
    found: list[list[Point]] = []
    x = y = 0.0
    for command, rest in COMMANDS.findall(d):
        values = [float(text) for text in NUMBERS.findall(rest)]
        for x, y in _moves(command, values, x, y):  # noqa: B020 the last point is where the next command starts
            if command in "Mm":
                found.append([])
            found[-1].append((x, y))
    return found


def _moves(command: str, values: list[float], x: float, y: float) -> Iterator[Point]:
    if command in "Hh":
        yield values[0] + (x if command == "h" else 0), y
    elif command in "Vv":
        yield x, values[0] + (y if command == "v" else 0)
    elif command in "MmLl":
        for dx, dy in zip(values[::2], values[1::2], strict=True):
            x, y = (x + dx, y + dy) if command.islower() else (dx, dy)
            yield x, y


def points(element: Element) -> list[Point]:
    """List the points of a path in one piece."""
    (found,) = subpaths(element.get("d") or "")
    return found


def boxes(element: Element) -> list[tuple[float, float, float, float]]:
    """List left, top, right and bottom of each rectangle of a path."""
    found = []
    for piece in subpaths(element.get("d") or ""):
        across, down = [x for x, _ in piece], [y for _, y in piece]
        found.append((min(across), min(down), max(across), max(down)))
    return found


def value(text: str) -> float:
    """Read a tick label."""
    return float(text.replace("−", "-").replace(",", "").rstrip("%")) / (100 if text.endswith("%") else 1)


def ticks(root: Element, axis: str) -> list[tuple[float, float]]:
    """List values and pixels of the ticks of an axis of numbers."""
    labels = [text for group in part(root, axis).findall(SPACE + "g") for text in tags(group, "text")]
    if axis == "x-axis":
        return [(value(label.text or ""), number(label, "x")) for label in labels]
    return [(value(label.text or ""), number(label, "y") - 4) for label in labels]


def scale(root: Element, axis: str) -> Callable[[float], float]:
    """Return the map from values to pixels that the tick labels tell a reader."""
    shown = ticks(root, axis)
    (low, start), (high, end) = shown[0], shown[-1]
    for (before, left), (after, right) in pairwise(shown):
        assert math.isclose((right - left) / (after - before), (end - start) / (high - low), rel_tol=0.05)
    return lambda value: start + (value - low) * (end - start) / (high - low)


def marks(plot: Plot, name: str) -> list[GlyphRenderer]:
    """Return what is drawn of a primitive in a live plot."""
    return [found for found in plot.renderers if found.data_source.name == name]


def columns(plot: Plot, name: str) -> dict[str, list]:
    """Return the columns that a primitive is drawn from in a live plot."""
    return dict(marks(plot, name)[0].data_source.data)
