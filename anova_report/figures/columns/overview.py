"""How rows and answers are spread."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.figures.columns.axes import (
    MISSING,
    along,
    answer_label,
    level_axis,
    number_axis,
    shown_range,
    value_text,
)
from anova_report.figures.columns.levels import MOST_LEVELS, LevelScale, column_levels
from anova_report.figures.columns.rows import Rows
from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import Histogram
from anova_report.measures.wording import percent

BINS = 24
TAIL = 0.005
BEYOND = "(beyond what is drawn)"


def histogram_figure(rows: Rows, feature: str | int, *, key: str | None = None) -> Figure:
    """Draw how the rows are spread over one feature."""
    index = rows.feature(feature)
    kind = rows.dec.features[index]
    return _histogram(key or f"feature-{index}", f"Rows by {kind.name}", kind, rows.values[:, index])


def answers_histogram(rows: Rows, output: str | int = 0, *, key: str | None = None) -> Figure:
    """Draw how the answers are spread."""
    chosen = rows.dec.output_index(output)
    label = answer_label(rows.dec, chosen)
    column = rows.answers_to(chosen)
    return _histogram(key or f"o{chosen}-answers", f"Rows by {label}", Feature(label, "numeric"), column)


def _histogram(key: str, title: str, feature: Feature, column: Floats) -> Figure:
    scale = column_levels(feature, column)
    if scale is None:
        return _of_numbers(key, title, feature, column)
    if scale.n_left_out:
        scale = column_levels(feature, column, MOST_LEVELS - 1) or scale
    return _of_levels(key, title, feature, scale)


def _of_levels(key: str, title: str, feature: Feature, scale: LevelScale) -> Figure:
    if feature.kind == "nominal":
        scale = scale.reordered(np.lexsort((-scale.count, np.isnan(scale.codes))))
    names, count = list(scale.names), scale.count.tolist()
    if scale.n_left_out:
        names.append(f"({scale.n_left_out} others)")
        count.append(scale.rows_left_out)
    total, most = sum(count), int(np.argmax(count))
    data = Histogram(level_axis(feature.name, tuple(names)), (), tuple(count))
    drawn = f"most, {percent(count[most] / total)}, have {feature.name} = {names[most]}"
    alt = f"Of {total:,} rows, {drawn}, which is one of {len(names)} that are drawn."
    return Figure(key, title, alt, data, _table(feature, names, count, total))


def _of_numbers(key: str, title: str, feature: Feature, column: Floats) -> Figure:
    known = column[~np.isnan(column)]
    axis = number_axis(feature, *shown_range(known, TAIL))
    span = axis.high - axis.low
    edges = np.linspace(axis.low, axis.high, BINS + 1)
    count = np.histogram(known, edges)[0].tolist()
    others = {BEYOND: len(known) - sum(count), MISSING: len(column) - len(known)}
    ends = [value_text(feature, edge, span) for edge in edges.tolist()]
    names = [f"{low} to {high}" for low, high in pairwise(ends)]
    kept = {name: rows for name, rows in others.items() if rows}
    table = _table(feature, [*names, *kept], [*count, *kept.values()], len(column))
    data = Histogram(axis, along(axis, edges), tuple(count))
    return Figure(key, title, _numbers_alt(feature, known, span, kept, len(column)), data, table)


def _numbers_alt(feature: Feature, known: Floats, span: float, others: dict[str, int], total: int) -> str:
    quarter, half, three = (value_text(feature, float(value), span) for value in np.quantile(known, [0.25, 0.5, 0.75]))
    more = "".join(f"; {name.strip('()')}: {percent(rows / total)}" for name, rows in others.items())
    return f"Half of {total:,} rows have {feature.name} between {quarter} and {three}, the median is {half}{more}."


def _table(feature: Feature, names: Sequence[str], count: Sequence[int], total: int) -> Table:
    cells = ((name, f"{rows:,}", percent(rows / total)) for name, rows in zip(names, count, strict=True))
    return Table((feature.name, "rows", "share of rows"), tuple(cells))
