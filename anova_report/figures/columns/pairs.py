"""Pairs: a surface over the plane of two features."""

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.core.terms import Term
from anova_report.figures.columns.axes import effect_label, rounded, value_text
from anova_report.figures.columns.planes import Side, side, thin
from anova_report.figures.columns.rows import Rows, term_of_order
from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import Surface
from anova_report.measures.wording import percent, signed

LIMIT_QUANTILE = 0.99  # colours reach their end here: a single cell must not pale all others
TABLE_CELLS = 7


def pair_surface(
    rows: Rows, term: object, output: str | int = 0, *, key: str | None = None, row: int | None = None
) -> Figure:
    """Draw a pair over the plane of its features, the first along x.

    Parameters
    ----------
    rows : Rows
    term : Term or pair of names
    output : str or int
    key : str, optional
    row : int, optional
        Position of a row that is marked.
    """
    found, chosen = term_of_order(rows.dec, term, 2), rows.dec.output_index(output)
    x, y = (side(rows, index) for index in found)
    value = surface_values(rows, found, x, y, chosen)
    few = thin(x, y)
    limit = _limit(value, few)
    data = Surface(
        x.axis,
        y.axis,
        value=tuple(rounded(line, limit) for line in value),
        thin=tuple(tuple(line) for line in few.tolist()),
        limit=rounded(np.array([limit]))[0],
        label=effect_label(rows.dec, chosen),
        marked=_marked(rows, found, x, y, row),
    )
    first, second = (rows.dec.features[index] for index in found)
    label = rows.dec.label(found)
    words = _alt(label, (first, second), (x, y), value, few)
    table = _table((first, second), (x, y), value, few)
    return Figure(key or f"o{chosen}-pair-{found[0]}-{found[1]}", f"Pair {label}", words, data, table)


def surface_values(rows: Rows, term: Term, x: Side, y: Side, output: int) -> Floats:
    """Evaluate a pair in the middle of every cell, shape (n_cells of y, n_cells of x)."""
    across, along = np.meshgrid(x.at, y.at)
    return rows.component(term, [across.ravel(), along.ravel()], output).reshape(across.shape)


def side_text(feature: Feature, side: Side, position: int) -> str:
    """Write the value in the middle of a cell."""
    span = 0.0 if side.scale is not None else side.axis.high - side.axis.low
    return side.axis.levels[position] if side.scale else value_text(feature, float(side.at[position]), span)


def _limit(value: Floats, few: NDArray[np.bool_]) -> float:
    size = np.abs(value if few.all() else value[~few])
    return float(np.quantile(size, LIMIT_QUANTILE)) or float(np.abs(value).max()) or 1.0


def _marked(rows: Rows, term: Term, x: Side, y: Side, row: int | None) -> tuple[float, float] | None:
    if row is None:
        return None
    places = [_place(side, float(rows.values[rows.position(row), at])) for side, at in zip((x, y), term, strict=True)]
    return None if None in places else (places[0], places[1])  # type: ignore[return-value]  # None is excluded


def _place(side: Side, value: float) -> float | None:
    if side.scale is None:
        return None if np.isnan(value) else rounded(np.array([value]), side.axis.high - side.axis.low)[0]
    position = int(side.scale.positions(np.array([value]))[0])
    return None if position < 0 else float(position)


def _alt(
    label: str, features: tuple[Feature, Feature], sides: tuple[Side, Side], value: Floats, few: NDArray[np.bool_]
) -> str:
    seen = np.where(few & ~few.all(), np.nan, value)

    def there(cell: int) -> str:
        second, first = np.unravel_index(cell, value.shape)
        where = (
            f"{feature.name} = {side_text(feature, side, int(position))}"
            for feature, side, position in zip(features, sides, (first, second), strict=True)
        )
        return f"{signed(float(value[second, first]))} at {', '.join(where)}"

    if not np.nanmax(seen) - np.nanmin(seen):
        return f"The pair {label} adds {signed(float(np.nanmax(seen)))} everywhere."
    extremes = f"most, {there(int(np.nanargmax(seen)))}, and least, {there(int(np.nanargmin(seen)))}"
    empty = f"; hardly a row lies in {percent(float(few.mean()))} of the plane" if few.any() else ""
    return f"The pair {label} adds {extremes}{empty}."


def _table(features: tuple[Feature, Feature], sides: tuple[Side, Side], value: Floats, few: NDArray[np.bool_]) -> Table:
    """Write about seven cells along each side; where hardly a row lies, in brackets."""
    across, along = (np.unique(np.linspace(0, len(side.at) - 1, TABLE_CELLS).round().astype(int)) for side in sides)
    (first, second), (x, y) = features, sides
    head = (f"{second.name} ↓ {first.name} →", *(side_text(first, x, int(at)) for at in across))

    def cell(row: int, column: int) -> str:
        text = signed(float(value[row, column]))
        return f"({text})" if few[row, column] else text

    lines = ((side_text(second, y, int(row)), *(cell(int(row), int(at)) for at in across)) for row in along)
    return Table(head, tuple(lines))
