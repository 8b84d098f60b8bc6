"""The numbers behind a figure as columns, for data frames and CSV files."""

import csv
import io
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from anova_report.figures import kinds
from anova_report.figures.figure import Figure

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
