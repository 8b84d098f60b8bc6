"""Main effects along numbers, with band, density, rug and the effect of a missing value."""

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.figures.columns.axes import along, number_axis, quantiles, rounded, shown_range, value_text
from anova_report.figures.columns.bands import bounds, effect_axis, effect_columns, effect_head
from anova_report.figures.columns.rows import Effect, Rows
from anova_report.figures.figure import Table
from anova_report.figures.kinds import Atom, Axis, Curve, Numbers
from anova_report.measures.wording import number, percent, signed

TAIL = 0.005  # of the rows at each end is not drawn where it lies far out
THIN_TAIL = 0.01  # of the rows at each end do not support a curve
EVEN_POINTS, RANK_POINTS = 64, 41  # points at equal steps, and at equal steps of the rank: where rows are many
DENSITY_BINS = 30
RUG_ROWS = 120
TABLE_LEVELS = np.r_[0.01, np.linspace(0.1, 0.9, 9), 0.99]
STEADY = 0.8  # a curve rises, or falls, if it hardly ever turns back


def curve(rows: Rows, index: int, output: int, y: Axis | None, row: int | None) -> tuple[Curve, str, Table]:
    """Make the curve of a feature, what is to be seen, and a table of its numbers."""
    column = rows.values[:, index]
    known = column[~np.isnan(column)]
    x = number_axis(rows.dec.features[index], *shown_range(known, TAIL))
    points, at = _points(known, x)
    with_missing = np.r_[points, np.nan] if len(known) < len(column) else points
    everywhere = rows.effect((index,), [with_missing], output)
    effect, atom = everywhere[: len(points)], _atom(everywhere, len(points), 1 - len(known) / len(column))
    edges = np.linspace(x.low, x.high, DENSITY_BINS + 1)
    lower, upper = bounds(effect)
    data = Curve(
        x,
        y or effect_axis(rows.dec, everywhere, output),
        at=at,
        value=rounded(effect.value),
        lower=lower,
        upper=upper,
        density_edges=along(x, edges),
        density_share=rounded(np.histogram(known, edges)[0] / len(column), 1.0),
        rug=_rug(rows, index, x),
        supported=_supported(known, x),
        missing=atom,
        marked=_marked(rows, index, row, x),
    )
    return data, _alt(rows, index, points, effect, atom), _table(rows, index, known, points, everywhere)


def _marked(rows: Rows, index: int, row: int | None, x: Axis) -> float | None:
    value = np.nan if row is None else rows.values[rows.position(row), index]
    return None if np.isnan(value) else rounded(np.array([value]), x.high - x.low)[0]


def _points(known: Floats, x: Axis) -> tuple[Floats, Numbers]:
    """Where the curve is evaluated, and the same as it is drawn."""
    by_rank = quantiles(known, np.r_[TABLE_LEVELS, np.linspace(TAIL, 1 - TAIL, RANK_POINTS)])
    points = np.unique(np.r_[np.linspace(x.low, x.high, EVEN_POINTS), by_rank].clip(x.low, x.high))
    at, first = np.unique(along(x, points), return_index=True)
    return points[first], tuple(at.tolist())


def _atom(effect: Effect, position: int, share: float) -> Atom | None:
    if position == len(effect.value):
        return None
    bounds = [effect.value if bound is None else bound for bound in (effect.lower, effect.upper)]
    value, lower, upper = rounded(np.array([series[position] for series in (effect.value, *bounds)]))
    return Atom(value, lower, upper, rounded(np.array([share]), 1.0)[0])


def _rug(rows: Rows, index: int, x: Axis) -> Numbers:
    column = rows.values[rows.draw(RUG_ROWS), index]
    return along(x, np.sort(column[(column >= x.low) & (column <= x.high)]))


def _supported(known: Floats, x: Axis) -> tuple[float, float]:
    low, high = along(x, quantiles(known, np.array([THIN_TAIL, 1 - THIN_TAIL])))
    return low, high


def _alt(rows: Rows, index: int, points: Floats, effect: Effect, atom: Atom | None) -> str:
    feature, value, span = rows.dec.features[index], effect.value, float(np.ptp(points))

    def there(position: int) -> str:
        return f"{signed(value[position])} at {value_text(feature, float(points[position]), span)}"

    net = value[-1] - value[0]
    if not np.ptp(value):
        course = f"is {signed(value[0])} throughout"
    elif abs(net) >= STEADY * np.abs(np.diff(value)).sum():
        course = f"{'rises' if net > 0 else 'falls'} from {there(0)} to {there(-1)}"
    else:
        course = f"lies between {there(int(value.argmin()))} and {there(int(value.argmax()))}"
    sentence = f"The effect of {feature.name} {course}"
    if effect.upper is not None:
        sentence += f"; half of the curve is known to ± {number(float(np.median(effect.upper - value)))} or better"
    if atom is not None:
        sentence += f"; missing values, {percent(atom.share)} of the rows, have an effect of {signed(atom.value)}"
    return f"{sentence}."


def _table(rows: Rows, index: int, known: Floats, points: Floats, effect: Effect) -> Table:
    at = np.unique(quantiles(known, TABLE_LEVELS).clip(points[0], points[-1]))
    chosen = np.unique(np.abs(points[:, None] - at).argmin(axis=0))
    feature, span = rows.dec.features[index], float(np.ptp(points))
    texts = [value_text(feature, float(points[position]), span) for position in chosen]
    missing = [len(points)] if len(effect.value) > len(points) else []
    texts += [value_text(feature, np.nan) for _ in missing]
    cells = zip(texts, *effect_columns(effect[[*chosen.tolist(), *missing]]), strict=True)
    return Table((feature.name, *effect_head(effect)), tuple(cells))
