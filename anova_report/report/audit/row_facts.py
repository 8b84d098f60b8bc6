"""Facts about the audited rows, and single cases: what their predictions are made of, in words and figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.input.features import UNSEEN, Feature
from anova_report.core.result.decomposition import Decomposition
from anova_report.figures.axes import value_text
from anova_report.figures.cases import force, row_values, waterfall
from anova_report.figures.figure import Figure
from anova_report.figures.networks import local_network
from anova_report.figures.rows import Rows
from anova_report.measures.local import RowExplanation, notable_rows
from anova_report.measures.variance import prediction_variance
from anova_report.measures.wording import counted, enumeration, number, percent, signed
from anova_report.report.audit.audit import CaseFacts


def feature_summary(feature: Feature, column: Floats) -> str:
    """Say in words which values, encoded in a column, a feature has.

    Examples
    --------
    >>> feature_summary(Feature("age", "numeric"), np.array([20.0, 30.0, 70.0]))
    '20 to 70, median 30'
    >>> feature_summary(Feature("sex", "nominal", ("female", "male")), np.array([0.0, 0.0, 1.0, np.nan]))
    '2 levels, most often female (66.7%)'
    """
    known = column[~np.isnan(column)]
    if not len(known):
        return "always missing"
    if feature.has_levels:
        codes, counts = np.unique(known[known != UNSEEN], return_counts=True)
        if not len(codes):
            return "only levels that the fit has not seen"
        most = int(counts.argmax())
        share = percent(float(counts[most] / len(known)))
        return f"{counted(len(codes), 'level', 'levels')}, most often {feature.levels[int(codes[most])]} ({share})"
    if feature.kind == "boolean":
        return f"true in {percent(float(known.mean()))} of the rows"
    low, middle, high = np.quantile(known, (0.0, 0.5, 1.0), method="inverted_cdf").tolist()
    first, median, last = (value_text(feature, value, high - low) for value in (low, middle, high))
    return f"{first} to {last}, median {median}"


def predictions_summary(dec: Decomposition, predictions: Floats | None, output: int) -> str:
    """Say in a sentence how the predictions are spread; without them, what the decomposition knows."""
    if predictions is None:
        spread = prediction_variance(dec, dec.in_sample, output) ** 0.5
        mean = float(dec.expansion.mean[output])
        return f"In the fit the predictions had mean {number(mean)} and standard deviation {number(spread)}."
    column = predictions[:, output]
    low, first, middle, third, high = np.quantile(column, (0.0, 0.25, 0.5, 0.75, 1.0)).tolist()
    return (
        f"The predictions run from {number(low)} to {number(high)}; half of them lie between {number(first)} and "
        f"{number(third)}, around a median of {number(middle)}. Their mean is {number(float(column.mean()))}, "
        f"their standard deviation {number(float(column.std()))}."
    )


REASONS = {
    "typical": "Typical case",
    "highest": "Highest explained value",
    "lowest": "Lowest explained value",
    "largest residual": "Largest residual",
}
CHOSEN = "Chosen case"
NAMED = 2  # contributions that a sentence names in each direction
SMALL = 0.05  # of the largest contribution: below it a contribution is not worth naming


@dataclass(frozen=True)
class ChosenRow:
    """A row that is explained: its position, its name and why it was chosen."""

    row: int
    name: str
    title: str


def chosen_rows(rows: Rows, X: Any, output: int, wanted: Sequence[int] | None) -> tuple[ChosenRow, ...]:
    """Choose the rows to explain: those wanted or, by default, the typical, the extreme and the largest residual.

    X is the table of the same rows, and `wanted` are positions in it.
    """
    if wanted is None:
        notable = notable_rows(rows.dec, X, rows.predictions, output)
        found = [(item.row, REASONS[item.reason]) for item in notable]
    else:
        found = [(rows.position(row), CHOSEN) for row in wanted]
    return tuple(ChosenRow(row, rows.name(row), title) for row, title in found)


def case(rows: Rows, chosen: ChosenRow, output: int, keep: Callable[[Figure], str]) -> CaseFacts:
    """Explain one row."""
    found = rows.explanation(chosen.row, output)
    return CaseFacts(
        anchor=f"o{output}-row-{chosen.row}",
        title=chosen.title,
        row=chosen.name,
        words=case_words(found),
        prediction=found.prediction,
        explained=found.explained,
        remainder=found.remainder,
        force=keep(force(rows, chosen.row, output)),
        waterfall=keep(waterfall(rows, chosen.row, output)),
        network=keep(local_network(rows, chosen.row, output)),
        values=row_values(rows, chosen.row),
    )


def case_words(found: RowExplanation) -> str:
    """Say in words what a prediction is made of."""
    shown = found.explained if found.prediction is None else found.prediction
    what = "explained value" if found.prediction is None else "prediction"
    level = "equal to" if number(shown) == number(found.mean) else "above" if shown > found.mean else "below"
    start = f"The {what} is {number(shown)}, {level} the mean of {number(found.mean)}."
    pushes = [words for sign, verb in ((1, "raise"), (-1, "lower")) if (words := _leading(found, sign, verb))]
    middle = f" Above all, {'; '.join(pushes)}." if pushes else " No term changes it."
    ending = _unseen(found.unseen)
    if found.remainder is None:
        return f"{start}{middle}{ending}"
    left = f"which leaves a residual of {signed(found.remainder)}" if found.remainder else "which is the prediction"
    return f"{start}{middle} The terms add up to {number(found.explained)}, {left}.{ending}"


def _unseen(words: tuple[str, ...]) -> str:
    """Warn of a row that is explained by going beyond what the fit has seen."""
    if not words:
        return ""
    named = (*words[:NAMED], f"{len(words) - NAMED} more") if len(words) > NAMED else words
    return f" The fit has not seen {enumeration(named)}: what is said about this row is extrapolated."


def _leading(found: RowExplanation, sign: int, verb: str) -> str:
    """Name the largest contributions in one direction."""
    ranked = found.ranked()
    least = SMALL * abs(ranked[0].value) if ranked else 0.0
    pushing = [item for item in ranked if item.value * sign > least][:NAMED]
    ending = "s" if len(pushing) == 1 else ""
    named = tuple(f"{item.label} ({signed(item.value)})" for item in pushing)
    return f"{enumeration(named)} {verb}{ending} it" if pushing else ""
