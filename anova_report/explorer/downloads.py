"""Taking things along: numbers behind figures as CSV, pictures as one SVG, links that hold files, the present audit."""

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element, SubElement, fromstring, register_namespace, tostring

from anova_report.explorer import stills
from anova_report.explorer.fragments import Link
from anova_report.explorer.pointing import Groups
from anova_report.explorer.stills import SPACE
from anova_report.figures import kinds
from anova_report.figures.figure import Figure
from anova_report.figures.style import FONT, paint
from anova_report.figures.svg.text import clean
from anova_report.report.audit.audit import Audit

Columns: TypeAlias = dict[str, list[Any]]


def columns(figure: Figure) -> Columns:
    """Return the numbers of a figure as columns of equal length; of rarer kinds, what its table says."""
    read = _READERS.get(type(figure.data))
    if read is not None:
        return read(figure.data)
    cells = list(zip(*figure.table.rows, strict=True))
    return {name: list(column) for name, column in zip(figure.table.head, cells, strict=False)}


def csv_document(found: Columns) -> str:
    """Write columns as CSV."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(found)
    writer.writerows(zip(*found.values(), strict=True))
    return written.getvalue()


def _curve(data: kinds.Curve) -> Columns:
    return {data.x.label: list(data.at), "effect": list(data.value)} | _bounds(data)


def _levels(data: kinds.Levels) -> Columns:
    found: Columns = {data.x.label: list(data.x.levels), "effect": list(data.value)}
    return found | _bounds(data) | {"share of rows": list(data.share)}


def _surface(data: kinds.Surface) -> Columns:
    x, y = (_middles(axis, n) for axis, n in ((data.x, len(data.value[0])), (data.y, len(data.value))))
    cells = [(i, j) for j in range(len(y)) for i in range(len(x))]
    return {
        data.x.label: [x[i] for i, _ in cells],
        data.y.label: [y[j] for _, j in cells],
        "effect": [data.value[j][i] for i, j in cells],
        "thin": [data.thin[j][i] for i, j in cells],
    }


def _slices(data: kinds.Slices) -> Columns:
    points = [(line.name, at, value) for line in data.lines for at, value in zip(line.at, line.value, strict=True)]
    where = [data.x.levels[round(at)] if data.x.levels else at for _, at, _ in points]
    return {"line": [name for name, _, _ in points], data.x.label: where, "effect": [value for _, _, value in points]}


def _shares(data: kinds.Shares) -> Columns:
    parts = {name: list(getattr(data, name)) for name in ("structural", "correlative", "total")}
    return {"term": list(data.labels)} | parts | _bounds(data)


def _network(data: kinds.Network) -> Columns:
    ends = [(data.nodes[edge.first].label, data.nodes[edge.second].label) for edge in data.edges]
    return {
        "first": [node.label for node in data.nodes] + [first for first, _ in ends],
        "second": [""] * len(data.nodes) + [second for _, second in ends],
        data.label: [node.value for node in data.nodes] + [edge.value for edge in data.edges],
    }


def _steps(data: kinds.Waterfall) -> Columns:
    steps = [(step.label, step.detail, step.value) for step in data.steps]
    ends = [("gap", "", data.remainder), ("answer", "", data.answer)]
    return _columns(("term", "values", "contribution"), [("mean", "", data.base), *steps, *ends])


def _scatter(data: kinds.Scatter) -> Columns:
    return {"row": list(data.rows), data.x.label: list(data.at), data.y.label: list(data.value)}


def _matrix(data: kinds.Matrix) -> Columns:
    cells = [(cell.label, cell.value, cell.floor, cell.share, cell.status) for cell in data.cells]
    return _columns(("term | part", "cosine", "noise floor", "share", "status"), cells)


def _regions(data: kinds.Regions) -> Columns:
    found = [
        (feature, *region)
        for feature, *parts in zip(data.features, data.bins, data.count, data.gap, strict=True)
        for region in zip(*parts, strict=True)
    ]
    return _columns(("feature", "region", "rows", "gap"), found)


_READERS: Mapping[type, Callable[[Any], Columns]] = {
    kinds.Curve: _curve,
    kinds.Levels: _levels,
    kinds.Surface: _surface,
    kinds.Slices: _slices,
    kinds.Shares: _shares,
    kinds.Network: _network,
    kinds.Waterfall: _steps,
    kinds.Force: _steps,
    kinds.Scatter: _scatter,
    kinds.Matrix: _matrix,
    kinds.Regions: _regions,
}


def _columns(names: tuple[str, ...], lines: list[tuple[Any, ...]]) -> Columns:
    return {name: [line[at] for line in lines] for at, name in enumerate(names)}


def _bounds(data: kinds.Curve | kinds.Levels | kinds.Shares) -> Columns:
    return {name: list(bound) for name, bound in (("lower", data.lower), ("upper", data.upper)) if bound}


def _middles(axis: kinds.Axis, n_cells: int) -> list[Any]:
    step = (axis.high - axis.low) / n_cells
    return list(axis.levels) or [axis.low + step * (cell + 0.5) for cell in range(n_cells)]


TITLE, GAP, EDGE = 22, 18, 12  # pixels for a title, between pictures, around all


def svg_document(figures: Mapping[str, Figure], groups: Groups | None = None) -> str:
    """Draw pictures one below the other, with their titles, as one SVG file."""
    register_namespace("", SPACE)
    root, top, wide = _element("svg"), EDGE, 0
    root.append(_element("rect", width="100%", height="100%", fill=paint("surface")))
    looks = {"font-family": FONT, "font-size": "14", "font-weight": "600", "fill": paint("fg")}
    for figure in figures.values():
        picture = fromstring(stills.draw(figure, groups))  # noqa: S314 drawn by ourselves
        title = SubElement(root, f"{{{SPACE}}}text", {"x": str(EDGE), "y": str(top + 14), **looks})
        title.text = clean(figure.title)
        picture.attrib |= {"x": str(EDGE), "y": str(top + TITLE)}
        root.append(picture)
        top += TITLE + int(picture.get("height", "0")) + GAP
        wide = max(wide, int(picture.get("width", "0")) + 2 * EDGE)
    root.attrib |= {"width": str(wide), "height": str(top), "viewBox": f"0 0 {wide} {top}"}
    return tostring(root, encoding="unicode")


def file_links(tab: str, figures: Mapping[str, Figure], groups: Groups | None = None) -> list[Link]:
    """Make links to the pictures of a tab, and to the numbers behind each."""
    tables = [
        Link(f"{name.replace(' ', '-')}.csv", _csv_address(figure), f"{figure.title} (CSV)")
        for name, figure in figures.items()
    ]
    whole = Link(
        f"{tab}.svg", stills.data_uri("image/svg+xml", svg_document(figures, groups)), "All pictures here (SVG)"
    )
    return [whole, *tables] if figures else []


def of_output(audit: Audit, output: int) -> Audit:
    """Keep one output of an audit, and the figures that belong to it."""
    others = tuple(f"o{position}-" for position in range(len(audit.outputs)) if position != output)
    kept = {key: figure for key, figure in audit.figures.items() if not key.startswith(others)}
    plots = {key: plot for key, plot in audit.plots.items() if key in kept}
    return replace(audit, outputs=(audit.outputs[output],), figures=kept, plots=plots)


def _csv_address(figure: Figure) -> str:
    return stills.data_uri("text/csv", csv_document(columns(figure)))


def _element(tag: str, **attributes: str) -> Element:
    return Element(f"{{{SPACE}}}{tag}", attributes)
