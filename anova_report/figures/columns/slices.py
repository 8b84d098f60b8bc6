"""Pairs as lines: along one feature, for some values of the other."""

from collections.abc import Sequence

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.figures.columns.axes import along, effect_label, quantiles, rounded, value_axis, value_text
from anova_report.figures.columns.pairs import side_text
from anova_report.figures.columns.planes import Side, side
from anova_report.figures.columns.rows import Rows, term_of_order
from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import Line, Slices
from anova_report.measures.wording import signed

SLICE_LEVELS = np.array([0.1, 0.5, 0.9])
TABLE_POINTS = 9


def pair_slices(rows: Rows, term: object, output: str | int = 0, *, key: str | None = None) -> Figure:
    """Draw a pair along its first feature, or that of the two which has numbers, for some values of the other.

    These are the 10%, 50% and 90% quantiles, or the three most frequent levels.
    """
    found, chosen = term_of_order(rows.dec, term, 2), rows.dec.output_index(output)
    sides = {index: side(rows, index) for index in found}
    along, across = sorted(found, key=lambda index: sides[index].scale is not None)
    x, cuts = sides[along], _cuts(sides[across])
    names = _names(rows.dec.features[across], sides[across], cuts)
    mesh = dict(zip((along, across), np.meshgrid(x.at, cuts), strict=True))
    values = rows.component(found, [mesh[index].ravel() for index in found], chosen).reshape(len(cuts), len(x.at))
    data = Slices(
        x.axis,
        value_axis(effect_label(rows.dec, chosen), values.ravel(), origin=True),
        _lines(x, names, values),
    )
    feature, label = rows.dec.features[along], rows.dec.label(found)
    courses = (_course(feature, x, name, line) for name, line in zip(names, values, strict=True))
    alt = f"The pair {label} along {feature.name}: {'; '.join(courses)}."
    title = f"Pair {label} along {feature.name}"
    return Figure(key or f"o{chosen}-slices-{found[0]}-{found[1]}", title, alt, data, _table(feature, x, names, values))


def _cuts(across: Side) -> Floats:
    """Values of the other feature at which the pair is cut."""
    if across.scale is None:
        return np.unique(quantiles(across.column[~np.isnan(across.column)], SLICE_LEVELS))
    frequent = np.argsort(-across.scale.count, kind="stable")[: len(SLICE_LEVELS)]
    return across.scale.codes[np.sort(frequent)]


def _names(feature: Feature, across: Side, cuts: Floats) -> list[str]:
    if across.scale is not None:
        return [f"{feature.name} = {across.scale.names[at]}" for at in across.scale.positions(cuts)]
    span = across.axis.high - across.axis.low
    return [f"{feature.name} = {value_text(feature, cut, span)}" for cut in cuts.tolist()]


def _lines(x: Side, names: Sequence[str], values: Floats) -> tuple[Line, ...]:
    at = along(x.axis, x.at) if x.scale is None else tuple(map(float, range(len(x.at))))
    size = float(np.abs(values).max())
    return tuple(Line(name, at, rounded(line, size)) for name, line in zip(names, values, strict=True))


def _course(feature: Feature, x: Side, name: str, line: Floats) -> str:
    first, last = (side_text(feature, x, at) for at in (0, len(line) - 1))
    return f"where {name}, from {signed(float(line[0]))} at {first} to {signed(float(line[-1]))} at {last}"


def _table(feature: Feature, x: Side, names: Sequence[str], values: Floats) -> Table:
    chosen = np.unique(np.linspace(0, len(x.at) - 1, TABLE_POINTS).round().astype(int)).tolist()
    rows = ((side_text(feature, x, at), *(signed(value) for value in values[:, at].tolist())) for at in chosen)
    return Table((feature.name, *names), tuple(rows))
