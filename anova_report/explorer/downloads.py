"""Files of what is shown: numbers behind figures as columns and CSV, pictures as one SVG, the audit of one output."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import compress
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element, SubElement, fromstring, register_namespace, tostring

from anova_report.explorer.fragments import SPACE, FileLink, data_uri, draw
from anova_report.figures.cases import Force, Waterfall
from anova_report.figures.curves import Curve
from anova_report.figures.figure import Figure
from anova_report.figures.gaps import is_kept
from anova_report.figures.geometry import Axis
from anova_report.figures.levels import Levels
from anova_report.figures.networks import Network
from anova_report.figures.pairs import Surface
from anova_report.figures.row_effects import RowEffects
from anova_report.figures.shares import Shares
from anova_report.figures.slices import Slices
from anova_report.figures.spread import Scatter
from anova_report.figures.style import FONT, paint
from anova_report.figures.swarms import Swarm
from anova_report.figures.text import clean
from anova_report.figures.trust import Matrix, Regions
from anova_report.io.sinks import csv_cell
from anova_report.measures.wording import exponential
from anova_report.report.audit.audit import Audit

Columns: TypeAlias = dict[str, list[Any]]
Named: TypeAlias = list[tuple[str, Iterable[Any]]]  # columns with their names, which need not be unique

INDICES = "indices"  # of a term's features: labels of different terms may be equal
TITLE, GAP, EDGE = 22, 18, 12  # pixels for a title, between pictures, around all


def columns(figure: Figure) -> Columns:
    """Return the numbers of a figure as columns of equal length; of rarer kinds, those of its table.

    Features are called as readers see them, with their units. A name of our own that one of them has already gets a
    number: the effect of a feature called "effect" is the column "effect (2)". Effects on a logarithm are the factors
    that they stand for, and predictions what they are the logarithms of.
    """
    data = figure.data
    read, features = _READERS.get(type(data), (None, (0,)))
    if read is None:
        cells = list(zip(*figure.table.rows, strict=True)) or [()] * len(figure.table.head)
        found: Named = list(zip(figure.table.head, cells, strict=True))
    else:
        found = read(data)
    names: dict[int, str] = {}
    for position in sorted(range(len(found)), key=lambda at: at not in features):  # the user's own names first
        name, count = found[position][0], 2
        while name in names.values():
            name, count = f"{found[position][0]} ({count})", count + 1
        names[position] = name
    return {names[position]: list(values) for position, (_, values) in enumerate(found)}


def csv_document(found: Columns) -> str:
    """Write columns as CSV."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(map(csv_cell, found))
    writer.writerows(map(csv_cell, row) for row in zip(*found.values(), strict=True))
    return written.getvalue()


def _main_effect(data: Curve | Levels) -> Named:
    if isinstance(data, Levels):
        return [(data.x.label, data.x.levels), *_effects(data), ("share of rows", data.share)]
    every: Named = [(data.x.label, data.at), *_effects(data)]
    drawn = [is_kept(at, data.x, data.gaps) for at in data.at]
    return [(name, list(compress(column, drawn))) for name, column in every]


def _effects(data: Curve | Levels) -> Named:
    bounds = _bounds(data)
    if not data.y.log:
        return [("effect", data.value), *bounds]
    return [(name, list(map(exponential, values))) for name, values in (("factor", data.value), *bounds)]


def _surface(data: Surface) -> Named:
    values = [exponential(value) if data.factors else value for line in data.value for value in line]
    thin = [is_thin for line in data.thin for is_thin in line]
    x, y = (_middles(axis, count) for axis, count in ((data.x, len(data.value[0])), (data.y, len(data.value))))
    return [
        (data.x.label, x * len(y)),
        (data.y.label, [at for at in y for _ in x]),
        (
            "factor" if data.factors else "effect",
            [None if is_thin else value for value, is_thin in zip(values, thin, strict=True)],
        ),
        ("thin", thin),
    ]


def _slices(data: Slices) -> Named:
    points = [
        (
            f"{data.by} {line.name}".strip(),
            data.x.levels[round(at)] if data.x.levels else at,
            exponential(value) if data.y.log else value,
        )
        for line in data.lines
        for at, value in zip(line.at, line.value, strict=True)
        if is_kept(at, data.x, line.gaps)
    ]
    return _named(("line", data.x.label, "factor" if data.y.log else "effect"), points)


def _shares(data: Shares) -> Named:
    parts = [(name, getattr(data, name)) for name in ("structural", "correlative", "total")]
    return [("term", data.labels), *parts, *_bounds(data), (INDICES, data.terms)]


def _network(data: Network) -> Named:
    def shown(value: float) -> float:
        return exponential(value) if data.factors else value

    nodes = [(node.label, "", shown(node.value)) for node in data.nodes]
    edges = [(data.nodes[edge.first].label, data.nodes[edge.second].label, shown(edge.value)) for edge in data.edges]
    return _named(("first", "second", data.label), nodes + edges)


def _steps(data: Waterfall) -> Named:
    steps = [(step.label, step.detail, step.value, step.term) for step in data.steps]
    ends = [("residual", "", data.remainder, ()), ("prediction", "", data.prediction, ())]
    first, last = ("base rate", "factor") if data.axis.log else ("mean", "contribution")
    lines = [(first, "", data.base, ()), *steps, *ends]
    if data.axis.log:
        lines = [(label, detail, exponential(value), term) for label, detail, value, term in lines]
    return _named(("term", "values", last, INDICES), lines)


