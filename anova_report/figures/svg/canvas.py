"""An SVG picture as it is drawn: elements with coordinates, classes and named colors, escaped by construction."""

import re
from collections.abc import Mapping
from typing import Self, TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from anova_report.figures.geometry import Frame
from anova_report.figures.style import FONT, LIGHT, TEXT, paint
from anova_report.figures.text import clean, shorten

Attribute: TypeAlias = str | float | None
RIM: Mapping[str, Attribute] = {
    "stroke": "surface",
    "stroke_width": 3,
    "stroke_linejoin": "round",
    "paint_order": "stroke",
}


class Canvas:
    """One element that others are drawn into.

    Attributes are written with underscores for hyphens; colors by their names in `style`; None leaves one out.

    Parameters
    ----------
    element : Element
    key : str
        Begins every id in the picture.
    """

    def __init__(self, element: Element, key: str) -> None:
        self.element = element
        self.key = key

    @classmethod
    def new(cls, key: str, kind: str, size: tuple[float, float], title: str, alt: str) -> Self:
        """Begin a picture, with its title and what is to be seen on it."""
        key = re.sub("[^A-Za-z0-9-]", "-", key)
        wide, high = map(coordinate, size)
        root = Element("svg", xmlns="http://www.w3.org/2000/svg", width=wide, height=high)
        root.set("viewBox", f"0 0 {wide} {high}")
        root.set("class", f"figure {kind}")
        root.set("role", "img")
        root.set("aria-labelledby", f"{key}-title {key}-desc")
        root.set("font-family", FONT)
        root.set("font-size", str(TEXT))
        root.set("fill", paint("fg"))
        root.set("style", "font-variant-numeric: tabular-nums")
        for tag, words in (("title", title), ("desc", alt)):
            SubElement(root, tag, id=f"{key}-{tag}").text = clean(words)
        return cls(root, key)

    def group(self, name: str = "", /, **attributes: Attribute) -> Self:
        """Draw into a new group whose attributes hold for all in it."""
        return type(self)(self._add("g", name, attributes), self.key)

    def line(self, x1: float, y1: float, x2: float, y2: float, **attributes: Attribute) -> Element:
        """Draw a straight line."""
        return self._add("line", "", attributes, x1=x1, y1=y1, x2=x2, y2=y2)

    def rect(self, frame: Frame, **attributes: Attribute) -> Element:
        """Draw a rectangle."""
        place = {"x": frame.left, "y": frame.top, "width": max(frame.width, 0.0), "height": max(frame.height, 0.0)}
        return self._add("rect", "", attributes, **place)

    def circle(self, x: float, y: float, radius: float, **attributes: Attribute) -> Element:
        """Draw a circle."""
        return self._add("circle", "", attributes, cx=x, cy=y, r=radius)

    def path(self, d: str, name: str = "", **attributes: Attribute) -> Element:
        """Draw a path."""
        return self._add("path", name, attributes, d=d)

    def image(self, href: str, frame: Frame, **attributes: Attribute) -> None:
        """Draw a picture of pixels, stretched over a rectangle without smoothing."""
        place = {"x": frame.left, "y": frame.top, "width": frame.width, "height": frame.height}
        element = self._add("image", "", attributes, **place)
        element.set("preserveAspectRatio", "none")
        element.set("style", "image-rendering: pixelated")
        element.set("href", href)

    def text(
        self, x: float, y: float, words: str, *, size: int = TEXT, room: float | None = None, **attributes: Attribute
    ) -> None:
        """Write words around a height; where they need more than `room` pixels they are cut, and whole in a title."""
        element = self._add("text", "", attributes, x=x, y=y + 4)
        whole = clean(words)
        element.text = whole if room is None else shorten(whole, room, size)
        if element.text != whole:
            SubElement(element, "title").text = whole

    def markers(self, name: str, d: str, radius: float, color: str, opacity: float) -> None:
        """Draw a dot at every vertex of a path; where dots overlap they darken."""
        identity = f"{self.key}-{name}"
        marker = SubElement(self.element, "marker", id=identity, markerUnits="userSpaceOnUse", overflow="visible")
        Canvas(marker, self.key).circle(0, 0, radius, fill=color, fill_opacity=opacity)
        dot = f"url(#{identity})"
        self.path(d, fill="none", marker_start=dot, marker_mid=dot, marker_end=dot)

    def clip(self, name: str, frame: Frame) -> str:
        """Define a window and return the reference that cuts to it."""
        identity = f"{self.key}-{name}"
        Canvas(SubElement(self.element, "clipPath", id=identity), self.key).rect(frame)
        return f"url(#{identity})"

    def hatch(self, color: str) -> str:
        """Define slanted lines and return the reference that fills with them."""
        identity = f"{self.key}-hatch"
        pattern = SubElement(self.element, "pattern", id=identity, width="5", height="5", patternUnits="userSpaceOnUse")
        pattern.set("patternTransform", "rotate(45)")
        Canvas(pattern, self.key).line(0, 0, 0, 5, stroke=color)
        return f"url(#{identity})"

    def written(self) -> str:
        """Return the picture as text."""
        return tostring(self.element, encoding="unicode")

    def _add(self, tag: str, name: str, attributes: Mapping[str, Attribute], **place: Attribute) -> Element:
        element = SubElement(self.element, tag)
        if name:
            element.set("class", name)
        for attribute, value in (*place.items(), *attributes.items()):
            if value is not None:
                element.set(attribute.replace("_", "-"), _written(attribute, value))
        return element


def coordinate(value: float) -> str:
    """Write a coordinate with one decimal, as short as it can be.

    Examples
    --------
    >>> [coordinate(value) for value in (12.04, 12.35, -0.01)]
    ['12', '12.3', '0']
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _written(attribute: str, value: str | float) -> str:
    if isinstance(value, str):
        return paint(value) if attribute in ("fill", "stroke") and value in LIGHT else value
    return f"{value:.3g}" if attribute.endswith(("opacity", "_width")) else coordinate(value)
