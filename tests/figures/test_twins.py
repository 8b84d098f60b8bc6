"""The two forms of a figure, static and live, drawn from the same data, show the same."""

import base64
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from anova_report.figures.figure import Figure
from anova_report.figures.live import build
from anova_report.figures.live.colours import N_COLOURS
from anova_report.figures.style import OVERLAYS, paint
from anova_report.figures.svg import draw, heat
from tests.figures.live.reading import column, named
from tests.figures.samples import SAMPLES
from tests.figures.svg.reading import boxes, number, parse, part, parts, points, scale, subpaths, tags

CLOSE = 0.8  # pixels: the static twin is written in tenths, and its tick labels are rounded
Scale = Callable[[float], float]


class Twins:
    """Both forms of one figure, and the pixels that the static one has for values of the live one."""

    def __init__(self, figure: Figure) -> None:
        self.data: Any = figure.data
        self.svg = parse(draw(figure))
        self.plot = build(figure)

    def live(self, source: str, name: str) -> list[Any]:
        return column(self.plot, source, name)

    @property
    def x(self) -> Scale:
        return scale(self.svg, "x-axis")

    @property
    def y(self) -> Scale:
        return scale(self.svg, "y-axis")


def twins(kind: str, place: str = "rich") -> Twins:
    return Twins(getattr(SAMPLES[kind], place))


def near(found: list[float], wanted: list[float]) -> bool:
    return found == pytest.approx(wanted, abs=CLOSE)


def rectangles(root) -> list[tuple[float, float, float, float]]:
    """List left, top, right and bottom of the rectangles in a group."""
    found = []
    for element in tags(root, "rect"):
        left, top = number(element, "x"), number(element, "y")
        found.append((left, top, left + number(element, "width"), top + number(element, "height")))
    return found


def pixels(root) -> list[list[int]]:
    """Decode the first picture in a group: positions in its palette, rows from the top."""
    address = tags(root, "image")[0].get("href")
    chunks, found = base64.b64decode(address.split(",")[1])[8:], {}
    while chunks:
        (length,) = struct.unpack(">I", chunks[:4])
        found[chunks[4:8]] = chunks[8 : 8 + length]
        chunks = chunks[12 + length :]
    wide, _ = struct.unpack(">II", found[b"IHDR"][:8])
    flat = zlib.decompress(found[b"IDAT"])
    return [list(flat[start + 1 : start + 1 + wide]) for start in range(0, len(flat), wide + 1)]


WITH_AXES = [(kind, "rich") for kind in ("curve", "surface", "slices", "scatter", "histogram")]


@pytest.mark.parametrize(("kind", "place"), WITH_AXES)
def test_axes_run_in_the_same_direction_over_the_same_range(kind, place):
    both = twins(kind, place)
    for axis, shown, to_pixels, rising in (
        ("x-axis", both.plot.x_range, both.x, True),
        ("y-axis", both.plot.y_range, both.y, False),
    ):
        low, high = named(both.plot, axis).bounds
        assert shown.start <= low < high <= shown.end
        assert (to_pixels(high) > to_pixels(low)) is rising
    assert named(both.plot, "x-axis").bounds == (both.data.x.low, both.data.x.high)


@pytest.mark.parametrize("kind", ["levels", "shares", "totals", "waterfall", "force"])
def test_lists_are_read_from_the_top_in_both_and_values_grow_to_the_right(kind):
    both = twins(kind)
    assert both.plot.y_range.start > both.plot.y_range.end
    assert both.plot.x_range.start < both.plot.x_range.end
    assert both.x(1.0) > both.x(0.0)


def test_curves_have_the_same_line_and_band():
    both = twins("curve")
    drawn = points(part(both.svg, "component"))
    assert near([x for x, _ in drawn], list(map(both.x, both.live("curve", "x"))))
    assert near([y for _, y in drawn], list(map(both.y, both.live("curve", "y"))))
    outline = points(part(both.svg, "band"))
    upper, lower = both.live("curve", "upper"), both.live("curve", "lower")
    assert near([y for _, y in outline], list(map(both.y, [*upper, *reversed(lower)])))


