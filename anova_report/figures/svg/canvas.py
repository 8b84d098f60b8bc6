"""A picture being drawn: elements with coordinates, classes and named colours, escaped by construction."""

import re
from collections.abc import Mapping
from typing import Self, TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from anova_report.figures.figure import Figure
from anova_report.figures.style import FONT, LIGHT, SMALL, TEXT, paint
from anova_report.figures.svg.scales import Frame
from anova_report.figures.svg.text import clean, shorten

Attribute: TypeAlias = str | float | None


class Canvas:
    """One element that others are drawn into.

    Attributes are written with underscores for hyphens; colours by their names in `style`; None leaves one out.

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
    def of(cls, figure: Figure, width: int, height: int, name: str = "svg") -> Self:
        """Begin the picture of a figure, with its title and what is to be seen on it."""
        key = f"{re.sub('[^A-Za-z0-9-]', '-', figure.key)}-{name}"
        root = Element("svg", xmlns="http://www.w3.org/2000/svg", width=str(width), height=str(height))
        root.set("viewBox", f"0 0 {width} {height}")
        root.set("class", f"figure {figure.kind}")
        root.set("role", "img")
        root.set("aria-labelledby", f"{key}-title {key}-desc")
        root.set("font-family", FONT)
        root.set("font-size", str(TEXT))
        root.set("fill", paint("fg"))
        root.set("style", "font-variant-numeric: tabular-nums")
        for tag, words in (("title", figure.title), ("desc", figure.alt)):
            SubElement(root, tag, id=f"{key}-{tag}").text = clean(words)
        return cls(root, key)

    def group(self, name: str = "", /, *, halo: bool = False, **attributes: Attribute) -> Self:
        """Draw into a new group whose attributes hold for all in it.

        A halo, a rim in the colour of the surface, keeps words readable that lie over marks.
        """
        rim = {"stroke": "surface", "stroke_width": "3", "stroke_linejoin": "round", "paint_order": "stroke"}
        return type(self)(self._add("g", name, {**attributes, **rim} if halo else attributes), self.key)

    def notes(self, name: str = "", /, *, halo: bool = False, **attributes: Attribute) -> Self:
        """Draw into a new group for ticks, notes and the words of legends: small and muted."""
        chosen: dict[str, Attribute] = {"font_size": SMALL, "fill": "muted", **attributes}
        return self.group(name, halo=halo, **chosen)

    def line(self, x1: float, y1: float, x2: float, y2: float, name: str = "", **attributes: Attribute) -> Element:
        """Draw a straight line."""
        return self._add("line", name, attributes, x1=x1, y1=y1, x2=x2, y2=y2)

    def rect(self, x: float, y: float, width: float, height: float, name: str = "", **attributes: Attribute) -> Element:
        """Draw a rectangle; a negative width or height counts as none."""
        return self._add("rect", name, attributes, x=x, y=y, width=max(width, 0.0), height=max(height, 0.0))

    def circle(self, x: float, y: float, radius: float, name: str = "", **attributes: Attribute) -> Element:
        """Draw a circle."""
        return self._add("circle", name, attributes, cx=x, cy=y, r=radius)

    def path(self, d: str, name: str = "", **attributes: Attribute) -> Element:
        """Draw a path."""
        return self._add("path", name, attributes, d=d)

    def image(self, href: str, box: Frame, **attributes: Attribute) -> Element:
        """Draw a picture of pixels, stretched over a box without smoothing."""
        element = self._add("image", "", attributes, x=box.left, y=box.top, width=box.width, height=box.height)
        element.set("preserveAspectRatio", "none")
        element.set("style", "image-rendering: pixelated")
        element.set("href", href)
        return element

    def text(
        self, x: float, y: float, words: str, name: str = "", *, room: float | None = None, **attributes: Attribute
    ) -> Element:
        """Write words; where they need more than `room` pixels they are cut and kept whole in a title."""
        element = self._add("text", name, attributes, x=x, y=y)
        whole = clean(words)
        size = attributes.get("font_size") or self.element.get("font-size") or TEXT
        element.text = whole if room is None else shorten(whole, room, float(size))
        if element.text != whole:
            SubElement(element, "title").text = whole
        return element

    def note(self, x: float, y: float, words: str, *, room: float | None = None, **attributes: Attribute) -> Element:
        """Write one note: small and muted."""
        chosen: dict[str, Attribute] = {"font_size": SMALL, "fill": "muted", **attributes}
        return self.text(x, y, words, "", room=room, **chosen)

    def whiskers(self, d: str) -> None:
        """Draw intervals, with a rim that sets them off from the bars they lie on."""
        if d:
            group = self.group("whiskers", fill="none")
            group.path(d, stroke="surface", stroke_width=3.5, stroke_opacity=0.6)
            group.path(d, stroke="fg", stroke_width=1.25)

    def markers(self, d: str, radius: float, colour: str, opacity: float) -> None:
        """Draw a dot at every vertex of a path; where dots overlap they darken."""
        identity = f"{self.key}-dot"
        marker = SubElement(self.element, "marker", id=identity, markerUnits="userSpaceOnUse", overflow="visible")
        Canvas(marker, self.key).circle(0, 0, radius, fill=colour, fill_opacity=opacity)
        dot = f"url(#{identity})"
        self.path(d, "points", fill="none", marker_start=dot, marker_mid=dot, marker_end=dot)

    def clip(self, frame: Frame, name: str = "clip") -> str:
        """Define a window and return the reference that cuts to it; a second one in a picture has a name of its own."""
        identity = f"{self.key}-{name}"
        window = Canvas(SubElement(self.element, "clipPath", id=identity), self.key)
        window.rect(frame.left, frame.top, frame.width, frame.height)
        return f"url(#{identity})"

    def hatch(self, colour: str) -> str:
        """Define slanted lines and return the reference that fills with them."""
        identity = f"{self.key}-hatch"
        pattern = SubElement(self.element, "pattern", id=identity, width="5", height="5", patternUnits="userSpaceOnUse")
        pattern.set("patternTransform", "rotate(45)")
        Canvas(pattern, self.key).line(0, 0, 0, 5, stroke=colour)
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
