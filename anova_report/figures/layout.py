"""Where things go around the data of a picture: room for axes, level names and legends."""

import math
from collections.abc import Sequence
from dataclasses import replace

from anova_report.figures.geometry import Axis, Frame
from anova_report.figures.scene import Entry, Legend, Primitive, Ruler, ScaleBar, Scene
from anova_report.figures.style import SMALL
from anova_report.figures.text import clean, shorten, width
from anova_report.figures.ticks import upright_ticks

BELOW = 38.0  # pixels for ticks and the label of a horizontal axis
ABOVE = 24.0  # for the label of a vertical axis, which stands over it
SLANT = 40.0  # degrees of level names that do not fit side by side
NAMES = 104.0  # the longest level name beside a vertical axis
DEEPEST = 72.0  # how far slanted level names reach down at most
NAME_HEIGHT = 13.0  # pixels between level names
STEP = 16.0  # by which the room for names grows
LEGEND_ROW, LEGEND_GAP, SAMPLE, SPACE = 17.0, 16.0, 16.0, 5.0  # a row, between entries, a sample, before its words


def frame_within(x: Axis, y: Axis, box: Frame, deepest: float = DEEPEST) -> Frame:
    """Return where data go so that both axes fit into a box, slanted level names at most so deep."""
    inner = Frame(box.left, box.top + ABOVE, box.right, box.bottom - BELOW)
    inner = Frame(box.left + _beside(y, inner), inner.top, inner.right, inner.bottom)
    return Frame(inner.left, inner.top, inner.right, box.bottom - 6 - label_depth(x, inner, deepest))


def below(axis: Axis, frame: Frame, *, panel: int = 0, deepest: float = DEEPEST) -> Ruler:
    """Put an axis below a frame."""
    return Ruler(axis, "below", panel, depth=label_depth(axis, frame, deepest), room=frame.width)


def label_depth(axis: Axis, frame: Frame, deepest: float = DEEPEST) -> float:
    """Return how far below a frame the label of its horizontal axis stands."""
    if not is_slanted(axis, frame):
        return BELOW - 6
    longest = max(width(clean(name), SMALL) for name in axis.levels)
    return min(deepest, longest * math.sin(math.radians(SLANT))) + 30


def is_slanted(axis: Axis, frame: Frame) -> bool:
    """Whether level names do not fit side by side below a frame."""
    room = frame.width / max(len(axis.levels), 1) - 8
    return any(width(clean(name), SMALL) > max(room, 40) or room < 40 for name in axis.levels)


def named_levels(axis: Axis, pixels: float) -> list[tuple[float, str]]:
    """Choose the levels that can be named where so many pixels part one from the next."""
    step = max(1, round(NAME_HEIGHT / max(pixels, 1e-3) + 0.49))
    return [(float(position), name) for position, name in enumerate(axis.levels)][::step]


def legend_height(entries: Sequence[Entry], room: float) -> float:
    """Return how many pixels a legend takes."""
    return LEGEND_ROW * len(legend_rows(entries, room))


def legend_rows(entries: Sequence[Entry], room: float) -> list[list[Entry]]:
    """Part the entries of a legend into rows that fit into so many pixels."""
    rows: list[list[Entry]] = []
    used = room
    for entry in entries:
        used += LEGEND_GAP + entry_width(entry)
        if used > room:
            rows.append([])
            used = entry_width(entry)
        rows[-1].append(entry)
    return rows


def entry_width(entry: Entry) -> float:
    """Return how many pixels an entry of a legend takes."""
    return SAMPLE + SPACE + width(clean(entry.words), SMALL)


def longest(names: Sequence[str], size: float, most: float) -> float:
    """Return how many pixels to keep for the longest of some names, at most so many.

    In steps: a live plot is laid out anew, and all of it painted twice, wherever this changes.
    """
    return min(most, STEP * math.ceil(max((width(clean(name), size) for name in names), default=0.0) / STEP))


def apart(wanted: Sequence[float], low: float, high: float, distance: float) -> list[float]:
    """Move positions as little as it takes to keep them a distance apart, within bounds as long as there is room.

    Examples
    --------
    >>> apart([10.0, 12.0, 50.0], 0.0, 60.0, 10.0)
    [6.0, 16.0, 50.0]
    """
    order = sorted(range(len(wanted)), key=lambda position: wanted[position])
    clusters: list[list[float]] = []  # sum of wanted starts, number of members
    for rank, position in enumerate(order):
        clusters.append([wanted[position] - rank * distance, 1.0])
        while len(clusters) > 1 and clusters[-2][0] / clusters[-2][1] >= clusters[-1][0] / clusters[-1][1]:
            last = clusters.pop()
            clusters[-1] = [clusters[-1][0] + last[0], clusters[-1][1] + last[1]]
    starts = [total / count for total, count in clusters for _ in range(int(count))]
    ceiling = max(low, high - (len(wanted) - 1) * distance)
    found = [0.0] * len(wanted)
    for rank, position in enumerate(order):
        found[position] = min(max(starts[rank], low), ceiling) + rank * distance
    return found


def squeezed(scene: Scene, high: float) -> Scene:
    """Make a picture less high by giving less room to its data; lists, which cannot be zoomed, keep their rows."""
    frame, excess = scene.frame, scene.size[1] - high
    if not scene.zooms or excess <= 0:
        return scene

    def moved(pixel: float) -> float:
        inside = min(max(pixel - frame.top, 0.0), frame.height)
        return pixel - inside * excess / frame.height

    def lower(box: Frame) -> Frame:
        return replace(box, top=moved(box.top), bottom=moved(box.bottom))

    def placed(item: Primitive) -> Primitive:
        if isinstance(item, ScaleBar):
            return replace(item, frame=lower(item.frame))
        return replace(item, top=moved(item.top)) if isinstance(item, Legend) else item

    panels = tuple(replace(panel, frame=lower(panel.frame)) for panel in scene.panels)
    return replace(scene, size=(scene.size[0], high), panels=panels, items=tuple(map(placed, scene.items)))


def _beside(axis: Axis, inner: Frame) -> float:
    """Return the pixels that ticks or level names need left of a vertical axis."""
    if axis.levels:
        texts = [shorten(clean(name), NAMES, SMALL) for name in axis.levels]
    else:
        texts = [tick.text for tick in upright_ticks(axis, inner.height)]
    return longest(texts, SMALL, inner.width) + 9