def test_curves_have_the_same_rows_below_them():
    both = twins("curve")
    drawn = boxes(part(both.svg, "density"))
    assert near([box[0] for box in drawn], list(map(both.x, both.live("density", "left"))))
    assert near([box[2] for box in drawn], list(map(both.x, both.live("density", "right"))))
    # The strip is the same share of the frame in both: its bars are as high in pixels.
    high = [box[3] - box[1] for box in drawn]
    whole = both.y(both.plot.y_range.start) - both.y(both.plot.y_range.end)
    strip = whole / both.plot.extra_y_ranges["strip"].end
    assert near(high, [strip * top for top in both.live("density", "top")])
    assert len(subpaths(part(both.svg, "rug").get("d"))) == len(both.live("rug", "x"))


def test_curves_have_the_same_other_explanations_missing_value_and_row():
    both = twins("curve")
    drawn = parts(part(both.svg, "lines"), "overlay")
    lines = [(xs, ys) for name in OVERLAYS for xs, ys in zip(both.live(name, "xs"), both.live(name, "ys"), strict=True)]
    assert [path.get("stroke") for path in drawn] == [paint(name) for name in OVERLAYS if both.live(name, "xs")]
    for path, (xs, ys) in zip(drawn, lines, strict=True):
        assert near([x for x, _ in points(path)], list(map(both.x, xs)))
        assert near([y for _, y in points(path)], list(map(both.y, ys)))
    circles = [*tags(part(both.svg, "missing"), "circle"), *tags(part(both.svg, "marked"), "circle")]
    assert near([number(circle, "cy") for circle in circles], list(map(both.y, both.live("dots", "y"))))
    assert number(circles[1], "cx") == pytest.approx(both.x(both.live("dots", "x")[1]), abs=CLOSE)


def test_among_other_explanations_our_own_curve_has_the_colour_of_text_in_both():
    both = twins("curve")
    assert part(both.svg, "component").get("stroke") == paint("fg")
    assert both.live("among", "x") == both.live("curve", "x")
    alone = Twins(replace(SAMPLES["curve"].rich, data=replace(both.data, overlays=())))
    assert part(alone.svg, "component").get("stroke") == paint("accent")
    assert alone.live("among", "x") == []


def test_a_curve_over_time_reaches_from_end_to_end_in_both():
    both = twins("curve", "edge")
    window = tags(tags(both.svg, "clipPath")[0], "rect")[0]
    ends = number(window, "x"), number(window, "x") + number(window, "width")
    assert near([x for x, _ in points(part(both.svg, "component"))], list(ends))
    assert both.live("curve", "x") == [both.plot.x_range.start, both.plot.x_range.end]


@pytest.mark.parametrize("place", ["rich", "edge"])
def test_levels_have_the_same_bars_and_whiskers(place):
    both = twins("levels", place)
    drawn = rectangles(part(both.svg, "bars"))
    assert near([box[0] for box in drawn], list(map(both.x, both.live("bars", "left"))))
    # A bar of nothing is still a line in the static twin.
    assert [box[2] for box in drawn] == pytest.approx(list(map(both.x, both.live("bars", "right"))), abs=1.3)
    rows = [(box[1] + box[3]) / 2 for box in drawn]
    assert rows == sorted(rows)
    assert both.live("bars", "top") == sorted(both.live("bars", "top"))
    groups = parts(both.svg, "whiskers")
    whiskers = subpaths(tags(groups[0], "path")[0].get("d")) if groups else []
    assert near([piece[0][0] for piece in whiskers], list(map(both.x, both.live("rules", "x0")[1:])))


