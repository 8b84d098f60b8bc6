"""What a job has decomposed, all rows or a cohort of them, and the file of reasons of its rows."""

import csv
import io
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.compare import Attribution
from anova_report.core.input.predictions import Predictions
from anova_report.core.input.scales import scale_of
from anova_report.core.input.weights import RowWeights, kept
from anova_report.core.result.cohorts import cohort_of
from anova_report.core.result.decomposition import Decomposition
from anova_report.errors import InputError
from anova_report.io import sinks
from anova_report.measures.column_roles import Unread
from anova_report.measures.kept_aside import KeptAside
from anova_report.measures.reasons import HEAD, Reason, encoded_reasons, reason_lines
from anova_report.measures.wording import exponential
from anova_report.report.audit.audit import Pairs
from anova_report.report.jobs.options import Job


@dataclass(frozen=True, eq=False)
class Decomposed:
    """A decomposition, and what its page shows: rows and their predictions, and words about them."""

    dec: Decomposition
    inputs: Any
    predictions: Predictions
    model: str
    names: tuple[str, ...]
    notes: tuple[str, ...]
    cases: tuple[int, ...] = ()
    others: tuple[Attribution, ...] = ()
    unread: tuple[Unread, ...] = ()
    whole: Decomposition | None = None  # of all rows, where these are a cohort
    versions: Pairs = ()  # of the libraries that the model is made of
    aside: KeptAside | None = None  # columns beside the inputs, of these rows


def as_cohort(job: Job, found: Decomposed, rows: NDArray[np.intp], weights: RowWeights | None) -> Decomposed:
    """Keep the rows of a cohort, and explain them under their own law."""
    outside = next((name for name, at in zip(job.rows, found.cases, strict=False) if at not in rows), None)
    if outside is not None:
        raise InputError(f"The row {outside!r} does not fulfill {job.where!r}. Name rows that do, or leave where out.")
    n_all = len(found.predictions.values)
    inputs, values = kept("inputs", found.inputs, rows, n_all), found.predictions.values[rows]
    counts = None if weights is None or weights.values is None else weights.values[rows]
    return replace(
        found,
        dec=cohort_of(found.dec, inputs, values, str(job.where), n_all, counts),
        inputs=inputs,
        predictions=replace(found.predictions, values=values),
        names=tuple(found.names[at] for at in rows.tolist()),
        cases=tuple(np.searchsorted(rows, found.cases).tolist()),
        whole=found.dec,
    )


def reasons_csv(dec: Decomposition, inputs: Any, names: tuple[str, ...]) -> str:
    """Write the reasons of all rows as CSV, one line per row, output and reason; of logarithms they are factors."""
    values, text = dec.encode(inputs), io.StringIO()
    factors = scale_of(dec.scale).factors
    writer = csv.writer(text, lineterminator="\n")
    several = len(dec.output_names) > 1
    head = ["factor" if factors and name == "value" else name for name in HEAD]
    writer.writerow([*(["output"] if several else []), *head])
    for output, called in enumerate(dec.output_names):
        first = [called] if several else []
        for name, found in zip(names, encoded_reasons(dec, values, output=output).rows, strict=True):
            own = tuple(map(_as_factor, found)) if factors else found
            writer.writerows([*map(sinks.csv_cell, [*first, *line])] for line in reason_lines(name, own))
    return text.getvalue()


def _as_factor(reason: Reason) -> Reason:
    low, high = (None if end is None else exponential(end) for end in (reason.low, reason.high))
    return replace(reason, value=exponential(reason.value), low=low, high=high)
