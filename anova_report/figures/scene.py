"""A picture as plain data: about ten primitives, which the interpreters `svg` and `live` draw.

A scene has a size in pixels and panels. A panel is a rectangle in pixels with values along its edges. Every primitive
lies in one panel, and its coordinates are values of that panel; what is counted in pixels says so. Primitives are drawn
in their order.

A primitive holds columns, one entry for each of its items. A property such as a colour is either one value that all
items share, or a column. Colours are names in `style`. A kind of figure always makes the same primitives with the same
shared properties, empty where there is nothing to draw: a live plot then only exchanges columns (`form`).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, Self, TypeAlias, TypeVar

T = TypeVar("T")
Numbers: TypeAlias = tuple[float, ...]
Words: TypeAlias = tuple[str, ...]
Each: TypeAlias = T | tuple[T, ...]  # one value for all items, or a column
Key: TypeAlias = tuple[int, ...] | int  # what an item stands for: a term, or a row
Anchor: TypeAlias = Literal["start", "middle", "end"]
Shape: TypeAlias = Literal["dot", "tick", "dash", "cross", "diamond", "triangle"]
Sample: TypeAlias = Literal["line", "bar", "thin", "ring", "hatch", "dot", "tick", "cross", "diamond", "triangle"]
Colouring: TypeAlias = Literal["diverging", "sequential"]
FAR = 1e5  # panel widths; beyond this a line only has to leave the picture in the right direction
REACH = 9.0  # pixels around a dot or a line within which a click means it


@dataclass(frozen=True)
class Axis:
    """One axis.

    Parameters
    ----------
    label : str
    low, high : float
        What it shows; data beyond is cut off.
    levels : tuple of str
        Names of the positions 0, 1, …; empty for numbers.
    time : bool
        Whether the numbers are seconds since 1970.
    """

    label: str
    low: float
    high: float
    levels: Words = ()
    time: bool = False

    @property
    def span(self) -> tuple[float, float]:
        """The values at both ends; around a range without length it shows as much on both sides.

        Examples
        --------
        >>> Axis("x", 3.0, 3.0).span
        (1.5, 4.5)
        """
        low, high = self.low, self.high
        if high - low <= 1e-12 * max(abs(low), abs(high)):
            centre = low / 2 + high / 2
            room = max(abs(centre) / 2, 0.5)
            return centre - room, centre + room
        return low, high


@dataclass(frozen=True)
class Frame:
    """A rectangle in pixels, counted from the upper left corner of the picture."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """How wide it is."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """How high it is."""
        return self.bottom - self.top


@dataclass(frozen=True)
class Panel:
    """A rectangle with values along its edges.

    Parameters
    ----------
    frame : Frame
    x : pair of floats
        Values at the left and at the right edge.
    y : pair of floats
        Values at the bottom and at the top; lists that are read from the top run downwards.
    x_time, y_time : bool
        Whether values are seconds since 1970.

    Examples
    --------
    >>> panel = Panel(Frame(100, 0, 300, 50), (0.0, 10.0), (0.0, 1.0))
    >>> panel.across(2.5), panel.down(1.0), panel.units_across(20.0)
    (150.0, 0.0, 1.0)
    """

    frame: Frame
    x: tuple[float, float]
    y: tuple[float, float]
    x_time: bool = False
    y_time: bool = False

    @classmethod
    def of(cls, frame: Frame, x: Axis, y: Axis) -> Self:
        """Make the panel of two axes."""
        return cls(frame, x.span, y.span, x.time, y.time)

    @classmethod
    def of_rows(cls, frame: Frame, x: tuple[float, float], n_rows: int) -> Self:
        """Make the panel of a list: row 0 at the top, its middle at 0."""
        return cls(frame, x, (max(n_rows, 1) - 0.5, -0.5))

    @classmethod
    def of_pixels(cls, frame: Frame) -> Self:
        """Make a panel whose values are the pixels of the picture."""
        return cls(frame, (frame.left, frame.right), (frame.bottom, frame.top))

    def across(self, value: float) -> float:
        """Return the pixel of a value from left to right; values outside lie outside."""
        return self.frame.left + self.frame.width * _share(value, *self.x)

    def down(self, value: float) -> float:
        """Return the pixel of a value from top to bottom."""
        return self.frame.bottom - self.frame.height * _share(value, *self.y)

    def units_across(self, pixels: float) -> float:
        """Return how much so many pixels are along the horizontal edge."""
        return (self.x[1] - self.x[0]) * pixels / self.frame.width

    def units_up(self, pixels: float) -> float:
        """Return how much so many pixels upwards are along the vertical edge."""
        return (self.y[1] - self.y[0]) * pixels / self.frame.height

    def held_x(self, value: float) -> float:
        """Hold a value between the left and the right edge."""
        return min(max(value, min(self.x)), max(self.x))

    def held_y(self, value: float) -> float:
        """Hold a value between the lower and the upper edge."""
        return min(max(value, min(self.y)), max(self.y))


@dataclass(frozen=True, kw_only=True)
class Mark:
    """What all primitives with items have in common.

    Parameters
    ----------
    name : str
        What it is for; unique in a scene.
    panel : int
        Position of the panel it lies in.
    tips : tuple of str or None
        What is said under the pointer, one text for each item, its lines parted by line breaks; None for nothing ever.
    keys : tuple of Key
        What a click on each item goes to.
    """

    name: str
    panel: int = 0
    tips: Words | None = None
    keys: tuple[Key, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Box(Mark):
    """Rectangles.

    Parameters
    ----------
    left, right, bottom, top : numbers
    colour : str, tuple of str or None
        None: not drawn, only there to be clicked.
    opacity : float or numbers
    edge : str or None
        Colour of the outline.
    hatched : bool or tuple of bool
        Filled with slanted lines, over a veil of the colour.
    least : float
        Pixels that a box is wide at least.
    under : bool
        Below the grid.
    """

    left: Numbers
    right: Numbers
    bottom: Numbers
    top: Numbers
    colour: Each[str] | None
    opacity: Each[float] = 1.0
    edge: str | None = None
    hatched: Each[bool] = False
    least: float = 0.0
    under: bool = False


@dataclass(frozen=True, kw_only=True)
class Line(Mark):
    """Lines through points, one item each; cut off at the panel's edges.

    Parameters
    ----------
    x, y : tuple of numbers
    colour : str or tuple of str
    width : float or numbers
        In pixels.
    dash : str or tuple of str
        Lengths of dashes and gaps in pixels, such as "5 3"; empty for a solid line.
    labels : tuple of str
        Names of the lines, where a legend lists them one by one.
    """

    x: tuple[Numbers, ...]
    y: tuple[Numbers, ...]
    colour: Each[str]
    width: Each[float] = 2.0
    dash: Each[str] = ""
    labels: Words = ()


@dataclass(frozen=True, kw_only=True)
class Area(Mark):
    """What lies between two lines; one item. It is cut off at the panel's edges."""

    x: Numbers
    lower: Numbers
    upper: Numbers
    colour: str
    opacity: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Rule(Mark):
    """Straight lines between two points.

    Parameters
    ----------
    x0, y0, x1, y1 : numbers
    colour, width, dash
        As for `Line`.
    opacity : float
    rimmed : bool
        With a rim in the colour of the surface, which sets them off from what they lie on.
    """

    x0: Numbers
    y0: Numbers
    x1: Numbers
    y1: Numbers
    colour: Each[str] = "axis"
    width: Each[float] = 1.0
    dash: Each[str] = ""
    opacity: float = 1.0
    rimmed: bool = False


