"""Axes, and rectangles of a picture that have values along their edges."""

import math
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

Numbers: TypeAlias = tuple[float, ...]
Words: TypeAlias = tuple[str, ...]
LogAxis: TypeAlias = Literal["", "factors", "values"]
FAR = 1e5  # panel widths; beyond this a line only has to leave the picture in the right direction


@dataclass(frozen=True)
class Axis:
    """One axis."""

    label: str
    # what it shows; data beyond is cut off
    low: float
    high: float
    levels: Words = ()  # names of the positions 0, 1, …; empty for numbers
    time: bool = False  # whether the numbers are seconds since 1970
    # how logarithms are written: as factors, or as the values that they are logarithms of; empty for other numbers
    log: LogAxis = ""

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
            center = low / 2 + high / 2
            room = max(abs(center) / 2, 0.5)
            return center - room, center + room
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

    Examples
    --------
    >>> panel = Panel(Frame(100, 0, 300, 50), (0.0, 10.0), (0.0, 1.0))
    >>> panel.across(2.5), panel.down(1.0), panel.units_across(20.0)
    (150.0, 0.0, 1.0)
    """

    frame: Frame
    x: tuple[float, float]  # values at the left and at the right edge
    y: tuple[float, float]  # values at the bottom and at the top; lists that are read from the top run downwards
    # whether values are seconds since 1970
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


def _share(value: float, low: float, high: float) -> float:
    share = (value - low) / (high - low)
    return min(max(share, -FAR), FAR) if math.isfinite(share) else 0.0
