"""Answers against their explanations, row by row."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.figures.columns.axes import answer_label, quantiles, rounded, value_axis
from anova_report.figures.columns.rows import Rows
from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import Scatter
from anova_report.measures.wording import number, percent

SCATTER_ROWS = 1200
TABLE_BINS = 8
FAR = 0.5  # standard deviations of the answers: gaps beyond are called large


def scatter_figure(rows: Rows, output: str | int = 0, *, row: int | None = None, key: str | None = None) -> Figure:
    """Draw the answers of some rows against their explanations, and mark one if wanted."""
    chosen = rows.dec.output_index(output)
    drawn, explained = _drawn(rows, chosen, row)
    answers = rows.answers_to(chosen)[drawn]
    label = answer_label(rows.dec, chosen)
    axis = value_axis(label, explained, answers)
    span = axis.high - axis.low
    data = Scatter(
        replace(axis, label=f"explanation of the {label}"),
        axis,
        at=rounded(explained, span),
        value=rounded(answers, span),
        rows=tuple(drawn.tolist()),
        n_rows=len(rows),
        marked=None if row is None else drawn.tolist().index(row),
    )
    alt = _alt(rows, chosen, answers, explained)
    return Figure(key or f"o{chosen}-scatter", "Explanation against answers", alt, data, _table(answers, explained))


def _drawn(rows: Rows, output: int, row: int | None) -> tuple[NDArray[np.intp], Floats]:
    """Rows to draw, and their explanations; a marked row is the last where it is not one of them anyway."""
    thinned = np.linspace(0, len(rows.sample) - 1, min(len(rows.sample), SCATTER_ROWS)).astype(np.intp)
    drawn, explained = rows.sample[thinned], rows.explained[thinned, output]
    if row is None or rows.position(row) in drawn:
        return drawn, explained
    return np.append(drawn, row), np.append(explained, rows.explanation(row, output).explained)


def _alt(rows: Rows, output: int, answers: Floats, explained: Floats) -> str:
    gap, spread = answers - explained, float(rows.answers_to(output).std())
    size = number(float(np.sqrt((gap**2).mean())))
    sentence = (
        f"Answers of {len(gap):,} of {len(rows):,} rows against their explanations: the gap is {size} on average "
        f"(root mean square), the standard deviation of the answers {number(spread)}"
    )
    if not spread:
        return f"{sentence}."
    far = percent(float((np.abs(gap) > FAR * spread).mean()))
    return f"{sentence}; {far} of the rows lie more than half a standard deviation off."


def _table(answers: Floats, explained: Floats) -> Table:
    """Average answers and explanations, and the size of the gap, in parts of the range of explanations."""
    edges = np.unique(quantiles(explained, np.linspace(0, 1, TABLE_BINS + 1)[1:-1]))
    part = np.searchsorted(edges, explained, side="right")
    lines = []
    for number_of in np.unique(part):
        inside = part == number_of
        gap = answers[inside] - explained[inside]
        means = (explained[inside].mean(), answers[inside].mean(), np.sqrt((gap**2).mean()))
        lines.append((f"{inside.sum():,}", *(number(float(value)) for value in means)))
    return Table(("rows", "mean explanation", "mean answer", "root mean square gap"), tuple(lines))
