"""Main effects: a curve along numbers, a bar for each level."""

from anova_report.figures.columns.bars import bars
from anova_report.figures.columns.curves import curve
from anova_report.figures.columns.levels import level_scale
from anova_report.figures.columns.rows import Rows, term_of_order
from anova_report.figures.figure import Figure
from anova_report.figures.kinds import Axis


def main_effect(
    rows: Rows,
    term: object,
    output: str | int = 0,
    *,
    y: Axis | None = None,
    key: str | None = None,
    row: int | None = None,
) -> Figure:
    """Draw the main effect of a feature.

    Parameters
    ----------
    rows : Rows
    term : Term, int or str
        Of one feature.
    output : str or int
    y : Axis, optional
        Of the effect; by default it holds this effect.
    key : str, optional
    row : int, optional
        Position of a row whose value is marked.
    """
    found, chosen = term_of_order(rows.dec, term, 1), rows.dec.output_index(output)
    index, scale = found[0], level_scale(rows, found[0])
    made = curve(rows, index, chosen, y, row) if scale is None else bars(rows, index, scale, chosen, y, row)
    data, alt, table = made
    title = f"Main effect of {rows.dec.features[index].name}"
    return Figure(key or f"o{chosen}-main-{index}", title, alt, data, table)