def _scatter(data: Scatter) -> Named:
    groups = [(data.grouped_by, [data.group_names[group] for group in data.group])] if data.group else []
    at, value = (
        [exponential(each) for each in held] if axis.log else held
        for axis, held in ((data.x, data.at), (data.y, data.value))
    )
    return [("row", data.rows), (data.x.label, at), (data.y.label, value), *groups]


def _swarm(data: Swarm) -> Named:
    lines = [
        (row, label, exponential(value) if data.x.log else value)
        for label, values in zip(data.labels, data.value, strict=True)
        for row, value in zip(data.rows, values, strict=True)
    ]
    return _named(("row", "of", "factor" if data.x.log else "contribution"), lines)


def _row_effects(data: RowEffects) -> Named:
    places: Iterable[float | str] = [data.x.levels[round(at)] for at in data.at] if data.x.levels else data.at
    at = [None if absent else place for absent, place in zip(data.absent, places, strict=True)]
    value = [exponential(each) for each in data.value] if data.y.log else data.value
    return [("row", data.rows), (data.x.label, at), ("factor" if data.y.log else "contribution", value)]


def _matrix(data: Matrix) -> Named:
    cells = [(cell.label, cell.value, cell.floor, cell.share, cell.status, cell.term) for cell in data.cells]
    return _named(("term | part", "cosine", "noise floor", "share", "status", INDICES), cells)


def _regions(data: Regions) -> Named:
    found = [
        (feature, *region)
        for feature, *parts in zip(data.features, data.bins, data.count, data.gap, strict=True)
        for region in zip(*parts, strict=True)
    ]
    return _named(("feature", "region", "rows", "residual"), found)


# How to read each kind, and which of its columns have the names of features.
_READERS: Mapping[type, tuple[Callable[[Any], Named] | None, tuple[int, ...]]] = {
    Curve: (_main_effect, (0,)),
    Levels: (_main_effect, (0,)),
    Surface: (_surface, (0, 1)),
    Slices: (_slices, (1,)),
    Shares: (_shares, ()),
    Network: (_network, ()),
    Waterfall: (_steps, ()),
    Force: (_steps, ()),
    Scatter: (_scatter, (3,)),
    Swarm: (_swarm, ()),
    RowEffects: (_row_effects, (1,)),
    Matrix: (_matrix, ()),
    Regions: (_regions, ()),
}


def _named(names: tuple[str, ...], lines: list[tuple[Any, ...]]) -> Named:
    return [(name, [line[at] for line in lines]) for at, name in enumerate(names)]


def _bounds(data: Curve | Levels | Shares) -> Named:
    return [(name, bound) for name, bound in (("lower", data.lower), ("upper", data.upper)) if bound]


def _middles(axis: Axis, n_cells: int) -> list[Any]:
    step = (axis.high - axis.low) / n_cells
    return list(axis.levels) or [axis.low + step * (cell + 0.5) for cell in range(n_cells)]


def svg_document(figures: Mapping[str, Figure]) -> str:
    """Draw pictures one below the other, with their titles, as one SVG file."""
    register_namespace("", SPACE)
    root, top, wide = Element(f"{{{SPACE}}}svg"), EDGE, 0
    SubElement(root, f"{{{SPACE}}}rect", {"width": "100%", "height": "100%", "fill": paint("surface")})
    looks = {"font-family": FONT, "font-size": "14", "font-weight": "600", "fill": paint("fg")}
    for figure in figures.values():
        title = SubElement(root, f"{{{SPACE}}}text", {"x": str(EDGE), "y": str(top + 14), **looks})
        title.text = clean(figure.title)
        picture = fromstring(draw(figure))  # noqa: S314 drawn by ourselves
        picture.attrib |= {"x": str(EDGE), "y": str(top + TITLE)}
        root.append(picture)
        across, down = (round(pixels) for pixels in figure.scene.size)
        top, wide = top + TITLE + down + GAP, max(wide, across + 2 * EDGE)
    root.attrib |= {"width": str(wide), "height": str(top), "viewBox": f"0 0 {wide} {top}"}
    return tostring(root, encoding="unicode")


def file_links(tab: str, figures: Mapping[str, Figure], kind: str) -> list[FileLink]:
    """Make links to the pictures of a tab as one file, "svg" or "png", or to the numbers behind each, "csv"."""
    if not figures:
        return []
    if kind == "csv":
        numbers = {name: data_uri("text/csv", csv_document(columns(figure))) for name, figure in figures.items()}
        return [FileLink(f"{name.replace(' ', '-')}.csv", numbers[name], figures[name].title) for name in figures]
    picture = data_uri("image/svg+xml", svg_document(figures))
    return [FileLink(f"{tab}.{kind}", picture, f"All pictures here ({kind.upper()})")]


def of_output(audit: Audit, output: int) -> Audit:
    """Keep one output of an audit, and the figures that belong to it."""
    others = tuple(f"o{position}-" for position in range(len(audit.outputs)) if position != output)
    kept = {key: figure for key, figure in audit.figures.items() if not key.startswith(others)}
    return replace(audit, outputs=(audit.outputs[output],), figures=kept)
