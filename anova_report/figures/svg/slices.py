"""A pair along one of its features, one line for each of some values of the other."""

from collections.abc import Sequence
from dataclasses import replace

from anova_report.figures.kinds import Slices
from anova_report.figures.style import SLICES, SMALL, size, spread
from anova_report.figures.svg import axes
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.paths import polyline
from anova_report.figures.svg.scales import Frame, horizontal, vertical
from anova_report.figures.svg.text import clean, width

NAMES = 130.0  # the longest name beside a line
APART = 14.0  # pixels between names


def draw(canvas: Canvas, data: Slices) -> None:
    """Draw lines, each named at its end in its own colour."""
    wide, high = size(data)
    heading, names = split_names([line.name for line in data.lines])
    room = min(NAMES, max((width(clean(name), SMALL) for name in (heading, *names)), default=0.0))
    place = axes.frame(data.x, data.y, Frame(0, 0, wide - room - 18, high))
    axes.draw_y(canvas, data.y, place)
    canvas.note(place.right + 12, place.top - 11, heading, room=room + 4)
    axes.draw_x(canvas, data.x, place)
    axes.zero_line(canvas, data.y, place)
    _lines(canvas, data, place)
    _names(canvas, data, names, place)


def split_names(names: Sequence[str]) -> tuple[str, list[str]]:
    """Part what all names say alike from what tells them apart.

    Examples
    --------
    >>> split_names(["age = 20", "age = 60"]), split_names(["age = 20", "old"])
    (('age =', ['20', '60']), ('', ['age = 20', 'old']))
    """
    heads = {name.partition(" = ")[0] for name in names if " = " in name}
    if len(heads) != 1 or not all(" = " in name for name in names):
        return "", list(names)
    return f"{heads.pop()} =", [name.partition(" = ")[2] for name in names]


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


def _lines(canvas: Canvas, data: Slices, place: Frame) -> None:
    x, y = horizontal(data.x, place), vertical(data.y, place)
    group = canvas.group(
        "lines", clip_path=canvas.clip(_wider(place)), fill="none", stroke_width=2, stroke_linejoin="round"
    )
    for colour, line in zip(spread(SLICES, len(data.lines)), data.lines, strict=True):
        points = [(x(at), y(value)) for at, value in zip(line.at, line.value, strict=False)]
        group.path(polyline(points), "slice", stroke=colour)
        if data.x.levels or len(points) == 1:
            for point in points:
                group.circle(*point, 3.5, fill=colour)


def _wider(place: Frame) -> Frame:
    """Leave room for half of a dot."""
    return replace(place, left=place.left - 4, right=place.right + 4)


def _names(canvas: Canvas, data: Slices, names: Sequence[str], place: Frame) -> None:
    """Write the names beside the right ends of their lines, moved apart where lines meet."""
    x, y = horizontal(data.x, place), vertical(data.y, place)
    colours = spread(SLICES, len(data.lines))
    named = [item for item in zip(colours, names, data.lines, strict=True) if item[2].at]
    ends = [y.inside(line.value[-1]) for _, _, line in named]
    spots = apart(ends, place.top - 4, place.bottom + 4, APART)
    group = canvas.group("names", font_size=SMALL)
    for (colour, name, line), end, spot in zip(named, ends, spots, strict=True):
        start = x.inside(line.at[-1]) + (6 if data.x.levels else 2)
        leader = polyline(((start, end), (max(start, place.right + 2), end), (place.right + 9, spot)))
        group.path(leader, stroke=colour, stroke_opacity=0.5, fill="none")
        group.text(place.right + 12, spot + 4, name, room=NAMES + 4, fill=colour)