@pytest.mark.parametrize("place", ["rich", "edge"])
def test_surfaces_have_the_same_colours_in_the_same_places(place):
    both = twins("surface", place)
    picture = both.live("cells", "image")[0]
    limit = both.data.limit
    # BokehJS gives each of the colours an equal part of the scale.
    live = [[min(int((value + limit) / (2 * limit) * N_COLOURS), N_COLOURS - 1) for value in row] for row in picture]
    static = list(reversed(pixels(part(both.svg, "cells"))))  # a PNG begins at the top
    assert [len(row) for row in static] == [len(row) for row in live]
    apart = [
        abs(one - two) for row, other in zip(static, live, strict=True) for one, two in zip(row, other, strict=True)
    ]
    assert max(apart) <= 1


def test_surfaces_have_the_same_hatching_and_row():
    both = twins("surface")
    static = sum(
        (right - left) * (bottom - top) for left, top, right, bottom in boxes(tags(part(both.svg, "thin"), "path")[0])
    )
    edges = zip(*(both.live("thin", name) for name in ("left", "right", "bottom", "top")), strict=True)
    live = sum((both.x(r) - both.x(l)) * (both.y(b) - both.y(t)) for l, r, b, t in edges)  # noqa: E741 four sides
    assert live == pytest.approx(static, rel=0.03)
    (cross, _) = [subpaths(path.get("d"))[0] for path in tags(part(both.svg, "marked"), "path")]
    middle = [(cross[0][0] + cross[1][0]) / 2, (cross[0][1] + cross[1][1]) / 2]
    assert near(middle, [both.x(both.live("marked", "x")[0]), both.y(both.live("marked", "y")[0])])


def test_slices_have_the_same_lines_in_the_same_colours():
    both = twins("slices")
    drawn = parts(both.svg, "slice")
    assert len(drawn) == len(both.live("lines", "xs"))
    for path, xs, ys in zip(drawn, both.live("lines", "xs"), both.live("lines", "ys"), strict=True):
        assert near([x for x, _ in points(path)], list(map(both.x, xs)))
        assert near([y for _, y in points(path)], list(map(both.y, ys)))
    assert [path.get("stroke") for path in drawn] == [paint(colour) for colour in both.live("lines", "colour")]


@pytest.mark.parametrize(
    ("kind", "place"), [("shares", "rich"), ("shares", "edge"), ("totals", "rich"), ("totals", "edge")]
)
def test_shares_have_the_same_bars(kind, place):
    both = twins(kind, place)
    for group, source in (("bars", "bars"), ("others", "others"), ("correlative", "correlative")):
        if parts(both.svg, group):
            drawn = rectangles(part(both.svg, group))
            assert near([box[0] for box in drawn], list(map(both.x, both.live(source, "left"))))
            assert near([box[2] for box in drawn], list(map(both.x, both.live(source, "right"))))
    if kind == "shares":
        totals = [number(circle, "cx") for circle in tags(part(both.svg, "total"), "circle")]
        assert near(totals, list(map(both.x, both.live("dots", "x"))))


@pytest.mark.parametrize("place", ["rich", "edge"])
def test_networks_have_the_same_nodes_and_edges(place):
    both = twins("network", place)
    circles = tags(part(both.svg, "nodes"), "circle")
    live = list(zip(both.live("nodes", "x"), both.live("nodes", "y"), strict=True))
    assert len(circles) == len(live)
    static = [(number(circle, "cx"), number(circle, "cy")) for circle in circles]
    wide, high = number(both.svg, "width"), number(both.svg, "height")
    x_range, y_range = both.plot.x_range, both.plot.y_range
    top = both.plot.min_border_top
    for (cx, cy), (x, y) in zip(static, live, strict=True):
        assert cx == pytest.approx((x - x_range.start) / (x_range.end - x_range.start) * wide, abs=CLOSE)
        assert cy == pytest.approx(top + (y_range.end - y) / (y_range.end - y_range.start) * (high - top), abs=CLOSE)
    assert near([2 * number(circle, "r") for circle in circles], both.live("nodes", "size"))
    lines = tags(part(both.svg, "edges"), "line")
    assert near([float(line.get("stroke-width")) for line in lines], both.live("edges", "width"))