@dataclass(frozen=True, kw_only=True)
class Dot(Mark):
    """Marks at points.

    Parameters
    ----------
    x, y : numbers
    colour : str or tuple of str
    radius : float or numbers
        In pixels.
    shape : Shape or tuple of Shape
        All but dots are outlines.
    opacity : float
    rimmed : bool
        With a rim in the colour of the surface.
    labels : tuple of str
        Names, where a legend lists items with the same one together.
    """

    x: Numbers
    y: Numbers
    colour: Each[str]
    radius: Each[float] = 4.0
    shape: Each[Shape] = "dot"
    opacity: float = 1.0
    rimmed: bool = True
    labels: Words = ()


@dataclass(frozen=True, kw_only=True)
class Text(Mark):
    """Words at points.

    Parameters
    ----------
    x, y : numbers
    words : tuple of str
    dx, dy : float or numbers
        Pixels to the right and downwards from the point to the middle of the words' height.
    anchor : Anchor or tuple of Anchor
    colour : str or tuple of str
    size : int
        Of the font, in pixels.
    bold : bool or tuple of bool
    rimmed : bool
        With a rim in the colour of the surface, so that words can be read over marks.
    room : float, numbers or None
        Pixels; longer words are cut, and whole in a title.
    turned : float
        Degrees, against the clock, around the point.
    inside : bool
        Words belong to the data: they are cut off at the panel's edges when a live plot is zoomed.
    """

    x: Numbers
    y: Numbers
    words: Words
    dx: Each[float] = 0.0
    dy: Each[float] = 0.0
    anchor: Each[Anchor] = "start"
    colour: Each[str] = "fg"
    size: int = 12
    bold: Each[bool] = False
    rimmed: bool = False
    room: Each[float] | None = None
    turned: float = 0.0
    inside: bool = False


