"""From values to pixels."""

import math
from dataclasses import dataclass

from anova_report.figures.kinds import Axis

FAR = 1e5  # pixels; beyond this a line only has to leave the picture in the right direction


@dataclass(frozen=True)
class Scale:
    """A straight map from values between `low` and `high` to pixels between `start` and `end`.

    Examples
    --------
    >>> Scale(0.0, 10.0, 100.0, 300.0)(2.5)
    150.0
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a value; values outside the range lie outside the pixels."""
        share = (value - self.low) / (self.high - self.low)
        if not math.isfinite(share):
            return self.start
        return self.start + (self.end - self.start) * min(max(share, -FAR), FAR)

    def inside(self, value: float) -> float:
        """Return the pixel of a value, held within the range."""
        return self(min(max(value, self.low), self.high))

    def holds(self, value: float) -> bool:
        """Tell whether a value lies in the range."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Frame:
    """The rectangle that data are drawn in, in pixels."""

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


def horizontal(axis: Axis, frame: Frame) -> Scale:
    """Return the scale of an axis that runs from left to right."""
    return scale(axis.low, axis.high, frame.left, frame.right)


def vertical(axis: Axis, frame: Frame) -> Scale:
    """Return the scale of an axis that runs upwards."""
    return scale(axis.low, axis.high, frame.bottom, frame.top)


def scale(low: float, high: float, start: float, end: float) -> Scale:
    """Return a scale; around a range without length it shows as much on both sides.

    Examples
    --------
    >>> scale(3.0, 3.0, 0.0, 10.0)(3.0)
    5.0
    """
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        centre = low / 2 + high / 2
        low, high = centre - max(abs(centre) / 2, 0.5), centre + max(abs(centre) / 2, 0.5)
    return Scale(low, high, start, end)