@pytest.mark.parametrize("place", ["rich", "edge"])
def test_waterfalls_have_the_same_bars(place):
    both = twins("waterfall", place)
    drawn = [rectangles(step)[0] for step in parts(both.svg, "step")]
    # A step of nothing is one pixel wide in the static twin.
    assert [box[0] for box in drawn] == pytest.approx(list(map(both.x, both.live("bars", "left"))), abs=1.3)
    assert [box[2] for box in drawn] == pytest.approx(list(map(both.x, both.live("bars", "right"))), abs=1.3)
    assert [box[1] for box in drawn] == sorted(box[1] for box in drawn)


@pytest.mark.parametrize("place", ["rich", "edge"])
def test_forces_have_the_same_pushes_mean_and_answer(place):
    both = twins("force", place)
    drawn = rectangles(part(both.svg, "pushes"))
    assert near([box[0] for box in drawn], list(map(both.x, both.live("pushes", "left"))))
    assert near([box[2] for box in drawn], list(map(both.x, both.live("pushes", "right"))))
    assert near([box[1] for box in drawn], both.live("pushes", "top"))
    ends = [number(parts(both.svg, name)[0], "x1") for name in ("mean", "answer")]
    assert near(ends, list(map(both.x, both.live("rules", "x0"))))


@pytest.mark.parametrize("place", ["rich", "edge"])
def test_scatters_have_the_same_points(place):
    both = twins("scatter", place)
    dots = set(points(part(both.svg, "points")))  # a single dot is a line to itself
    live = [(both.x(x), both.y(y)) for x, y in zip(both.live("points", "x"), both.live("points", "y"), strict=True)]
    assert len(dots) == len(live)
    for x, y in dots:
        assert any(abs(x - u) < CLOSE and abs(y - v) < CLOSE for u, v in live)
    marked = [number(circle, "cy") for circle in parts(both.svg, "marked")]
    assert near(marked, list(map(both.y, both.live("marked", "y"))))


@pytest.mark.parametrize("place", ["rich", "edge"])
def test_regions_have_the_same_cells_in_the_same_colours(place):
    both = twins("regions", place)
    static = pixels(part(both.svg, "cells"))
    cells = zip(*(both.live("cells", name) for name in ("left", "top", "gap")), strict=True)
    live = {(round(top + 0.5), round(left + 0.5)): gap for left, top, gap in cells}
    for (row, col), gap in live.items():
        if gap >= 0:
            assert abs(static[row][col] - heat.index(gap, both.data.limit)) <= 1
    nowhere = max(max(row) for row in static)
    drawn = {(row, col) for row, line in enumerate(static) for col, index in enumerate(line) if index < heat.COLOURS}
    assert drawn == {place for place, gap in live.items() if gap >= 0}
    assert nowhere >= heat.COLOURS


@pytest.mark.parametrize("place", ["rich", "edge"])
def test_matrices_have_the_same_cells_in_the_same_colours_and_rings(place):
    both = twins("matrix", place)
    static = pixels(part(both.svg, "cells"))
    cells = zip(*(both.live("cells", name) for name in ("left", "top", "cosine")), strict=True)
    for left, top, cosine in cells:
        index = static[round(top + 0.5)][round(left + 0.5)]
        if cosine < 0:
            assert index == heat.COLOURS
        else:
            assert abs(index - heat.index(cosine, both.data.limit)) <= 1
    assert sum(index <= heat.COLOURS for row in static for index in row) == len(both.live("cells", "left"))
    rings = rectangles(part(both.svg, "beyond"))
    assert len(rings) == len(both.live("rings", "left"))


def test_histograms_have_the_same_bars():
    both = twins("histogram")
    drawn = boxes(part(both.svg, "bars"))
    shown = [position for position, count in enumerate(both.data.count) if count]
    assert len(drawn) == len(shown)
    left, top = both.live("bars", "left"), both.live("bars", "top")
    assert [box[0] for box in drawn] == pytest.approx([both.x(left[position]) for position in shown], abs=1.3)
    assert [box[1] for box in drawn] == pytest.approx([both.y(top[position]) for position in shown], abs=1.3)