@dataclass(frozen=True, kw_only=True)
class Heat(Mark):
    """Cells in colours, of equal size, over the whole panel.

    Parameters
    ----------
    value : tuple of tuples
        One tuple for each row of cells, in the order of the values along the vertical edge; in it one number for each
        cell from the left, None where there is no cell.
    colouring : {"diverging", "sequential"}
        Colours run from −limit to limit, or from 0 to limit.
    limit : float
    gaps : pair of int
        Among how many columns and rows thin gaps are drawn; 1 for none.
    said : tuple of tuples of str
        What is said under the pointer, cell by cell. Where there is nothing, it is the value and the place.
    label : str
        What a value is.
    x, y : Axis or None
        What a place is.
    """

    value: tuple[tuple[float | None, ...], ...]
    colouring: Colouring
    limit: float
    gaps: tuple[int, int] = (1, 1)
    said: tuple[Words, ...] = ()
    label: str = ""
    x: Axis | None = None
    y: Axis | None = None


@dataclass(frozen=True, kw_only=True)
class Tip(Mark):
    """Places that say something under the pointer without being drawn: the nearest one from left to right."""

    x: Numbers
    y: Numbers


@dataclass(frozen=True)
class Ruler:
    """An axis along an edge of a panel: ticks or names of levels, and a label.

    Parameters
    ----------
    axis : Axis
    side : {"below", "left"}
        The label of an axis at the left stands over it.
    panel : int
    grid : bool
        Lines across the panel, instead of ticks.
    percent : bool
        Whether numbers are shares.
    most : int
        About how many ticks there are at most along a horizontal edge.
    depth : float
        Pixels from a horizontal edge to the label.
    label_dx : float
        Pixels by which a label over a vertical axis is moved from the left edge of the picture.
    room : float or None
        Pixels for the label.
    """

    axis: Axis
    side: Literal["below", "left"]
    panel: int = 0
    grid: bool = False
    percent: bool = False
    most: int = 6
    depth: float = 32.0
    label_dx: float = 0.0
    room: float | None = None


@dataclass(frozen=True)
class Entry:
    """One line of a legend.

    Parameters
    ----------
    words : str
    sample : Sample
    colour : str
    dash : str
    opacity : float
    marks : tuple of str
        Names of the primitives it stands for; a live legend can hide them.
    """

    words: str
    sample: Sample
    colour: str
    dash: str = ""
    opacity: float = 1.0
    marks: Words = ()


@dataclass(frozen=True)
class Legend:
    """What marks mean, in rows from a pixel on; in a live plot a click on an entry may hide its marks."""

    entries: tuple[Entry, ...]
    left: float = 0.0
    top: float = 0.0
    room: float = 400.0
    switches: bool = False


@dataclass(frozen=True)
class ColourBar:
    """The scale of a `Heat`, in pixels, with texts from its high end or, where it lies flat, at both ends."""

    frame: Frame
    heat: str
    colouring: Colouring
    texts: Words
    flat: bool = False


Primitive: TypeAlias = Box | Line | Area | Rule | Dot | Text | Heat | Tip | Ruler | Legend | ColourBar


