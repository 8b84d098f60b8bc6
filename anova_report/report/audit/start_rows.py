"""Rows from which a reader of the page may start: what is usual, and the rows that the page explains."""

from collections.abc import Iterable, Sequence

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.input.features import UNSEEN, Feature
from anova_report.figures.cases import TAIL
from anova_report.figures.rows import Rows
from anova_report.measures.sentences.rows import row_title
from anova_report.measures.values import shown_range, value_text
from anova_report.report.audit.row_facts import ChosenRow
from anova_report.report.audit.what_if import StartRow

USUAL = "Medians and most frequent levels"
MORE_DIGITS = (6, 9, 12)  # significant ones, where those that the page shows do not lead to what it says of the row
SAME = 1e-4  # of the standard deviation of the explained values: a part that three digits do not show


def start_rows(rows: Rows, chosen: Iterable[ChosenRow]) -> tuple[StartRow, ...]:
    """Write the rows that the page explains, each once, with their values as it shows them; then what is usual.

    Where effects jump or turn between a value and what is shown of it, a row has more digits: as few as lead to the
    contributions that the page lists for it.
    """
    found = {row.row: f"{row_title(row.why)}: {row.name}" for row in reversed(list(chosen))}
    listed = [(name, rows.values[row]) for row, name in reversed(found.items())]
    usual = np.array(
        [_usual(feature, column) for feature, column in zip(rows.dec.features, rows.values.T, strict=True)]
    )
    spans = shown_spans(rows)
    explained = (StartRow(name, _close(rows, values, spans)) for name, values in listed)
    return (*explained, StartRow(USUAL, _shown(rows.dec.features, usual, spans)))


def _close(rows: Rows, values: Floats, spans: Sequence[float]) -> tuple[float | None, ...]:
    """Write a row with the fewest digits that leave its contributions as they are."""
    features, evaluate = rows.dec.features, rows.dec.expansion.evaluate
    own, most = evaluate(values[None]), SAME * rows.explained.std(axis=0)
    written = _shown(features, values, spans)
    for digits in MORE_DIGITS:
        if (abs(evaluate(np.array([written], dtype=np.float64)) - own) <= most).all():
            return written
        written = tuple(None if np.isnan(value) else float(f"{value:.{digits}g}") for value in values.tolist())
    return written


def _shown(features: Sequence[Feature], values: Floats, spans: Sequence[float]) -> tuple[float | None, ...]:
    return tuple(value_shown(*each) for each in zip(features, values.tolist(), spans, strict=True))


def value_shown(feature: Feature, value: float, span: float) -> float | None:
    """Read a value again as it is written for the reader, who sees fewer digits; None where it is missing.

    Examples
    --------
    >>> value_shown(Feature("year", "numeric"), 2011.0, 7.0), value_shown(Feature("gain", "numeric"), -3464.28, 1e4)
    (2011.0, -3464.0)
    >>> value_shown(Feature("sold", "datetime"), 1.3e9, 1e8)
    1299974400.0
    """
    if np.isnan(value):
        return None
    if feature.has_levels or (feature.kind == "boolean" and value in (0.0, 1.0)):
        return value
    text = value_text(feature, value, span)
    if feature.kind == "datetime":
        return float(np.datetime64(text).astype("datetime64[s]").astype(np.int64))
    return float(text.removesuffix(" s").replace(",", "").replace("−", "-"))


def shown_spans(rows: Rows) -> tuple[float, ...]:
    """Measure the range of each feature over which the page tells values apart."""
    known = [column[~np.isnan(column)] for column in rows.values.T]
    ranges = [shown_range(column, TAIL) if len(column) else (0.0, 0.0) for column in known]
    return tuple(high - low for low, high in ranges)


def _usual(feature: Feature, column: Floats) -> float:
    """Return the median, or the most frequent level."""
    known = column[~np.isnan(column)]
    known = known[known != UNSEEN] if feature.has_levels else known
    if not len(known):
        return np.nan
    if feature.has_levels:
        codes, counts = np.unique(known, return_counts=True)
        return float(codes[counts.argmax()])
    return float(np.quantile(known, 0.5, method="inverted_cdf"))
