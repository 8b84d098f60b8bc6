"""Main effects: a curve along numbers or a bar for each level, on one axis, with other explanations over them."""

from collections.abc import Sequence
from dataclasses import replace

from anova_report.compare.methods.attribution import Attribution
from anova_report.core.input.features import Feature
from anova_report.figures.curves import Curve, curve
from anova_report.figures.figure import Figure
from anova_report.figures.gaps import is_kept
from anova_report.figures.geometry import Axis
from anova_report.figures.level_scales import level_scale
from anova_report.figures.levels import Levels, levels
from anova_report.figures.overlays import overlay_line
from anova_report.figures.rows import Rows, term_of_order
from anova_report.measures.sentences.effects import curve_words, levels_words
from anova_report.measures.sentences.names import Names


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
    made = curve(rows, index, chosen, y, row) if scale is None else levels(rows, index, scale, chosen, y, row)
    data, claims, table = made
    names, title = Names.of(rows.dec, chosen), f"Main effect of {rows.dec.features[index].title}"
    alt = curve_words(claims, names) if scale is None else levels_words(claims, names)
    return Figure(key or f"o{chosen}-main-{index}", title, alt, data, table, claims)


def overlaid(figure: Figure, feature: Feature, others: Sequence[Attribution]) -> Figure:
    """Draw other explanations of a feature over its main effect; the axis of effects holds them, too.

    Parameters
    ----------
    figure : Figure
        Of the main effect.
    feature : Feature
        As the decomposition knows it.
    others : sequence of Attribution
    """
    data = figure.data
    if not isinstance(data, Curve | Levels):
        return figure
    # A method that has nothing to say keeps its place, so that each has one color in all figures.
    lines = tuple(overlay_line(data.x, feature, other) for other in others)
    if not any(line.at for line in lines):
        return figure
    gaps = data.gaps if isinstance(data, Curve) else ()
    points = (point for line in lines for point in zip(line.at, line.value, strict=True))
    effects = [value for at, value in points if is_kept(at, data.x, gaps)]
    y = replace(data.y, low=min(data.y.low, *effects), high=max(data.y.high, *effects))
    names = "; ".join(line.name for line in lines if line.at)  # names of methods hold commas
    alt = f"{figure.alt} Beside it, averaged over rows with about the same value: {names}."
    return replace(figure, alt=alt, data=replace(data, y=y, overlays=lines))