@dataclass(frozen=True)
class Scene:
    """A picture.

    Parameters
    ----------
    kind : str
        Which picture it is.
    width, height : float
        In pixels.
    panels : tuple of Panel
        The first is the one that zooms.
    items : tuple of Primitive
    zooms : {"", "x", "xy"}
        Along which edges a live plot can be moved and zoomed.
    """

    kind: str
    width: float
    height: float
    panels: tuple[Panel, ...]
    items: tuple[Primitive, ...]
    zooms: Literal["", "x", "xy"] = ""

    @property
    def frame(self) -> Frame:
        """The rectangle that holds all panels."""
        frames = [panel.frame for panel in self.panels]
        return Frame(
            min(frame.left for frame in frames),
            min(frame.top for frame in frames),
            max(frame.right for frame in frames),
            max(frame.bottom for frame in frames),
        )

    @property
    def form(self) -> tuple[object, ...]:
        """What does not change when another figure of the same kind is shown on the same live plot."""
        return (self.kind, len(self.panels), self.zooms, *(_form(item) for item in self.items))

    def hit(self, x: float, y: float) -> Key | None:
        """Find what lies at a place, in values of the first panel; None where nothing does.

        Dots come first, then lines, then boxes; the nearest where there are several.
        """
        at, down = self.panels[0].across(x), self.panels[0].down(y)
        for kind in (Dot, Rule, Box):
            near = [
                (away, key)
                for item in self.items
                if isinstance(item, kind) and item.keys
                for away, key in zip(_distances(item, self.panels[item.panel], at, down), item.keys, strict=True)
            ]
            away, key = min(near, key=lambda found: found[0], default=(math.inf, None))
            if away <= REACH * (kind is not Box):
                return key
        return None


def unzip(items: Iterable[tuple[Any, ...]], n_columns: int) -> tuple[tuple[Any, ...], ...]:
    """Turn items into columns, which are empty where there are no items.

    Examples
    --------
    >>> unzip([(1, "a"), (2, "b")], 2), unzip([], 2)
    (((1, 2), ('a', 'b')), ((), ()))
    """
    return tuple(zip(*items, strict=True)) or ((),) * n_columns


def column(value: Each[T], n_items: int) -> Sequence[T]:
    """Return a property as a column, whichever way it is given."""
    return value if isinstance(value, tuple) else (value,) * n_items


def _share(value: float, low: float, high: float) -> float:
    share = (value - low) / (high - low)
    return min(max(share, -FAR), FAR) if math.isfinite(share) else 0.0


_COLUMNS = {  # what an update exchanges, beside every property that is a column
    "tips", "keys", "left", "right", "bottom", "top", "x", "y", "lower", "upper", "x0", "y0", "x1", "y1",
    "words", "labels", "value", "said", "limit", "gaps", "label", "axis", "depth", "entries", "room", "texts", "frame", "label_dx",
}  # fmt: skip


def _form(item: Primitive) -> tuple[object, ...]:
    shared = ((field.name, getattr(item, field.name)) for field in fields(item) if field.name not in _COLUMNS)
    looks = ((name, "column" if isinstance(value, tuple) else value) for name, value in shared)
    return (type(item).__name__, getattr(item, "tips", None) is None, *looks)


def _distances(item: Dot | Rule | Box, panel: Panel, at: float, down: float) -> list[float]:
    """Return the pixels from a place to each item; 0 within a box or a dot."""
    match item:
        case Dot():
            radii = column(item.radius, len(item.x))
            places = zip(item.x, item.y, radii, strict=True)
            away = [(math.hypot(panel.across(x) - at, panel.down(y) - down), radius) for x, y, radius in places]
            return [max(distance - radius, 0.0) for distance, radius in away]
        case Rule():
            ends = zip(item.x0, item.y0, item.x1, item.y1, strict=True)
            return [
                _from_line((panel.across(a), panel.down(b)), (panel.across(c), panel.down(d)), (at, down))
                for a, b, c, d in ends
            ]
        case _:
            sides = zip(item.left, item.right, item.bottom, item.top, strict=True)
            spots = [
                (*sorted((panel.across(left), panel.across(right))), *sorted((panel.down(bottom), panel.down(top))))
                for left, right, bottom, top in sides
            ]
            return [0.0 if a <= at <= b and c <= down <= d else math.inf for a, b, c, d in spots]


def _from_line(first: tuple[float, float], second: tuple[float, float], place: tuple[float, float]) -> float:
    across, up = second[0] - first[0], second[1] - first[1]
    length = across**2 + up**2
    along = ((place[0] - first[0]) * across + (place[1] - first[1]) * up) / length if length else 0.0
    along = min(max(along, 0.0), 1.0)
    return math.hypot(first[0] + along * across - place[0], first[1] + along * up - place[1])
