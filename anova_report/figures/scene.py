"""A picture as plain data: about ten primitives, which the interpreters `svg` and `live` draw.

A scene has a size in pixels and panels. A panel is a rectangle in pixels with values along its edges. Every primitive
lies in one panel, and its coordinates are values of that panel; what is counted in pixels says so. Primitives are drawn
in their order.

A primitive holds columns, one entry for each of its items. A property such as a color is either one value that all
items share, or a column. Colors are names in `style`. A kind of figure always makes the same primitives with the same
shared properties, empty where there is nothing to draw: a live plot then only exchanges columns (`form`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

from anova_report.figures.geometry import Axis, Frame, Numbers, Panel, Words

T = TypeVar("T")
Each: TypeAlias = T | tuple[T, ...]  # one value for all items, or a column
Column: TypeAlias = Any  # numbers, or one number that all items share, which becomes numbers
Key: TypeAlias = tuple[int, ...] | int  # what an item stands for: a term, or a row
Anchor: TypeAlias = Literal["start", "middle", "end"]
Shape: TypeAlias = Literal["dot", "tick", "dash", "cross", "diamond", "triangle"]
Sample: TypeAlias = Literal["line", "bar", "thin", "ring", "hatch", "dot", "tick", "cross", "diamond", "triangle"]
Coloring: TypeAlias = Literal["diverging", "sequential"]


@dataclass(frozen=True)
class Mark:
    """What all primitives with items have in common: a name, and coordinates.

    A coordinate that all items share may be given as one number.
    """

    COORDINATES: ClassVar[tuple[str, ...]] = ("x", "y")

    name: str  # what it is for; unique in a scene
    panel: int = field(default=0, kw_only=True)  # position of the panel it lies in
    # what is said under the pointer, one text for each item, its lines parted by line breaks; None for nothing ever
    tips: Words | None = field(default=None, kw_only=True)
    keys: tuple[Key, ...] = field(default=(), kw_only=True)  # what a click on each item goes to

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in self.COORDINATES}
        lengths = {len(value) for value in given.values() if isinstance(value, tuple)}
        if len(lengths) > 1:
            raise ValueError(f"The coordinates of {self.name} have {sorted(lengths)} items.")
        for name, value in given.items():
            object.__setattr__(self, name, column(value, next(iter(lengths), 1)))


@dataclass(frozen=True)
class Box(Mark):
    """Rectangles."""

    COORDINATES = ("left", "right", "bottom", "top")

    left: Column
    right: Column
    bottom: Column
    top: Column
    color: Each[str] | None  # None: not drawn, only there to be clicked
    _: KW_ONLY
    opacity: Each[float] = 1.0
    edge: str | None = None  # color of the outline
    hatched: Each[bool] = False  # filled with slanted lines, over a veil of the color
    least: float = 0.0  # pixels that a box is wide at least
    under: bool = False  # below the grid


@dataclass(frozen=True)
class Line(Mark):
    """Lines through points, one item each; cut off at the panel's edges."""

    x: tuple[Numbers, ...]
    y: tuple[Numbers, ...]
    color: Each[str]
    _: KW_ONLY
    width: Each[float] = 2.0  # in pixels
    dash: Each[str] = ""  # lengths of dashes and gaps in whole pixels, such as "5 3"; empty for a solid line
    labels: Words = ()  # names of the lines, where a legend lists them one by one


@dataclass(frozen=True)
class Area(Mark):
    """What lies between two lines; it is cut off at the panel's edges."""

    COORDINATES = ("x", "lower", "upper")

    x: Numbers
    lower: Numbers
    upper: Numbers
    color: str
    _: KW_ONLY
    opacity: float = 1.0


@dataclass(frozen=True)
class Rule(Mark):
    """Straight lines between two points; color, width and dash as for `Line`.

    Rimmed ones have a rim in the color of the surface, which sets them off from what they lie on.
    """

    COORDINATES = ("x0", "y0", "x1", "y1")

    x0: Column
    y0: Column
    x1: Column
    y1: Column
    color: Each[str] = "axis"
    _: KW_ONLY
    width: Each[float] = 1.0
    dash: Each[str] = ""
    opacity: float = 1.0
    rimmed: bool = False


@dataclass(frozen=True)
class Dot(Mark):
    """Marks at points, with a radius in pixels; all shapes but dots are outlines.

    A legend lists items with the same label together. Rimmed dots have a rim in the color of the surface.
    """

    x: Column
    y: Column
    color: Each[str]
    _: KW_ONLY
    radius: Each[float] = 4.0
    shape: Each[Shape] = "dot"
    opacity: float = 1.0
    rimmed: bool = True
    labels: Words = ()


@dataclass(frozen=True)
class Text(Mark):
    """Words at points."""

    x: Column
    y: Column
    words: Words
    _: KW_ONLY
    # pixels to the right and downwards from the point to the middle of the words' height
    dx: Each[float] = 0.0
    dy: Each[float] = 0.0
    anchor: Each[Anchor] = "start"
    color: Each[str] = "fg"
    size: int = 12  # of the font, in pixels
    bold: Each[bool] = False
    rimmed: bool = False  # with a rim in the color of the surface, so that words can be read over marks
    room: Each[float] | None = None  # pixels; longer words are cut, and whole in a title
    turned: float = 0.0  # degrees, against the clock, around the point
    inside: bool = False  # words belong to the data: they are cut off at the panel's edges when a live plot is zoomed

    COORDINATES = ("x", "y", "words")


@dataclass(frozen=True)
class Heat(Mark):
    """Cells in colors, of equal size, over the whole panel."""

    COORDINATES = ()

    # one tuple for each row of cells, in the order of the values along the vertical edge; in it one number for each
    # cell from the left, None where there is no cell
    value: tuple[tuple[float | None, ...], ...]
    coloring: Coloring  # colors run from −limit to limit, or from 0 to limit
    limit: float
    _: KW_ONLY
    gaps: tuple[int, int] = (1, 1)  # among how many columns and rows thin gaps are drawn; 1 for none
    # what is said under the pointer, cell by cell. Where there is nothing, it is the value and the place
    said: tuple[Words, ...] = ()
    label: str = ""  # what a value is
    # what a place is
    x: Axis | None = None
    y: Axis | None = None


@dataclass(frozen=True)
class Tip(Mark):
    """Places that say something under the pointer without being drawn: the nearest one from left to right."""

    x: Numbers
    y: Numbers


@dataclass(frozen=True)
class Ruler:
    """An axis along an edge of a panel: ticks or names of levels, and a label."""

    axis: Axis
    side: Literal["below", "left"]  # the label of an axis at the left stands over it
    panel: int = 0
    grid: bool = False  # lines across the panel, instead of ticks
    percent: bool = False  # whether numbers are shares
    most: int = 6  # about how many ticks there are at most along a horizontal edge
    depth: float = 32.0  # pixels from a horizontal edge to the label
    label_dx: float = 0.0  # pixels by which a label over a vertical axis is moved from the left edge of the picture
    room: float | None = None  # pixels for the label


@dataclass(frozen=True)
class Entry:
    """One line of a legend: words, a sample of the mark, and the names of the primitives that it stands for."""

    words: str
    sample: Sample
    color: str
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
class ScaleBar:
    """The colors of a `Heat`, by its name, with texts from the high end or, where the bar lies flat, at both ends."""

    frame: Frame
    heat: str
    coloring: Coloring
    texts: Words
    flat: bool = False


Primitive: TypeAlias = Box | Line | Area | Rule | Dot | Text | Heat | Tip | Ruler | Legend | ScaleBar


@dataclass(frozen=True)
class Scene:
    """A picture."""

    kind: str  # which picture it is
    size: tuple[float, float]  # width and height in pixels
    panels: tuple[Panel, ...]  # the first is the one that zooms
    items: tuple[Primitive, ...]
    zooms: Literal["", "x", "xy"] = ""  # along which edges a live plot can be moved and zoomed

    @property
    def frame(self) -> Frame:
        """The rectangle that holds all panels."""
        frames = [panel.frame for panel in self.panels]
        left, top = min(frame.left for frame in frames), min(frame.top for frame in frames)
        return Frame(left, top, max(frame.right for frame in frames), max(frame.bottom for frame in frames))

    @cached_property
    def form(self) -> tuple[object, ...]:
        """What does not change when another figure of the same kind is shown on the same live plot."""
        return (self.kind, len(self.panels), self.zooms, *(_form(item) for item in self.items))


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


# What another scene of the same form may have otherwise, beside every property that is a column.
_FREE = (
    *("tips", "keys", "left", "right", "bottom", "top", "x", "y", "lower", "upper", "x0", "y0", "x1", "y1"),
    *("words", "labels", "value", "said", "limit", "gaps", "label"),
    *("axis", "depth", "room", "label_dx", "entries", "frame", "texts"),
)


def _form(item: Primitive) -> tuple[object, ...]:
    shared = ((part.name, getattr(item, part.name)) for part in fields(item) if part.name not in _FREE)
    looks = ((name, "column" if isinstance(value, tuple) else value) for name, value in shared)
    return (type(item).__name__, getattr(item, "tips", None) is None, *looks)
